/*
 * pipeline.h: the production solver's step: thousands of bodies, soft contacts, substeps.
 *
 * A tick, in order:
 *
 *     pairs      shapes that may have come near (collide/query/proximity.h) join the pairs; bodies
 *                that an awake body touches wake
 *     begin      solver bodies of all bodies that move; forces
 *     collide    the manifolds of every awake pair: those that persist follow their bodies
 *                (collide/fast/fast_base.h), the others come from the quick narrowphase
 *                (collide/fast/fast.h)
 *     gather     events, the list of contacts, their colours (solve/impulse/color.h)
 *     stand      find bodies that stand; a light one gets the mass of a heavy one that it bears
 *                (pipeline_calm.c)
 *     prepare, solve, store     the substeps of solve/impulse/impulse.h
 *     energy     islands that gained energy are solved again (pipeline_energy.c)
 *     calm       slow bodies that stand lose speed (pipeline_calm.c)
 *     finish     poses in double, continuous collision, boxes
 *     doze       islands at rest fall asleep (step/pipeline/sleep.h)
 *
 * The data of a pipeline, and what others do with it between ticks, are in pipeline_state.h.
 *
 * Source: see solve/impulse/impulse.h.
 */
#ifndef ENGINE_STEP_PIPELINE_PIPELINE_H
#define ENGINE_STEP_PIPELINE_PIPELINE_H

#include "engine/base/arena.h"
#include "engine/base/profile.h"
#include "engine/base/task.h"
#include "engine/solve/impulse/impulse.h"
#include "engine/step/pipeline/pipeline_state.h"

/* The tools of a step besides the pipeline; the bits do not depend on them. */
struct cn_pipeline_tools {
    const struct cn_impulse_kernel *kernel; /* NULL: the best that this processor runs */
    struct cn_crew *crew;                   /* NULL: only the caller's thread */
    struct cn_profile *profile;             /* NULL: no profile */
};

/* The room that a model needs at least; 0 for pairs and for sleeping contacts. */
struct cn_pipeline_room cn_pipeline_room_of(const struct cn_model *model);

/* Initialises an empty pipeline, stale and without room; the world adds memory. */
void cn_pipeline_init(struct cn_pipeline *pipeline, struct cn_model *model);

/*
 * Advances by a tick.  False: room is lacking, and its size is set; persistent data has not
 * changed.
 */
bool cn_pipeline_step(struct cn_pipeline *pipeline, const struct cn_pipeline_tools *tools,
    struct cn_arena scratch, int64_t *work);

#endif
