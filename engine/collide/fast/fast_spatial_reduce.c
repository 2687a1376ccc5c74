/* fast_spatial_reduce.c: picks four of many points; see fast_spatial_pair.h. */
#include "engine/base/assert.h"
#include "engine/collide/fast/fast_spatial_pair.h"

/* An area or a square must be larger by this factor to replace an earlier point. */
#define BETTER 1.02F

struct points {
    const float *x, *y, *separation;
    int count;
};

/*
 * Among the points that are as deep as the deepest, up to a tie, the one that is farthest out in a
 * direction.  The direction is oblique to the sides of a box, so that corners do not tie.
 */
static int
pick_first(const struct points *p, float tie)
{
    float deepest = HUGE_VALF, best_place = -HUGE_VALF;
    for (int i = 0; i < p->count; i++) {
        deepest = p->separation[i] < deepest ? p->separation[i] : deepest;
    }
    int best = 0;
    for (int i = 0; i < p->count; i++) {
        float place = 0.83F * p->x[i] + 0.56F * p->y[i];
        if (p->separation[i] <= deepest + tie && place > best_place + tie) {
            best_place = place;
            best = i;
        }
    }
    return best;
}

static int
pick_farthest(const struct points *p, int from, float tie)
{
    int best = from;
    float best_square = tie * tie;
    for (int i = 0; i < p->count; i++) {
        float x = p->x[i] - p->x[from], y = p->y[i] - p->y[from];
        float square = x * x + y * y;
        if (square > BETTER * best_square) {
            best_square = square;
            best = i;
        }
    }
    return best;
}

/* Twice the area of the triangle (i, j, k), positive where it runs counter-clockwise. */
static float
area_of(const struct points *p, int i, int j, int k)
{
    return (p->x[j] - p->x[i]) * (p->y[k] - p->y[i]) -
           (p->y[j] - p->y[i]) * (p->x[k] - p->x[i]);
}

/* The point that, on one side of (i, j), spans the largest area with the two; -1: none. */
static int
pick_side(const struct points *p, int i, int j, float side, float least)
{
    int best = -1;
    float best_area = least;
    for (int k = 0; k < p->count; k++) {
        float area = side * area_of(p, i, j, k);
        if (area > BETTER * best_area) {
            best_area = area;
            best = k;
        }
    }
    return best;
}

int
cn_fast_reduce(
    const float *x, const float *y, const float *separation, int count, float tie, int pick[4])
{
    CN_ASSERT(count > 4);
    struct points p = {x, y, separation, count};
    pick[0] = pick_first(&p, tie);
    pick[1] = pick_farthest(&p, pick[0], tie);
    if (pick[1] == pick[0]) {
        return 1;
    }
    float least = tie * tie;
    int left = pick_side(&p, pick[0], pick[1], 1.0F, least);
    int right = pick_side(&p, pick[0], pick[1], -1.0F, least);
    int kept = 2;
    if (left >= 0) {
        pick[kept++] = left;
    }
    if (right >= 0) {
        pick[kept++] = right;
    }
    if (kept == 3) {
        /* All lie on one side: the fourth spans the largest area beyond the other two sides. */
        float turn = left >= 0 ? 1.0F : -1.0F;
        int a = pick_side(&p, pick[1], pick[2], -turn, least);
        int b = pick_side(&p, pick[2], pick[0], -turn, least);
        float of_a = a >= 0 ? fabsf(area_of(&p, pick[1], pick[2], a)) : 0.0F;
        float of_b = b >= 0 ? fabsf(area_of(&p, pick[2], pick[0], b)) : 0.0F;
        if (a >= 0 || b >= 0) {
            pick[kept++] = of_b > of_a ? b : a;
        }
    }
    CN_ASSERT(2 <= kept && kept <= 4);
    return kept;
}
