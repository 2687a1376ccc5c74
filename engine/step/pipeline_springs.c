/*
 * pipeline_springs.c: the springs of the scene, in every substep.
 *
 * A spring is no row that impulses are found for again and again: it is a force that may be stiff.
 * With e = length - rest, its rate v, K the rate that an impulse of 1 N s along it gives, k the
 * stiffness and c the damping, a substep of h gives the impulse
 *
 *     l = -h (k e + (c + t h k) v'),   v' = v + K l the rate behind it, so
 *     l = -(h k e + w v) / (1 + w K),  w = h (c + t h k)
 *
 * with t = s / (1 + s), s = h^2 k K, as springs of hinges have it (engine/solve/impulse_joint.h):
 * where the substep resolves the spring this is semi-implicit Euler, whose period is too short by
 * s / 24 of it and which loses s^(3/2) / 2 of critical damping; where it does not it is implicit
 * Euler.  s (1 - 2 t) < 4, so no stiffness makes it grow.
 *
 * Springs that share bodies are gone over again and again, l = ... of what is not yet done, up to
 * sixteen times.  All of that is done before joints and contacts, and is not carried: what bodies
 * carry (struct cn_impulse_carry2) is moved along with their velocities.  So a body that stands on
 * something is pressed with the whole force: contacts carry their answer, v = -K l.
 *
 * Places are double: at the tick's start of the model, from there on what solver bodies add.
 *
 * Source: Catto, Soft Constraints, GDC 2011; Baraff and Witkin, Large Steps in Cloth Simulation,
 * SIGGRAPH 1998, equation 4, by sweeps over single springs.
 * Departures: t, as above, since implicit Euler alone damps what is resolved.
 */
#include "engine/step/pipeline_inside.h"

#include <math.h>

#define LENGTH_MIN 1e-12 /* m: shorter has no direction */
#define SWEEPS_MAX 16    /* over springs that share bodies; one by itself is exact in the first */
#define ENOUGH 1e-5      /* part of its impulse: a change below ends the sweeps */

/* One end; the arm and place are those of the tick's start. */
struct end {
    int32_t name; /* see CN_IMPULSE_FIXED */
    cn_vec3 center, arm;
};

/* What an impulse of 1 N s along a spring does to a body. */
struct push {
    cn_vec3 linear, angular;
};

struct cn_pipeline_spring {
    struct end a, b;
    double stiffness, damping, rest_length;

    /* Of the substep: l, K, h k e and w as above. */
    cn_vec3 direction, arm[2];
    struct push push[2];
    double impulse, K, bias, drag;
};

/* A body in the middle of a tick. */
struct moving {
    cn_vec3 v, w, moved;
    cn_mat33 turn;
    cn_vec3 mass_inverse;     /* along the axes: 0 where it is locked */
    cn_mat33 inertia_inverse; /* likewise */
};

