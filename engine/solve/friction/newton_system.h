/*
 * newton_system.h: a matrix problem laid out for solver newton: groups of rows, their residual,
 * their smoothed map, and the linear system of one Newton step.
 *
 *     group   a contact's rows (normal, discs) or any other single row; see friction_map.h
 *
 * The Newton step d of F_e(f, A f + b) = 0 with A regularised by r diag(E):
 *
 *     (F_f + F_a (A + r diag(E))) d = -F
 *
 * Everything here is in units in which the largest b is between a half and one.  So a problem in
 * other units has the same answer in these units, to the bit where they differ by a power of 2.
 *
 * An island is solved through its bodies (newton_bodies.h), a problem given as a matrix through its
 * rows (newton_rows.h).
 */
#ifndef ENGINE_SOLVE_FRICTION_NEWTON_SYSTEM_H
#define ENGINE_SOLVE_FRICTION_NEWTON_SYSTEM_H

#include "engine/problem/matrix_problem.h"
#include "engine/solve/friction/newton_layout.h"

/*
 * Takes the memory for islands of up to body_max moving bodies, or for a problem given as a matrix
 * if body_max < 0.
 */
void cn_newton_system_take(struct cn_newton_system *system, struct cn_arena *scratch, int n_max,
    int body_max);

/* Reads the problem.  False: its ranges are too wide for the memory. */
bool cn_newton_system_load(struct cn_newton_system *system,
    const struct cn_matrix_problem *problem);

/* a = A f + b */
void cn_newton_system_rates(struct cn_newton_system *system, const double *f, double *a);

/* Moves f to forces that a contact can bear: no pull, friction and bounds within their limits. */
void cn_newton_system_make_usable(const struct cn_newton_system *system, double *f);

/* The judge's residual, relative to the largest b; infinite when anything is not finite. */
double cn_newton_system_judge(const struct cn_newton_system *system, const double *f,
    const double *a);

/* F_e(f, a).  Returns the sum of its squares. */
double cn_newton_system_map(const struct cn_newton_system *system, double e, const double *f,
    const double *a, double *F);

/*
 * Factors the linear system at f, regularised by r = regular >= 0.  False when the factor does not
 * fit the memory.
 */
bool cn_newton_system_factor(struct cn_newton_system *system, double e, const double *f,
    const double *a, double regular);

/* The sign of the determinant of the last matrix, 1 or -1. */
int cn_newton_system_sign(const struct cn_newton_system *system);

/* d with (F_f + F_a (A + r diag(E))) d = -F, by the last factor; F and d are different arrays. */
void cn_newton_system_solve(struct cn_newton_system *system, const double *F, double *d);

/*
 * Writes the Newton step at f to d, regularised by r = regular >= 0; d is not finite where the
 * system is singular.  Returns false when the factor does not fit the memory; d is then zero.
 */
bool cn_newton_system_step(struct cn_newton_system *system, double e, const double *f,
    const double *a, const double *F, double regular, double *d);

/* One sweep of Gauss-Seidel over the groups, forward or backward, each solved exactly. */
void cn_newton_system_sweep(struct cn_newton_system *system, bool backward, double *f);

#endif
