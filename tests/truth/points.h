/*
 * points.h: frameworks of point masses in the plane, as Rote's paper has them: bars between points,
 * and points that stay on the left of edges between two others.
 *
 * A row may touch three points, so the problem is stated as a dense matrix here, and solved by the
 * engine's matrix solvers.  The engine's stepper `position` has bodies instead.
 *
 * Symbols: d the bar p_i - p_j, dp = p(l) - p(l-1) = v dt, A the determinant of three points,
 * n = (p_j - p_i) turned left, alpha the place of p_k on the edge.
 */
#ifndef TESTS_TRUTH_POINTS_H
#define TESTS_TRUTH_POINTS_H

#include "engine/math/vec2.h"
#include "engine/solve/matrix_solver.h"

#define POINTS_MAX 256
#define BARS_MAX 480
#define SIDES_MAX 160

enum points_length { POINTS_LENGTH_PRIME, POINTS_LENGTH_SECOND }; /* (L') and (L'') */

struct points_bar {
    int i, j;
    double length;
};

struct points_side {
    int i, j, k;
    double alpha;
    bool is_equality;
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
void points_side(struct points *points, int i, int j, int k, bool is_equality);

/* Fig. 6: accelerations a[] that satisfy (L2) and (S2). */
void points_accelerate(struct points *points);

/* Fig. 7: one iteration with v = (p(l) - p(l-1)) / dt. */
void points_step(struct points *points, double dt, enum points_length rule);

#endif
