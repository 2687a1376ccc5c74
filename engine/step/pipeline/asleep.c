#include "engine/step/pipeline/asleep.h"

#include "engine/base/assert.h"

#include <string.h>

void
cn_kept2_pack(struct cn_kept2 *kept, const struct cn_manifold2 *manifold)
{
    CN_ASSERT(manifold->point_count <= CN_POINTS_PLANAR_MAX);
    *kept = (struct cn_kept2){
        .rolling_impulse = manifold->rolling_impulse,
        .point_count = (int16_t)manifold->point_count,
        .hint = manifold->hint,
    };
    for (int i = 0; i < manifold->point_count; i++) {
        kept->feature[i] = (uint16_t)manifold->point[i].feature;
        kept->normal_impulse[i] = manifold->point[i].normal_impulse;
        kept->tangent_impulse[i] = manifold->point[i].tangent_impulse;
    }
}

void
cn_kept2_unpack(const struct cn_kept2 *kept, struct cn_manifold2 *manifold)
{
    CN_ASSERT(kept->point_count <= CN_POINTS_PLANAR_MAX);
    *manifold = (struct cn_manifold2){
        .rolling_impulse = kept->rolling_impulse,
        .point_count = kept->point_count,
        .hint = kept->hint,
    };
    for (int i = 0; i < kept->point_count; i++) {
        manifold->point[i].feature = kept->feature[i];
        manifold->point[i].normal_impulse = kept->normal_impulse[i];
        manifold->point[i].tangent_impulse = kept->tangent_impulse[i];
    }
}

void
cn_kept3_pack(struct cn_kept3 *kept, const struct cn_manifold3 *manifold)
{
    CN_ASSERT(manifold->point_count <= CN_POINTS_SPATIAL_MAX);
    *kept = (struct cn_kept3){
        .twist_impulse = manifold->twist_impulse,
        .point_count = (int16_t)manifold->point_count,
        .hint = manifold->hint,
    };
    memcpy(kept->tangent_impulse, manifold->tangent_impulse, sizeof kept->tangent_impulse);
    memcpy(kept->rolling_impulse, manifold->rolling_impulse, sizeof kept->rolling_impulse);
    for (int i = 0; i < manifold->point_count; i++) {
        kept->feature[i] = (uint16_t)manifold->point[i].feature;
        kept->normal_impulse[i] = manifold->point[i].normal_impulse;
    }
}

void
cn_kept3_unpack(const struct cn_kept3 *kept, struct cn_manifold3 *manifold)
{
    CN_ASSERT(kept->point_count <= CN_POINTS_SPATIAL_MAX);
    *manifold = (struct cn_manifold3){
        .twist_impulse = kept->twist_impulse,
        .point_count = kept->point_count,
        .hint = kept->hint,
    };
    memcpy(manifold->tangent_impulse, kept->tangent_impulse, sizeof kept->tangent_impulse);
    memcpy(manifold->rolling_impulse, kept->rolling_impulse, sizeof kept->rolling_impulse);
    for (int i = 0; i < kept->point_count; i++) {
        manifold->point[i].feature = kept->feature[i];
        manifold->point[i].normal_impulse = kept->normal_impulse[i];
    }
}

/* ---- the table: open addressing, linear probing ---- */

void
cn_asleep_make(
    struct cn_asleep *asleep, struct cn_arena *arena, int entry_max, size_t kept_size)
{
    CN_ASSERT(kept_size % sizeof(float) == 0 && kept_size <= sizeof(union cn_kept));
    CN_ASSERT(entry_max >= 0);
    uint32_t slots = 4;
    while (slots < 2 * (uint32_t)entry_max) {
        slots *= 2;
    }
    *asleep = (struct cn_asleep){
        .entry_max = entry_max,
        .kept_size = kept_size,
        .key = CN_ARENA_TAKE(arena, uint64_t, (size_t)entry_max),
        .kept = cn_arena_take(arena, (size_t)entry_max * kept_size),
        .slot = CN_ARENA_TAKE(arena, int32_t, (size_t)slots),
        .slot_mask = slots - 1,
        .first = CN_ARENA_TAKE(arena, int32_t, (size_t)slots),
        .link = CN_ARENA_TAKE(arena, struct cn_asleep_link, 2 * (size_t)entry_max),
    };
    if (asleep->slot != NULL) {
        memset(asleep->slot, 0xff, slots * sizeof asleep->slot[0]);
        memset(asleep->first, 0xff, slots * sizeof asleep->first[0]);
    }
}

