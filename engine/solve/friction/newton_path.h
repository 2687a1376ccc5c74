/*
 * newton_path.h: follows the path of the smoothed equations of solver newton, also where it turns
 * back.
 *
 *     F(f, e)   F_e(f, A f + b); the path is the set of points (f, e) with F(f, e) = 0
 *     t         changes e within one step: e (1 + t) for t >= 0, and e / (1 - t) for t < 0
 *     s         length along the path: changes of E f in units of widths e, and changes of t
 *
 * For a large e there is one solution.  The solutions at e = 0 are those of the problem, and the
 * path connects the two.  With friction, e is not monotone along the path: the path has folds, some
 * dozens of them in a pile with mu = 1.  A method that only shrinks e ends in the first fold.  Here
 * e is an unknown too, and there is one more equation: the step along the tangent has a given
 * length.
 *
 *     F_f df + F_t dt = -F,      <tangent, step> = length
 *
 * With x = -inv(F_f) F and y = -inv(F_f) F_t the answer is df = x + dt y.  One factor suffices for
 * both.  F_f is singular at a fold, but no step ends exactly there.
 *
 * Direction.  Along the path the sign of det(F_f) de/ds is constant.  It is chosen once, towards
 * smaller e, and the determinant then tells the direction at every point.  That also holds after a
 * step that was too long and ended on another branch, where the old tangent says nothing.
 *
 * Source: Keller, "Numerical solution of bifurcation and nonlinear eigenvalue problems", in
 * Applications of Bifurcation Theory, 1977; Allgower and Georg, Introduction to Numerical
 * Continuation Methods, SIAM 2003, chapters 2, 5 and 6.  Departure: lengths are relative to
 * e, because the bends of the path are as far apart as the smoothing is wide.
 */
#ifndef ENGINE_SOLVE_FRICTION_NEWTON_PATH_H
#define ENGINE_SOLVE_FRICTION_NEWTON_PATH_H

#include "engine/solve/friction/newton_system.h"

struct cn_newton_path {
    double *f;        /* n: the point */
    double e;
    double *tangent;  /* n: df / ds */
    double tangent_t; /* dt / ds */
    double length;    /* of the next step */
    double widths;    /* a number that the caller chooses: the larger, the longer the steps of f */
    int direction;    /* the sign of det(F_f) de/ds */
    int step_count;   /* linear systems factored since begin */

    /* Working memory, n each. */
    double *start, *a, *F, *by_t, *x, *y;
};

void cn_newton_path_take(struct cn_newton_path *path, struct cn_arena *scratch, int n_max);

/*
 * Finds the point of the path at e near f, and the tangent towards smaller e.  Returns false when
 * Newton's method finds no point, or when the factor does not fit the memory.
 */
bool cn_newton_path_begin(struct cn_newton_path *path, struct cn_newton_system *system,
    const double *f, double e, double widths);

/*
 * Tries one step.  Returns false when it was too long; then f and e keep their values and the next
 * step is shorter.
 */
bool cn_newton_path_advance(struct cn_newton_path *path, struct cn_newton_system *system);

#endif
