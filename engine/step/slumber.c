#include "engine/step/slumber.h"

#include "engine/base/assert.h"

#include <string.h>

void
cn_kept2_pack(struct cn_kept2 *kept, const struct cn_manifold2 *manifold)
{
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
cn_slumber_make(
    struct cn_slumber *slumber, struct cn_arena *arena, int entry_max, size_t kept_size)
{
    CN_ASSERT(kept_size % sizeof(float) == 0 && kept_size <= sizeof(union cn_kept));
    uint32_t slots = 4;
    while (slots < 2 * (uint32_t)entry_max) {
        slots *= 2;
    }
    *slumber = (struct cn_slumber){
        .entry_max = entry_max,
        .kept_size = kept_size,
        .key = CN_ARENA_TAKE(arena, uint64_t, (size_t)entry_max),
        .kept = cn_arena_take(arena, (size_t)entry_max * kept_size),
        .slot = CN_ARENA_TAKE(arena, int32_t, (size_t)slots),
        .slot_mask = slots - 1,
        .first = CN_ARENA_TAKE(arena, int32_t, (size_t)slots),
        .link = CN_ARENA_TAKE(arena, struct cn_slumber_link, 2 * (size_t)entry_max),
    };
    if (slumber->slot != NULL) {
        memset(slumber->slot, 0xff, slots * sizeof slumber->slot[0]);
        memset(slumber->first, 0xff, slots * sizeof slumber->first[0]);
    }
}

static uint32_t
home(const struct cn_slumber *slumber, uint64_t key)
{
    uint64_t mixed = key * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)((mixed ^ mixed >> 29) >> 16) & slumber->slot_mask;
}

/* The slot of a key, or the empty one where it would be. */
static uint32_t
probe(const struct cn_slumber *slumber, uint64_t key)
{
    uint32_t slot = home(slumber, key);
    while (slumber->slot[slot] >= 0 && slumber->key[slumber->slot[slot]] != key) {
        slot = (slot + 1) & slumber->slot_mask;
    }
    return slot;
}

static unsigned char *
kept_at(const struct cn_slumber *slumber, int entry)
{
    return slumber->kept + (size_t)entry * slumber->kept_size;
}

/* ---- the lists of shapes ---- */

static int32_t
shape_at(const struct cn_slumber *slumber, int32_t end)
{
    uint64_t key = slumber->key[end / 2];
    return end % 2 == 0 ? cn_slumber_a(key) : cn_slumber_b(key);
}

static int32_t *
list_of(const struct cn_slumber *slumber, int32_t shape)
{
    return &slumber->first[(uint32_t)shape * 0x9e3779b1U >> 4 & slumber->slot_mask];
}

static void
link_entry(struct cn_slumber *slumber, int entry)
{
    for (int32_t end = 2 * entry; end < 2 * entry + 2; end++) {
        int32_t *first = list_of(slumber, shape_at(slumber, end));
        slumber->link[end] = (struct cn_slumber_link){.next = *first, .prev = -1};
        if (*first >= 0) {
            slumber->link[*first].prev = end;
        }
        *first = end;
    }
}

static void
unlink_entry(struct cn_slumber *slumber, int entry)
{
    for (int32_t end = 2 * entry; end < 2 * entry + 2; end++) {
        struct cn_slumber_link link = slumber->link[end];
        if (link.prev >= 0) {
            slumber->link[link.prev].next = link.next;
        } else {
            *list_of(slumber, shape_at(slumber, end)) = link.next;
        }
        if (link.next >= 0) {
            slumber->link[link.next].prev = link.prev;
        }
    }
}

static void
empty_lists(struct cn_slumber *slumber)
{
    memset(slumber->first, 0xff, ((size_t)slumber->slot_mask + 1) * sizeof slumber->first[0]);
}

/* The first end of a shape, from a given end on. */
static int32_t
seek(const struct cn_slumber *slumber, int32_t end, int32_t shape)
{
    while (end >= 0 && shape_at(slumber, end) != shape) {
        end = slumber->link[end].next;
    }
    return end;
}

int32_t
cn_slumber_first(const struct cn_slumber *slumber, int32_t shape)
{
    return seek(slumber, *list_of(slumber, shape), shape);
}

int32_t
cn_slumber_next(const struct cn_slumber *slumber, int32_t end)
{
    return seek(slumber, slumber->link[end].next, shape_at(slumber, end));
}

/* ---- entries ---- */

