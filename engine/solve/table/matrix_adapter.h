/*
 * matrix_adapter.h: makes contact solvers of matrix solvers.
 *
 * The adapter splits a contact problem into islands (problem/islands.h).  It passes each island to
 * the matrix solver, with its rows in elimination order and the warm start, gathers the forces, and
 * measures the whole with the judge.  The outcome is the worst of the islands' outcomes, corrected
 * by the judge in both directions: a solver that reports convergence without it is INEXACT.
 *
 * Islands that the solver leaves unsolved are solved by another one (chain.h); the report says so.
 *
 * BOUNDED rows are handled around the solver (matrix/bounded.h), unless it supports them.
 *
 * A matrix solver may also be called directly, on any complementarity problem (cn_matrix_solve).
 */
#ifndef ENGINE_SOLVE_TABLE_MATRIX_ADAPTER_H
#define ENGINE_SOLVE_TABLE_MATRIX_ADAPTER_H

#include "engine/solve/matrix_solver.h"

/* Scratch of cn_matrix_solve for n rows. */
void cn_matrix_solve_layout(const struct cn_matrix_solver *solver, struct cn_arena *scratch,
    int n);

/*
 * Solves and judges one matrix problem.  f holds the warm start or zeros.  A may be unsymmetric;
 * INFEASIBLE then means that the search ended on a ray, which proves nothing.
 */
struct cn_solve_report cn_matrix_solve(const struct cn_matrix_solver *solver,
    const struct cn_matrix_problem *problem, const struct cn_solve_options *options,
    struct cn_arena *scratch, double *f);

/* The functions for struct cn_solver. */
void cn_matrix_adapter_layout(const struct cn_matrix_solver *solver, struct cn_arena *scratch,
    int row_count, int body_count);
struct cn_solve_report cn_matrix_adapter_solve(const struct cn_matrix_solver *solver,
    const struct cn_contact_problem *problem, const struct cn_solve_options *options,
    struct cn_arena *scratch, double *f);

#endif
