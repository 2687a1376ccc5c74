/*
 * delta_encode.c: encodes a state as a Delta from its baselines (WIRE.md, "Deltas").
 *
 * The columns are written into the message one after another.  Each column takes one pass over its
 * entries.
 */
#include "proto/delta.h"

#include "engine/base/assert.h"
#include "proto/delta_predict.h"
#include "proto/runs.h"

#include <stdlib.h>

/* Largest number of bytes for an entry; tags and lengths of columns are counted separately. */
#define ENTRY_SIZE_MAX 88
#define MESSAGE_SIZE_MIN 256
#define SCRATCH_PER_ENTRY 2 /* an index, and a byte */

struct pass {
    const struct wire_state *now, *first;
    const struct wire_state *predicted;
    int32_t *is[DELTA_COLUMNS_MAX], *was[DELTA_COLUMNS_MAX]; /* columns: present and predicted */
    int column_count;
    const uint8_t *known;
    int32_t *changed; /* entries that differ from the prediction, ascending */
    int changed_count;
    bool is_same; /* no entry left or entered */
};

void
wire_encoder_finish(struct wire_encoder *encoder)
{
    free(encoder->bytes);
    free(encoder->scratch);
    wire_state_unref(encoder->predicted);
    *encoder = (struct wire_encoder){0};
}

static bool
reserve_encoder(struct wire_encoder *encoder, const struct wire_state *now, size_t gone)
{
    size_t n = (size_t)now->count;
    size_t size = MESSAGE_SIZE_MIN + ENTRY_SIZE_MAX * n + 10 * gone;
    if (encoder->capacity < size) {
        free(encoder->bytes);
        encoder->bytes = malloc(size);
        encoder->capacity = encoder->bytes != NULL ? size : 0;
    }
    if (encoder->scratch == NULL || encoder->scratch_capacity < n) {
        free(encoder->scratch);
        encoder->scratch = malloc((SCRATCH_PER_ENTRY * n + 1) * sizeof(int32_t));
        encoder->scratch_capacity = encoder->scratch != NULL ? n : 0;
    }
    struct wire_state *predicted = encoder->predicted;
    if (predicted == NULL || predicted->is_spatial != now->is_spatial ||
        encoder->predicted_capacity < now->count) {
        wire_state_unref(predicted);
        predicted = encoder->predicted = wire_state_create(now->count, now->is_spatial);
        encoder->predicted_capacity = predicted != NULL ? now->count : 0;
    }
    return encoder->bytes != NULL && encoder->scratch != NULL && predicted != NULL;
}

/* ---- columns ---- */

static uint8_t *
put_left(uint8_t *begin, const struct pass *pass)
{
    struct wire_runs runs = wire_runs_begin(begin);
    const struct wire_state *now = pass->now;
    int k = 0;
    for (int i = 0; pass->first != NULL && i < pass->first->count; i++) {
        while (k < now->count && now->body[k] < pass->first->body[i]) {
            k++;
        }
        if (k == now->count || now->body[k] != pass->first->body[i]) {
            wire_runs_take(&runs, (uint32_t)i);
        }
    }
    return wire_runs_close(&runs, begin, DELTA_LEFT);
}

static uint8_t *
put_entered(uint8_t *begin, const struct pass *pass)
{
    struct wire_runs runs = wire_runs_begin(begin);
    for (int i = 0; i < pass->now->count; i++) {
        if (!pass->known[i]) {
            wire_runs_take(&runs, pass->now->body[i]);
        }
    }
    return wire_runs_close(&runs, begin, DELTA_ENTERED);
}

static uint8_t *
put_changed(uint8_t *begin, const struct pass *pass)
{
    struct wire_runs runs = wire_runs_begin(begin);
    for (int k = 0; k < pass->changed_count; k++) {
        wire_runs_take(&runs, (uint32_t)pass->changed[k]);
    }
    return wire_runs_close(&runs, begin, DELTA_CHANGED);
}

