/*
 * program.h: solves a linear program exactly.
 *
 *     maximise c x   with   A x = b,  x >= 0
 *
 * There are two methods.  The first nearly always succeeds: the middle of the face of optima
 * (face.h), in seconds for 10,000 columns.  If it fails and the program is small, an exact simplex
 * follows.  A simplex in floating point (guess.c) proposes a basis, and that basis is solved in
 * rationals (factor.h).  If it is not optimal, exact pivots follow: dual ones while the basis is
 * dual feasible, else primal ones in two phases, in the worst case from unit columns.  Bland's rule
 * of the least index makes them end.  The results of both methods are exact.
 *
 *     OPTIMAL     x, and y with y A >= c and y b = c x
 *     INFEASIBLE  y with y A >= 0 and y b < 0 (Farkas)
 *     UNBOUNDED   x >= 0 with A x = b, and a ray >= 0 with A ray = 0 and c ray > 0
 *     UNDECIDED   the allowed work (PV_SIMPLEX_WORK_MAX) was not enough
 */
#ifndef PROVE_PROGRAM_H
#define PROVE_PROGRAM_H

#include "prove/factor.h"

enum pv_outcome { PV_OPTIMAL, PV_INFEASIBLE, PV_UNBOUNDED, PV_UNDECIDED };

/* The last two columns belong to a free variable; one is the negative of the other. */
struct pv_program {
    int rows, columns;
    int dof; /* rows of a block; every column but the last two has entries in at most two blocks */
    struct pv_column *column;
    mpq_t *b;
    mpq_t *c;
    void (*progress)(void *context, double part); /* may be NULL */
    void *context;
};

struct pv_solution {
    mpq_t *x, *ray; /* by column */
    mpq_t *y;       /* by row */
    uint64_t work;
    int exact_pivots; /* after the guess */
    bool by_face;     /* found by face.h */
};

void pv_solution_init(struct pv_solution *solution, const struct pv_program *program);
void pv_solution_finish(struct pv_solution *solution, const struct pv_program *program);

/* Solves by face.h; if that fails, by the simplex if its table has at most table_max entries. */
enum pv_outcome pv_program_solve(
    const struct pv_program *program, uint64_t table_max, struct pv_solution *solution);

/* Solves by the simplex only. */
enum pv_outcome pv_simplex_solve(const struct pv_program *program, struct pv_solution *solution);

/* out = y column */
void pv_dot_column(mpq_t out, const struct pv_column *column, mpq_t *y, uint64_t *work);

/*
 * Proposes a basis: basis[i] is a column, or columns + r for the unit column of row r.  False: the
 * table would be larger than PV_TABLE_MAX.
 */
bool pv_guess_basis(const struct pv_program *program, int *basis);

#endif
