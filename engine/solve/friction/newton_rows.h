/*
 * newton_rows.h: a problem given as a matrix, for solver newton: the nonzero entries of A, and the
 * linear system of one Newton step.
 *
 *     order   reverse Cuthill-McKee over the groups, which keeps A narrow
 *     range   row i of A is nonzero in columns first[i] .. last[i] - 1 only
 *
 * Memory.  Up to CN_CONTACT_ROWS_MAX rows there is room for every matrix.  Beyond, A and the factor
 * have room for CN_NEWTON_ENTRIES_PER_ROW entries per row on average.  The factor fills the ranges.
 *
 * Groups with F_a = 0 are the contacts that part.  Their d is found directly, and they leave the
 * system.  The remaining system is scaled by 1 / sqrt(E) from both sides, and linalg/lu.h solves
 * it.
 */
#ifndef ENGINE_SOLVE_FRICTION_NEWTON_ROWS_H
#define ENGINE_SOLVE_FRICTION_NEWTON_ROWS_H

#include "engine/problem/matrix_problem.h"
#include "engine/solve/friction/newton_layout.h"

#define CN_NEWTON_ENTRIES_PER_ROW 1024

void cn_newton_rows_take(struct cn_newton_rows *rows, struct cn_arena *scratch, int n_max);

/* Leaves the order of the groups in the system's queue[].  find_groups has run before. */
void cn_newton_rows_order(
    struct cn_newton_system *system, const struct cn_matrix_problem *problem);

/* Reads A in the system's order.  False: it has too many entries for the memory. */
bool cn_newton_rows_load(struct cn_newton_system *system,
    const struct cn_matrix_problem *problem);

/* These three do the same as those of newton_bodies.h. */
void cn_newton_rows_rates(struct cn_newton_system *system, const double *f, double *a);
bool cn_newton_rows_factor(struct cn_newton_system *system, double regular);
int cn_newton_rows_sign(const struct cn_newton_system *system);
void cn_newton_rows_solve(struct cn_newton_system *system, const double *F, double *d);
void cn_newton_rows_sweep(struct cn_newton_system *system, bool backward, double *f);

#endif
