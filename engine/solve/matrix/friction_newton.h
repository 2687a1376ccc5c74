/*
 * friction_newton.h: Newton's method on the judge's projection, from a nearly right answer.
 *
 *     F(f) = 0,   F the vector whose largest entry the judge takes (contact_problem.h)
 *
 * F is smooth except where a projection changes its kind.  Each step takes the derivative of the
 * kind that holds at f.  A row is held (F = a) or out (F = D f).  A disc's row may also slip (F =
 * D f_T - D mu f_N u, u the unit direction of D f_T - a_T).  Or it slides (F = D (f_T + mu f_N d)).
 * The linear system is dense.  It may be singular, because forces are not unique: elimination with
 * full pivoting leaves the undetermined forces unchanged.  A step is halved until |F| decreases.
 * If no step decreases it, the search ends.
 *
 * Source: Alart and Curnier, Computer Methods in Applied Mechanics and Engineering 92, 1991.
 */
#ifndef ENGINE_SOLVE_MATRIX_FRICTION_NEWTON_H
#define ENGINE_SOLVE_MATRIX_FRICTION_NEWTON_H

#include "engine/base/arena.h"
#include "engine/problem/matrix_problem.h"

struct cn_friction_newton {
    const struct cn_matrix_problem *problem;
    double *J;                    /* n x (n + 1): derivative of F, -F */
    double *a, *F, *step, *trial; /* n */
    int *place, *column;          /* n */
    int64_t work;
};

void cn_friction_newton_take(struct cn_friction_newton *newton, struct cn_arena *scratch, int n);

/*
 * Improves f in place, in at most step_max steps, until the judge's residual is within tolerance.
 * Returns the number of steps.
 */
int cn_friction_newton_run(struct cn_friction_newton *newton,
    const struct cn_matrix_problem *problem, double tolerance, int step_max, double *f);

#endif
