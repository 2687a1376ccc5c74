/*
 * points.h: frameworks of point masses in the plane, as Rote's paper has them: bars between points,
 * and points that stay on the left of edges between two others.
 *
 * This is only for bars that yield (R-penalty), which worlds do not have.  A row may depend on
 * three points, so the test makes a dense matrix, and the engine's matrix solver solves it.  All
 * other tests on frameworks use worlds.
 *
 * Symbols: d is the bar p_i - p_j.  dp = p(l) - p(l-1) = v dt.  A is the determinant of three
 * points. n is p_j - p_i turned left.  alpha is the position of p_k on the edge.
 */
#ifndef TESTS_TRUTH_POINTS_H
#define TESTS_TRUTH_POINTS_H

#include "engine/math/vec2.h"
#include "engine/solve/matrix_solver.h"

#define POINTS_MAX 256
#define BARS_MAX 480
#define SIDES_MAX 160

struct points_bar {
    int i, j;
    double length;
};

struct points_side {
    int i, j, k;
    double alpha;
};

struct points {
    int count, bar_count, side_count;
    double mass[POINTS_MAX]; /* HUGE_VAL: can not move */
    cn_vec2 p[POINTS_MAX], v[POINTS_MAX], a[POINTS_MAX], gravity;
    struct points_bar bar[BARS_MAX];
    struct points_side side[SIDES_MAX];
    double penalty; /* M of a bar; 0: bars hold exactly */
};

void points_init(struct points *points, cn_vec2 gravity);
int points_add(struct points *points, double mass, cn_vec2 p);
void points_bar(struct points *points, int i, int j); /* of the present length */

/* p_k stays on the left of the edge from p_i to p_j. */
void points_side(struct points *points, int i, int j, int k);

/* Fig. 6: accelerations a[] that satisfy (L2) and (S2). */
void points_accelerate(struct points *points);

/* Fig. 7 with (L''): one iteration with v = (p(l) - p(l-1)) / dt. */
void points_step(struct points *points, double dt);

#endif
