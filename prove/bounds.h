/*
 * bounds.h: two exactly proved numbers that enclose the margin of an arrangement.
 *
 *     margin <= t* <= bound
 *
 * With round friction cones t* is usually irrational.  With slanted normals t* is a fraction of
 * thousands of digits.  A point on the central path (conic.h) is inside of all cones.  A force near
 * it that balances the loads exactly (lift.h) is then also inside, and proves a margin just below
 * t*.  A motion near it opens every contact as required, and proves a bound just above t*.
 *
 * t* is found exactly if it follows from the geometry alone: every contact on the face of optima
 * either presses inside of its cone or parts inside of the dual cone.  Ties need this exact t*.
 */
#ifndef PROVE_BOUNDS_H
#define PROVE_BOUNDS_H

#include "prove/program/program.h"
#include "prove/wrench.h"

struct pv_bounds {
    struct pv_balance balance;
    /* The answer. */
    bool has_margin, has_bound, is_exact; /* is_exact: margin = bound = t* */
    mpq_t margin, bound;
    mpq_t *force, *squeeze; /* PV_FORCE_MAX a contact */
    mpq_t *y;               /* rows: velocities of the centres of mass and turns */
    uint64_t work;
};

/* The caller has set balance. */
void pv_bounds_init(struct pv_bounds *bounds);
void pv_bounds_finish(struct pv_bounds *bounds);

/*
 * OPTIMAL: margin with force, or bound with y, or both.  INFEASIBLE: no forces hold; y has y b =
 * -1.  UNBOUNDED: force and squeeze.  UNDECIDED: nothing.
 */
enum pv_outcome pv_bounds_find(struct pv_bounds *bounds);

#endif
