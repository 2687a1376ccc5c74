/*
 * pair_sort.h: sorts pairs ascending, by a and then by b.
 *
 * Few pairs are sorted in place by exchanges, from the highest bit down; many by counting, in
 * scratch.
 */
#ifndef ENGINE_COLLIDE_BROAD_PAIR_SORT_H
#define ENGINE_COLLIDE_BROAD_PAIR_SORT_H

#include "engine/collide/broad/broadphase.h"

/*
 * Every number is at least 0 and below 2^bits, bits < 32.  item and spare are scratch of `room`
 * each; more pairs than that are sorted in place.
 */
void cn_pair_sort(
    struct cn_pair *pairs, int count, int bits, uint64_t *item, uint64_t *spare, int room);

#endif
