/*
 * chain.h: which solver answers for an island that the chosen one did not answer for.
 *
 * A solver may be bounded in the size that it takes, may spend the work that it is granted, or may
 * fail.  Its forces are then no answer, and no forces at all would let bodies fall through each
 * other.  So the others are asked in turn, each from the best forces so far:
 *
 *     1. newton   up to CN_CHAIN_BODIES_MAX bodies that move, for which there is memory
 *     2. sweeps   any size; its forces are always usable
 *
 * The forces with the least residual stand, by the one judge.  The report names who found them
 * (stand_in) and for how many rows; where none met the tolerance its outcome and residual say so.
 *
 * Not asked are the others where a solver says INFEASIBLE: steppers have an answer to that of their
 * own (JAM, SQUEEZED), unless they say that a solution exists (has_solution).  A solver that may
 * miss the tolerance by its nature (heuristic) is left its answer as long as that is better than no
 * forces.  With the option `exact`, as `event` sets for `sweeps`, others are tried then, too.
 */
#ifndef ENGINE_SOLVE_CHAIN_H
#define ENGINE_SOLVE_CHAIN_H

#include "engine/solve/matrix_solver.h"

#define CN_CHAIN_BODIES_MAX 1024

/* Scratch of those that stand in, for islands of up to so many rows and bodies. */
void cn_chain_layout(struct cn_arena *scratch, int row_count, int body_count);

/*
 * Improves on `f`, the solver's answer to an island, whose report comes and goes.  The scratch is
 * what the solver had.
 */
void cn_chain_solve(const struct cn_matrix_solver *solver, const struct cn_matrix_problem *problem,
    const struct cn_solve_options *options, struct cn_arena *scratch, double *f,
    struct cn_solve_report *report);

#endif
