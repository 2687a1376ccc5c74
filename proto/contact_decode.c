/*
 * contact_decode.c: computes contacts from a ContactDelta and earlier ones (WIRE.md).
 *
 * The bytes may be hostile.  First the fields of the message are found.  Then its lists give the
 * number of entries, and the columns must have as many numbers.  Then the new contacts get their
 * keys, predictions and corrections.  They are kept if their hash is right.
 */
#include "proto/contact_delta.h"

#include "proto/contact_columns.h"

#include <stdlib.h>

/* Entries of a message; limits the memory that a hostile daemon can make a client allocate. */
#define ENTRIES_MAX (1 << 16)

/* Numbers that a decoder accepts: those of contacts_take.c stay far within. */
#define SCALE_LEAST (-100)
#define SCALE_MOST 900
#define MAGNITUDE_MOST 32000

struct delta {
    uint64_t tick;
    uint32_t generation, number, back;
    struct wire_reader left, entered, lists[COLUMN_COUNT], codes[COLUMN_COUNT], escape, report;
    bool has_report;
    uint32_t hash;
};

struct piece {
    struct delta *delta;
    const struct wire_contacts *base; /* may be NULL */
    struct wire_contacts *contacts;
    uint8_t *is_known; /* by entry: it is in the base */
};

void
wire_contact_decoder_clear(struct wire_contact_decoder *decoder)
{
    for (int i = 0; i < WIRE_CONTACTS_KEPT; i++) {
        wire_contacts_unref(decoder->kept[i]);
        decoder->kept[i] = NULL;
    }
}

/* ---- fields ---- */

static struct wire_reader *
column_of(struct delta *delta, uint32_t field)
{
    if (field >= CONTACT_LISTS && field < CONTACT_LISTS + 2 * COLUMN_COUNT) {
        uint32_t column = (field - CONTACT_LISTS) / 2;
        bool is_list = (field - CONTACT_LISTS) % 2 == 0;
        return is_list ? &delta->lists[column] : &delta->codes[column];
    }
    switch (field) {
    case CONTACT_LEFT:
        return &delta->left;
    case CONTACT_ENTERED:
        return &delta->entered;
    case CONTACT_ESCAPE:
        return &delta->escape;
    case CONTACT_REPORT:
        delta->has_report = true;
        return &delta->report;
    default:
        return NULL;
    }
}

