/*
 * program.h: a linear program, solved exactly.
 *
 *     maximise c x   with   A x = b,  x >= 0
 *
 * Two ways, of which the first nearly always ends it: the middle of the face of optima (face.h), in
 * seconds for 10,000 columns; and an exact simplex, for what is small and fails there.  In it a
 * simplex in floating point (guess.c) proposes a basis; that basis is solved in rationals
 * (factor.h), and where it is not optimal after all, exact pivots follow: dual ones while the
 * basis is dual feasible, else primal ones in two phases, in the worst case from nothing.  Bland's
 * least index makes them end.  What comes back holds exactly, from either.
 *
 *     OPTIMAL     x, and y with y A >= c and y b = c x
 *     INFEASIBLE  y with y A >= 0 and y b < 0 (Farkas)
 *     UNBOUNDED   x >= 0 with A x = b, and a ray >= 0 with A ray = 0 and c ray > 0
 *     UNDECIDED   the work allowed (PV_SIMPLEX_WORK_MAX) was not enough
 */
#ifndef PROVE_PROGRAM_H
#define PROVE_PROGRAM_H

#include "prove/factor.h"

enum pv_outcome { PV_OPTIMAL, PV_INFEASIBLE, PV_UNBOUNDED, PV_UNDECIDED };

/* The last two columns are those of a free variable, and each other's negative. */
struct pv_program {
    int rows, columns;
    int dof; /* rows come in blocks of so many; a column but the last two has entries in two */
    struct pv_column *column;
    mpq_t *b;
    mpq_t *c;
    void (*progress)(void *context, double part); /* NULL: nobody asks */
    void *context;
};

struct pv_solution {
    mpq_t *x, *ray; /* columns */
    mpq_t *y;       /* rows */
    uint64_t work;
    int exact_pivots; /* beyond the guess */
    bool by_face;     /* found by face.h */
};

void pv_solution_init(struct pv_solution *solution, const struct pv_program *program);
void pv_solution_finish(struct pv_solution *solution, const struct pv_program *program);

/* By the face of its optima (face.h); else by the simplex, if its table has no more entries. */
enum pv_outcome pv_program_solve(
    const struct pv_program *program, uint64_t table_max, struct pv_solution *solution);

/* By the simplex alone. */
enum pv_outcome pv_simplex_solve(const struct pv_program *program, struct pv_solution *solution);

/* out = y column */
void pv_dot_column(mpq_t out, const struct pv_column *column, mpq_t *y, uint64_t *work);

/*
 * Proposes a basis: basis[i] is a column, or columns + r for the unit column of row r.  False when
 * the table would be larger than PV_TABLE_MAX.
 */
bool pv_guess_basis(const struct pv_program *program, int *basis);

#endif
