/* propagation.c: memory, the order of a step, and how bodies move. */
#include "engine/step/propagation/propagation.h"

#include "engine/math/scalar.h"
#include "engine/solve/impulse/impulse.h"
#include "engine/step/advance.h"
#include "engine/step/pipeline/pipeline.h"
#include "engine/step/stepper_table.h"

#include <math.h>
#include <string.h>

/* No point of a body moves farther in a step than this part of its smallest width. */
#define MOTION_FRACTION 0.5
/* A tick has no more steps than these; the margins of the search handle faster motion. */
#define STEPS_MAX 32

#define SLACK_FRACTION 0.01 /* of the gap tolerance: a smaller gap counts as 0 */
/*
 * Of the velocity that gravity adds in a step: a smaller change counts as 0, in small worlds and in
 * large ones.
 */
#define SETTLED 1e-11
#define SETTLED_LARGE 3e-2
/*
 * The last iteration and shocks are longer than others by this factor, in small worlds and in large
 * ones.
 */
#define LONGER 16
#define LONGER_LARGE 4
#define LARGE 512 /* candidates */

/* ---- memory ---- */

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

/* ---- the step's length ---- */

/* The number of steps that the rest of a tick takes. */
static int
steps_left(const struct cn_model *model, double rest)
{
    double most = 1.0, thinnest = HUGE_VAL;
    for (int i = 0; i < model->mesh_count; i++) { /* a thin mesh must stop bodies, too */
        thinnest = cn_min(thinnest, model->mesh[i]->thickness);
    }
    double fall = rest * cn_vec3_length(model->settings.gravity);
    for (int i = 0; i < model->body_count; i++) {
        const struct cn_body *body = &model->body[i];
        if (body->type == CN_STATIC || body->absent || body->quarantined) {
            continue;
        }
        double width = thinnest;
        for (int k = 0; k < body->shape_count; k++) {
            width = cn_min(width, model->shape[body->shape_first + k].width);
        }
        double speed = cn_vec3_length(model->motion[i].velocity) +
                       cn_vec3_length(model->motion[i].angular_velocity) * body->reach;
        speed += body->type == CN_DYNAMIC ? fall * fabs(body->gravity_scale) : 0.0;
        most = cn_max(most, rest * speed / (MOTION_FRACTION * width));
    }
    int pieces = (int)model->clock.pieces, room = pieces < STEPS_MAX ? STEPS_MAX - pieces : 1;
    return most < room ? (int)ceil(most) : room;
}

/* ---- motion ---- */

static void
gain_speed(struct cn_propagation *p)
{
    for (int i = 0; i < p->model->body_count; i++) {
        struct cn_twist *v = &p->mover[i].velocity, *gain = &p->mover[i].gain;
        v->linear = cn_vec3_add(v->linear, gain->linear);
        v->angular = cn_vec3_add(v->angular, gain->angular);
        p->foreseen[i].linear = cn_vec3_add(p->foreseen[i].linear, gain->linear);
        p->foreseen[i].angular = cn_vec3_add(p->foreseen[i].angular, gain->angular);
    }
    p->gained = true;
}

static void
move_bodies(struct cn_propagation *p)
{
    struct cn_model *model = p->model;
    for (int i = 0; i < model->body_count; i++) {
        if (model->body[i].type == CN_STATIC || model->body[i].quarantined) {
            continue;
        }
        cn_advance_body(model, i, &p->mover[i].velocity, p->h);
    }
}

/* ---- the step ---- */

struct phases {
    void (*collide)(struct cn_propagation *p);
    void (*contact)(struct cn_propagation *p);
    void (*part)(struct cn_propagation *p);
};

static struct phases
phases_of(const struct cn_propagation *p)
{
#if defined(CN_SIMD_X86)
    if (p->has_avx2) {
        return (struct phases){cn_propagation_collide_avx2, cn_propagation_contact_avx2,
            cn_propagation_part_avx2};
    }
#else
    (void)p;
#endif
    return (struct phases){
        cn_propagation_collide, cn_propagation_contact, cn_propagation_part};
}

static enum cn_advance
advance(struct cn_step_context *context)
{
    struct cn_model *model = context->model;
    struct cn_propagation step, *p = &step;
    double duration = cn_model_tick_duration(model), rest = duration - model->clock.elapsed;
    int steps = steps_left(model, rest);
    cn_propagation_init(p, context);
    p->h = rest / steps;
    cn_propagation_place(p);
    if (!cn_propagation_find(p, &context->room_needed)) {
        return CN_ADVANCE_ROOM;
    }
    struct phases phases = phases_of(p);
    bool large = p->spot_count > LARGE;
    p->longer = large ? LONGER_LARGE : LONGER;
    p->settled = (large ? SETTLED_LARGE : SETTLED) *
                 cn_max(p->h * cn_vec3_length(model->settings.gravity), 1e-3);
    cn_propagation_joints(p);
    phases.collide(p);
    gain_speed(p);
    cn_propagation_levels(p);
    phases.contact(p);
    move_bodies(p);
    cn_propagation_keep(p);
    phases.part(p);
    for (int i = 0; i < model->body_count; i++) {
        p->pose[i] = cn_motion_pose(&model->motion[i], model->settings.dimension);
    }
    cn_joint_follow(model, p->pose);
    model->clock.elapsed = steps == 1 ? duration : model->clock.elapsed + p->h;
    model->clock.pieces++;
    return steps == 1 ? CN_ADVANCE_TICK : CN_ADVANCE_PIECE;
}

/*
 * The default is 0: the paper has no threshold, because the order of a step keeps bodies at rest.
 */
static double
resting_velocity(const struct cn_model *model, const struct cn_solver *solver)
{
    (void)solver;
    return cn_model_resting_velocity(model, 0.0);
}

const struct cn_stepper cn_stepper_propagation = {
    .name = "propagation",
    .cite = "Guendelman, Bridson and Fedkiw 2003",
    .text = "collision, velocity, contact, position: impulses pair by pair, shock propagation",
    .planar = true,
    .spatial = true,
    .solver_kinds = CN_STEPS(CN_SOLVER_PAIRS),
    .layout = cn_propagation_layout,
    .advance = advance,
    .evaluate = cn_propagation_evaluate,
    .resting_velocity = resting_velocity,
};
