#include "engine/step/event.h"

static void
take(struct cn_event_scratch *s, struct cn_arena *arena, const struct cn_model *model,
    const struct cn_solver *solver)
{
    size_t bodies = (size_t)model->body_count, shapes = (size_t)model->shape_count;
    size_t contacts = (size_t)model->contact_max;
    s->pose = CN_ARENA_TAKE(arena, cn_pose, bodies);
    s->wrench = CN_ARENA_TAKE(arena, struct cn_wrench, bodies);
    s->mass = CN_ARENA_TAKE(arena, struct cn_mass_inverse, bodies);
    s->free = CN_ARENA_TAKE(arena, struct cn_twist, bodies);
    s->response = CN_ARENA_TAKE(arena, struct cn_twist, bodies);
    for (int k = 0; k < STAGE_COUNT; k++) {
        s->stage[k] = CN_ARENA_TAKE(arena, struct cn_rate, bodies);
    }
    s->start = CN_ARENA_TAKE(arena, struct cn_motion, bodies);
    s->trial = CN_ARENA_TAKE(arena, struct cn_motion, bodies);
    s->travel = CN_ARENA_TAKE(arena, double, bodies);
    s->box = CN_ARENA_TAKE(arena, cn_aabb, shapes);
    s->pair = CN_ARENA_TAKE(arena, struct cn_pair, contacts);
    s->pair_base = CN_ARENA_TAKE(arena, double, contacts);
    s->contact = CN_ARENA_TAKE(arena, struct cn_contact, contacts);
    s->level = CN_ARENA_TAKE(arena, double, contacts);
    s->edge = CN_ARENA_TAKE(arena, double, contacts);
    s->impulse = CN_ARENA_TAKE(arena, double, contacts);
    s->held = CN_ARENA_TAKE(arena, bool, contacts);
    s->row_contact = CN_ARENA_TAKE(arena, int, contacts);
    s->row = CN_ARENA_TAKE(arena, struct cn_row, contacts);
    s->b = CN_ARENA_TAKE(arena, double, contacts);
    s->f = CN_ARENA_TAKE(arena, double, contacts);
    s->tag = CN_ARENA_TAKE(arena, unsigned char, contacts);
    s->contact_rate = CN_ARENA_TAKE(arena, double, contacts);
    s->contact_force = CN_ARENA_TAKE(arena, double, contacts);
    s->acceleration = CN_ARENA_TAKE(arena, struct cn_acceleration, bodies);
    s->solver_scratch = *arena;
    solver->layout(arena, model->contact_max, model->body_count);
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
    struct cn_arena arena = context->scratch;
    *scratch = (struct cn_event_scratch){
        .model = context->model, .solver = context->solver, .work = &context->work};
    take(scratch, &arena, context->model, context->solver);
}