static struct end
end_of(const struct cn_pipeline *p, int32_t body, cn_vec3 anchor)
{
    if (body < 0) {
        return (struct end){.name = CN_IMPULSE_FIXED, .center = anchor};
    }
    const struct cn_motion *motion = &p->model->motion[body];
    cn_pose pose = cn_motion_pose(motion, p->model->settings.dimension);
    return (struct end){p->solver_body[body], motion->position, cn_pose_turn(&pose, anchor)};
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

static cn_vec3
vec3_of(float x, float y, float z)
{
    return (cn_vec3){(double)x, (double)y, (double)z};
}

static struct moving
moving2(const struct cn_pipeline_tick *t, int32_t index)
{
    const struct cn_impulse_body2 *body = (const struct cn_impulse_body2 *)t->body + index;
    const struct cn_impulse_mass2 *mass = (const struct cn_impulse_mass2 *)t->mass + index;
    return (struct moving){
        .v = vec3_of(body->vx, body->vy, 0.0F),
        .w = vec3_of(0.0F, 0.0F, body->w),
        .moved = vec3_of(body->dx, body->dy, 0.0F),
        .turn = {vec3_of(body->cosine, body->sine, 0.0F),
            vec3_of(-body->sine, body->cosine, 0.0F), {0.0, 0.0, 1.0}},
        .mass_inverse = vec3_of(mass->inverse_mass, mass->inverse_mass, 0.0F),
        .inertia_inverse = {.cz = vec3_of(0.0F, 0.0F, mass->inverse_inertia)},
    };
}

static struct moving
moving3(const struct cn_pipeline_tick *t, int32_t index)
{
    const struct cn_impulse_body3 *body = (const struct cn_impulse_body3 *)t->body + index;
    const struct cn_impulse_mass3 *mass = (const struct cn_impulse_mass3 *)t->mass + index;
    const float *i = mass->inverse_inertia; /* xx yy zz xy yz zx */
    const cn_quat q = {
        (double)body->q[3], (double)body->q[0], (double)body->q[1], (double)body->q[2]};
    return (struct moving){
        .v = vec3_of(body->v[0], body->v[1], body->v[2]),
        .w = vec3_of(body->w[0], body->w[1], body->w[2]),
        .moved = vec3_of(body->d[0], body->d[1], body->d[2]),
        .turn = cn_quat_to_mat33(q),
        .mass_inverse = vec3_of(mass->inverse_mass, mass->inverse_mass, mass->inverse_mass),
        .inertia_inverse = {vec3_of(i[0], i[3], i[5]), vec3_of(i[3], i[1], i[4]),
            vec3_of(i[5], i[4], i[2])},
    };
}

/* Axes that are locked take no impulse. */
static void
lock(struct moving *moving, uint32_t locks)
{
    cn_vec3 *m = &moving->mass_inverse;
    cn_mat33 *i = &moving->inertia_inverse;
    m->x = locks & CN_LOCK_LINEAR_X ? 0.0 : m->x;
    m->y = locks & CN_LOCK_LINEAR_Y ? 0.0 : m->y;
    m->z = locks & CN_LOCK_LINEAR_Z ? 0.0 : m->z;
    if (locks & CN_LOCK_ANGULAR_X) {
        i->cx = (cn_vec3){0.0, 0.0, 0.0};
        i->cy.x = i->cz.x = 0.0;
    }
    if (locks & CN_LOCK_ANGULAR_Y) {
        i->cy = (cn_vec3){0.0, 0.0, 0.0};
        i->cx.y = i->cz.y = 0.0;
    }
    if (locks & CN_LOCK_ANGULAR_Z) {
        i->cz = (cn_vec3){0.0, 0.0, 0.0};
        i->cx.z = i->cy.z = 0.0;
    }
}

static struct moving
moving_at(const struct cn_pipeline_tick *t, int32_t name)
{
    if (name == CN_IMPULSE_FIXED) {
        return (struct moving){.turn = cn_mat33_diagonal(1.0, 1.0, 1.0)};
    }
    bool planar = t->p->model->settings.dimension == CN_PLANAR;
    int32_t index = cn_impulse_index(name);
    struct moving moving = planar ? moving2(t, index) : moving3(t, index);
    uint32_t locks = planar ? ((const struct cn_impulse_drive2 *)t->drive)[index].locks
                            : ((const struct cn_impulse_drive3 *)t->drive)[index].locks;
    if (locks != 0) {
        lock(&moving, locks);
    }
    return moving;
}

static struct push
push_of(const struct moving *moving, cn_vec3 arm, cn_vec3 u)
{
    const cn_vec3 *m = &moving->mass_inverse;
    return (struct push){{m->x * u.x, m->y * u.y, m->z * u.z},
        cn_mat33_apply(&moving->inertia_inverse, cn_vec3_cross(arm, u))};
}

/* A float that is moved along; no velocity is -0. */
static void
move(float *value, double by)
{
    *value = (float)((double)*value + by) + 0.0F;
}

/* Moves the velocities of a body, and what it would have without the impulses that it carries. */
static void
give(struct cn_pipeline_tick *t, int32_t name, const struct push *push, double impulse)
{
    if (name < 0) {
        return;
    }
    cn_vec3 v = cn_vec3_scale(push->linear, impulse), w = cn_vec3_scale(push->angular, impulse);
    if (t->p->model->settings.dimension == CN_PLANAR) {
        struct cn_impulse_body2 *body = (struct cn_impulse_body2 *)t->body + name;
        struct cn_impulse_carry2 *carry = (struct cn_impulse_carry2 *)t->carry + name;
        move(&body->vx, v.x);
        move(&body->vy, v.y);
        move(&body->w, w.z);
        move(&carry->vx, v.x);
        move(&carry->vy, v.y);
        move(&carry->w, w.z);
        return;
    }
    struct cn_impulse_body3 *body = (struct cn_impulse_body3 *)t->body + name;
    struct cn_impulse_carry3 *carry = (struct cn_impulse_carry3 *)t->carry + name;
    const double linear[3] = {v.x, v.y, v.z}, angular[3] = {w.x, w.y, w.z};
    for (int k = 0; k < 3; k++) {
        move(&body->v[k], linear[k]);
        move(&body->w[k], angular[k]);
        move(&carry->v[k], linear[k]);
        move(&carry->w[k], angular[k]);
    }
}

/* Where it is now, at the start of a substep, and what follows from that alone. */
static void
aim(const struct cn_pipeline_tick *t, struct cn_pipeline_spring *spring)
{
    const struct end *ends[2] = {&spring->a, &spring->b};
    struct moving moving[2];
    cn_vec3 point[2];
    for (int k = 0; k < 2; k++) {
        moving[k] = moving_at(t, ends[k]->name);
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
        struct push *push = &spring->push[k];
        *push = push_of(&moving[k], spring->arm[k], u);
        spring->K += cn_vec3_dot(push->linear, u) +
                     cn_vec3_dot(cn_vec3_cross(push->angular, spring->arm[k]), u);
    }
    double s = h * h * spring->stiffness * spring->K;
    spring->bias = h * spring->stiffness * (length - spring->rest_length);
    spring->drag = h * (spring->damping + s / (1.0 + s) * h * spring->stiffness);
}

/* How fast an end moves along the spring. */
static double
rate_of(const struct cn_pipeline_tick *t, const struct cn_pipeline_spring *spring, int k)
{
    struct moving moving = moving_at(t, k == 0 ? spring->a.name : spring->b.name);
    cn_vec3 rate = cn_vec3_add(moving.v, cn_vec3_cross(moving.w, spring->arm[k]));
    return cn_vec3_dot(rate, spring->direction);
}

/* Whether it did more than is worth another sweep. */
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
    give(t, spring->a.name, &spring->push[0], -more);
    give(t, spring->b.name, &spring->push[1], more);
    return fabs(more) > ENOUGH * fabs(spring->impulse);
}

void
cn_pipeline_pull_springs(struct cn_pipeline_tick *t)
{
    for (int i = 0; i < t->spring_count; i++) {
        aim(t, &t->spring[i]);
    }
    bool goes_on = t->spring_count > 0;
    for (int sweep = 0; goes_on && sweep < SWEEPS_MAX; sweep++) {
        goes_on = false;
        for (int i = 0; i < t->spring_count; i++) { /* there and back, by turns */
            bool did = pull(t, &t->spring[sweep % 2 == 0 ? i : t->spring_count - 1 - i]);
            goes_on = goes_on || did;
        }
    }
}
