/*
 * color.h: assigns contacts to colours, so that no two contacts of one colour move the same body.
 *
 * Pairs are taken in order, and each gets the first colour that neither of its moving bodies has
 * yet (a mask of 64 bits a body).  Pairs of two moving bodies fill the colours from the first
 * upwards, pairs with one moving body from the last downwards.  So contacts with the ground are
 * solved last in every pass, because the ground yields least, and they do not take up low colours.
 * A pair that finds no colour goes into the overflow.  Empty colours are left out.
 *
 * The colours depend only on the pairs.  Only the padding depends on `lanes`: every colour begins
 * at a multiple of it, so that a block of lanes never contains two colours.
 *
 * Source: Chen et al., High-Performance Physical Simulations on Next-Generation Architecture with
 * Many Cores, Intel Technology Journal 11(4), 2007; first fit, Welsh and Powell 1967.
 */
#ifndef ENGINE_SOLVE_IMPULSE_COLOR_H
#define ENGINE_SOLVE_IMPULSE_COLOR_H

#include "engine/base/arena.h"

#include <stdint.h>

#define CN_COLORS_MAX 64 /* bits of a mask; further colours are overflow */

/* Bodies of a contact; negative: the body does not move, and may be in many pairs of one colour. */
struct cn_color_pair {
    int32_t body_a, body_b;
};

struct cn_coloring {
    int color_count;
    int start[CN_COLORS_MAX + 1]; /* colour c is order[start[c]], ..., order[start[c + 1] - 1] */
    int overflow_count;           /* in order[] from start[color_count] on, without padding */
};

/* The largest size of order[] for `count` pairs. */
int cn_color_order_max(int count, int lanes);

/*
 * Colours pair[0], ..., pair[count - 1], whose moving bodies are 0, ..., body_count - 1.  order[]
 * gets the indices of the pairs, ascending within a colour, and -1 where a lane is empty; returns
 * the number of entries used.  Memory taken from the arena is given back.  With a measuring arena
 * order and coloring may be NULL.
 */
int cn_color(const struct cn_color_pair *pair, int count, int body_count, int lanes,
    struct cn_arena *scratch, int32_t *order, struct cn_coloring *coloring);

#endif
