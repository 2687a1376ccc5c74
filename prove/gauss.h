/*
 * gauss.h: the exact first accelerations of an arrangement without friction.
 *
 * Gauss' principle of least restraint: of all accelerations a with J a >= 0 (no contact closes),
 * the true ones are nearest to free fall in the metric of the masses.  They are unique.  They
 * satisfy
 *
 *     M (a - g) = J' f,   f >= 0,   o = J a >= 0,   f o = 0
 *
 * o is the acceleration at which each contact opens.  Eliminating a leaves the linear
 * complementarity problem o = A f + q with A = J inverse(M) J' and q = J g.  First, Lemke's method
 * in doubles (engine/linalg/lemke.h) guesses which contacts push.  Their forces are then solved
 * exactly, and every condition is checked.  If a condition fails, Lemke's method in rationals with
 * the lexicographic rule (Cottle, Pang and Stone 1992, section 4.9) decides.
 *
 * Source: Rote et al., "Simulation of collapsing brick towers by Gauss' principle of least
 * restraint", sections 2 to 4.
 */
#ifndef PROVE_GAUSS_H
#define PROVE_GAUSS_H

#include "prove/arrangement.h"

#include <stdint.h>

struct pv_start {
    int dof;             /* numbers a body */
    mpq_t *acceleration; /* of the centre of mass [m/s^2], then of the turn [rad/s^2] */
    mpq_t *push;         /* a contact's force [N] */
    mpq_t *opening;      /* a contact's o [m/s^2] */
    uint64_t work;
};

void pv_start_init(struct pv_start *start, const struct pv_arrangement *arrangement);
void pv_start_finish(struct pv_start *start, const struct pv_arrangement *arrangement);

/* Requires contacts without friction.  False: not found within PV_WORK_MAX. */
bool pv_start_solve(struct pv_start *start, const struct pv_arrangement *arrangement);

#endif
