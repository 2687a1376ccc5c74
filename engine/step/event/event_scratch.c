#include "engine/step/event/event.h"

#include "engine/base/assert.h"

/* The number of tangent rows of a contact: 0 if the solver or the world does not have friction. */
static int
tangent_count(const struct cn_model *model, const struct cn_solver *solver)
{
    if (!solver->friction || !cn_model_has_friction(model)) {
        return 0;
    }
    return model->settings.dimension == CN_PLANAR ? 1 : 2;
}

/* The number of rows of moments of a contact, in the same way. */
static int
moment_count(const struct cn_model *model, const struct cn_solver *solver)
{
    if (!solver->rolling || !cn_model_has_moments(model)) {
        return 0;
    }
    return model->settings.dimension == CN_PLANAR ? 1 : 3;
}

static void
take(struct cn_event_scratch *s, struct cn_arena *arena, const struct cn_model *model,
    const struct cn_solver *solver)
{
    size_t bodies = (size_t)model->body_count, shapes = (size_t)model->shape_count;
    size_t contacts = (size_t)model->contact_max;
    s->tangent_count = tangent_count(model, solver);
    s->joint_max = cn_joint_row_count_max(model);
    s->moment_count = moment_count(model, solver);
    s->row_max =
        model->contact_max * (1 + s->tangent_count + s->moment_count) + s->joint_max;
    CN_ASSERT(s->row_max >= model->contact_max + s->joint_max);
    size_t rows = (size_t)s->row_max, joints = (size_t)s->joint_max;
    s->pose = CN_ARENA_TAKE(arena, cn_pose, bodies);
    s->wrench = CN_ARENA_TAKE(arena, struct cn_wrench, bodies);
    s->mass = CN_ARENA_TAKE(arena, struct cn_mass_inverse, bodies);
    s->free = CN_ARENA_TAKE(arena, struct cn_twist, bodies);
    s->response = CN_ARENA_TAKE(arena, struct cn_twist, bodies);
    s->drift_parent = CN_ARENA_TAKE(arena, int32_t, bodies);
    s->drift = CN_ARENA_TAKE(arena, struct cn_drift_island, bodies);
    s->moving = CN_ARENA_TAKE(arena, struct cn_twist, bodies);
    for (int k = 0; k < STAGE_COUNT; k++) {
        s->stage[k] = CN_ARENA_TAKE(arena, struct cn_rate, bodies);
    }
    s->start = CN_ARENA_TAKE(arena, struct cn_motion, bodies);
    s->trial = CN_ARENA_TAKE(arena, struct cn_motion, bodies);
    s->end = CN_ARENA_TAKE(arena, struct cn_motion, bodies);
    s->end_rate = CN_ARENA_TAKE(arena, struct cn_rate, bodies);
    s->travel = CN_ARENA_TAKE(arena, double, bodies);
    s->box = CN_ARENA_TAKE(arena, cn_aabb, shapes);
    s->pair = CN_ARENA_TAKE(arena, struct cn_pair, contacts);
    s->pair_base = CN_ARENA_TAKE(arena, double, contacts);
    s->contact = CN_ARENA_TAKE(arena, struct cn_contact, contacts);
    s->grip = CN_ARENA_TAKE(arena, struct cn_grip, contacts);
    s->level = CN_ARENA_TAKE(arena, double, contacts);
    s->edge = CN_ARENA_TAKE(arena, double, contacts);
    s->impulse = CN_ARENA_TAKE(arena, double, contacts);
    s->held = CN_ARENA_TAKE(arena, bool, contacts);
    s->rising = CN_ARENA_TAKE(arena, bool, contacts);
    s->joint = CN_ARENA_TAKE(arena, struct cn_joint_row, joints);
    s->joint_force = CN_ARENA_TAKE(arena, struct cn_joint_force, joints);
    s->stop = CN_ARENA_TAKE(arena, struct cn_joint_stop, joints);
    s->source = CN_ARENA_TAKE(arena, struct cn_row_source, rows);
    s->row = CN_ARENA_TAKE(arena, struct cn_row, rows);
    s->across = CN_ARENA_TAKE(arena, cn_vec3, rows);
    s->b = CN_ARENA_TAKE(arena, double, rows);
    s->f = CN_ARENA_TAKE(arena, double, rows);
    s->lower = CN_ARENA_TAKE(arena, double, rows);
    s->upper = CN_ARENA_TAKE(arena, double, rows);
    s->mu = CN_ARENA_TAKE(arena, double, rows);
    s->slip = CN_ARENA_TAKE(arena, double, rows);
    s->f_other = CN_ARENA_TAKE(arena, double, rows);
    s->tag = CN_ARENA_TAKE(arena, unsigned char, rows);
    s->contact_rate = CN_ARENA_TAKE(arena, double, contacts);
    s->contact_force = CN_ARENA_TAKE(arena, double, contacts);
    s->contact_friction = CN_ARENA_TAKE(arena, cn_vec3, contacts);
    s->contact_moment =
        s->moment_count > 0 ? CN_ARENA_TAKE(arena, cn_vec3, contacts) : NULL;
    s->acceleration = CN_ARENA_TAKE(arena, struct cn_acceleration, bodies);
    s->solver_scratch = *arena;
    solver->layout(arena, s->row_max, model->body_count);
}

void
cn_event_layout(
    struct cn_arena *scratch, const struct cn_model *model, const struct cn_solver *solver)
{
    struct cn_event_scratch unused;
    take(&unused, scratch, model, solver);
}

void
cn_event_scratch_init(struct cn_event_scratch *scratch, struct cn_step_context *context)
{
    CN_ASSERT(context->solver->kind == CN_SOLVER_PROBLEM);
    struct cn_arena arena = context->scratch;
    *scratch = (struct cn_event_scratch){
        .model = context->model, .solver = context->solver, .work = &context->work,
        .work_before = context->work};
    take(scratch, &arena, context->model, context->solver);
}
