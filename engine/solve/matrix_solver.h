/*
 * matrix_solver.h: solvers that need A and b, and the adapter that makes them contact solvers.
 *
 * The adapter splits a contact problem into islands (problem/islands.h).  It passes each island to
 * the matrix solver, with its rows in elimination order and the warm start, gathers the forces, and
 * measures the whole with the judge.  The outcome is the worst of the islands' outcomes, corrected
 * by the judge in both directions: a solver that reports convergence without it is INEXACT.
 *
 * Islands that the solver leaves unsolved are solved by another one (chain.h); the report says so.
 *
 * BOUNDED rows are handled around the solver (bounded.h), unless it supports them.
 *
 * A matrix solver may also be called directly, on any complementarity problem (cn_matrix_solve).
 *
 * To add one: define the struct in its file, a cn_solver whose layout and solve call the adapter's
 * halves with it, and name it in matrix_solver.c.
 */
#ifndef ENGINE_SOLVE_MATRIX_SOLVER_H
#define ENGINE_SOLVE_MATRIX_SOLVER_H

#include "engine/problem/matrix_problem.h"
#include "engine/solve/solver.h"

struct cn_matrix_solver {
    const char *name;
    bool bounded; /* it solves BOUNDED rows itself; for others bounded.h does */
    bool sparse;    /* it takes a sparse A (matrix_problem.h) */
    bool heuristic; /* as in cn_solver */

    /* Lays out scratch for n rows; more rows never need less. */
    void (*layout)(struct cn_arena *scratch, int n);

    /* The same for islands of a problem with these row and body counts; NULL: as for n rows. */
    void (*layout_island)(struct cn_arena *scratch, int row_count, int body_count);

    /* Like cn_solver.solve, but leaves report.residual to the caller. f >= 0 in NORMAL rows. */
    struct cn_solve_report (*solve)(const struct cn_matrix_problem *problem,
        const struct cn_solve_options *options, struct cn_arena *scratch, double *f);
};

/* NULL when no solver has this name. */
const struct cn_matrix_solver *cn_matrix_solver_find(const char *name);

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

/*
 * Corrects impossible forces: no pull, friction and bounds within their limits, finite.  A warm
 * start is only a hint, but an answer must be usable.
 */
void cn_matrix_make_usable(const struct cn_matrix_problem *problem, double *f);

/* Adds the counts of a part to those of the whole; outcome and residual stay. */
void cn_solve_report_add(struct cn_solve_report *sum, const struct cn_solve_report *part);

/* The adapter's functions for struct cn_solver. */
void cn_matrix_adapter_layout(const struct cn_matrix_solver *solver, struct cn_arena *scratch,
    int row_count, int body_count);
struct cn_solve_report cn_matrix_adapter_solve(const struct cn_matrix_solver *solver,
    const struct cn_contact_problem *problem, const struct cn_solve_options *options,
    struct cn_arena *scratch, double *f);

#endif
