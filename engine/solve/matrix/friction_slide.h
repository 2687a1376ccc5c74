/*
 * friction_slide.h: the exact solution of a single contact with one disc.
 *
 * A contact that neither parts nor sticks slides with a_T = -k f_T for some k >= 0.  That is (W + k
 * I_T) f = -q and |f_T| = mu f_N.  The first equation makes f a continuous function of k.  |f_T| is
 * more than mu f_N at k = 0 and less for large k, and bisection finds where they are equal.
 */
#ifndef ENGINE_SOLVE_MATRIX_FRICTION_SLIDE_H
#define ENGINE_SOLVE_MATRIX_FRICTION_SLIDE_H

#include "engine/solve/matrix/friction_map.h"

/* As cn_friction_solve (friction_contact.h), for a group with one disc and W[0] > 0. */
void cn_friction_slide(const struct cn_friction_group *group, const double *W, const double *q,
    double *f);

#endif