static uint32_t
home(const struct cn_asleep *asleep, uint64_t key)
{
    uint64_t mixed = key * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)((mixed ^ mixed >> 29) >> 16) & asleep->slot_mask;
}

/* The slot of a key, or the empty one where it would be. */
static uint32_t
probe(const struct cn_asleep *asleep, uint64_t key)
{
    uint32_t slot = home(asleep, key);
    while (asleep->slot[slot] >= 0 && asleep->key[asleep->slot[slot]] != key) {
        slot = (slot + 1) & asleep->slot_mask;
    }
    return slot;
}

static unsigned char *
kept_at(const struct cn_asleep *asleep, int entry)
{
    return asleep->kept + (size_t)entry * asleep->kept_size;
}

/* ---- the lists of shapes ---- */

static int32_t
shape_at(const struct cn_asleep *asleep, int32_t end)
{
    uint64_t key = asleep->key[end / 2];
    return end % 2 == 0 ? cn_asleep_a(key) : cn_asleep_b(key);
}

static int32_t *
list_of(const struct cn_asleep *asleep, int32_t shape)
{
    return &asleep->first[(uint32_t)shape * 0x9e3779b1U >> 4 & asleep->slot_mask];
}

static void
link_entry(struct cn_asleep *asleep, int entry)
{
    CN_ASSERT(entry >= 0 && entry < asleep->entry_count);
    for (int32_t end = 2 * entry; end < 2 * entry + 2; end++) {
        int32_t *first = list_of(asleep, shape_at(asleep, end));
        asleep->link[end] = (struct cn_asleep_link){.next = *first, .prev = -1};
        if (*first >= 0) {
            asleep->link[*first].prev = end;
        }
        *first = end;
    }
}

static void
unlink_entry(struct cn_asleep *asleep, int entry)
{
    for (int32_t end = 2 * entry; end < 2 * entry + 2; end++) {
        struct cn_asleep_link link = asleep->link[end];
        if (link.prev >= 0) {
            asleep->link[link.prev].next = link.next;
        } else {
            *list_of(asleep, shape_at(asleep, end)) = link.next;
        }
        if (link.next >= 0) {
            asleep->link[link.next].prev = link.prev;
        }
    }
}

static void
empty_lists(struct cn_asleep *asleep)
{
    memset(asleep->first, 0xff, ((size_t)asleep->slot_mask + 1) * sizeof asleep->first[0]);
}

/* The first end of a shape, from a given end on. */
static int32_t
seek(const struct cn_asleep *asleep, int32_t end, int32_t shape)
{
    while (end >= 0 && shape_at(asleep, end) != shape) {
        end = asleep->link[end].next;
    }
    return end;
}

int32_t
cn_asleep_first(const struct cn_asleep *asleep, int32_t shape)
{
    return seek(asleep, *list_of(asleep, shape), shape);
}

int32_t
cn_asleep_next(const struct cn_asleep *asleep, int32_t end)
{
    CN_ASSERT(end >= 0 && end / 2 < asleep->entry_count);
    return seek(asleep, asleep->link[end].next, shape_at(asleep, end));
}

/* ---- entries ---- */

void
cn_asleep_put(struct cn_asleep *asleep, uint64_t key, const void *kept)
{
    CN_ASSERT(cn_asleep_a(key) < cn_asleep_b(key));
    uint32_t slot = probe(asleep, key);
    if (asleep->slot[slot] < 0) {
        CN_ASSERT(asleep->entry_count < asleep->entry_max);
        asleep->slot[slot] = asleep->entry_count++;
        asleep->key[asleep->slot[slot]] = key;
        link_entry(asleep, asleep->slot[slot]);
    }
    memcpy(kept_at(asleep, asleep->slot[slot]), kept, asleep->kept_size);
    asleep->version++;
}