void
cn_slumber_put(struct cn_slumber *slumber, uint64_t key, const void *kept)
{
    uint32_t slot = probe(slumber, key);
    if (slumber->slot[slot] < 0) {
        CN_ASSERT(slumber->entry_count < slumber->entry_max);
        slumber->slot[slot] = slumber->entry_count++;
        slumber->key[slumber->slot[slot]] = key;
        link_entry(slumber, slumber->slot[slot]);
    }
    memcpy(kept_at(slumber, slumber->slot[slot]), kept, slumber->kept_size);
    slumber->version++;
}

const void *
cn_slumber_find(const struct cn_slumber *slumber, uint64_t key)
{
    if (slumber->entry_count == 0) {
        return NULL;
    }
    int entry = slumber->slot[probe(slumber, key)];
    return entry < 0 ? NULL : kept_at(slumber, entry);
}

/* Empties a slot and moves up the entries after it, so that no probe ends too early. */
static void
close_slot(struct cn_slumber *slumber, uint32_t empty)
{
    uint32_t mask = slumber->slot_mask;
    slumber->slot[empty] = -1;
    for (uint32_t at = (empty + 1) & mask; slumber->slot[at] >= 0; at = (at + 1) & mask) {
        uint32_t from = home(slumber, slumber->key[slumber->slot[at]]);
        if (((at - from) & mask) >= ((at - empty) & mask)) {
            slumber->slot[empty] = slumber->slot[at];
            slumber->slot[at] = -1;
            empty = at;
        }
    }
}

bool
cn_slumber_take(struct cn_slumber *slumber, uint64_t key, void *kept)
{
    if (slumber->entry_count == 0) {
        return false;
    }
    uint32_t slot = probe(slumber, key);
    int entry = slumber->slot[slot];
    if (entry < 0) {
        return false;
    }
    memcpy(kept, kept_at(slumber, entry), slumber->kept_size);
    slumber->version++;
    close_slot(slumber, slot);
    unlink_entry(slumber, entry);
    int last = --slumber->entry_count;
    if (entry != last) {
        unlink_entry(slumber, last);
        slumber->slot[probe(slumber, slumber->key[last])] = entry;
        slumber->key[entry] = slumber->key[last];
        link_entry(slumber, entry);
        memcpy(kept_at(slumber, entry), kept_at(slumber, last), slumber->kept_size);
    }
    return true;
}

void
cn_slumber_move(struct cn_slumber *to, const struct cn_slumber *from)
{
    CN_ASSERT(to->entry_max >= from->entry_count && to->kept_size == from->kept_size);
    for (int entry = 0; entry < from->entry_count; entry++) {
        cn_slumber_put(to, from->key[entry], kept_at(from, entry));
    }
    to->version = from->version;
}

void
cn_slumber_clear(struct cn_slumber *slumber)
{
    empty_lists(slumber);
    slumber->entry_count = 0;
    slumber->version++;
    memset(slumber->slot, 0xff, ((size_t)slumber->slot_mask + 1) * sizeof slumber->slot[0]);
}

static void
exchange(struct cn_slumber *slumber, int a, int b)
{
    union cn_kept kept;
    uint64_t key = slumber->key[a];
    slumber->key[a] = slumber->key[b];
    slumber->key[b] = key;
    memcpy(&kept, kept_at(slumber, a), slumber->kept_size);
    memcpy(kept_at(slumber, a), kept_at(slumber, b), slumber->kept_size);
    memcpy(kept_at(slumber, b), &kept, slumber->kept_size);
}

/* Heap sort: sifts down the entry at `root` in a heap of `count`, the last key on top. */
static void
sink(struct cn_slumber *slumber, int root, int count)
{
    const uint64_t *key = slumber->key;
    for (int child = 2 * root + 1; child < count; child = 2 * root + 1) {
        child += child + 1 < count && key[child] < key[child + 1] ? 1 : 0;
        if (key[root] >= key[child]) {
            return;
        }
        exchange(slumber, root, child);
        root = child;
    }
}

void
cn_slumber_sort(struct cn_slumber *slumber)
{
    int count = slumber->entry_count, sorted = 1;
    while (sorted < count && slumber->key[sorted - 1] < slumber->key[sorted]) {
        sorted++;
    }
    if (sorted >= count) {
        return;
    }
    empty_lists(slumber);
    for (int root = count / 2 - 1; root >= 0; root--) {
        sink(slumber, root, count);
    }
    for (int last = count - 1; last > 0; last--) {
        exchange(slumber, 0, last);
        sink(slumber, 0, last);
    }
    memset(slumber->slot, 0xff, ((size_t)slumber->slot_mask + 1) * sizeof slumber->slot[0]);
    for (int entry = 0; entry < count; entry++) {
        slumber->slot[probe(slumber, slumber->key[entry])] = entry;
        link_entry(slumber, entry);
    }
}
