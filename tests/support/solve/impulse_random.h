/*
 * impulse_random.h: random problems for the kernels of the production solver.
 *
 * They have dynamic and kinematic bodies and the ground; contacts have one or more points, with and
 * without each optional feature.  The numbers come from basic operations only, so that they are
 * the same on every machine.
 */
#ifndef TESTS_SUPPORT_SOLVE_IMPULSE_RANDOM_H
#define TESTS_SUPPORT_SOLVE_IMPULSE_RANDOM_H

#include "engine/base/rng.h"
#include "engine/model/model.h"
#include "tests/support/solve/impulse_run.h"

#include <math.h>

static inline float
real(struct cn_rng *rng, double low, double high)
{
    return (float)cn_rng_uniform(rng, low, high);
}

static inline uint32_t
below(struct cn_rng *rng, int n)
{
    return cn_rng_next(rng) % (uint32_t)n;
}

static inline void
random_body2(struct impulse_run *run, struct cn_rng *rng, int i, bool kinematic)
{
    struct cn_impulse_body2 *body = (struct cn_impulse_body2 *)run->body + i;
    struct cn_impulse_drive2 *drive = (struct cn_impulse_drive2 *)run->drive + i;
    *body = (struct cn_impulse_body2){.vx = real(rng, -3, 3), .vy = real(rng, -3, 3),
        .w = real(rng, -5, 5), .cosine = 1.0f};
    *drive = (struct cn_impulse_drive2){.keep_linear = 1, .keep_angular = 1};
    if (!kinematic) {
        *drive = (struct cn_impulse_drive2){.ax = real(rng, -1, 1), .ay = -10.0f,
            .aw = real(rng, -1, 1), .keep_linear = real(rng, 0.98, 1), .keep_angular = 0.99f,
            .locks = below(rng, 20) == 0 ? below(rng, 64) : 0};
        ((struct cn_impulse_mass2 *)run->mass)[i] =
            (struct cn_impulse_mass2){real(rng, 0.1, 2), below(rng, 9) ? real(rng, 0.1, 20) : 0};
    }
    if (below(rng, 30) == 0) {
        body->vx = 1000.0f;
        body->w = 900.0f;
    }
}

static inline void
random_manifold2(struct impulse_run *run, struct cn_rng *rng, int i)
{
    struct cn_manifold2 *m = (struct cn_manifold2 *)run->manifold + i;
    float x = real(rng, -1, 1), y = real(rng, 0.1, 1), length = sqrtf(x * x + y * y);
    *m = (struct cn_manifold2){.normal_x = x / length, .normal_y = y / length,
        .point_count = 1 + (int)below(rng, 2), .hint = cn_rng_next(rng),
        .rolling_impulse = real(rng, -0.1, 0.1)};
    float dx = real(rng, -1, 1), dy = real(rng, -1, 1);
    for (int k = 0; k < m->point_count; k++) {
        struct cn_point2 *p = &m->point[k];
        *p = (struct cn_point2){.anchor_ax = real(rng, -0.5, 0.5), .anchor_ay = real(rng, -1, 1),
            .separation = real(rng, -0.02, 0.02), .normal_impulse = real(rng, 0, 0.2),
            .tangent_impulse = real(rng, -0.1, 0.1), .feature = below(rng, 65536)};
        p->anchor_bx = p->anchor_ax + dx;
        p->anchor_by = p->anchor_ay + dy;
    }
}

static inline void
random_body3(struct impulse_run *run, struct cn_rng *rng, int i, bool kinematic)
{
    struct cn_impulse_body3 *body = (struct cn_impulse_body3 *)run->body + i;
    struct cn_impulse_drive3 *drive = (struct cn_impulse_drive3 *)run->drive + i;
    struct cn_impulse_mass3 *mass = (struct cn_impulse_mass3 *)run->mass + i;
    *body = (struct cn_impulse_body3){.q = {0, 0, 0, 1}};
    *drive = (struct cn_impulse_drive3){.keep_linear = 1, .keep_angular = 1};
    for (int k = 0; k < 3; k++) {
        body->v[k] = real(rng, -3, 3);
        body->w[k] = real(rng, -5, 5);
    }
    if (!kinematic) {
        drive->a[1] = -10.0f;
        drive->aw[2] = real(rng, -1, 1);
        drive->keep_angular = 0.99f;
        drive->locks = below(rng, 20) == 0 ? below(rng, 64) : 0;
        mass->inverse_mass = real(rng, 0.1, 2);
        for (int k = 0; k < 3; k++) {
            mass->inverse_inertia[k] = real(rng, 5, 20);
            mass->inverse_inertia[3 + k] = real(rng, -1, 1);
        }
        for (int k = 0; k < 6 && i % 2 == 0; k++) {
            drive->inertia[k] = k < 3 ? real(rng, 0.1, 0.2) : real(rng, -0.01, 0.01);
        }
    }
    if (below(rng, 30) == 0) {
        body->v[2] = 1000.0f;
        body->w[0] = 900.0f;
    }
}

