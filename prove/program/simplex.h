/*
 * simplex.h: solves a linear program exactly.
 *
 * There are two methods.  The first nearly always succeeds: the middle of the face of optima
 * (face.h), in seconds for 10,000 columns.  If it fails and the program is small, an exact simplex
 * follows.  A simplex in floating point (guess.c) proposes a basis, and that basis is solved in
 * rationals (factor.h).  If it is not optimal, exact pivots follow: dual ones while the basis is
 * dual feasible, else primal ones in two phases, in the worst case from unit columns.  Bland's rule
 * of the least index makes them end.  The results of both methods are exact.  The simplex answers
 * UNDECIDED after PV_SIMPLEX_WORK_MAX.
 */
#ifndef PROVE_PROGRAM_SIMPLEX_H
#define PROVE_PROGRAM_SIMPLEX_H

#include "prove/program/program.h"

/* Solves by face.h; if that fails, by the simplex if its table has at most table_max entries. */
enum pv_outcome pv_program_solve(
    const struct pv_program *program, uint64_t table_max, struct pv_solution *solution);

/* Solves by the simplex only. */
enum pv_outcome pv_simplex_solve(const struct pv_program *program, struct pv_solution *solution);

/*
 * Proposes a basis: basis[i] is a column, or columns + r for the unit column of row r.  False: the
 * table would be larger than PV_TABLE_MAX.
 */
bool pv_guess_basis(const struct pv_program *program, int *basis);

#endif
