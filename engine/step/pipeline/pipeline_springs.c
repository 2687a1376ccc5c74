/*
 * pipeline_springs.c: the springs of the scene, in every substep.
 *
 * A spring is not a row of the solver: it is a force that may be stiff.  e is length - rest, v its
 * rate, and K the rate that an impulse of 1 N s along it gives.  k is the stiffness and c the
 * damping.  A substep of h gives the impulse
 *
 *     l = -h (k e + (c + t h k) v'),   v' = v + K l the rate behind it, so
 *     l = -(h k e + w v) / (1 + w K),  w = h (c + t h k)
 *
 * with t = s / (1 + s), s = h^2 k K, as springs of hinges have it
 * (engine/solve/joints/impulse_joint.h).  Where the substep resolves the spring, this is
 * semi-implicit Euler: its period is too short by s / 24 of it, and it loses s^(3/2) / 2 of
 * critical damping.  Where it does not, it is implicit Euler.  s (1 - 2 t) < 4, so it is stable for
 * any stiffness.
 *
 * Springs and drags (pipeline_drags.c) that share bodies are solved in repeated sweeps; l is then
 * of the part that is not yet done.  All of that is done before joints and contacts, and is not
 * carried: the velocities that bodies carry (struct cn_impulse_carry2) change with their
 * velocities.  So a body that stands on something is pressed with the whole force: contacts carry
 * their answer, v = -K l.
 *
 * Positions are double: the model's at the tick's start, plus the changes of the solver bodies.
 *
 * Source: Catto, Soft Constraints, GDC 2011; Baraff and Witkin, Large Steps in Cloth Simulation,
 * SIGGRAPH 1998, equation 4, by sweeps over single springs.  Departures: t, as above, since
 * implicit Euler alone damps what is resolved.
 */
#include "engine/step/pipeline/pipeline_moving.h"

#include "engine/base/assert.h"

#include <math.h>

#define LENGTH_MIN 1e-12 /* m: a shorter spring has no direction */

/* One end; the arm and place are those of the tick's start. */
struct end {
    int32_t name; /* see CN_IMPULSE_FIXED */
    cn_vec3 center, arm;
};

struct cn_pipeline_spring {
    struct end a, b;
    double stiffness, damping, rest_length;

    /* Of the substep: l, K, h k e and w as above. */
    cn_vec3 direction, arm[2];
    struct cn_pipeline_push push[2];
    double impulse, K, bias, drag;
};

static struct end
end_of(const struct cn_pipeline *p, int32_t body, cn_vec3 anchor)
{
    if (body < 0) {
        return (struct end){.name = CN_IMPULSE_FIXED, .center = anchor};
    }
    CN_ASSERT(body < p->model->body_count);
    const struct cn_motion *motion = &p->model->motion[body];
    cn_pose pose = cn_motion_pose(motion, p->model->settings.dimension);
    return (struct end){p->solver_body[body], motion->position, cn_pose_turn(&pose, anchor)};
}

void
cn_pipeline_spring_ends(const struct cn_pipeline_tick *t, int spring, int32_t name[2])
{
    CN_ASSERT(spring >= 0 && spring < t->spring_count);
    name[0] = t->spring[spring].a.name;
    name[1] = t->spring[spring].b.name;
}

bool
cn_pipeline_begin_springs(struct cn_pipeline_tick *t)
{
    const struct cn_pipeline *p = t->p;
    const struct cn_model *model = p->model;
    t->spring_count = 0;
    t->spring = CN_PIPELINE_TAKE(t, struct cn_pipeline_spring, model->spring_count);
    if (t->spring == NULL) {
        return false;
    }
    for (int i = 0; i < model->spring_count; i++) {
        const struct cn_spring *spring = &model->spring[i];
        if (spring->absent) {
            continue;
        }
        struct cn_pipeline_spring made = {
            .a = end_of(p, spring->body_a, spring->anchor_a),
            .b = end_of(p, spring->body_b, spring->anchor_b),
            .stiffness = spring->stiffness,
            .damping = spring->damping,
            .rest_length = spring->rest_length,
        };
        if (made.a.name >= 0 || made.b.name >= 0) {
            t->spring[t->spring_count++] = made;
        }
    }
    return true;
}

/*
 * Computes the spring's position at the start of a substep, and the data that depends only on that.
 */
static void
aim(const struct cn_pipeline_tick *t, struct cn_pipeline_spring *spring)
{
    const struct end *ends[2] = {&spring->a, &spring->b};
    struct cn_pipeline_moving moving[2];
    cn_vec3 point[2];
    for (int k = 0; k < 2; k++) {
        moving[k] = cn_pipeline_moving_at(t, ends[k]->name);
        spring->arm[k] = cn_mat33_apply(&moving[k].turn, ends[k]->arm);
        point[k] = cn_vec3_add(cn_vec3_add(ends[k]->center, moving[k].moved), spring->arm[k]);
    }
    cn_vec3 apart = cn_vec3_sub(point[1], point[0]);
    double length = cn_vec3_length(apart), h = t->duration / t->tick.substep_count;
    spring->impulse = spring->K = 0.0;
    if (!(length > LENGTH_MIN)) {
        return;
    }
    cn_vec3 u = spring->direction = cn_vec3_scale(apart, 1.0 / length);
    for (int k = 0; k < 2; k++) {
        struct cn_pipeline_push *push = &spring->push[k];
        *push = cn_pipeline_push_of(&moving[k], spring->arm[k], u);
        spring->K += cn_vec3_dot(push->linear, u) +
                     cn_vec3_dot(cn_vec3_cross(push->angular, spring->arm[k]), u);
    }
    double s = h * h * spring->stiffness * spring->K;
    spring->bias = h * spring->stiffness * (length - spring->rest_length);
    spring->drag = h * (spring->damping + s / (1.0 + s) * h * spring->stiffness);
}

/* The speed of an end along the spring. */
static double
rate_of(const struct cn_pipeline_tick *t, const struct cn_pipeline_spring *spring, int k)
{
    struct cn_pipeline_moving moving =
        cn_pipeline_moving_at(t, k == 0 ? spring->a.name : spring->b.name);
    cn_vec3 rate = cn_vec3_add(moving.v, cn_vec3_cross(moving.w, spring->arm[k]));
    return cn_vec3_dot(rate, spring->direction);
}

/* Applies the spring.  Whether its change is worth another sweep. */
static bool
pull(struct cn_pipeline_tick *t, struct cn_pipeline_spring *spring)
{
    if (!(spring->K > 0.0)) {
        return false;
    }
    double v = rate_of(t, spring, 1) - rate_of(t, spring, 0);
    double more = -(spring->impulse + spring->bias + spring->drag * v) /
                  (1.0 + spring->drag * spring->K);
    spring->impulse += more;
    cn_pipeline_give(t, spring->a.name, &spring->push[0], -more);
    cn_pipeline_give(t, spring->b.name, &spring->push[1], more);
    return fabs(more) > CN_PIPELINE_ENOUGH * fabs(spring->impulse);
}

void
cn_pipeline_aim_springs(struct cn_pipeline_tick *t)
{
    for (int i = 0; i < t->spring_count; i++) {
        aim(t, &t->spring[i]);
    }
}

bool
cn_pipeline_pull_springs(struct cn_pipeline_tick *t, bool back)
{
    bool goes_on = false;
    for (int i = 0; i < t->spring_count; i++) {
        bool did = pull(t, &t->spring[back ? t->spring_count - 1 - i : i]);
        goes_on = goes_on || did;
    }
    return goes_on;
}