static inline void
random_manifold3(struct impulse_run *run, struct cn_rng *rng, int i)
{
    struct cn_manifold3 *m = (struct cn_manifold3 *)run->manifold + i;
    float length = 0, d[3];
    *m = (struct cn_manifold3){.point_count = 1 + (int)below(rng, 4), .hint = cn_rng_next(rng),
        .twist_impulse = real(rng, -0.1, 0.1)};
    for (int k = 0; k < 3; k++) {
        m->normal[k] = real(rng, -1, 1);
        m->rolling_impulse[k] = real(rng, -0.1, 0.1);
        length += m->normal[k] * m->normal[k];
        d[k] = real(rng, -1, 1);
    }
    for (int k = 0; k < 3; k++) {
        m->normal[k] /= sqrtf(length);
        m->tangent_impulse[k / 2] = real(rng, -0.1, 0.1);
    }
    for (int k = 0; k < m->point_count; k++) {
        struct cn_point3 *p = &m->point[k];
        *p = (struct cn_point3){.separation = real(rng, -0.02, 0.02),
            .normal_impulse = real(rng, 0, 0.2), .feature = below(rng, 65536)};
        for (int x = 0; x < 3; x++) {
            p->anchor_a[x] = real(rng, -0.5, 0.5);
            p->anchor_b[x] = p->anchor_a[x] + d[x];
        }
    }
}

static inline int32_t
random_name(struct cn_rng *rng, int body_count, int kinematic_count)
{
    uint32_t kind = below(rng, 10);
    if (kind == 0) {
        return CN_IMPULSE_FIXED;
    }
    if (kind == 1 && kinematic_count > 0) {
        return cn_impulse_kinematic((int32_t)below(rng, kinematic_count));
    }
    return kinematic_count + (int32_t)below(rng, body_count - kinematic_count);
}

static inline void
random_contact(struct impulse_run *run, struct cn_rng *rng, int i, int kinematic_count)
{
    struct cn_impulse_contact *c = &run->contact[i];
    do {
        c->body_a = random_name(rng, run->body_count, kinematic_count);
        c->body_b = random_name(rng, run->body_count, kinematic_count);
    } while (c->body_a == c->body_b || (c->body_a < 0 && c->body_b < 0));
    c->manifold = i;
    c->friction = real(rng, 0, 1);
    c->restitution = below(rng, 3) == 0 ? real(rng, 0, 1) : 0;
    c->rolling = below(rng, 10) == 0 ? real(rng, 0, 0.1) : 0;
    c->firm = run->spatial ? (int32_t)below(rng, 2) : 0;
    c->spinning = below(rng, 10) == 0 ? real(rng, 0, 0.1) : 0;
    for (int k = 0; k < 3; k++) {
        c->surface[k] = below(rng, 20) == 0 ? real(rng, -1, 1) : 0;
    }
}

static inline void
random_problem(struct impulse_run *run, uint64_t seed, bool spatial)
{
    struct cn_rng rng = {(seed + 1) * UINT64_C(0x9E3779B97F4A7C15)}; /* the first number counts */
    int body_count = 2 + (int)below(&rng, 60), contact_count = (int)below(&rng, 200);
    int kinematic_count = body_count > 4 ? (int)below(&rng, 3) : 0;
    impulse_run_make(run, spatial, body_count, contact_count);
    for (int i = 0; i < body_count; i++) {
        (spatial ? random_body3 : random_body2)(run, &rng, i, i < kinematic_count);
    }
    for (int i = 0; i < contact_count; i++) {
        (spatial ? random_manifold3 : random_manifold2)(run, &rng, i);
        random_contact(run, &rng, i, kinematic_count);
    }
}

static inline void
begin_tick(struct impulse_run *run)
{
    for (int i = 0; i < run->body_count; i++) {
        if (run->spatial) {
            struct cn_impulse_body3 *body = (struct cn_impulse_body3 *)run->body + i;
            memset(body->d, 0, sizeof(body->d));
            memset(body->q, 0, sizeof(body->q));
            body->q[3] = 1.0f;
        } else {
            struct cn_impulse_body2 *body = (struct cn_impulse_body2 *)run->body + i;
            body->dx = body->dy = body->sine = 0.0f;
            body->cosine = 1.0f;
        }
    }
}

/* Three ticks; each starts with zero deltas of the bodies. */
static inline void
play(struct impulse_run *run, const struct cn_impulse_kernel *kernel)
{
    impulse_run_color(run, kernel);
    for (int tick = 0; tick < 3; tick++) {
        begin_tick(run);
        impulse_run_tick(run);
    }
}

#endif
