/*
 * contact_encode.c: encodes contacts as a ContactDelta (WIRE.md, "Contact deltas").
 *
 * The columns are written into the message one after another, each in one pass over the entries.
 */
#include "proto/contact_delta.h"

#include "proto/contact_columns.h"

#include <stdlib.h>

/* Largest number of bytes for an entry and for one that left; the rest is counted separately. */
#define ENTRY_SIZE_MAX 220
#define LEFT_SIZE_MAX 10
#define MESSAGE_SIZE_MIN 512

struct pass {
    const struct wire_contacts *now, *base;
    const int32_t *was; /* by entry of `now`: its index in `base`, or -1 */
    uint8_t *escape;    /* end of the numbers in `escapes` */
};

void
wire_contact_encoder_finish(struct wire_contact_encoder *encoder)
{
    free(encoder->bytes);
    free(encoder->was);
    *encoder = (struct wire_contact_encoder){0};
}

static bool
reserve_encoder(struct wire_contact_encoder *encoder, size_t count, size_t base_count)
{
    size_t size = 2 * (MESSAGE_SIZE_MIN + ENTRY_SIZE_MAX * count + LEFT_SIZE_MAX * base_count);
    if (encoder->capacity < size) {
        free(encoder->bytes);
        encoder->bytes = malloc(size);
        encoder->capacity = encoder->bytes != NULL ? size : 0;
    }
    if (encoder->was == NULL || encoder->was_capacity < count) {
        free(encoder->was);
        encoder->was = malloc((count + 1) * sizeof(encoder->was[0]));
        encoder->was_capacity = encoder->was != NULL ? count : 0;
    }
    return encoder->bytes != NULL && encoder->was != NULL;
}

static void
match_entries(const struct wire_contacts *now, const struct wire_contacts *base, int32_t *was)
{
    int k = 0, count = base != NULL ? base->count : 0;
    for (int i = 0; i < now->count; i++) {
        const struct wire_contact *entry = &now->contacts[i];
        while (k < count && wire_contact_compare(&base->contacts[k], entry) < 0) {
            k++;
        }
        bool is_known = k < count && wire_contact_compare(&base->contacts[k], entry) == 0;
        was[i] = is_known ? k++ : -1;
    }
}

/* ---- lists ---- */

static uint8_t *
put_left(uint8_t *begin, const struct pass *pass)
{
    struct wire_runs runs = wire_runs_begin(begin);
    int expected = 0;
    for (int i = 0; i <= pass->now->count; i++) {
        int end = i == pass->now->count ? pass->base->count : pass->was[i];
        for (; expected < end; expected++) {
            wire_runs_take(&runs, (uint32_t)expected);
        }
        expected = end >= 0 ? end + 1 : expected;
    }
    return wire_runs_close(&runs, begin, CONTACT_LEFT);
}

static uint8_t *
put_entered(uint8_t *begin, const struct pass *pass)
{
    uint8_t *at = begin + WIRE_COLUMN_HEAD_MAX;
    uint32_t a = 0, b = 0;
    bool is_first = true;
    for (int i = 0; i < pass->now->count; i++) {
        const struct wire_contact *entry = &pass->now->contacts[i];
        if (pass->was[i] >= 0) {
            continue;
        }
        if (!is_first && entry->a == a && entry->b == b) {
            at = wire_put_varint(at, ((uint64_t)entry->rank << 2 | entry->anchor) << 1 | 1);
        } else {
            at = wire_put_varint(at, ((uint64_t)(entry->a - a) << 2 | entry->anchor) << 1);
            at = wire_put_sint(at, wire_wrapping_difference((int32_t)entry->b, (int32_t)entry->a));
            at = wire_put_varint(at, entry->rank);
        }
        a = entry->a;
        b = entry->b;
        is_first = false;
    }
    return wire_column_close(begin, at, CONTACT_ENTERED);
}

/* ---- columns ---- */

/* The prediction of an entry; `room` has room for it. */
static struct wire_contact *
predict_entry(const struct pass *pass, int i, struct wire_contact *room)
{
    if (pass->was[i] >= 0) {
        *room = pass->base->contacts[pass->was[i]];
    } else {
        *room = pass->now->contacts[i];
        contact_predict(room, i > 0 ? &pass->now->contacts[i - 1] : NULL);
    }
    return room;
}

static bool
is_off(struct wire_contact *is, struct wire_contact *was, enum contact_column column)
{
    if (!contact_column_is_vector(column)) {
        return *contact_number(is, column) != *contact_number(was, column);
    }
    const int32_t *scale = contact_scale(is, column);
    return memcmp(contact_vector(is, column), contact_vector(was, column),
               3 * sizeof(int32_t)) != 0 ||
           (scale != NULL && *scale != *contact_scale(was, column));
}

static uint8_t *
put_vector(uint8_t *at, struct pass *pass, struct wire_contact *is, struct wire_contact *was,
    enum contact_column column)
{
    const int32_t *now = contact_vector(is, column), *before = contact_vector(was, column);
    const int32_t *scale = contact_scale(is, column);
    int32_t residual[3];
    for (int c = 0; c < 3; c++) {
        residual[c] = wire_wrapping_difference(now[c], before[c]);
    }
    bool is_scaled = scale != NULL && *scale != *contact_scale(was, column);
    if (!is_scaled && !wire_residual_is_wide(residual)) {
        return wire_put_varint(at, 1 + (uint64_t)wire_residual_pack(residual));
    }
    if (scale != NULL) {
        pass->escape = wire_put_sint(
            pass->escape, wire_wrapping_difference(*scale, *contact_scale(was, column)));
    }
    for (int c = 0; c < 3; c++) {
        pass->escape = wire_put_sint(pass->escape, scale != NULL ? now[c] : residual[c]);
    }
    return wire_put_varint(at, 0);
}

