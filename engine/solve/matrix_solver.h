/*
 * matrix_solver.h: solvers that want A and b, and the adapter that makes contact solvers of them.
 *
 * The adapter splits a contact problem into islands (problem/islands.h), hands each island with its
 * rows in elimination order to the matrix solver, warm start included, gathers the forces, and lets
 * the one judge measure the whole.  The outcome is the worst of the islands' outcomes, corrected by
 * the judge in both directions: who claims to have converged and has not is INEXACT.
 *
 * BOUNDED rows are taken care of around the solver (bounded.h), unless it says that it knows them.
 *
 * A matrix solver may also be asked directly, on any complementarity problem (cn_matrix_solve).
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
    bool bounded; /* it solves BOUNDED rows; for others bounded.h does, and they see none */

    /* Lays out scratch for n rows; never less for more rows. */
    void (*layout)(struct cn_arena *scratch, int n);

    /* As cn_solver.solve, but leaves report.residual to the caller. f >= 0 in NORMAL rows. */
    struct cn_solve_report (*solve)(const struct cn_matrix_problem *problem,
        const struct cn_solve_options *options, struct cn_arena *scratch, double *f);
};

/* NULL when there is none of that name. */
const struct cn_matrix_solver *cn_matrix_solver_find(const char *name);

/* Scratch of cn_matrix_solve for n rows. */
void cn_matrix_solve_layout(const struct cn_matrix_solver *solver, struct cn_arena *scratch,
    int n);

/*
 * Solves and judges one matrix problem.  f enters as the warm start or zeros.  An unsymmetric A is
 * welcome; INFEASIBLE then means that the search ended on a ray, which proves nothing.
 */
struct cn_solve_report cn_matrix_solve(const struct cn_matrix_solver *solver,
    const struct cn_matrix_problem *problem, const struct cn_solve_options *options,
    struct cn_arena *scratch, double *f);

/* Adds a part's counts to those of the whole; outcome and residual stay. */
void cn_solve_report_add(struct cn_solve_report *sum, const struct cn_solve_report *part);

/* The adapter's halves of struct cn_solver. */
void cn_matrix_adapter_layout(const struct cn_matrix_solver *solver, struct cn_arena *scratch,
    int row_count, int body_count);
struct cn_solve_report cn_matrix_adapter_solve(const struct cn_matrix_solver *solver,
    const struct cn_contact_problem *problem, const struct cn_solve_options *options,
    struct cn_arena *scratch, double *f);

#endif
