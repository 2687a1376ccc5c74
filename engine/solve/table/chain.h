/*
 * chain.h: solves an island with another solver if the chosen one does not answer.
 *
 * A solver may limit the size of islands, may spend the work that it is granted, or may fail.  Then
 * its forces are not an answer, and zero forces would let bodies fall through each other.  So other
 * solvers are tried in turn, each from the best forces so far:
 *
 *     1. newton   up to CN_CHAIN_BODIES_MAX moving bodies, because it has memory for these only
 *     2. sweeps   any size; its forces are always usable
 *
 * The judge measures all forces, and those of least residual are kept.  The report has the solver
 * that found them (stand_in), and the number of rows, which the event `standIn` carries.  If no
 * solver met the tolerance, the report's outcome and residual say so.
 *
 * No other solver is tried in these cases:
 *
 *   - The residual is small enough for the caller (`enough`).
 *   - The outcome is INFEASIBLE: steppers react to it themselves (JAM, SQUEEZED), unless they state
 *     that a solution exists (has_solution).
 *   - The solver may miss the tolerance by its nature (heuristic), and its forces are better than
 *     zero forces.  With the option `exact`, which `event` sets for `sweeps`, others are tried even
 *     then, and also where baraff89 stopped for lack of work.
 *
 * Work.  Newton may take the work of the island that is left, half of it where it may pivot
 * afterwards.  Each stand-in may take a quarter of the island's work at least.  Newton is left out
 * where one factor of its dense matrix would take more than twice its share.
 */
#ifndef ENGINE_SOLVE_TABLE_CHAIN_H
#define ENGINE_SOLVE_TABLE_CHAIN_H

#include "engine/solve/matrix_solver.h"

#define CN_CHAIN_BODIES_MAX 1024

/* Lays out the scratch of the other solvers, for islands of up to so many rows and bodies. */
void cn_chain_layout(struct cn_arena *scratch, int row_count, int body_count);

/*
 * Improves `f`, the solver's answer to an island, and updates its report.  The scratch is that of
 * the solver.
 */
void cn_chain_solve(const struct cn_matrix_solver *solver, const struct cn_matrix_problem *problem,
    const struct cn_solve_options *options, struct cn_arena *scratch, double *f,
    struct cn_solve_report *report);

#endif
