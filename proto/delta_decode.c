/*
 * delta_decode.c: computes a state from a Delta and earlier states (WIRE.md, "Deltas").
 *
 * The bytes may be hostile.  First the fields of the message are found.  Then its lists give the
 * number of entries, and the columns must have as many numbers.  Then a new state gets the entries,
 * their predictions and the corrections.  The state goes into the ring if its hash is right.
 */
#include "proto/delta.h"

#include "proto/delta_predict.h"
#include "proto/runs.h"

#include <stdlib.h>
#include <string.h>

/* Entries of a state; limits the memory that a hostile daemon can make a client allocate. */
#define ENTRIES_MAX (1 << 20)

struct delta {
    uint64_t tick;
    uint32_t generation, first, second;
    int64_t time_us;
    struct wire_reader left, entered, changed, position, turn, place, facing, escape, sleep;
    uint32_t view_hash;
    uint64_t state_hash;
};

struct piece {
    const struct delta *delta;
    const struct wire_state *first, *second; /* may be NULL */
    struct wire_state *state;
    uint8_t *known;
    struct wire_reader escape;
};

/* ---- fields ---- */

static struct wire_reader *
column_of(struct delta *delta, uint32_t field)
{
    switch (field) {
    case DELTA_LEFT:
        return &delta->left;
    case DELTA_ENTERED:
        return &delta->entered;
    case DELTA_CHANGED:
        return &delta->changed;
    case DELTA_POSITION:
        return &delta->position;
    case DELTA_TURN:
        return &delta->turn;
    case DELTA_PLACE:
        return &delta->place;
    case DELTA_FACING:
        return &delta->facing;
    case DELTA_ESCAPE:
        return &delta->escape;
    case DELTA_SLEEP:
        return &delta->sleep;
    default:
        return NULL;
    }
}

static void
read_number(struct delta *delta, uint32_t field, uint64_t value)
{
    switch (field) {
    case DELTA_TICK:
        delta->tick = value;
        break;
    case DELTA_GENERATION:
        delta->generation = (uint32_t)value;
        break;
    case DELTA_FIRST:
        delta->first = (uint32_t)value;
        break;
    case DELTA_SECOND:
        delta->second = (uint32_t)value;
        break;
    case DELTA_TIME:
        delta->time_us = (int64_t)(value >> 1 ^ ((value & 1) != 0 ? UINT64_MAX : 0));
        break;
    default:
        break;
    }
}

static bool
read_fields(struct delta *delta, struct wire_reader reader)
{
    while (!wire_reader_is_done(&reader)) {
        uint32_t tag = wire_get_uint32(&reader);
        struct wire_reader *column = column_of(delta, tag >> 3);
        if (column != NULL && (tag & 7) == WIRE_TYPE_BYTES) {
            *column = wire_get_bytes(&reader);
        } else if (column != NULL) {
            return false; /* a column that is not packed */
        } else if ((tag & 7) == WIRE_TYPE_VARINT) {
            read_number(delta, tag >> 3, wire_get_varint(&reader));
        } else if (tag == (DELTA_VIEW_HASH << 3 | WIRE_TYPE_32)) {
            delta->view_hash = (uint32_t)wire_get_fixed(&reader, 4);
        } else if (tag == (DELTA_STATE_HASH << 3 | WIRE_TYPE_64)) {
            delta->state_hash = wire_get_fixed(&reader, 8);
        } else {
            wire_skip(&reader, tag & 7);
        }
    }
    return !reader.is_bad;
}

static enum wire_delta_result
take_apart(struct delta *delta, const uint8_t *bytes, size_t size)
{
    if (size == 0) {
        return WIRE_DELTA_BAD;
    }
    struct wire_reader reader = {.at = bytes, .end = bytes + size};
    uint32_t tag = wire_get_uint32(&reader);
    if (reader.is_bad) {
        return WIRE_DELTA_BAD;
    }
    if (tag != (DELTA_MESSAGE << 3 | WIRE_TYPE_BYTES)) {
        return WIRE_DELTA_OTHER;
    }
    struct wire_reader body = wire_get_bytes(&reader);
    bool is_whole = !reader.is_bad && wire_reader_is_done(&reader);
    return is_whole && read_fields(delta, body) ? WIRE_DELTA_OK : WIRE_DELTA_BAD;
}

/* ---- entries ---- */

