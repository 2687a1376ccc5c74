/*
 * propagation_energy.c: the contact phase and the shock add no kinetic energy.
 *
 * Impulses that slow contacts down, all at once, take energy away.  Two things add some:
 *
 *   shock    for the pairs of a level the bodies below have infinite mass.  A light body below
 *            that still moves upwards then throws a heavy one that rests on it.
 *   stop     the contact phase starts from the forces of the last step, and ends after a bounded
 *            number of sweeps.  Where masses differ by 1e4 and more, some of these forces are then
 *            left over.
 *
 * An island goes only a part s of the way from the velocities before a phase, v, to those after it,
 * v + d.  The energy that it gains is a quadratic, s v . d + s^2 d . d / 2 in the norm of M, and s
 * is the largest part up to 1 that gains nothing.  Its impulses go the same part of their way, so
 * they stay within their cones and remain those that changed the velocities.  (Between the two ends
 * of a phase a shock leaves out what it does to the bodies below, so it loses momentum as before.)
 *
 * Motors, joints whose anchor moves, and kinematic bodies do work.  Islands that have one of these
 * are left alone, and all islands in literal mode.
 */
#include "engine/step/propagation/propagation.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/base/union_find.h"
#include "engine/math/scalar.h"

#include <math.h>

/* Of the terms of a gain: what rounding may cause. */
#define GAIN_FRACTION 1e-10

#define WORK_PER_BODY 60 /* operations, for the budget */
#define WORK_PER_SPOT 20

void
cn_propagation_energy_take(
    struct cn_propagation_energy *energy, struct cn_arena *arena, int body_count, int spot_max,
    int row_max)
{
    size_t bodies = (size_t)body_count;
    energy->velocity = CN_ARENA_TAKE(arena, struct cn_twist, bodies);
    energy->island = CN_ARENA_TAKE(arena, int32_t, bodies);
    energy->sum = CN_ARENA_TAKE(arena, struct cn_island_gain, bodies);
    energy->impulse = CN_ARENA_TAKE(arena, cn_vec3, (size_t)spot_max);
    energy->couple = CN_ARENA_TAKE(arena, cn_vec3, (size_t)spot_max);
    energy->joint_impulse = CN_ARENA_TAKE(arena, double, (size_t)row_max);
}

/* ---- islands ---- */

/* A body that moves although nothing moves it: a kinematic one. */
static bool
is_driven(const struct cn_propagation *p, int body)
{
    const struct cn_twist *v = &p->mover[body].velocity;
    return cn_vec3_dot(v->linear, v->linear) + cn_vec3_dot(v->angular, v->angular) > 0.0;
}

/* Two bodies that push each other are of one island; -1 is the world. */
static void
join(struct cn_propagation *p, int body_a, int body_b, bool works)
{
    int body[2] = {body_a, body_b}, root[2] = {-1, -1};
    for (int side = 0; side < 2; side++) {
        if (body[side] >= 0 && !p->fixed[body[side]]) {
            root[side] = cn_union_root(p->energy.island, body[side]);
        } else if (body[side] >= 0) {
            works = works || is_driven(p, body[side]);
        }
    }
    int first = root[0] < root[1] ? root[0] : root[1], last = root[0] + root[1] - first;
    if (last < 0) {
        return;
    }
    first = first < 0 ? last : first;
    CN_ASSERT(first < p->model->body_count && last < p->model->body_count);
    p->energy.island[last] = first;
    p->energy.sum[first].works = works || p->energy.sum[first].works || p->energy.sum[last].works;
}

/* Friction is bounded like a motor, but does no work. */
static bool
is_motor(const struct cn_propagation *p, const struct cn_joint_row *row)
{
    return row->tag == CN_ROW_BOUNDED && p->model->joint[row->id >> 8 & 0xffffffU].has_motor;
}

static void
find_islands(struct cn_propagation *p)
{
    for (int i = 0; i < p->model->body_count; i++) {
        p->energy.island[i] = i;
        p->energy.sum[i] = (struct cn_island_gain){.part = 1.0};
    }
    for (int i = 0; i < p->pair_count; i++) {
        if (p->meeting[i].spot_count > 0) {
            join(p, p->meeting[i].body_a, p->meeting[i].body_b, false);
        }
    }
    for (int i = 0; i < p->tie_count; i++) {
        const struct cn_tie *tie = &p->tie[i];
        bool works = false;
        for (int k = tie->first; k < tie->first + tie->count; k++) {
            works = works || is_motor(p, &p->joint[k]) || p->joint_offset[k] != 0.0;
        }
        join(p, tie->body_a, tie->body_b, works);
    }
}

/* ---- energy ---- */

