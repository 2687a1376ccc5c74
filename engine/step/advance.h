/*
 * advance.h: how a stepper of first order moves a body: the whole step at the velocity found.
 *
 * In space a freely rotating body keeps its angular momentum and its energy, while its spin w
 * changes.  It rotates in parts of at most an eighth of a radian.  Each part is a step of the
 * implicit midpoint rule in the frame of the body (L: its angular momentum there, R: its
 * orientation):
 *
 *     L' - L = h m x w,   m = (L + L') / 2,   w = inv(I) m,   R' = R cay(h w)
 *
 * The rule preserves quadratic invariants, here |L|^2 and the energy, and R' L' = R L holds
 * exactly.  A rotation of first order would multiply the energy of a thin rod by the ratio of its
 * inertias.
 *
 * Source: Hairer, Lubich and Wanner, Geometric Numerical Integration, 2nd edition, 2006, IV.2.1
 * (quadratic invariants) and VII.5 (rigid bodies).
 */
#ifndef ENGINE_STEP_ADVANCE_H
#define ENGINE_STEP_ADVANCE_H

#include "engine/model/model.h"
#include "engine/problem/contact_problem.h"

/*
 * Moves a body for h [s] at the given velocity; a body beyond the bounds is held fixed
 * (QUARANTINE).
 */
void cn_advance_body(struct cn_model *model, int body, const struct cn_twist *velocity, double h);

/* Shifts a body by a displacement [m, rad] that is not motion: its momenta stay the same. */
void cn_advance_shift(struct cn_model *model, int body, const struct cn_twist *way);

#endif