/* The slots of the new state: the first baseline's without `left`, and those of `entered`. */
static bool
lay_out(struct piece *piece)
{
    struct wire_state *state = piece->state;
    const struct wire_state *first = piece->first;
    struct wire_run_reader left = {.reader = piece->delta->left};
    struct wire_run_reader entered = {.reader = piece->delta->entered};
    bool is_leaving = wire_run_next(&left, UINT32_MAX);
    bool is_entering = wire_run_next(&entered, UINT32_MAX);
    uint32_t entry = 0, old_count = first != NULL ? (uint32_t)first->count : 0;
    for (int k = 0; k < state->count; k++) {
        while (is_leaving && entry == left.from) {
            entry = left.to;
            is_leaving = wire_run_next(&left, UINT32_MAX);
        }
        bool is_new = is_entering && (entry == old_count || entered.from < first->body[entry]);
        if (!is_new && entry == old_count) {
            return false;
        }
        state->body[k] = is_new ? entered.from++ : first->body[entry++];
        if (k > 0 && state->body[k] <= state->body[k - 1]) {
            return false;
        }
        if (is_entering && entered.from == entered.to) {
            is_entering = wire_run_next(&entered, UINT32_MAX);
        }
    }
    return true;
}

static void
get_escape(struct piece *piece, int32_t into[3])
{
    for (int c = 0; c < 3; c++) {
        into[c] = wire_get_sint32(&piece->escape);
    }
}

static void
get_interleaved(uint32_t code, int32_t into[3])
{
    for (int c = 0; c < 3; c++) {
        into[c] = wire_unzigzag(wire_gather(code >> c));
    }
}

static void
add_residual(struct wire_state *state, int entry, int part, const int32_t residual[3])
{
    int32_t *column[DELTA_COLUMNS_MAX];
    delta_columns(state, column);
    for (int c = 0; c < 3; c++) {
        int32_t *value = &column[3 * part + c][entry];
        *value = (int32_t)((uint32_t)*value + (uint32_t)residual[c]);
    }
}

static void
set_turn(struct wire_state *state, int entry, uint32_t largest, const int32_t turn[3])
{
    state->turn_largest[entry] = largest;
    state->turn_a[entry] = turn[0];
    state->turn_b[entry] = turn[1];
    state->turn_c[entry] = turn[2];
}

static bool
escape_turn(struct piece *piece, int entry)
{
    int32_t turn[3];
    int32_t largest = wire_get_sint32(&piece->escape);
    get_escape(piece, turn);
    set_turn(piece->state, entry, (uint32_t)largest & 3, turn);
    return 0 <= largest && largest < 4;
}

static bool
correct_entry(
    struct piece *piece, int entry, struct wire_reader *position, struct wire_reader *turn)
{
    int32_t residual[3];
    uint32_t code = wire_get_uint32(position);
    if (code == 0) {
        get_escape(piece, residual);
    } else {
        get_interleaved(code - 1, residual);
    }
    add_residual(piece->state, entry, 0, residual);
    if (!piece->state->is_spatial) {
        return true;
    }
    code = wire_get_uint32(turn);
    if (code == DELTA_TURN_OTHER) {
        return escape_turn(piece, entry);
    }
    if (code == DELTA_TURN_ESCAPE) {
        get_escape(piece, residual);
    } else {
        get_interleaved(code - DELTA_TURN_BASE, residual);
    }
    add_residual(piece->state, entry, 1, residual);
    return true;
}

static bool
correct_changed(struct piece *piece)
{
    struct wire_reader position = piece->delta->position, turn = piece->delta->turn;
    struct wire_run_reader runs = {.reader = piece->delta->changed};
    bool is_right = true;
    while (is_right && wire_run_next(&runs, (uint32_t)piece->state->count)) {
        for (uint32_t i = runs.from; is_right && i < runs.to; i++) {
            is_right = piece->known[i] && correct_entry(piece, (int)i, &position, &turn);
        }
    }
    return is_right && !position.is_bad && !turn.is_bad;
}

static bool
place_entered(struct piece *piece)
{
    struct wire_reader place = piece->delta->place, facing = piece->delta->facing;
    struct wire_state *state = piece->state;
    int32_t at[3] = {0};
    bool is_right = true;
    for (int i = 0; is_right && i < state->count; i++) {
        if (piece->known[i]) {
            continue;
        }
        for (int c = 0; c < 3; c++) {
            at[c] = (int32_t)((uint32_t)at[c] + (uint32_t)wire_get_sint32(&place));
        }
        add_residual(state, i, 0, at);
        if (state->is_spatial) {
            uint32_t code = wire_get_uint32(&facing);
            int32_t turn[3];
            get_interleaved((code >> 2) - 1, turn);
            set_turn(state, i, code & 3, turn);
            is_right = code >= 4 || (code == 0 && escape_turn(piece, i));
        }
    }
    return is_right && !place.is_bad && !facing.is_bad;
}

