/*
 * pipeline_bounce.c: the restitution of limits and ropes.
 *
 * Substeps stop a body that reaches a limit; as with contacts, restitution follows them.  With v-
 * the rate at which the limit was approached at the start of the tick, and v+ that after the
 * substeps,
 *
 *     j = max(0, (-e v- - v+) / A)     where the approach was faster than the resting velocity and
 *                                      the limit was met within the tick
 *
 * A = J inv(M) J' of the limit's row at the start of the tick.  One joint follows the other, in
 * order.
 */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"
#include "engine/constraint/joint.h"
#include "engine/problem/contact_problem.h"

#include <math.h>

static bool
is_awake(const struct cn_pipeline *p, int32_t body)
{
    return body >= 0 && p->solver_body[body] >= 0;
}

/* inv(M) J' of one end of a row. */
static struct cn_twist
respond(const struct cn_pipeline *p, int32_t body, cn_vec3 linear, cn_vec3 angular)
{
    const struct cn_model *model = p->model;
    if (!is_awake(p, body)) {
        return (struct cn_twist){0};
    }
    const struct cn_body *of = &model->body[body];
    cn_mat33 inverse = of->inertia_inverse;
    if (model->settings.dimension == CN_SPATIAL) {
        cn_pose pose = cn_motion_pose(&model->motion[body], CN_SPATIAL);
        inverse = cn_mat33_turn(&pose.rotation, &of->inertia_inverse);
    }
    cn_vec3 free = {(of->locks & CN_LOCK_LINEAR_X) != 0 ? 0.0 : linear.x,
        (of->locks & CN_LOCK_LINEAR_Y) != 0 ? 0.0 : linear.y,
        (of->locks & CN_LOCK_LINEAR_Z) != 0 ? 0.0 : linear.z};
    return (struct cn_twist){
        cn_vec3_scale(free, of->mass_inverse), cn_mat33_apply(&inverse, angular)};
}

static double
product(cn_vec3 linear, cn_vec3 angular, struct cn_twist twist)
{
    return cn_vec3_dot(linear, twist.linear) + cn_vec3_dot(angular, twist.angular);
}

/* A body's velocities, as the substeps have changed them so far. */
static struct cn_twist
velocity_of(const struct cn_pipeline_tick *t, int32_t body)
{
    if (!is_awake(t->p, body)) {
        return (struct cn_twist){0};
    }
    int32_t name = t->p->solver_body[body];
    CN_ASSERT(name < t->p->awake_count);
    if (t->p->model->settings.dimension == CN_PLANAR) {
        const struct cn_impulse_body2 *one = (const struct cn_impulse_body2 *)t->body + name;
        return (struct cn_twist){
            {(double)one->vx, (double)one->vy, 0.0}, {0.0, 0.0, (double)one->w}};
    }
    const struct cn_impulse_body3 *one = (const struct cn_impulse_body3 *)t->body + name;
    return (struct cn_twist){{(double)one->v[0], (double)one->v[1], (double)one->v[2]},
        {(double)one->w[0], (double)one->w[1], (double)one->w[2]}};
}

static void
push(struct cn_pipeline_tick *t, int32_t body, struct cn_twist by, double impulse)
{
    if (!is_awake(t->p, body)) {
        return;
    }
    int32_t name = t->p->solver_body[body];
    struct cn_twist v = velocity_of(t, body);
    v.linear = cn_vec3_add_scaled(v.linear, impulse, by.linear);
    v.angular = cn_vec3_add_scaled(v.angular, impulse, by.angular);
    if (t->p->model->settings.dimension == CN_PLANAR) {
        struct cn_impulse_body2 *one = (struct cn_impulse_body2 *)t->body + name;
        one->vx = (float)v.linear.x;
        one->vy = (float)v.linear.y;
        one->w = (float)v.angular.z;
        return;
    }
    struct cn_impulse_body3 *one = (struct cn_impulse_body3 *)t->body + name;
    const float linear[] = {(float)v.linear.x, (float)v.linear.y, (float)v.linear.z};
    const float angular[] = {(float)v.angular.x, (float)v.angular.y, (float)v.angular.z};
    for (int i = 0; i < 3; i++) {
        one->v[i] = linear[i];
        one->w[i] = angular[i];
    }
}