/* u . I w of a body, in the body's axes, where I has an inverse or not. */
static double
turn_product(const struct cn_propagation *p, int body, cn_vec3 u, cn_vec3 w)
{
    const cn_mat33 *inertia = &p->model->body[body].inertia;
    if (p->planar) {
        return u.z * inertia->cz.z * w.z;
    }
    cn_mat33 back = cn_mat33_transpose(&p->pose[body].rotation);
    return cn_vec3_dot(
        cn_mat33_apply(&back, u), cn_mat33_apply(inertia, cn_mat33_apply(&back, w)));
}

static void
count_gain(struct cn_propagation *p, int body)
{
    const struct cn_twist *v = &p->energy.velocity[body], *to = &p->mover[body].velocity;
    cn_vec3 linear = cn_vec3_sub(to->linear, v->linear);
    cn_vec3 angular = cn_vec3_sub(to->angular, v->angular);
    double mass = p->model->body[body].mass;
    double first = mass * cn_vec3_dot(v->linear, linear);
    double turn_first = turn_product(p, body, v->angular, angular);
    double second = 0.5 * mass * cn_vec3_dot(linear, linear) +
                    0.5 * turn_product(p, body, angular, angular);
    struct cn_island_gain *sum = &p->energy.sum[cn_union_root(p->energy.island, body)];
    sum->first += first + turn_first;
    sum->second += second;
    sum->size += fabs(first) + fabs(turn_first) + second;
}

/* The part of the way that an island may go. */
static double
part_of(const struct cn_island_gain *sum)
{
    double gain = sum->first + sum->second;
    if (sum->works || !(gain > GAIN_FRACTION * sum->size) || !isfinite(sum->size)) {
        return 1.0;
    }
    return sum->first < 0.0 ? -sum->first / sum->second : 0.0;
}

/* ---- the way back ---- */

static cn_vec3
go_part(cn_vec3 from, cn_vec3 to, double part)
{
    return cn_vec3_add_scaled(from, part, cn_vec3_sub(to, from));
}

static double
part_of_bodies(struct cn_propagation *p, int body_a, int body_b)
{
    int body = body_a >= 0 && !p->fixed[body_a] ? body_a : body_b;
    return body < 0 || p->fixed[body]
               ? 1.0
               : p->energy.sum[cn_union_root(p->energy.island, body)].part;
}

static void
shorten_impulses(struct cn_propagation *p)
{
    for (int k = 0; k < p->spot_count; k++) {
        struct cn_spot *spot = &p->spot[k];
        const struct cn_meeting *pair = &p->meeting[spot->pair];
        double part = part_of_bodies(p, pair->body_a, pair->body_b);
        if (part < 1.0) {
            spot->impulse = go_part(p->energy.impulse[k], spot->impulse, part);
            spot->couple = go_part(p->energy.couple[k], spot->couple, part);
        }
    }
    for (int k = 0; k < p->joint_count; k++) {
        double part = part_of_bodies(p, p->joint[k].row.body_a, p->joint[k].row.body_b);
        double *impulse = &p->joint_impulse[k], before = p->energy.joint_impulse[k];
        *impulse = part < 1.0 ? before + part * (*impulse - before) : *impulse;
    }
}

static void
shorten_velocities(struct cn_propagation *p)
{
    p->clock++;
    for (int i = 0; i < p->model->body_count; i++) {
        double part = part_of_bodies(p, i, -1);
        if (part < 1.0) {
            const struct cn_twist *from = &p->energy.velocity[i];
            struct cn_twist *v = &p->mover[i].velocity;
            *v = (struct cn_twist){go_part(from->linear, v->linear, part),
                go_part(from->angular, v->angular, part)};
            p->changed[i] = p->clock;
        }
    }
}

void
cn_propagation_energy_begin(struct cn_propagation *p)
{
    if (p->literal) {
        return;
    }
    for (int i = 0; i < p->model->body_count; i++) {
        p->energy.velocity[i] = p->mover[i].velocity;
    }
    for (int k = 0; k < p->spot_count; k++) {
        p->energy.impulse[k] = p->spot[k].impulse;
        p->energy.couple[k] = p->spot[k].couple;
    }
    for (int k = 0; k < p->joint_count; k++) {
        p->energy.joint_impulse[k] = p->joint_impulse[k];
    }
}

void
cn_propagation_energy_end(struct cn_propagation *p)
{
    bool gained = false;
    if (p->literal) {
        return;
    }
    find_islands(p);
    for (int i = 0; i < p->model->body_count; i++) {
        if (!p->fixed[i]) {
            count_gain(p, i);
        }
    }
    for (int i = 0; i < p->model->body_count; i++) {
        p->energy.sum[i].part = part_of(&p->energy.sum[i]);
        gained = gained || p->energy.sum[i].part < 1.0;
    }
    if (gained) {
        shorten_impulses(p);
        shorten_velocities(p);
    }
    int64_t work = (int64_t)WORK_PER_BODY * p->model->body_count +
                   (int64_t)WORK_PER_SPOT * p->spot_count;
    *p->work += work;
    cn_work_spend(work);
}
