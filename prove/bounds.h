/*
 * bounds.h: the margin of an arrangement between two numbers, each proved exactly.
 *
 * Where friction cones are round, t* is no fraction in general; where contacts have slanted
 * normals, it is one of thousands of digits.  A point on the central path (conic.h) is inside of
 * all cones; so a force near it that balances the loads exactly (lift.h) is, too, and proves a
 * margin just below t*; and a motion near it opens every contact as it must, and proves a bound
 * just above t*:
 *
 *     margin <= t* <= bound
 *
 * Where t* is a fraction by the geometry alone, that is where every contact on the face of optima
 * either presses inside of its cone or parts inside of the dual one, it is found exactly, for ties.
 */
#ifndef PROVE_BOUNDS_H
#define PROVE_BOUNDS_H

#include "prove/arrangement.h"
#include "prove/program.h"

#define PV_FORCE_MAX 3 /* numbers of a contact's force, wrench.h */

struct pv_bounds {
    const struct pv_arrangement *arrangement;
    const int *row; /* of a body's first equation; -1: fixed */
    int rows;
    mpq_t *b; /* rows: what the contacts must give */
    void (*progress)(void *context, double part);
    void *context;
    /* The answer. */
    bool has_margin, has_bound, is_exact; /* is_exact: margin = bound = t* */
    mpq_t margin, bound;
    mpq_t *force, *squeeze; /* PV_FORCE_MAX a contact */
    mpq_t *y;               /* rows: velocities of the centres of mass and turns */
    uint64_t work;
};

/* The caller gives the arrangement, row, rows, b, progress. */
void pv_bounds_init(struct pv_bounds *bounds);
void pv_bounds_finish(struct pv_bounds *bounds);

/*
 * OPTIMAL: at least one of margin, with force, and bound, with y.  INFEASIBLE: y b = -1, no forces
 * hold.  UNBOUNDED: force, squeeze.  UNDECIDED: nothing.
 */
enum pv_outcome pv_bounds_find(struct pv_bounds *bounds);

#endif
