/*
 * newton_bodies.h: an island for solver newton, at the level of its bodies.
 *
 *     S    a root of inv(M), body by body: inv(M) = S S';  G = J S, so A = G G'
 *     w    G' f, kept in the units of sqrt(energy)
 *
 * A is never written.  A product A f goes through w, at a cost linear in the rows.  The same holds
 * for a sweep of Gauss-Seidel.  The Newton step, (F_f + F_a (A + r E)) d = -F, is solved for the
 * bodies: with C = F_f + r F_a E, 3 x 3 for each contact, X = inv(C) F_a and y = inv(C) F,
 *
 *     d = -y - X G w,      (1 + G' X G) w = -G' y
 *
 * That matrix has 3 or 6 rows for each body, however many contacts there are, and an entry only
 * where two bodies touch; linalg/sparse_lu.h factors it.  Redundant contacts do not spoil it.  r
 * has to be well above rounding, because a contact that sticks has X of size 1 / r.  d is exact to
 * about eps / r, and to the square of that after one correction by the residual of the equations.
 *
 * Memory: CN_NEWTON_BLOCKS_PER_ROW blocks of 6 x 6 for each row, and no more than
 * CN_NEWTON_BLOCKS_PER_BODY for each body.  A body of a wall takes some 30, and one in a heap of a
 * thousand some 200.  An island with a wider factor has no Newton steps, only sweeps; the judge's
 * residual says how accurate they are.
 *
 * Source: the elimination is that of interior-point methods for the same problem.  See Acary,
 * Armand, Nguyen and Shpakovych, "Second-order cone programming for frictional contact mechanics
 * using interior point algorithm", Optimization Methods and Software 39 (2024).
 */
#ifndef ENGINE_SOLVE_FRICTION_NEWTON_BODIES_H
#define ENGINE_SOLVE_FRICTION_NEWTON_BODIES_H

#include "engine/problem/delassus.h"
#include "engine/solve/friction/newton_layout.h"

#define CN_NEWTON_BLOCKS_PER_ROW 40
#define CN_NEWTON_BLOCKS_PER_BODY 256

void cn_newton_bodies_take(struct cn_newton_bodies *bodies, struct cn_arena *scratch, int n_max,
    int body_max);

/* Reads an island.  The system has read its groups before. */
void cn_newton_bodies_load(struct cn_newton_system *system, const struct cn_delassus *A);

/* a = A f + b */
void cn_newton_bodies_rates(struct cn_newton_system *system, const double *f, double *a);

/*
 * Factors the matrix of the Newton step.  The system's by_f and by_a are set before.  False: the
 * factor does not fit the memory.
 */
bool cn_newton_bodies_factor(struct cn_newton_system *system, double regular);

/* The sign of the determinant of the last matrix, 1 or -1. */
int cn_newton_bodies_sign(const struct cn_newton_system *system);

/* Finds the Newton step d for F, by the last factor. */
void cn_newton_bodies_solve(struct cn_newton_system *system, const double *F, double *d);

/* One sweep of Gauss-Seidel over the groups. */
void cn_newton_bodies_sweep(struct cn_newton_system *system, bool backward, double *f);

#endif
