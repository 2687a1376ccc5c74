#include "engine/solve/impulse/color.h"

#include "engine/base/assert.h"

#include <stdbool.h>
#include <string.h>

#define OVERFLOW_COLOR CN_COLORS_MAX

/*
 * Pairs of two moving bodies do not use the last colours: these are for pairs with one moving body.
 */
#define MOVING_COLORS 60
#define MOVING_MASK ((UINT64_C(1) << MOVING_COLORS) - 1)

int
cn_color_order_max(int count, int lanes)
{
    CN_ASSERT(count >= 0 && lanes >= 1);
    int colors = count < CN_COLORS_MAX ? count : CN_COLORS_MAX;
    return count + colors * (lanes - 1);
}

/* For two moving bodies: the bit of the first colour that neither has; 0: all are taken. */
static inline uint64_t
pick_moving(uint64_t a, uint64_t b)
{
    uint64_t free = ~(a | b) & MOVING_MASK;
    return free & (0 - free);
}

/* For one moving body: the last colour that it does not have. */
static int
pick_fixed(uint64_t *a)
{
    uint64_t free = ~*a;
    if (free == 0) {
        return OVERFLOW_COLOR;
    }
    int color = CN_COLORS_MAX - 1 - __builtin_clzll(free);
    *a |= UINT64_C(1) << color;
    return color;
}

/* Gives every pair its colour, and counts them.  Consecutive pairs often share A. */
static void
pick_all(const struct cn_color_pair *pair, int count, uint64_t *mask, uint8_t *color,
    int counts[CN_COLORS_MAX + 1])
{
    int32_t held = -1;
    uint64_t of_held = 0;
    for (int i = 0; i < count; i++) {
        int32_t a = pair[i].body_a, b = pair[i].body_b;
        int c = CN_COLORS_MAX - 1;
        if (a >= 0 && b >= 0) {
            uint64_t of_a = a == held ? of_held : mask[a];
            uint64_t bit = pick_moving(of_a, mask[b]);
            held = a;
            of_held = of_a | bit;
            mask[a] = of_held;
            mask[b] |= bit;
            c = bit == 0 ? OVERFLOW_COLOR : __builtin_ctzll(bit);
        } else if (a >= 0 || b >= 0) {
            c = pick_fixed(&mask[a >= 0 ? a : b]);
            held = -1;
        }
        CN_ASSERT(0 <= c && c <= OVERFLOW_COLOR);
        color[i] = (uint8_t)c;
        counts[c]++;
    }
}

/*
 * Writes to next[] where each colour starts in order[], and to next[OVERFLOW_COLOR] where all
 * colours end.  Returns the number of entries used.
 */
static int
lay_out(const int counts[CN_COLORS_MAX + 1], int lanes, int32_t *order,
    struct cn_coloring *coloring, int next[CN_COLORS_MAX + 1])
{
    int used = 0;
    coloring->color_count = 0;
    for (int c = 0; c < CN_COLORS_MAX; c++) {
        if (counts[c] == 0) {
            continue;
        }
        coloring->start[coloring->color_count++] = used;
        next[c] = used;
        int end = used + (counts[c] + lanes - 1) / lanes * lanes;
        for (int k = used + counts[c]; k < end; k++) {
            order[k] = -1;
        }
        used = end;
    }
    CN_ASSERT(coloring->color_count <= CN_COLORS_MAX && used % lanes == 0);
    coloring->start[coloring->color_count] = used;
    coloring->overflow_count = counts[OVERFLOW_COLOR];
    next[OVERFLOW_COLOR] = used;
    return used + coloring->overflow_count;
}

int
cn_color(const struct cn_color_pair *pair, int count, int body_count, int lanes,
    struct cn_arena *scratch, int32_t *order, struct cn_coloring *coloring)
{
    CN_ASSERT(count >= 0 && body_count >= 0 && lanes >= 1);
    size_t mark = scratch->used;
    uint64_t *mask = CN_ARENA_TAKE(scratch, uint64_t, (size_t)body_count);
    uint8_t *color = CN_ARENA_TAKE(scratch, uint8_t, (size_t)count);
    scratch->used = mark;
    if (scratch->memory == NULL) {
        return 0;
    }
    int counts[CN_COLORS_MAX + 1] = {0}, next[CN_COLORS_MAX + 1];
    memset(mask, 0, (size_t)body_count * sizeof(*mask));
    pick_all(pair, count, mask, color, counts);
    int used = lay_out(counts, lanes, order, coloring, next);
    CN_ASSERT(count <= used && used <= cn_color_order_max(count, lanes));
    for (int i = 0; i < count; i++) {
        order[next[color[i]]++] = i;
    }
    CN_ASSERT(next[OVERFLOW_COLOR] == used); /* every pair has its place */
    return used;
}
