/*
 * matrix_solver.h: the interface of solvers that need A and b.
 *
 * The adapter (table/matrix_adapter.h) makes contact solvers of them: it splits a contact problem
 * into islands, and passes each of them to the matrix solver, with its rows in elimination order
 * and the warm start.
 *
 * BOUNDED rows are handled around the solver (matrix/bounded.h), unless it supports them.
 *
 * To add one: define the struct in its file, and add its entries to table/solver_table.c and .h.
 */
#ifndef ENGINE_SOLVE_MATRIX_SOLVER_H
#define ENGINE_SOLVE_MATRIX_SOLVER_H

#include "engine/problem/matrix_problem.h"
#include "engine/solve/solver.h"

struct cn_matrix_solver {
    const char *name;
    bool bounded;   /* it solves BOUNDED rows itself; for others bounded.h does */
    bool sparse;    /* it takes a sparse A (matrix_problem.h) */
    bool rolling;   /* as in cn_solver */
    bool heuristic; /* as in cn_solver */

    /* Lays out scratch for n rows; more rows never need less. */
    void (*layout)(struct cn_arena *scratch, int n);

    /* The same for islands of a problem with these row and body counts; NULL: as for n rows. */
    void (*layout_island)(struct cn_arena *scratch, int row_count, int body_count);

    /* Like cn_solver.solve, but leaves report.residual to the caller. f >= 0 in NORMAL rows. */
    struct cn_solve_report (*solve)(const struct cn_matrix_problem *problem,
        const struct cn_solve_options *options, struct cn_arena *scratch, double *f);
};

/* Whether any row has the tag. */
bool cn_matrix_has(const struct cn_matrix_problem *problem, enum cn_row_tag tag);

/* Whether any contact has a disc; whether any contact has moments. */
bool cn_matrix_rubs(const struct cn_matrix_problem *problem);
bool cn_matrix_rolls(const struct cn_matrix_problem *problem);

/*
 * Asserts what every matrix solver may rely on:
 *
 *     1. A is one thing: a dense matrix with stride >= n, a sparse one, or the n rows of an island.
 *     2. The rows of a contact are those of contact_problem.h, invariant 1.
 *     3. lower and upper are there where a row is BOUNDED, friction where a contact has a disc.
 */
void cn_matrix_check(const struct cn_matrix_problem *problem);

/*
 * Corrects impossible forces: no pull, friction and bounds within their limits, finite.  A warm
 * start is only a hint, but an answer must be usable.
 */
void cn_matrix_make_usable(const struct cn_matrix_problem *problem, double *f);

#endif
