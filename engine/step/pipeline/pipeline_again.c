/*
 * pipeline_again.c: solves the tick of islands again that gained energy (pipeline_energy.c).
 */
#include "engine/step/pipeline/pipeline_energy.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <string.h>

#define BODY_GRAIN 256 /* bodies that one worker takes at once */

/* ---- velocities ---- */

/* The velocities that `cool` noted. */
static struct cn_twist
noted_velocity(const struct cn_pipeline_tick *t, int k)
{
    if (cn_pipeline_is_planar(t)) {
        const struct cn_impulse_carry2 *at = (const struct cn_impulse_carry2 *)t->carry + k;
        return (struct cn_twist){
            {(double)at->vx, (double)at->vy, 0.0}, {0.0, 0.0, (double)at->w}};
    }
    const struct cn_impulse_carry3 *at = (const struct cn_impulse_carry3 *)t->carry + k;
    return (struct cn_twist){{(double)at->v[0], (double)at->v[1], (double)at->v[2]},
        {(double)at->w[0], (double)at->w[1], (double)at->w[2]}};
}

/* Sets a body's velocities.  None becomes -0. */
static void
set_velocity(struct cn_pipeline_tick *t, int k, cn_vec3 v, cn_vec3 w)
{
    if (cn_pipeline_is_planar(t)) {
        struct cn_impulse_body2 *body = (struct cn_impulse_body2 *)t->body + k;
        body->vx = (float)v.x + 0.0F;
        body->vy = (float)v.y + 0.0F;
        body->w = (float)w.z + 0.0F;
        return;
    }
    struct cn_impulse_body3 *body = (struct cn_impulse_body3 *)t->body + k;
    const double linear[3] = {v.x, v.y, v.z}, angular[3] = {w.x, w.y, w.z};
    for (int i = 0; i < 3; i++) {
        body->v[i] = (float)linear[i] + 0.0F;
        body->w[i] = (float)angular[i] + 0.0F;
    }
}

/* ---- again ---- */

static bool
is_again(struct cn_pipeline_tick *t, int32_t name)
{
    return name >= 0 && cn_pipeline_island_of(t, name)->gained;
}

void
cn_pipeline_begin_again(struct cn_pipeline_tick *t)
{
    static const struct cn_impulse_contact empty = {
        .body_a = CN_IMPULSE_FIXED, .body_b = CN_IMPULSE_FIXED, .manifold = -1};
    const struct cn_pipeline *p = t->p;
    size_t joints = (size_t)p->model->joint_count;
    memcpy(t->energy->body, t->body, (size_t)p->awake_count * p->ops->body_size);
    if (joints > 0) {
        memcpy(t->energy->joint, p->model->joint_state, joints * sizeof(t->energy->joint[0]));
    }
    for (int k = 0; k < p->awake_count; k++) {
        p->ops->begin(t, k);
    }
    int blocks = t->batch[t->batch_count - 1].block_end; /* the rest follows them */
    int count = blocks * t->kernel->lanes + t->rest_count;
    for (int i = 0; i < count; i++) {
        struct cn_impulse_contact *contact = &t->job.contact[i];
        if (is_again(t, contact->body_a) || is_again(t, contact->body_b)) {
            t->again_count++;
        } else {
            *contact = empty;
        }
    }
}

static void
cool_task(void *context, int first, int end, int worker)
{
    struct cn_pipeline_tick *t = context;
    (void)worker;
    CN_ASSERT(first <= end && end <= t->p->awake_count);
    for (int k = first; k < end; k++) {
        if (cn_pipeline_is_planar(t)) {
            const struct cn_impulse_body2 *body = (const struct cn_impulse_body2 *)t->body + k;
            ((struct cn_impulse_carry2 *)t->carry)[k] =
                (struct cn_impulse_carry2){body->vx, body->vy, body->w, 0.0F};
        } else {
            const struct cn_impulse_body3 *body = (const struct cn_impulse_body3 *)t->body + k;
            struct cn_impulse_carry3 *carry = (struct cn_impulse_carry3 *)t->carry + k;
            memcpy(carry->v, body->v, sizeof(carry->v));
            memcpy(carry->w, body->w, sizeof(carry->w));
        }
    }
}

void
cn_pipeline_cool(struct cn_pipeline_tick *t)
{
    cn_task_run(t->crew, cool_task, t, t->p->awake_count, BODY_GRAIN);
}

/* The largest part of restitution for which the energy does not grow. */
static double
part_of(const struct cn_pipeline_island *island)
{
    double excess = island->after - island->before - island->work;
    if (excess + island->first + island->second <= 0.0 || !(island->second > 0.0)) {
        return 1.0;
    }
    double root = island->first * island->first - 4.0 * island->second * cn_min(excess, 0.0);
    return cn_clamp((sqrt(root) - island->first) / (2.0 * island->second), 0.0, 1.0);
}

