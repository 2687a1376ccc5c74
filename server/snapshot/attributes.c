#include "server/snapshot/attributes.h"

#include "engine/base/assert.h"
#include "proto/limits.h"
#include "server/base/frame.h"

#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

static bool
has_body(const struct wire_state *state, uint64_t slot)
{
    int low = 0, high = state->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (state->body[middle] < slot) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < state->count && state->body[low] == slot;
}

static bool
is_seen(const struct cn_attribute *row, const struct wire_state *part,
    const struct wire_state *whole)
{
    if (cn_attribute_is_hidden(row)) {
        return false;
    }
    return part == whole || row->owner.kind != CN_OWNER_BODY || !has_body(whole, row->owner.id) ||
        has_body(part, row->owner.id);
}

/* Whether the table has the rows of the world that the part shows. */
static bool
is_current(const struct sv_attributes *table, const struct cn_attribute *rows, int count,
    const struct wire_state *part, const struct wire_state *whole)
{
    int at = 0;
    for (int i = 0; i < count; i++) {
        if (!is_seen(&rows[i], part, whole)) {
            continue;
        }
        if (at == table->count || cn_attribute_compare(&table->rows[at], &rows[i]) != 0 ||
            !cn_value_is_same(&table->rows[at].value, &rows[i].value)) {
            return false;
        }
        at++;
    }
    return at == table->count;
}

struct sv_attributes *
sv_attributes_take(const struct cn_world *world, const struct wire_state *part,
    const struct wire_state *whole, struct sv_attributes *previous)
{
    const struct cn_attribute *rows;
    int count = cn_world_attributes(world, &rows), seen = 0;
    uint64_t version = cn_world_attribute_version(world);
    if (previous != NULL && previous->series == whole->series) {
        bool is_same = previous->version == version && previous->is_whole && part == whole;
        if (is_same || is_current(previous, rows, count, part, whole)) {
            return sv_attributes_ref(previous);
        }
    }
    for (int i = 0; i < count; i++) {
        seen += is_seen(&rows[i], part, whole) ? 1 : 0;
    }
    struct sv_attributes *table = malloc(sizeof(*table) + (size_t)seen * sizeof(table->rows[0]));
    if (table == NULL) {
        return NULL;
    }
    atomic_init(&table->ref_count, 1);
    table->series = whole->series;
    table->version = version;
    table->is_whole = part == whole;
    table->count = 0;
    for (int i = 0; i < count; i++) {
        if (is_seen(&rows[i], part, whole)) {
            table->rows[table->count++] = rows[i];
        }
    }
    CN_ASSERT(table->count == seen); /* as they were counted */
    return table;
}

struct sv_attributes *
sv_attributes_ref(struct sv_attributes *attributes)
{
    atomic_fetch_add_explicit(&attributes->ref_count, 1, memory_order_relaxed);
    return attributes;
}

void
sv_attributes_unref(struct sv_attributes *attributes)
{
    if (attributes != NULL &&
        atomic_fetch_sub_explicit(&attributes->ref_count, 1, memory_order_acq_rel) == 1) {
        free(attributes);
    }
}

/* ---- messages ---- */

int
sv_attributes_compare(const struct sv_attributes *from, const struct sv_attributes *to,
    struct wire_attribute_change *changes, int most)
{
    int a = 0, b = 0, count = 0, from_count = from != NULL ? from->count : 0;
    while ((a < from_count || b < to->count) && count < most) {
        int order = a == from_count ? 1
            : b == to->count        ? -1
                                    : cn_attribute_compare(&from->rows[a], &to->rows[b]);
        if (order < 0) {
            changes[count++] = (struct wire_attribute_change){&from->rows[a++], true};
        } else if (order > 0) {
            changes[count++] = (struct wire_attribute_change){&to->rows[b++], false};
        } else {
            if (!cn_value_is_same(&from->rows[a].value, &to->rows[b].value)) {
                changes[count++] = (struct wire_attribute_change){&to->rows[b], false};
            }
            a++;
            b++;
        }
    }
    return count;
}