/*
 * Applies restitution at one limit of coordinate q's row; `way` is 1 for the lower limit, -1 for
 * the upper one.
 */
static void
bounce(struct cn_pipeline_tick *t, const struct cn_joint *joint, const struct cn_joint_row *q,
    double way)
{
    const struct cn_model *model = t->p->model;
    double bound = way > 0.0 ? joint->lower : joint->upper, before = way * q->rate;
    double gap = way * (q->gap - bound);
    double resting = cn_model_resting_velocity(model, CN_PIPELINE_RESTING_VELOCITY);
    bool is_met = gap + t->duration * before <= model->gap_tolerance; /* substeps work in float */
    if (!isfinite(bound) || !(before < -resting) || !is_met) {
        return;
    }
    const struct cn_row *row = &q->row;
    struct cn_twist of_a = respond(t->p, row->body_a, row->linear_a, row->angular_a);
    struct cn_twist of_b = respond(t->p, row->body_b, row->linear_b, row->angular_b);
    double A = product(row->linear_a, row->angular_a, of_a) +
               product(row->linear_b, row->angular_b, of_b);
    double after = way * (product(row->linear_a, row->angular_a, velocity_of(t, row->body_a)) +
                             product(row->linear_b, row->angular_b, velocity_of(t, row->body_b)));
    /* Ends that nothing moves add the same to the rate before and after. */
    double driven = before;
    if (is_awake(t->p, row->body_a)) {
        const struct cn_motion *a = &model->motion[row->body_a];
        driven -= way * product(row->linear_a, row->angular_a,
                            (struct cn_twist){a->velocity, a->angular_velocity});
    }
    if (is_awake(t->p, row->body_b)) {
        const struct cn_motion *b = &model->motion[row->body_b];
        driven -= way * product(row->linear_b, row->angular_b,
                            (struct cn_twist){b->velocity, b->angular_velocity});
    }
    double impulse = A > 0.0 ? (-joint->restitution * before - after - driven) / A : 0.0;
    if (impulse > 0.0) {
        push(t, row->body_a, of_a, way * impulse);
        push(t, row->body_b, of_b, way * impulse);
    }
}

static bool
may_bounce(const struct cn_pipeline *p, int index)
{
    const struct cn_joint *joint = &p->model->joint[index];
    return !joint->absent && joint->restitution > 0.0 &&
           (is_awake(p, joint->body_a) || is_awake(p, joint->body_b));
}

bool
cn_pipeline_ready_bounces(struct cn_pipeline_tick *t)
{
    const struct cn_model *model = t->p->model;
    t->bounce_pose = NULL;
    for (int i = 0; i < model->joint_count; i++) {
        if (may_bounce(t->p, i)) {
            t->bounce_pose = CN_PIPELINE_TAKE(t, cn_pose, model->body_count);
            return t->bounce_pose != NULL;
        }
    }
    return true;
}

void
cn_pipeline_bounce_joints(struct cn_pipeline_tick *t)
{
    const struct cn_model *model = t->p->model;
    for (int i = 0; i < model->joint_count && t->bounce_pose != NULL; i++) {
        const struct cn_joint *joint = &model->joint[i];
        struct cn_joint_row q;
        if (!may_bounce(t->p, i)) {
            continue;
        }
        const int32_t ends[] = {joint->body_a, joint->body_b};
        for (int k = 0; k < 2; k++) {
            CN_ASSERT(ends[k] < model->body_count);
            if (ends[k] >= 0) {
                t->bounce_pose[ends[k]] =
                    cn_motion_pose(&model->motion[ends[k]], model->settings.dimension);
            }
        }
        if (cn_joint_coordinate(model, model->motion, t->bounce_pose, i, &q)) {
            bounce(t, joint, &q, 1.0);
            bounce(t, joint, &q, -1.0);
        }
    }
}
