/* propagation.c: the order of a step, and how bodies move. */
#include "engine/step/propagation/propagation.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/step/advance.h"
#include "engine/step/stepper_table.h"

#include <math.h>

/* No point of a body moves farther in a step than this part of its smallest width. */
#define MOTION_FRACTION 0.5
/* A tick has no more steps than these; the margins of the search handle faster motion. */
#define STEPS_MAX 32

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
    CN_ASSERT(!p->gained);
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
    CN_ASSERT(context->solver->kind == CN_SOLVER_PAIRS && steps >= 1);
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
    .tell_ends = cn_propagation_tell_ends,
};
