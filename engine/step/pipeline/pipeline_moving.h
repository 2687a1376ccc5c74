/*
 * pipeline_moving.h: bodies in the middle of a tick, for forces that act in every substep.
 *
 * Solver bodies are floats, and hold the change since the tick's start.  Forces that act on them
 * here are computed in double.
 */
#ifndef ENGINE_STEP_PIPELINE_PIPELINE_MOVING_H
#define ENGINE_STEP_PIPELINE_PIPELINE_MOVING_H

#include "engine/step/pipeline/pipeline_inside.h"

#define CN_PIPELINE_ENOUGH 1e-5 /* part of an impulse: a smaller change ends the sweeps */

struct cn_pipeline_moving {
    cn_vec3 v, w, moved;      /* since the start of the tick */
    cn_mat33 turn;            /* likewise */
    cn_vec3 mass_inverse;     /* along the axes: 0 where it is locked */
    cn_mat33 inertia_inverse; /* likewise */
};

/* The change of a body's velocities by an impulse of 1 N s. */
struct cn_pipeline_push {
    cn_vec3 linear, angular;
};

/* The body of a name; see CN_IMPULSE_FIXED. */
struct cn_pipeline_moving cn_pipeline_moving_at(const struct cn_pipeline_tick *t, int32_t name);

/* The change by an impulse along u, which acts at `arm` from the centre of mass. */
struct cn_pipeline_push cn_pipeline_push_of(
    const struct cn_pipeline_moving *moving, cn_vec3 arm, cn_vec3 u);

/*
 * Changes a body's velocities by a push times `impulse` [N s], and also those that it would have
 * without the impulses that it carries.  Bodies that impulses do not move stay as they are.
 */
void cn_pipeline_give(struct cn_pipeline_tick *t, int32_t name, const struct cn_pipeline_push *push,
    double impulse);

#endif
