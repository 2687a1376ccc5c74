/*
 * broadphase.h: which pairs of boxes overlap.
 *
 * Sweep along x over boxes sorted by their lower ends.  The caller keeps the order of the last call
 * as a hint, because it hardly changes between ticks (insertion sort, O(n + moved)).  Pairs come
 * out sorted by (a, b), a < b, so no result depends on the sweep.
 */
#ifndef ENGINE_COLLIDE_BROAD_BROADPHASE_H
#define ENGINE_COLLIDE_BROAD_BROADPHASE_H

#include "engine/math/aabb.h"

#include <stdbool.h>
#include <stdint.h>

struct cn_pair {
    int32_t a, b; /* a < b */
};

/* Whether a pair may touch at all (same body, two static bodies: no). */
typedef bool cn_pair_filter(const void *context, int32_t a, int32_t b);

/*
 * order[] holds a permutation of 0..box_count-1 and is sorted in place.  Returns the number of
 * overlapping pairs that pass the filter.  At most pair_max are stored, so a result above pair_max
 * means that the list is cut.  Counting stops at 2^30.
 */
int cn_broadphase_pairs(const cn_aabb *boxes, int box_count, int32_t *order,
    cn_pair_filter *filter, const void *context, struct cn_pair *pairs, int pair_max);

#endif
