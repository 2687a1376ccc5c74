/* propagation_scratch.c: lays out the scratch of a step. */
#include "engine/step/propagation/propagation.h"

#include "engine/solve/impulse/impulse.h"
#include "engine/step/pipeline/pipeline.h"

#include <string.h>

#define SLACK_FRACTION 0.01 /* of the gap tolerance: a smaller gap counts as 0 */

static void
take_bodies(struct cn_propagation *p, struct cn_arena *arena, const struct cn_model *model)
{
    size_t bodies = (size_t)model->body_count;
    p->mover = CN_ARENA_TAKE(arena, struct cn_mover, bodies);
    p->changed = CN_ARENA_TAKE(arena, uint64_t, bodies);
    p->pose = CN_ARENA_TAKE(arena, cn_pose, bodies);
    p->ahead = CN_ARENA_TAKE(arena, cn_pose, bodies);
    p->wrench = CN_ARENA_TAKE(arena, struct cn_wrench, bodies);
    p->fixed = CN_ARENA_TAKE(arena, bool, bodies);
    p->acceleration = CN_ARENA_TAKE(arena, struct cn_acceleration, bodies);
    p->box = CN_ARENA_TAKE(arena, cn_aabb, (size_t)model->shape_count);
    p->foreseen = CN_ARENA_TAKE(arena, struct cn_twist, bodies);
    p->body_order = CN_ARENA_TAKE(arena, int32_t, bodies);
    p->body_first = CN_ARENA_TAKE(arena, int32_t, bodies + 2);
    p->level_first = CN_ARENA_TAKE(arena, int32_t, bodies + 2);
    p->tie_first = CN_ARENA_TAKE(arena, int32_t, bodies + 2);
}

static void
take_contacts(struct cn_propagation *p, struct cn_arena *arena, size_t contacts)
{
    p->pair = CN_ARENA_TAKE(arena, struct cn_pair, contacts);
    p->meeting = CN_ARENA_TAKE(arena, struct cn_meeting, contacts);
    p->order = CN_ARENA_TAKE(arena, int32_t, contacts);
    p->sorted = CN_ARENA_TAKE(arena, int32_t, contacts);
    p->contact = CN_ARENA_TAKE(arena, struct cn_contact, contacts);
    p->spot = CN_ARENA_TAKE(arena, struct cn_spot, contacts);
    p->spot_other = CN_ARENA_TAKE(arena, struct cn_spot, contacts);
    p->spare = CN_ARENA_TAKE(arena, double, contacts);
    p->samples = CN_ARENA_TAKE(arena, struct cn_samples, 1);
    p->rate = CN_ARENA_TAKE(arena, double, contacts);
    p->force = CN_ARENA_TAKE(arena, double, contacts);
    p->friction = CN_ARENA_TAKE(arena, cn_vec3, contacts);
    p->kept = CN_ARENA_TAKE(arena, struct cn_warm_start, contacts);
}

static void
take_scratch(struct cn_propagation *p, struct cn_arena *arena, const struct cn_model *model)
{
    size_t rows = (size_t)cn_joint_row_count_max(model);
    take_bodies(p, arena, model);
    take_contacts(p, arena, (size_t)model->contact_max);
    p->joint = CN_ARENA_TAKE(arena, struct cn_joint_row, rows);
    p->joint_impulse = CN_ARENA_TAKE(arena, double, rows);
    p->joint_offset = CN_ARENA_TAKE(arena, double, rows);
    p->joint_bounce = CN_ARENA_TAKE(arena, double, rows);
    p->tie = CN_ARENA_TAKE(arena, struct cn_tie, rows);
    p->tie_order = CN_ARENA_TAKE(arena, int32_t, rows);
    cn_propagation_energy_take(
        &p->energy, arena, model->body_count, model->contact_max, (int)rows);
    cn_contact_graph_layout(
        &p->graph, arena, model->body_count, 2 * model->contact_max + 2 * (int)rows);
}

void
cn_propagation_layout(
    struct cn_arena *scratch, const struct cn_model *model, const struct cn_solver *solver)
{
    struct cn_propagation unused;
    (void)solver;
    take_scratch(&unused, scratch, model);
}

static void
choose_kernel(struct cn_propagation *p, const struct cn_pipeline_tools *tools)
{
    const struct cn_impulse_kernel *chosen = tools != NULL ? tools->kernel : NULL;
    chosen = chosen != NULL ? chosen : cn_impulse_kernel_best();
    const struct cn_fast_mesh_kernel *kernel = cn_fast_mesh_kernel_find(chosen->name);
    p->kernel = kernel != NULL ? kernel : cn_fast_mesh_kernel_find("plain");
    p->has_avx2 = strcmp(chosen->name, "avx2") == 0 || strcmp(chosen->name, "avx512") == 0;
}

void
cn_propagation_init(struct cn_propagation *p, struct cn_step_context *context)
{
    struct cn_arena arena = context->scratch;
    struct cn_model *model = context->model;
    *p = (struct cn_propagation){
        .model = model,
        .work = &context->work,
        .literal = model->settings.propagation.literal == 1,
        .planar = model->settings.dimension == CN_PLANAR,
        .slack = SLACK_FRACTION * model->gap_tolerance,
        .rng = {model->seed ^ (uint64_t)model->settings.propagation.shuffle << 40 ^
                (model->clock.tick << 8 | model->clock.pieces) *
                                  UINT64_C(0x9e3779b97f4a7c15)},
    };
    choose_kernel(p, context->tools);
    take_scratch(p, &arena, model);
    (void)cn_rng_next(&p->rng); /* the first number still shows how the seed was put together */
}
