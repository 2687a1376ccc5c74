/*
 * solver_table.h: the solvers, one line each.  First those that solve a stated problem to the
 * tolerance, in order of publication; then sweeps, whose accuracy depends on its budget; then the
 * solvers that work on bodies.
 *
 * To add one: write its files in a folder of engine/solve, and add its line here and its entries to
 * solver_table.c.  The conformance suite, the fuzzer, the benchmark, `cairn list solvers` and the
 * web page iterate over the table and need no change.  A build with fewer solvers or steppers
 * defines the rows of both tables itself (wasm/impulse_rows.h).
 */
#ifndef ENGINE_SOLVE_TABLE_SOLVER_TABLE_H
#define ENGINE_SOLVE_TABLE_SOLVER_TABLE_H

#include "engine/solve/matrix_solver.h"
#include "engine/solve/solver.h"

#ifndef CN_SOLVER_TABLE
#define CN_SOLVER_TABLE(X)                                                                         \
    X(baraff89) /* linear programming and a guess */                                               \
    X(baraff94) /* Dantzig pivoting: exact */                                                      \
    X(faure96)  /* redistribution of inconsistent work: anytime, with friction */                  \
    X(gauss)    /* least restraint, an active-set program: exact */                                \
    X(newton)   /* smoothing Newton: Coulomb friction to high precision */                         \
    X(sweeps)   /* Gauss-Seidel over contacts: any size, as good as the budget */                  \
    X(impulse)  /* sequential impulses, soft contacts: thousands of bodies */                      \
    X(guendelman03) /* impulses pair by pair: nonconvex stacks */
/* The last solvers do not promise the tolerance: sweeps, and those of another kind. */
#define CN_SOLVER_OTHERS 3
#endif

#define X(name) extern const struct cn_solver cn_solver_##name;
CN_SOLVER_TABLE(X)
#undef X

/* The table, in order; solver_count entries. */
extern const struct cn_solver *const cn_solvers[];
extern const int cn_solver_count;
/*
 * The number of solvers at the beginning of the table that are of the kind PROBLEM and run until
 * the tolerance is met.
 */
extern const int cn_problem_solver_count;

/* NULL when no solver has that name. */
const struct cn_solver *cn_solver_find(const char *name);

/* The matrix solver of the contact solver with this name; NULL when no matrix solver has it. */
const struct cn_matrix_solver *cn_matrix_solver_find(const char *name);

#endif