static uint8_t *
put_sleep(uint8_t *begin, const struct pass *pass)
{
    struct wire_runs runs = wire_runs_begin(begin);
    for (int i = 0; i < pass->now->count; i++) {
        int bits = pass->now->asleep[i / 8] ^ pass->predicted->asleep[i / 8];
        if (bits == 0) {
            i |= 7;
        } else if ((bits >> i % 8 & 1) != 0) {
            wire_runs_take(&runs, (uint32_t)i);
        }
    }
    return wire_runs_close(&runs, begin, DELTA_SLEEP);
}

/* ---- residuals ---- */

struct residual {
    int32_t of[3];
};

static inline int32_t
wrapping_difference(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a - (uint32_t)b);
}

/* Part 0 of an entry's numbers is its position, part 1 is its turn in a spatial world. */
static inline struct residual
residual_of(const struct pass *pass, int entry, int part)
{
    int32_t *const *is = pass->is + 3 * part, *const *was = pass->was + 3 * part;
    return (struct residual){{wrapping_difference(is[0][entry], was[0][entry]),
        wrapping_difference(is[1][entry], was[1][entry]),
        wrapping_difference(is[2][entry], was[2][entry])}};
}

static bool
is_wide(struct residual residual)
{
    return wire_zigzag(residual.of[0]) >= WIRE_ZIGZAG_END ||
           wire_zigzag(residual.of[1]) >= WIRE_ZIGZAG_END ||
           wire_zigzag(residual.of[2]) >= WIRE_ZIGZAG_END;
}

static uint32_t
interleave_signs(struct residual residual)
{
    return wire_interleave(wire_zigzag(residual.of[0]), wire_zigzag(residual.of[1]),
        wire_zigzag(residual.of[2]));
}

static uint8_t *
put_three(uint8_t *at, struct residual residual)
{
    for (int c = 0; c < 3; c++) {
        at = wire_put_sint(at, residual.of[c]);
    }
    return at;
}

static uint8_t *
put_position(uint8_t *begin, const struct pass *pass, bool *is_escaped)
{
    uint8_t *at = begin + WIRE_COLUMN_HEAD_MAX;
    for (int k = 0; k < pass->changed_count; k++) {
        struct residual residual = residual_of(pass, pass->changed[k], 0);
        bool is_out = is_wide(residual);
        *is_escaped = *is_escaped || is_out;
        at = wire_put_varint(at, is_out ? 0 : 1 + (uint64_t)interleave_signs(residual));
    }
    return wire_column_close(begin, at, DELTA_POSITION);
}

static uint8_t *
put_turn(uint8_t *begin, const struct pass *pass, bool *is_escaped)
{
    uint8_t *at = begin + WIRE_COLUMN_HEAD_MAX;
    for (int k = 0; k < pass->changed_count; k++) {
        int i = pass->changed[k];
        struct residual residual = residual_of(pass, i, 1);
        uint32_t code = DELTA_TURN_ESCAPE;
        if (pass->now->turn_largest[i] != pass->predicted->turn_largest[i]) {
            code = DELTA_TURN_OTHER;
        } else if (!is_wide(residual)) {
            code = DELTA_TURN_BASE + interleave_signs(residual);
        }
        *is_escaped = *is_escaped || code < DELTA_TURN_BASE;
        at = wire_put_varint(at, code);
    }
    return wire_column_close(begin, at, DELTA_TURN);
}

/* A turn itself, not a difference. */
static struct residual
turn_of(const struct wire_state *now, int entry)
{
    return (struct residual){{now->turn_a[entry], now->turn_b[entry], now->turn_c[entry]}};
}

static uint8_t *
put_changed_escapes(uint8_t *at, const struct pass *pass)
{
    const struct wire_state *now = pass->now;
    for (int k = 0; k < pass->changed_count; k++) {
        int i = pass->changed[k];
        struct residual position = residual_of(pass, i, 0);
        if (is_wide(position)) {
            at = put_three(at, position);
        }
        if (!now->is_spatial) {
            continue;
        }
        struct residual turn = residual_of(pass, i, 1);
        if (now->turn_largest[i] != pass->predicted->turn_largest[i]) {
            at = wire_put_sint(at, (int32_t)now->turn_largest[i]);
            at = put_three(at, turn_of(now, i));
        } else if (is_wide(turn)) {
            at = put_three(at, turn);
        }
    }
    return at;
}

