/*
 * program.h: a linear program and its exact solution.
 *
 *     maximise c x   with   A x = b,  x >= 0
 *
 *     OPTIMAL     x, and y with y A >= c and y b = c x
 *     INFEASIBLE  y with y A >= 0 and y b < 0 (Farkas)
 *     UNBOUNDED   x >= 0 with A x = b, and a ray >= 0 with A ray = 0 and c ray > 0
 *     UNDECIDED   the method failed, or the allowed work was not enough
 *
 * simplex.h solves it; face.h is the first of its two methods.
 */
#ifndef PROVE_PROGRAM_PROGRAM_H
#define PROVE_PROGRAM_PROGRAM_H

#include "prove/exact/factor.h"

enum pv_outcome { PV_OPTIMAL, PV_INFEASIBLE, PV_UNBOUNDED, PV_UNDECIDED };

/* The last two columns belong to a free variable; one is the negative of the other. */
struct pv_program {
    int rows, columns;
    int dof; /* rows of a block; every column but the last two has entries in at most two blocks */
    struct pv_column *column;
    mpq_t *b;
    mpq_t *c;
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

/* out = y column */
void pv_dot_column(mpq_t out, const struct pv_column *column, mpq_t *y, uint64_t *work);

#endif