static void
add_bounce(struct cn_pipeline_tick *t, int k)
{
    struct cn_pipeline_moving at = cn_pipeline_moving_at(t, k);
    struct cn_twist from = noted_velocity(t, k);
    struct cn_twist way = {
        cn_vec3_sub(at.v, from.linear), cn_vec3_sub(at.w, from.angular)};
    cn_mat33 inertia = cn_pipeline_inertia_at(t, k, &at.turn);
    struct cn_pipeline_island *island = cn_pipeline_island_of(t, k);
    double first = cn_pipeline_product(cn_pipeline_body_of(t, k), &inertia, from, way);
    double second = 0.5 * cn_pipeline_product(cn_pipeline_body_of(t, k), &inertia, way, way);
    island->first += first;
    island->second += second;
    island->after -= first + second;
}

void
cn_pipeline_bound_bounces(struct cn_pipeline_tick *t)
{
    int count = t->p->awake_count;
    cn_pipeline_add_energies(t);
    for (int k = 0; k < count; k++) {
        if (is_again(t, k) && cn_pipeline_body_of(t, k)->mass_inverse > 0.0) {
            add_bounce(t, k);
        }
    }
    for (int k = 0; k < count; k++) {
        t->energy->island[k].part = part_of(&t->energy->island[k]);
    }
    for (int k = 0; k < count; k++) {
        double part = cn_pipeline_island_of(t, k)->part;
        if (part < 1.0 && cn_pipeline_body_of(t, k)->mass_inverse > 0.0) {
            struct cn_pipeline_moving at = cn_pipeline_moving_at(t, k);
            struct cn_twist from = noted_velocity(t, k);
            set_velocity(t, k,
                cn_vec3_add_scaled(from.linear, part, cn_vec3_sub(at.v, from.linear)),
                cn_vec3_add_scaled(from.angular, part, cn_vec3_sub(at.w, from.angular)));
        }
    }
}

/* ---- velocities within an island ---- */

static cn_vec3
place_of(const struct cn_pipeline_tick *t, int k, const struct cn_pipeline_moving *at)
{
    return cn_vec3_add(t->p->model->motion[t->p->awake[k]].position, at->moved);
}

/* I of a point of this mass at r. */
static cn_mat33
inertia_of_point(double mass, cn_vec3 r)
{
    double square = cn_vec3_dot(r, r);
    return (cn_mat33){
        {mass * (square - r.x * r.x), -mass * r.x * r.y, -mass * r.x * r.z},
        {-mass * r.x * r.y, mass * (square - r.y * r.y), -mass * r.y * r.z},
        {-mass * r.x * r.z, -mass * r.y * r.z, mass * (square - r.z * r.z)}};
}

static void
add_matrix(cn_mat33 *sum, const cn_mat33 *m)
{
    sum->cx = cn_vec3_add(sum->cx, m->cx);
    sum->cy = cn_vec3_add(sum->cy, m->cy);
    sum->cz = cn_vec3_add(sum->cz, m->cz);
}

/* Sums mass, moment and momentum; or, with `turns`, inertia and angular momentum. */
static void
add_rigid(struct cn_pipeline_tick *t, int k, bool turns)
{
    double mass = cn_pipeline_body_of(t, k)->mass;
    struct cn_pipeline_moving at = cn_pipeline_moving_at(t, k);
    struct cn_pipeline_island *island = cn_pipeline_island_of(t, k);
    if (!turns) {
        island->mass += mass;
        island->center = cn_vec3_add_scaled(island->center, mass, place_of(t, k, &at));
        island->velocity = cn_vec3_add_scaled(island->velocity, mass, at.v);
        return;
    }
    cn_vec3 r = cn_vec3_sub(place_of(t, k, &at), island->center);
    cn_vec3 v = cn_vec3_sub(at.v, island->velocity);
    cn_mat33 own = cn_pipeline_inertia_at(t, k, &at.turn), far = inertia_of_point(mass, r);
    cn_vec3 moment = cn_vec3_add_scaled(cn_mat33_apply(&own, at.w), mass, cn_vec3_cross(r, v));
    add_matrix(&island->inertia, &own);
    add_matrix(&island->inertia, &far);
    island->spin = cn_vec3_add(island->spin, moment);
}

/* Whether the velocities within the body's island are reduced. */
static bool
is_reduced(struct cn_pipeline_tick *t, int k)
{
    return cn_pipeline_body_of(t, k)->mass_inverse > 0.0 && cn_pipeline_island_of(t, k)->part < 1.0;
}