static uint8_t *
put_escape(uint8_t *begin, const struct pass *pass, bool is_changed, bool is_entered)
{
    uint8_t *at = begin + WIRE_COLUMN_HEAD_MAX;
    if (is_changed) {
        at = put_changed_escapes(at, pass);
    }
    for (int i = 0; is_entered && i < pass->now->count; i++) {
        if (!pass->known[i] && is_wide(turn_of(pass->now, i))) {
            at = wire_put_sint(at, (int32_t)pass->now->turn_largest[i]);
            at = put_three(at, turn_of(pass->now, i));
        }
    }
    return wire_column_close(begin, at, DELTA_ESCAPE);
}

/* ---- entered bodies ---- */

static uint8_t *
put_place(uint8_t *begin, const struct pass *pass)
{
    uint8_t *at = begin + WIRE_COLUMN_HEAD_MAX;
    int32_t before[3] = {0};
    for (int i = 0; i < pass->now->count; i++) {
        for (int c = 0; !pass->known[i] && c < 3; c++) {
            at = wire_put_sint(at, wrapping_difference(pass->is[c][i], before[c]));
            before[c] = pass->is[c][i];
        }
    }
    return wire_column_close(begin, at, DELTA_PLACE);
}

static uint8_t *
put_facing(uint8_t *begin, const struct pass *pass, bool *is_escaped)
{
    uint8_t *at = begin + WIRE_COLUMN_HEAD_MAX;
    const struct wire_state *now = pass->now;
    for (int i = 0; i < now->count; i++) {
        if (!pass->known[i]) {
            struct residual turn = turn_of(now, i);
            bool is_out = is_wide(turn);
            *is_escaped = *is_escaped || is_out;
            at = wire_put_varint(
                at, is_out ? 0 : (1 + interleave_signs(turn)) << 2 | now->turn_largest[i]);
        }
    }
    return wire_column_close(begin, at, DELTA_FACING);
}

/* ---- the message ---- */

/* Whether any number of an entry differs from the prediction. */
static bool
is_off(const struct pass *pass, int entry)
{
    uint32_t bits = 0;
    for (int c = 0; c < pass->column_count; c++) {
        bits |= (uint32_t)(pass->is[c][entry] ^ pass->was[c][entry]);
    }
    if (pass->now->is_spatial) {
        bits |= pass->now->turn_largest[entry] ^ pass->predicted->turn_largest[entry];
    }
    return bits != 0;
}