/* The number of rows up to and including this one. */
static int
count_until(const struct sv_attributes *table, const struct cn_attribute *row)
{
    int count = 0;
    while (table != NULL && count < table->count &&
        cn_attribute_compare(&table->rows[count], row) <= 0) {
        count++;
    }
    return count;
}

struct sv_attributes *
sv_attributes_advance(const struct sv_attributes *from, const struct sv_attributes *to,
    const struct cn_attribute *last)
{
    int new_count = count_until(to, last), old_first = count_until(from, last);
    int old_count = (from != NULL ? from->count : 0) - old_first;
    size_t rows = (size_t)(new_count + old_count);
    struct sv_attributes *table = malloc(sizeof(*table) + rows * sizeof(table->rows[0]));
    if (table == NULL) {
        return NULL;
    }
    *table = (struct sv_attributes){.series = to->series, .count = new_count + old_count};
    atomic_init(&table->ref_count, 1);
    memcpy(table->rows, to->rows, (size_t)new_count * sizeof(table->rows[0]));
    if (old_count > 0) {
        memcpy(table->rows + new_count, from->rows + old_first,
            (size_t)old_count * sizeof(table->rows[0]));
    }
    return table;
}

/* The frame with the changes from `first` on. */
static struct wire_attribute_frame
frame_at(const struct wire_attribute_frame *all, int first)
{
    struct wire_attribute_frame frame = *all;
    int left = all->change_count - first;
    frame.changes = all->changes + first;
    frame.change_count = left < WIRE_ATTRIBUTE_ROWS_MAX ? left : WIRE_ATTRIBUTE_ROWS_MAX;
    frame.full = all->full && first == 0;
    return frame;
}

/* The size of all frames with their headers; 0 without memory. */
static size_t
measure_frames(const struct wire_attribute_frame *all)
{
    size_t sum = 0;
    int first = 0;
    do {
        struct wire_attribute_frame frame = frame_at(all, first);
        size_t size = wire_encode_attributes(&frame, NULL, 0);
        if (size == 0) {
            return 0;
        }
        sum += sv_frame_header_size(size) + size;
        first += WIRE_ATTRIBUTE_ROWS_MAX;
    } while (first < all->change_count);
    return sum;
}

/* False without memory. */
static bool
write_frames(const struct wire_attribute_frame *all, uint8_t *out, size_t out_size)
{
    uint8_t *at = out;
    int first = 0;
    do {
        struct wire_attribute_frame frame = frame_at(all, first);
        size_t size = wire_encode_attributes(&frame, NULL, 0);
        if (size == 0) {
            return false;
        }
        at += sv_frame_header_write(at, size);
        size_t written = wire_encode_attributes(&frame, at, out_size - (size_t)(at - out));
        if (written != size) {
            return false;
        }
        at += size;
        first += WIRE_ATTRIBUTE_ROWS_MAX;
    } while (first < all->change_count);
    CN_ASSERT(at == out + out_size); /* as it was measured */
    return true;
}

struct sv_buffer *
sv_attributes_message(const struct sv_attributes *from, const struct sv_attributes *to,
    uint64_t tick, uint32_t generation)
{
    const struct sv_attributes *base = from != NULL && from->series == to->series ? from : NULL;
    size_t most = (size_t)(base != NULL ? base->count : 0) + (size_t)to->count;
    struct wire_attribute_change *changes = calloc(most + 1, sizeof(*changes));
    if (changes == NULL) {
        return NULL;
    }
    struct wire_attribute_frame all = {
        .tick = tick, .generation = generation, .changes = changes, .full = base == NULL};
    all.change_count = sv_attributes_compare(base, to, changes, (int)most);
    size_t size = measure_frames(&all);
    struct sv_buffer *buffer = size > 0 ? sv_buffer_create(size) : NULL;
    if (buffer != NULL && !write_frames(&all, buffer->bytes, size)) {
        sv_buffer_unref(buffer);
        buffer = NULL;
    }
    free(changes);
    return buffer;
}