/* The rigid motions of the islands that are reduced and that nothing holds. */
static void
find_rigid(struct cn_pipeline_tick *t)
{
    int count = t->p->awake_count;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < count; k++) {
            if (is_reduced(t, k) && !cn_pipeline_island_of(t, k)->stands) {
                add_rigid(t, k, pass == 1);
            }
        }
        for (int k = 0; k < count; k++) {
            struct cn_pipeline_island *island = &t->energy->island[k];
            if (!(island->mass > 0.0)) {
                continue;
            }
            if (pass == 0) {
                island->center = cn_vec3_scale(island->center, 1.0 / island->mass);
                island->velocity = cn_vec3_scale(island->velocity, 1.0 / island->mass);
            } else if (cn_pipeline_is_planar(t)) {
                island->spin.z /= island->inertia.cz.z;
            } else {
                cn_mat33 inverse = cn_mat33_invert_symmetric(&island->inertia);
                island->spin = cn_mat33_apply(&inverse, island->spin);
            }
        }
    }
}

/* The velocities of the rigid motion of the body's island; rest if that is held. */
static struct cn_twist
rigid_velocity(struct cn_pipeline_tick *t, int k)
{
    const struct cn_pipeline_island *island = cn_pipeline_island_of(t, k);
    if (island->stands) {
        return (struct cn_twist){0};
    }
    struct cn_pipeline_moving at = cn_pipeline_moving_at(t, k);
    cn_vec3 r = cn_vec3_sub(place_of(t, k, &at), island->center);
    return (struct cn_twist){
        cn_vec3_add(island->velocity, cn_vec3_cross(island->spin, r)), island->spin};
}

/* Splits the energy after the tick into that of the rigid motion, `first`, and the rest. */
static void
split_energy(struct cn_pipeline_tick *t)
{
    int count = t->p->awake_count;
    for (int k = 0; k < count; k++) {
        t->energy->island[k].first = 0.0;
    }
    for (int k = 0; k < count; k++) {
        if (is_reduced(t, k)) {
            struct cn_pipeline_moving at = cn_pipeline_moving_at(t, k);
            cn_mat33 inertia = cn_pipeline_inertia_at(t, k, &at.turn);
            struct cn_twist rigid = rigid_velocity(t, k);
            cn_pipeline_island_of(t, k)->first +=
                0.5 * cn_pipeline_product(cn_pipeline_body_of(t, k), &inertia, rigid, rigid);
        }
    }
    for (int k = 0; k < count; k++) {
        struct cn_pipeline_island *island = &t->energy->island[k];
        double rest = island->after - island->first;
        double allowed = island->before + island->work - island->first;
        allowed += cn_pipeline_pushed(t, island);
        if (island->part < 1.0) {
            island->part = rest > 0.0 ? sqrt(cn_clamp(allowed / rest, 0.0, 1.0)) : 1.0;
        }
    }
}

/* Reduces the velocities of islands that still gain energy. */
static void
reduce(struct cn_pipeline_tick *t)
{
    int count = t->p->awake_count;
    bool found = false;
    cn_pipeline_add_energies(t);
    for (int k = 0; k < count; k++) {
        struct cn_pipeline_island *island = &t->energy->island[k];
        island->part = island->gained && cn_pipeline_gains(t, island) ? 0.0 : 1.0;
        found = found || island->part < 1.0;
    }
    if (!found) {
        return;
    }
    find_rigid(t);
    split_energy(t);
    for (int k = 0; k < count; k++) {
        if (is_reduced(t, k)) {
            double part = cn_pipeline_island_of(t, k)->part;
            struct cn_pipeline_moving at = cn_pipeline_moving_at(t, k);
            struct cn_twist rigid = rigid_velocity(t, k);
            set_velocity(t, k,
                cn_vec3_add_scaled(rigid.linear, part, cn_vec3_sub(at.v, rigid.linear)),
                cn_vec3_add_scaled(rigid.angular, part, cn_vec3_sub(at.w, rigid.angular)));
        }
    }
}

void
cn_pipeline_end_again(struct cn_pipeline_tick *t)
{
    const struct cn_pipeline *p = t->p;
    const struct cn_model *model = p->model;
    size_t size = p->ops->body_size;
    reduce(t);
    for (int k = 0; k < p->awake_count; k++) {
        if (!is_again(t, k)) {
            memcpy((unsigned char *)t->body + (size_t)k * size,
                t->energy->body + (size_t)k * size, size);
        }
    }
    for (int i = 0; i < model->joint_count; i++) {
        const struct cn_joint *joint = &model->joint[i];
        if (!is_again(t, cn_pipeline_name_of(p, joint->body_a)) &&
            !is_again(t, cn_pipeline_name_of(p, joint->body_b))) {
            model->joint_state[i] = t->energy->joint[i];
        }
    }
}