static bool
wake_bodies(struct piece *piece)
{
    struct wire_state *state = piece->state;
    struct wire_run_reader runs = {.reader = piece->delta->sleep};
    while (wire_run_next(&runs, (uint32_t)state->count)) {
        for (uint32_t i = runs.from; i < runs.to; i++) {
            state->asleep[i / 8] ^= (uint8_t)(1U << i % 8);
        }
    }
    for (int i = 0; i < state->count; i++) {
        state->asleep_count += wire_state_sleeps(state, i);
    }
    return !runs.reader.is_bad;
}

/* ---- the whole ---- */

/* How many entries the state has; -1 if lists and columns do not match. */
static int64_t
count_entries(const struct delta *delta, const struct wire_state *first, bool is_spatial)
{
    int64_t before = first != NULL ? first->count : 0;
    int64_t gone = wire_runs_count(delta->left, (uint32_t)before);
    int64_t come = wire_runs_count(delta->entered, INT32_MAX);
    if (gone < 0 || come < 0 || before - gone + come > ENTRIES_MAX) {
        return -1;
    }
    int64_t count = before - gone + come;
    int64_t changed = wire_runs_count(delta->changed, (uint32_t)count);
    bool is_whole = changed >= 0 && changed == wire_column_count(&delta->position) &&
                    wire_column_count(&delta->turn) == (is_spatial ? changed : 0) &&
                    wire_column_count(&delta->place) == 3 * come &&
                    wire_column_count(&delta->facing) == (is_spatial ? come : 0);
    return is_whole ? count : -1;
}

static bool
fill_bodies(struct piece *piece)
{
    const struct delta *delta = piece->delta;
    struct wire_state *state = piece->state;
    state->tick = delta->tick;
    state->generation = delta->generation;
    state->state_hash = delta->state_hash;
    state->view_hash = delta->view_hash;
    if (!lay_out(piece)) {
        return false;
    }
    delta_predict(state, piece->first, piece->second, piece->known);
    state->time_us = (int64_t)((uint64_t)state->time_us + (uint64_t)delta->time_us);
    state->time = (double)state->time_us * 1e-6;
    int last = state->count - 1;
    state->has_every_body = last < 0 || state->body[last] == (uint32_t)last;
    return correct_changed(piece) && place_entered(piece) && wake_bodies(piece) &&
           !piece->escape.is_bad && wire_reader_is_done(&piece->escape) &&
           wire_state_hash(state) == delta->view_hash;
}

static bool
is_there(const struct wire_state *baseline, bool is_spatial)
{
    return baseline != NULL && baseline->is_spatial == is_spatial;
}

/* False if the ring does not have a baseline that the delta names. */
static bool
find_baselines(const struct wire_decoder *decoder, struct piece *piece)
{
    const struct delta *delta = piece->delta;
    if (delta->first > 0) {
        piece->first = wire_ring_find(&decoder->ring, delta->tick - delta->first);
    }
    if (delta->second > 0) {
        piece->second = wire_ring_find(&decoder->ring, delta->tick - delta->second);
    }
    return (delta->first == 0 || is_there(piece->first, decoder->is_spatial)) &&
           (delta->second == 0 || is_there(piece->second, decoder->is_spatial));
}

static bool
is_order_right(const struct delta *delta)
{
    return delta->first <= WIRE_BASELINE_AGE_MAX && delta->second <= WIRE_BASELINE_AGE_MAX &&
           delta->first <= delta->tick && delta->second <= delta->tick &&
           (delta->second == 0 || (delta->first > 0 && delta->second > delta->first));
}

enum wire_delta_result
wire_decode_delta(struct wire_decoder *decoder, const uint8_t *bytes, size_t size,
    const struct wire_state **state)
{
    struct delta delta = {0};
    enum wire_delta_result result = take_apart(&delta, bytes, size);
    if (result != WIRE_DELTA_OK) {
        return result;
    }
    struct piece piece = {.delta = &delta, .escape = delta.escape};
    if (!is_order_right(&delta)) {
        return WIRE_DELTA_BAD;
    }
    if (!find_baselines(decoder, &piece)) {
        return WIRE_DELTA_BASELINE;
    }
    int64_t count = count_entries(&delta, piece.first, decoder->is_spatial);
    if (count < 0) {
        return WIRE_DELTA_BAD;
    }
    piece.state = wire_state_create((int)count, decoder->is_spatial);
    piece.known = malloc((size_t)count + 1);
    if (piece.state == NULL || piece.known == NULL) {
        result = WIRE_DELTA_MEMORY;
    } else {
        piece.state->precision = decoder->precision;
        result = fill_bodies(&piece) ? WIRE_DELTA_OK : WIRE_DELTA_BAD;
    }
    if (result == WIRE_DELTA_OK) {
        wire_ring_put(&decoder->ring, piece.state);
        *state = piece.state;
    }
    wire_state_unref(piece.state);
    free(piece.known);
    return result;
}