/* The same for several entries at once: whether any of them differs. */
static bool
are_off(const struct pass *pass, int entry)
{
    delta_lanes bits = {0};
    for (int c = 0; c < pass->column_count; c++) {
        bits |= delta_load(pass->is[c] + entry) ^ delta_load(pass->was[c] + entry);
    }
    if (pass->now->is_spatial) {
        bits |= delta_load(pass->now->turn_largest + entry) ^
                delta_load(pass->predicted->turn_largest + entry);
    }
    return (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
}

static void
find_changed(struct pass *pass)
{
    int count = pass->now->count;
    for (int i = 0; i < count; i++) {
        if (i % DELTA_LANES == 0 && i + DELTA_LANES <= count && !are_off(pass, i)) {
            i += DELTA_LANES - 1;
        } else if (pass->known[i] && is_off(pass, i)) {
            pass->changed[pass->changed_count++] = i;
        }
    }
}

static uint8_t *
put_head(uint8_t *at, const struct pass *pass, const struct wire_state *second)
{
    CN_ASSERT(second == NULL || (pass->first != NULL && second->tick < pass->first->tick));
    const struct wire_state *now = pass->now;
    at = wire_put_varint(wire_put_tag(at, DELTA_TICK, WIRE_TYPE_VARINT), now->tick);
    at = wire_put_varint(wire_put_tag(at, DELTA_GENERATION, WIRE_TYPE_VARINT), now->generation);
    if (pass->first != NULL) {
        at = wire_put_tag(at, DELTA_FIRST, WIRE_TYPE_VARINT);
        at = wire_put_varint(at, now->tick - pass->first->tick);
    }
    if (second != NULL) {
        at = wire_put_tag(at, DELTA_SECOND, WIRE_TYPE_VARINT);
        at = wire_put_varint(at, now->tick - second->tick);
    }
    int64_t time_us = (int64_t)((uint64_t)now->time_us - (uint64_t)pass->predicted->time_us);
    if (time_us != 0) {
        at = wire_put_tag(at, DELTA_TIME, WIRE_TYPE_VARINT);
        at = wire_put_varint(at, ((uint64_t)time_us << 1) ^ (time_us < 0 ? UINT64_MAX : 0));
    }
    return at;
}

static uint8_t *
put_columns(uint8_t *at, const struct pass *pass)
{
    bool is_changed = false, is_entered = false;
    if (!pass->is_same) {
        at = put_left(at, pass);
        at = put_entered(at, pass);
    }
    at = put_changed(at, pass);
    at = put_position(at, pass, &is_changed);
    if (pass->now->is_spatial) {
        at = put_turn(at, pass, &is_changed);
    }
    if (!pass->is_same) {
        at = put_place(at, pass);
        if (pass->now->is_spatial) {
            at = put_facing(at, pass, &is_entered);
        }
    }
    at = put_escape(at, pass, is_changed, is_entered);
    return put_sleep(at, pass);
}

static bool
can_serve(const struct wire_state *baseline, const struct wire_state *now)
{
    return baseline != NULL && baseline->tick < now->tick &&
           now->tick - baseline->tick <= WIRE_BASELINE_AGE_MAX &&
           baseline->series == now->series && baseline->is_spatial == now->is_spatial &&
           baseline->precision.position == now->precision.position &&
           baseline->precision.angle == now->precision.angle &&
           baseline->precision.turn == now->precision.turn;
}

bool
wire_encode_delta(struct wire_encoder *encoder, const struct wire_state *now,
    const struct wire_state *first, const struct wire_state *second)
{
    first = can_serve(first, now) ? first : NULL;
    second = first != NULL && can_serve(second, now) && second->tick < first->tick ? second : NULL;
    if (!reserve_encoder(encoder, now, first != NULL ? (size_t)first->count : 0)) {
        return false;
    }
    uint8_t *known = (uint8_t *)(encoder->scratch + now->count);
    struct pass pass = {.now = now, .first = first, .predicted = encoder->predicted,
        .known = known, .changed = encoder->scratch};
    encoder->predicted->tick = now->tick;
    encoder->predicted->count = now->count;
    memcpy(encoder->predicted->body, now->body, (size_t)now->count * sizeof(now->body[0]));
    pass.is_same = delta_predict(encoder->predicted, first, second, known);
    pass.column_count = delta_columns(now, pass.is);
    delta_columns(encoder->predicted, pass.was);
    find_changed(&pass);
    CN_ASSERT(pass.changed_count <= now->count && encoder->predicted_capacity >= now->count);
    uint8_t *begin = encoder->bytes + WIRE_COLUMN_HEAD_MAX + 3;
    uint8_t *at = put_columns(put_head(begin, &pass, second), &pass);
    at = wire_put_fixed32(wire_put_tag(at, DELTA_VIEW_HASH, WIRE_TYPE_32), now->view_hash);
    if (now->state_hash != 0) {
        at = wire_put_fixed64(wire_put_tag(at, DELTA_STATE_HASH, WIRE_TYPE_64), now->state_hash);
    }
    size_t size = (size_t)(at - begin);
    at = wire_put_varint(
        wire_put_tag(encoder->bytes, DELTA_MESSAGE, WIRE_TYPE_BYTES), size);
    CN_ASSERT(at <= begin); /* the wrapper has its room */
    memmove(at, begin, size);
    encoder->size = (size_t)(at - encoder->bytes) + size;
    CN_ASSERT(encoder->size <= encoder->capacity);
    return true;
}
