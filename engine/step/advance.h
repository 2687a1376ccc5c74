/*
 * advance.h: how a stepper of first order moves a body: all of a step at the velocity found.
 *
 * In space the body turns with the angular momentum that it had, so that it neither gains nor loses
 * any by turning.
 */
#ifndef ENGINE_STEP_ADVANCE_H
#define ENGINE_STEP_ADVANCE_H

#include "engine/model/model.h"
#include "engine/problem/contact_problem.h"

/* Moves a body for h [s] at that velocity; one beyond all bounds is held (QUARANTINE). */
void cn_advance_body(struct cn_model *model, int body, const struct cn_twist *velocity, double h);

#endif
