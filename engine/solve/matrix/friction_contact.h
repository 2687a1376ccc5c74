/*
 * friction_contact.h: the exact solution of a single contact, or of a single row.
 *
 * A contact with one disc is solved by bisection (friction_slide.h).  Where it has moments as well,
 * its rows are solved together, because a tangential force also turns the bodies:
 *
 *     1. Newton's method on F(f, W f + q) = 0 (friction_map.h), without smoothing and with a search
 *        along the step, from the old forces and then from the forces that hold the contact still.
 *     2. Where it does not converge: the same along the path of the smoothed equations, from a wide
 *        e to none.
 *     3. Where that fails: the normal row and the first disc by bisection with the other discs
 *        held, then each of these by projection, in turn.
 *
 * The last way converges slowly where the rows are strongly coupled: for a solid ball its error
 * shrinks by a factor of 0.7 in a round.
 */
#ifndef ENGINE_SOLVE_MATRIX_FRICTION_CONTACT_H
#define ENGINE_SOLVE_MATRIX_FRICTION_CONTACT_H

#include "engine/solve/matrix/friction_map.h"

/*
 * Solves a group alone: a = W f + q, W count x count, row major, with positive diagonal.  f holds
 * an old value on entry, which stays where W is too ill-conditioned.
 */
void cn_friction_solve(const struct cn_friction_group *group, const double *W, const double *q,
    double *f);

#endif
