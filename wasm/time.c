/*
 * time.c: the row `time` of the steppers' table in a module whose only solver is `impulse`: the
 * production pipeline (engine/step/pipeline/pipeline.h).
 *
 * It stands for engine/step/march/time.c, which can also state problems.  The world calls neither
 * `layout` nor `evaluate` of a stepper with a solver of the kind BODIES.
 */
#include "engine/step/pipeline/pipeline.h"
#include "engine/step/stepper_table.h"

static enum cn_advance
time_advance(struct cn_step_context *context)
{
    bool done = cn_pipeline_step(
        context->pipeline, context->tools, context->scratch, &context->work);
    return done ? CN_ADVANCE_TICK : CN_ADVANCE_ROOM;
}

static double
time_resting_velocity(const struct cn_model *model, const struct cn_solver *solver)
{
    (void)solver;
    return cn_model_resting_velocity(model, CN_PIPELINE_RESTING_VELOCITY);
}

const struct cn_stepper cn_stepper_time = {
    .name = "time",
    .cite = "Stewart and Trinkle 1996; Anitescu and Potra 1997",
    .text = "one complementarity problem a tick at velocity level: robust, of first order",
    .planar = true,
    .spatial = true,
    .solver_kinds = CN_STEPS(CN_SOLVER_BODIES),
    .advance = time_advance,
    .resting_velocity = time_resting_velocity,
};
