/*
 * asleep.h: the contacts between sleeping bodies.
 *
 * When an island falls asleep, pairs whose shapes both rest leave the pairs of the pipeline, so
 * that ticks do not visit them.  The persistent data of the manifolds of touching pairs (features,
 * hint, impulses) is kept here, by pair.  Pairs that do not touch are forgotten, because a shape
 * that wakes is searched for all its pairs again (cn_proximity_renew).  A pair that comes back
 * restores its contact, and continues as if it had never slept.
 *
 * A hash table: the cost of putting and taking does not depend on the number of entries.  The
 * entries of one shape are found in lists, one for each bucket of shapes, at the same cost.
 * Nothing depends on the order in table or lists; a function that lists all entries (image, hash)
 * asks for the ascending order.
 *
 * Ownership: the memory is the arena's; nothing here allocates.
 */
#ifndef ENGINE_STEP_PIPELINE_ASLEEP_H
#define ENGINE_STEP_PIPELINE_ASLEEP_H

#include "engine/base/arena.h"
#include "engine/collide/fast/fast.h"

#include <stdbool.h>
#include <stdint.h>

/* The persistent data of a manifold with points: 32 and 56 bytes. */
struct cn_kept2 {
    float rolling_impulse;
    int16_t point_count;
    uint16_t ended; /* 1: its end was reported between ticks */
    uint32_t hint;
    uint16_t feature[CN_POINTS_PLANAR_MAX];
    float normal_impulse[CN_POINTS_PLANAR_MAX], tangent_impulse[CN_POINTS_PLANAR_MAX];
};

struct cn_kept3 {
    float tangent_impulse[2], twist_impulse, rolling_impulse[3];
    int16_t point_count;
    uint16_t ended;
    uint32_t hint;
    uint16_t feature[CN_POINTS_SPATIAL_MAX];
    float normal_impulse[CN_POINTS_SPATIAL_MAX];
};

union cn_kept {
    struct cn_kept2 planar;
    struct cn_kept3 spatial;
};

void cn_kept2_pack(struct cn_kept2 *kept, const struct cn_manifold2 *manifold);
void cn_kept3_pack(struct cn_kept3 *kept, const struct cn_manifold3 *manifold);

/* A manifold with the persistent data, and zeros for the data that the narrowphase finds again. */
void cn_kept2_unpack(const struct cn_kept2 *kept, struct cn_manifold2 *manifold);
void cn_kept3_unpack(const struct cn_kept3 *kept, struct cn_manifold3 *manifold);

#define CN_ASLEEP_SHAPES_MAX (1 << 24) /* a key has 24 bits for a shape */

/*
 * The key of a pair of shapes, or of two of their pieces (named by 16 bits); ascending pairs have
 * ascending keys.
 */
static inline uint64_t
cn_asleep_key_of(int32_t shape_a, int32_t shape_b, uint32_t pieces)
{
    return (uint64_t)(uint32_t)shape_a << 40 | (uint64_t)(uint32_t)shape_b << 16 | pieces;
}

static inline uint64_t
cn_asleep_key(int32_t shape_a, int32_t shape_b)
{
    return cn_asleep_key_of(shape_a, shape_b, 0);
}

static inline int32_t
cn_asleep_a(uint64_t key)
{
    return (int32_t)(key >> 40);
}

static inline int32_t
cn_asleep_b(uint64_t key)
{
    return (int32_t)(key >> 16 & 0xffffffU);
}

struct cn_asleep {
    int entry_max, entry_count;
    size_t kept_size;    /* bytes of each */
    uint64_t *key;       /* of entries, in any order */
    unsigned char *kept; /* of entries */
    int32_t *slot;       /* entry, or -1 */
    uint32_t slot_mask;  /* number of slots, a power of two, less one */
    int32_t *first;      /* by place of a shape: an end of an entry, 2 entry + (0: as a, 1: as b) */
    struct cn_asleep_link *link; /* of ends */
    uint64_t version;    /* grows with every put and take, for views of the entries */
};

struct cn_asleep_link {
    int32_t next, prev; /* ends in the same list, or -1 */
};

/* Lays out an empty table on any arena; kept_size is that of cn_kept2 or cn_kept3. */
void cn_asleep_make(
    struct cn_asleep *asleep, struct cn_arena *arena, int entry_max, size_t kept_size);

/* Moves the contents of `from`, whose capacity is no larger. */
void cn_asleep_move(struct cn_asleep *to, const struct cn_asleep *from);

/* Adds an entry, or replaces it. There must be room. */
void cn_asleep_put(struct cn_asleep *asleep, uint64_t key, const void *kept);

/* Removes an entry; false where there is no such entry. */
bool cn_asleep_take(struct cn_asleep *asleep, uint64_t key, void *kept);

/* Removes all entries. */
void cn_asleep_clear(struct cn_asleep *asleep);

/* The entry, or NULL; valid until the next put or take. */
const void *cn_asleep_find(const struct cn_asleep *asleep, uint64_t key);

/* An end of an entry of a shape, and the next one; -1: there are no more.  The entry is end / 2. */
int32_t cn_asleep_first(const struct cn_asleep *asleep, int32_t shape);
int32_t cn_asleep_next(const struct cn_asleep *asleep, int32_t end);

/* Sorts the entries, so that key[0], key[1], ... ascend until the next put. */
void cn_asleep_sort(struct cn_asleep *asleep);

#endif