const void *
cn_asleep_find(const struct cn_asleep *asleep, uint64_t key)
{
    if (asleep->entry_count == 0) {
        return NULL;
    }
    int entry = asleep->slot[probe(asleep, key)];
    return entry < 0 ? NULL : kept_at(asleep, entry);
}

/* Empties a slot and moves up the entries after it, so that no probe ends too early. */
static void
close_slot(struct cn_asleep *asleep, uint32_t empty)
{
    uint32_t mask = asleep->slot_mask;
    asleep->slot[empty] = -1;
    for (uint32_t at = (empty + 1) & mask; asleep->slot[at] >= 0; at = (at + 1) & mask) {
        uint32_t from = home(asleep, asleep->key[asleep->slot[at]]);
        if (((at - from) & mask) >= ((at - empty) & mask)) {
            asleep->slot[empty] = asleep->slot[at];
            asleep->slot[at] = -1;
            empty = at;
        }
    }
}

bool
cn_asleep_take(struct cn_asleep *asleep, uint64_t key, void *kept)
{
    if (asleep->entry_count == 0) {
        return false;
    }
    uint32_t slot = probe(asleep, key);
    int entry = asleep->slot[slot];
    if (entry < 0) {
        return false;
    }
    CN_ASSERT(entry < asleep->entry_count);
    memcpy(kept, kept_at(asleep, entry), asleep->kept_size);
    asleep->version++;
    close_slot(asleep, slot);
    unlink_entry(asleep, entry);
    int last = --asleep->entry_count;
    if (entry != last) {
        unlink_entry(asleep, last);
        asleep->slot[probe(asleep, asleep->key[last])] = entry;
        asleep->key[entry] = asleep->key[last];
        link_entry(asleep, entry);
        memcpy(kept_at(asleep, entry), kept_at(asleep, last), asleep->kept_size);
    }
    return true;
}

void
cn_asleep_move(struct cn_asleep *to, const struct cn_asleep *from)
{
    CN_ASSERT(to->entry_max >= from->entry_count && to->kept_size == from->kept_size);
    for (int entry = 0; entry < from->entry_count; entry++) {
        cn_asleep_put(to, from->key[entry], kept_at(from, entry));
    }
    to->version = from->version;
}

void
cn_asleep_clear(struct cn_asleep *asleep)
{
    empty_lists(asleep);
    asleep->entry_count = 0;
    asleep->version++;
    memset(asleep->slot, 0xff, ((size_t)asleep->slot_mask + 1) * sizeof asleep->slot[0]);
}

static void
exchange(struct cn_asleep *asleep, int a, int b)
{
    union cn_kept kept;
    uint64_t key = asleep->key[a];
    asleep->key[a] = asleep->key[b];
    asleep->key[b] = key;
    memcpy(&kept, kept_at(asleep, a), asleep->kept_size);
    memcpy(kept_at(asleep, a), kept_at(asleep, b), asleep->kept_size);
    memcpy(kept_at(asleep, b), &kept, asleep->kept_size);
}

/* Heap sort: sifts down the entry at `root` in a heap of `count`, the last key on top. */
static void
sink(struct cn_asleep *asleep, int root, int count)
{
    const uint64_t *key = asleep->key;
    for (int child = 2 * root + 1; child < count; child = 2 * root + 1) {
        child += child + 1 < count && key[child] < key[child + 1] ? 1 : 0;
        if (key[root] >= key[child]) {
            return;
        }
        exchange(asleep, root, child);
        root = child;
    }
}

void
cn_asleep_sort(struct cn_asleep *asleep)
{
    int count = asleep->entry_count, sorted = 1;
    while (sorted < count && asleep->key[sorted - 1] < asleep->key[sorted]) {
        sorted++;
    }
    if (sorted >= count) {
        return;
    }
    empty_lists(asleep);
    for (int root = count / 2 - 1; root >= 0; root--) {
        sink(asleep, root, count);
    }
    for (int last = count - 1; last > 0; last--) {
        exchange(asleep, 0, last);
        sink(asleep, 0, last);
    }
    memset(asleep->slot, 0xff, ((size_t)asleep->slot_mask + 1) * sizeof asleep->slot[0]);
    for (int entry = 0; entry < count; entry++) {
        asleep->slot[probe(asleep, asleep->key[entry])] = entry;
        link_entry(asleep, entry);
    }
}
