/*
 * solver_table.h: the solvers, one line each.  First those that solve a stated problem to the
 * tolerance, in order of publication; then sweeps, whose accuracy depends on its budget; then the
 * solvers that work on bodies.
 */
#ifndef ENGINE_SOLVE_SOLVER_TABLE_H
#define ENGINE_SOLVE_SOLVER_TABLE_H

#include "engine/solve/solver.h"

#define CN_SOLVER_TABLE(X)                                                                         \
    X(baraff89) /* linear programming and a guess */                                               \
    X(baraff94) /* Dantzig pivoting: exact */                                                      \
    X(faure96)  /* redistribution of inconsistent work: anytime, with friction */                  \
    X(gauss)    /* least restraint, an active-set program: exact */                                \
    X(newton)   /* smoothing Newton: Coulomb friction to high precision */                         \
    X(sweeps)   /* Gauss-Seidel over contacts: any size, as good as the budget */                  \
    X(impulse)  /* sequential impulses, soft contacts: thousands of bodies */                      \
    X(guendelman03) /* impulses pair by pair: nonconvex stacks */

#define X(name) extern const struct cn_solver cn_solver_##name;
CN_SOLVER_TABLE(X)
#undef X

#endif