static void
read_number(struct delta *delta, uint32_t field, uint64_t value)
{
    switch (field) {
    case CONTACT_TICK:
        delta->tick = value;
        break;
    case CONTACT_GENERATION:
        delta->generation = (uint32_t)value;
        break;
    case CONTACT_NUMBER:
        delta->number = (uint32_t)value;
        break;
    case CONTACT_BACK:
        delta->back = (uint32_t)value;
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
        } else if (tag == (CONTACT_HASH << 3 | WIRE_TYPE_32)) {
            delta->hash = (uint32_t)wire_get_fixed(&reader, 4);
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
    if (tag != (CONTACT_MESSAGE << 3 | WIRE_TYPE_BYTES)) {
        return WIRE_DELTA_OTHER;
    }
    struct wire_reader body = wire_get_bytes(&reader);
    bool is_whole = !reader.is_bad && wire_reader_is_done(&reader);
    return is_whole && read_fields(delta, body) ? WIRE_DELTA_OK : WIRE_DELTA_BAD;
}

/* ---- entries ---- */

/* Reads the key of an entry that entered; `before` is the one before, or NULL. */
static bool
read_key(struct wire_reader *entered, const struct wire_contact *before, struct wire_contact *key)
{
    uint64_t code = wire_get_varint(entered);
    *key = (struct wire_contact){.anchor = (uint32_t)(code >> 1 & 3)};
    if ((code & 1) != 0) {
        key->a = before != NULL ? before->a : 0;
        key->b = before != NULL ? before->b : 0;
        key->rank = (uint32_t)(code >> 3);
        return before != NULL && code >> 3 <= UINT32_MAX;
    }
    uint64_t a = (before != NULL ? before->a : 0) + (code >> 3);
    key->a = (uint32_t)a;
    key->b = (uint32_t)wire_wrapping_sum((int32_t)key->a, wire_get_sint32(entered));
    key->rank = wire_get_uint32(entered);
    return code >> 3 <= UINT32_MAX && a <= UINT32_MAX;
}

/* The number of entries that entered; -1 if there are too many or one is broken off. */
static int64_t
count_entered(struct wire_reader entered)
{
    int64_t count = 0;
    struct wire_contact before = {0}, key;
    while (!wire_reader_is_done(&entered)) {
        if (!read_key(&entered, count > 0 ? &before : NULL, &key) || count == ENTRIES_MAX) {
            return -1;
        }
        before = key;
        count++;
    }
    return entered.is_bad ? -1 : count;
}

/* How many entries there are; -1 if lists and columns do not match. */
static int64_t
count_entries(const struct delta *delta, const struct wire_contacts *base)
{
    int64_t before = base != NULL ? base->count : 0;
    int64_t gone = wire_runs_count(delta->left, (uint32_t)before);
    int64_t come = count_entered(delta->entered);
    if (gone < 0 || come < 0 || before - gone + come > ENTRIES_MAX) {
        return -1;
    }
    int64_t count = before - gone + come;
    for (int i = 0; i < COLUMN_COUNT; i++) {
        int64_t changed = wire_runs_count(delta->lists[i], (uint32_t)count);
        if (changed < 0 || changed != wire_column_count(&delta->codes[i])) {
            return -1;
        }
    }
    return count;
}

/* The entries of the base without `left`, and those of `entered`, in ascending order. */
static bool
lay_out(struct piece *piece)
{
    const struct wire_contacts *base = piece->base;
    struct wire_contacts *contacts = piece->contacts;
    struct wire_run_reader left = {.reader = piece->delta->left};
    struct wire_reader entered = piece->delta->entered;
    bool is_leaving = wire_run_next(&left, UINT32_MAX);
    bool is_entering = !wire_reader_is_done(&entered);
    struct wire_contact key = {0};
    uint32_t entry = 0, old_count = base != NULL ? (uint32_t)base->count : 0;
    if (is_entering && !read_key(&entered, NULL, &key)) {
        return false;
    }
    for (int k = 0; k < contacts->count; k++) {
        while (is_leaving && entry == left.from) {
            entry = left.to;
            is_leaving = wire_run_next(&left, UINT32_MAX);
        }
        bool is_new = is_entering &&
            (entry == old_count || wire_contact_compare(&key, &base->contacts[entry]) < 0);
        if (!is_new && entry == old_count) {
            return false;
        }
        contacts->contacts[k] = is_new ? key : base->contacts[entry++];
        piece->is_known[k] = !is_new;
        if (k > 0 &&
            wire_contact_compare(&contacts->contacts[k - 1], &contacts->contacts[k]) >= 0) {
            return false;
        }
        if (is_new) {
            const struct wire_contact before = key;
            is_entering = !wire_reader_is_done(&entered);
            if (is_entering && !read_key(&entered, &before, &key)) {
                return false;
            }
        }
    }
    return !is_entering;
}

/* ---- columns ---- */

/* Predicts the numbers of a column of an entry that entered. */
static void
predict_column(struct wire_contacts *contacts, int i, enum contact_column column)
{
    struct wire_contact *entry = &contacts->contacts[i], predicted = *entry;
    contact_predict(&predicted, i > 0 ? entry - 1 : NULL);
    if (!contact_column_is_vector(column)) {
        *contact_number(entry, column) = *contact_number(&predicted, column);
        return;
    }
    memcpy(contact_vector(entry, column), contact_vector(&predicted, column),
        3 * sizeof(int32_t));
    if (contact_scale(entry, column) != NULL) {
        *contact_scale(entry, column) = *contact_scale(&predicted, column);
    }
}

static bool
correct_vector(struct piece *piece, struct wire_contact *entry, enum contact_column column)
{
    struct wire_reader *escape = &piece->delta->escape;
    int32_t *vector = contact_vector(entry, column), *scale = contact_scale(entry, column);
    uint32_t code = wire_get_uint32(&piece->delta->codes[column]);
    int32_t residual[3];
    if (code != 0) {
        wire_residual_unpack(code - 1, residual);
    } else if (scale != NULL) {
        *scale = wire_wrapping_sum(*scale, wire_get_sint32(escape));
        memset(vector, 0, sizeof(residual));
    }
    for (int c = 0; c < 3; c++) {
        residual[c] = code != 0 ? residual[c] : wire_get_sint32(escape);
        vector[c] = wire_wrapping_sum(vector[c], residual[c]);
    }
    return scale == NULL || (SCALE_LEAST <= *scale && *scale <= SCALE_MOST);
}

static bool
correct_number(struct piece *piece, struct wire_contact *entry, enum contact_column column)
{
    int32_t *number = contact_number(entry, column);
    *number = wire_wrapping_sum(*number, wire_get_sint32(&piece->delta->codes[column]));
    return column != COLUMN_IMPULSE || (0 <= *number && *number <= MAGNITUDE_MOST);
}

static bool
correct_column(struct piece *piece, enum contact_column column)
{
    struct wire_contacts *contacts = piece->contacts;
    struct wire_run_reader runs = {.reader = piece->delta->lists[column]};
    bool is_open = wire_run_next(&runs, (uint32_t)contacts->count), is_right = true;
    for (int i = 0; is_right && i < contacts->count; i++) {
        struct wire_contact *entry = &contacts->contacts[i];
        if (!piece->is_known[i]) {
            predict_column(contacts, i, column);
        }
        if (is_open && (uint32_t)i >= runs.from) {
            is_right = contact_column_is_vector(column) ? correct_vector(piece, entry, column)
                                                        : correct_number(piece, entry, column);
        }
        if (is_open && (uint32_t)i + 1 == runs.to) {
            is_open = wire_run_next(&runs, (uint32_t)contacts->count);
        }
    }
    return is_right && !piece->delta->codes[column].is_bad;
}

/* ---- the report ---- */

static bool
read_solver(struct wire_reader *reader, struct wire_contact_report *report)
{
    struct wire_reader text = wire_get_bytes(reader);
    size_t size = (size_t)(text.end - text.at);
    if (size >= sizeof(report->solver)) {
        return false;
    }
    memset(report->solver, 0, sizeof(report->solver));
    for (size_t i = 0; i < size; i++) {
        if (text.at[i] <= 0x20 || text.at[i] >= 0x7F) {
            return false;
        }
        report->solver[i] = (char)text.at[i];
    }
    return true;
}

static bool
read_report(struct wire_reader reader, struct wire_contact_report *report)
{
    struct wire_contact_report now = {0};
    uint64_t residual = 0;
    memcpy(now.solver, report->solver, sizeof(now.solver));
    while (!wire_reader_is_done(&reader)) {
        uint32_t tag = wire_get_uint32(&reader);
        if (tag == (CONTACT_SOLVER << 3 | WIRE_TYPE_BYTES)) {
            if (!read_solver(&reader, &now)) {
                return false;
            }
        } else if ((tag & 7) == WIRE_TYPE_VARINT) {
            uint64_t value = wire_get_varint(&reader);
            uint32_t field = tag >> 3;
            residual = field == CONTACT_RESIDUAL ? value : residual;
            now.outcome = field == CONTACT_OUTCOME ? (uint32_t)value : now.outcome;
            now.iteration_count =
                field == CONTACT_ITERATIONS ? (uint32_t)value : now.iteration_count;
            now.row_count = field == CONTACT_ROWS ? (uint32_t)value : now.row_count;
            now.left_out = field == CONTACT_LEFT_OUT ? (uint32_t)value : now.left_out;
        } else {
            wire_skip(&reader, tag & 7);
        }
    }
    now.is_judged = residual > 0;
    now.residual = now.is_judged ? (int32_t)(residual - 1) : 0;
    *report = now;
    return !reader.is_bad && residual <= MAGNITUDE_MOST;
}

/* ---- the whole ---- */

static bool
fill_contacts(struct piece *piece)
{
    struct delta *delta = piece->delta;
    struct wire_contacts *contacts = piece->contacts;
    contacts->tick = delta->tick;
    contacts->generation = delta->generation;
    contacts->number = delta->number;
    if (piece->base != NULL) {
        contacts->report = piece->base->report;
    }
    if (!lay_out(piece)) {
        return false;
    }
    for (int column = 0; column < COLUMN_COUNT; column++) {
        if (!correct_column(piece, (enum contact_column)column)) {
            return false;
        }
    }
    if (delta->escape.is_bad || !wire_reader_is_done(&delta->escape) ||
        (delta->has_report && !read_report(delta->report, &contacts->report))) {
        return false;
    }
    contacts->hash = wire_contacts_hash(contacts);
    return contacts->hash == delta->hash;
}

static const struct wire_contacts *
find_base(const struct wire_contact_decoder *decoder, uint32_t number)
{
    for (int i = 0; i < WIRE_CONTACTS_KEPT && decoder->kept[i] != NULL; i++) {
        if (decoder->kept[i]->number == number) {
            return decoder->kept[i];
        }
    }
    return NULL;
}

/* Keeps the contacts as the newest; a keyframe replaces all earlier ones. */
static void
keep_contacts(struct wire_contact_decoder *decoder, struct wire_contacts *contacts, bool is_key)
{
    if (is_key) {
        wire_contact_decoder_clear(decoder);
    }
    wire_contacts_unref(decoder->kept[WIRE_CONTACTS_KEPT - 1]);
    memmove(decoder->kept + 1, decoder->kept,
        (WIRE_CONTACTS_KEPT - 1) * sizeof(decoder->kept[0]));
    decoder->kept[0] = contacts;
}

enum wire_delta_result
wire_decode_contact_delta(struct wire_contact_decoder *decoder, const uint8_t *bytes,
    size_t size, const struct wire_contacts **contacts)
{
    struct delta delta = {0};
    enum wire_delta_result result = take_apart(&delta, bytes, size);
    if (result != WIRE_DELTA_OK) {
        return result;
    }
    struct piece piece = {.delta = &delta};
    if (delta.number == 0 || delta.back >= delta.number) {
        return WIRE_DELTA_BAD;
    }
    piece.base = delta.back > 0 ? find_base(decoder, delta.number - delta.back) : NULL;
    if (delta.back > 0 && piece.base == NULL) {
        return WIRE_DELTA_BASELINE;
    }
    int64_t count = count_entries(&delta, piece.base);
    if (count < 0) {
        return WIRE_DELTA_BAD;
    }
    piece.contacts = wire_contacts_create((int)count);
    piece.is_known = malloc((size_t)count + 1);
    if (piece.contacts == NULL || piece.is_known == NULL) {
        result = WIRE_DELTA_MEMORY;
    } else {
        piece.contacts->is_spatial = decoder->is_spatial;
        piece.contacts->scale = WIRE_CONTACT_QUANTA * decoder->position_scale;
        result = fill_contacts(&piece) ? WIRE_DELTA_OK : WIRE_DELTA_BAD;
    }
    if (result == WIRE_DELTA_OK) {
        keep_contacts(decoder, wire_contacts_ref(piece.contacts), delta.back == 0);
        *contacts = piece.contacts;
    }
    wire_contacts_unref(piece.contacts);
    free(piece.is_known);
    return result;
}