/* Writes the list of the entries whose numbers are not as predicted, and then their codes. */
static uint8_t *
put_column(uint8_t *begin, struct pass *pass, enum contact_column column, uint8_t *codes)
{
    struct wire_runs runs = wire_runs_begin(begin);
    uint8_t *code = codes + WIRE_COLUMN_HEAD_MAX;
    for (int i = 0; i < pass->now->count; i++) {
        struct wire_contact is = pass->now->contacts[i], room;
        struct wire_contact *was = predict_entry(pass, i, &room);
        if (!is_off(&is, was, column)) {
            continue;
        }
        wire_runs_take(&runs, (uint32_t)i);
        if (contact_column_is_vector(column)) {
            code = put_vector(code, pass, &is, was, column);
        } else {
            code = wire_put_sint(code,
                wire_wrapping_difference(
                    *contact_number(&is, column), *contact_number(was, column)));
        }
    }
    uint32_t field = CONTACT_LISTS + 2 * (uint32_t)column;
    uint8_t *at = wire_runs_close(&runs, begin, field);
    const uint8_t *end = wire_column_close(codes, code, field + 1);
    memmove(at, codes, (size_t)(end - codes));
    return at + (end - codes);
}

/* ---- the message ---- */

static uint8_t *
put_number(uint8_t *at, uint32_t field, uint64_t value)
{
    return value == 0 ? at : wire_put_varint(wire_put_tag(at, field, WIRE_TYPE_VARINT), value);
}

/* Writes the report; `base` is that of the baseline, or NULL. */
static uint8_t *
put_report(uint8_t *begin, const struct wire_contact_report *report,
    const struct wire_contact_report *base)
{
    uint8_t *at = begin + WIRE_COLUMN_HEAD_MAX;
    if (base != NULL && wire_contact_reports_are_equal(report, base)) {
        return begin;
    }
    if (report->is_judged) {
        at = put_number(at, CONTACT_RESIDUAL, (uint64_t)report->residual + 1);
    }
    at = put_number(at, CONTACT_OUTCOME, report->outcome);
    if (base == NULL || strcmp(base->solver, report->solver) != 0) {
        size_t size = strlen(report->solver);
        at = wire_put_varint(wire_put_tag(at, CONTACT_SOLVER, WIRE_TYPE_BYTES), size);
        memcpy(at, report->solver, size);
        at += size;
    }
    at = put_number(at, CONTACT_ITERATIONS, report->iteration_count);
    at = put_number(at, CONTACT_ROWS, report->row_count);
    at = put_number(at, CONTACT_LEFT_OUT, report->left_out);
    if (at == begin + WIRE_COLUMN_HEAD_MAX) { /* a report of zeros is sent, too */
        at = wire_put_varint(wire_put_tag(at, CONTACT_OUTCOME, WIRE_TYPE_VARINT), 0);
    }
    return wire_column_close(begin, at, CONTACT_REPORT);
}

static uint8_t *
put_message(uint8_t *at, struct pass *pass, uint8_t *codes, uint8_t *escapes)
{
    const struct wire_contacts *now = pass->now, *base = pass->base;
    pass->escape = escapes + WIRE_COLUMN_HEAD_MAX;
    at = put_number(at, CONTACT_TICK, now->tick);
    at = put_number(at, CONTACT_GENERATION, now->generation);
    at = put_number(at, CONTACT_NUMBER, now->number);
    if (base != NULL) {
        at = put_number(at, CONTACT_BACK, now->number - base->number);
        at = put_left(at, pass);
    }
    at = put_entered(at, pass);
    for (int column = 0; column < COLUMN_COUNT; column++) {
        at = put_column(at, pass, (enum contact_column)column, codes);
    }
    const uint8_t *end = wire_column_close(escapes, pass->escape, CONTACT_ESCAPE);
    memmove(at, escapes, (size_t)(end - escapes));
    at += end - escapes;
    at = put_report(at, &now->report, base != NULL ? &base->report : NULL);
    return wire_put_fixed32(wire_put_tag(at, CONTACT_HASH, WIRE_TYPE_32), now->hash);
}

bool
wire_encode_contact_delta(struct wire_contact_encoder *encoder, const struct wire_contacts *now,
    const struct wire_contacts *base)
{
    bool can_serve = base != NULL && base->series == now->series && base->number < now->number &&
        base->is_spatial == now->is_spatial && base->scale == now->scale;
    base = can_serve ? base : NULL;
    size_t base_count = base != NULL ? (size_t)base->count : 0;
    if (!reserve_encoder(encoder, (size_t)now->count, base_count)) {
        return false;
    }
    match_entries(now, base, encoder->was);
    struct pass pass = {.now = now, .base = base, .was = encoder->was};
    uint8_t *codes = encoder->bytes + encoder->capacity / 2;
    uint8_t *escapes = codes + encoder->capacity / 4;
    uint8_t *begin = encoder->bytes + WIRE_COLUMN_HEAD_MAX;
    uint8_t *end = put_message(begin, &pass, codes, escapes);
    CN_ASSERT(end <= codes);
    size_t size = (size_t)(end - begin);
    uint8_t *at = wire_put_tag(encoder->bytes, CONTACT_MESSAGE, WIRE_TYPE_BYTES);
    at = wire_put_varint(at, size);
    CN_ASSERT(at <= begin);
    memmove(at, begin, size);
    encoder->size = (size_t)(at - encoder->bytes) + size;
    return true;
}
