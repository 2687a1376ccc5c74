/* test_impulse_spatial.c: contacts in space whose motion is known by hand, by every kernel. */
#include "tests/support/solve/impulse_run.h"

#include "engine/model/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define G 10.0f
#define TICK (1.0f / 60.0f)

static const struct cn_impulse_kernel *kernel; /* of the turn */

/* A cube of 1 m and 2 kg above the ground y = 0; or, with one point, a ball of radius 0.5 m. */
struct box {
    struct impulse_run run;
    double y;
    struct cn_impulse_body3 *body;
    struct cn_impulse_drive3 *drive;
    struct cn_manifold3 *manifold;
    struct cn_impulse_contact *contact;
};

static void
box_make(struct box *box, float gap, int point_count)
{
    impulse_run_make(&box->run, true, 1, 1);
    box->y = 0.5 + (double)gap;
    box->body = box->run.body;
    box->drive = box->run.drive;
    box->manifold = box->run.manifold;
    box->contact = box->run.contact;
    *box->drive = (struct cn_impulse_drive3){.a = {0, -G, 0}, .keep_linear = 1, .keep_angular = 1};
    *(struct cn_impulse_mass3 *)box->run.mass = (struct cn_impulse_mass3){0.5f, {3, 3, 3}, 0};
    *box->contact = (struct cn_impulse_contact){.body_a = CN_IMPULSE_FIXED, .body_b = 0,
        .manifold = 0, .friction = 0.5f};
    *box->manifold = (struct cn_manifold3){.normal = {0, 1, 0}, .point_count = point_count};
}

static void
box_tick(struct box *box)
{
    float gap = (float)(box->y - 0.5);
    memset(box->body->d, 0, sizeof(box->body->d));
    memset(box->body->q, 0, sizeof(box->body->q));
    box->body->q[3] = 1.0f;
    for (int i = 0; i < box->manifold->point_count; i++) {
        struct cn_point3 *p = &box->manifold->point[i];
        float half = box->manifold->point_count == 1 ? 0.0f : 0.5f;
        float x = i & 1 ? half : -half, z = i & 2 ? half : -half;
        p->separation = gap;
        p->anchor_b[0] = x;
        p->anchor_b[1] = -0.5f - gap / 2;
        p->anchor_b[2] = z;
        p->anchor_a[0] = x + 1000.0f; /* the ground's own centre is far away */
        p->anchor_a[1] = gap / 2;
        p->anchor_a[2] = z - 500.0f;
    }
    impulse_run_color(&box->run, kernel);
    impulse_run_tick(&box->run);
    box->y += (double)box->body->d[1];
}

static void
each_kernel(void (*test)(void))
{
    kernel = &cn_impulse_kernel_single;
    test();
    for (size_t i = 0; cn_impulse_kernels[i] != NULL; i++) {
        if (cn_impulse_kernel_runs(cn_impulse_kernels[i])) {
            kernel = cn_impulse_kernels[i];
            test();
        }
    }
}

/* It comes to rest, and the points carry its weight together: m g h = 2 * 10 / 240 a substep. */
static void
settle(void)
{
    struct box box;
    box_make(&box, 0.2f, 4);
    for (int i = 0; i < 120; i++) {
        box_tick(&box);
    }
    float sum = 0;
    for (int k = 0; k < 3; k++) {
        assert_true(fabsf(box.body->v[k]) < 1e-5f);
        assert_true(fabsf(box.body->w[k]) < 1e-5f);
    }
    assert_true(fabs(box.y - 0.5) < 2e-3);
    for (int i = 0; i < 4; i++) {
        assert_true(box.manifold->point[i].normal_impulse > 0.0f);
        sum += box.manifold->point[i].normal_impulse;
    }
    assert_true(fabsf(sum - 2 * G / 240) < 1e-5f);
    impulse_run_free(&box.run);
}

static void
test_cube_settles(void **state)
{
    (void)state;
    each_kernel(settle);
}

/*
 * A ball sinks until its spring, of m w^2 with w = 2 pi f, bears it: by g / w^2.  Here f is 60 Hz
 * on what does not move, and 100 Hz where the contact is firm.
 */
static void
sink(void)
{
    for (int firm = 0; firm < 2; firm++) {
        struct box box;
        double w = 2.0 * 3.14159265 * (firm ? 100.0 : 60.0);
        box_make(&box, 0.0f, 1);
        box.contact->firm = firm;
        for (int i = 0; i < 240; i++) {
            box_tick(&box);
        }
        double depth = 0.5 - box.y;
        assert_true(fabs(depth * w * w / (double)G - 1.0) < 0.02);
        impulse_run_free(&box.run);
    }
}

static void
test_ball_sinks_less_where_firm(void **state)
{
    (void)state;
    each_kernel(sink);
}

/* With friction 0.5 and 3 m/s, aslant, it stops after 0.6 s and 0.9 m on a straight line. */
static void
slide(void)
{
    struct box box;
    box_make(&box, 0.0f, 4);
    box.body->v[0] = 1.8f;
    box.body->v[2] = 2.4f;
    double x = 0, z = 0;
    for (int i = 0; i < 60; i++) {
        box_tick(&box);
        x += (double)box.body->d[0];
        z += (double)box.body->d[2];
    }
    assert_true(fabsf(box.body->v[0]) < 1e-5f && fabsf(box.body->v[2]) < 1e-5f);
    assert_true(fabs(x - 0.54) < 0.02);
    assert_true(fabs(z - 0.72) < 0.02);
    impulse_run_free(&box.run);
}

static void
test_cube_slides(void **state)
{
    (void)state;
    each_kernel(slide);
}

/* Turning about the normal it is held by mu m g times the corners' distance of sqrt(1/2) m:
 * alpha = 0.5 * 20 * 0.7071 * 3 = 21.2 rad/s^2. */
static void
twist(void)
{
    struct box box;
    box_make(&box, 0.0f, 4);
    box.body->w[1] = 5.0f;
    for (int i = 0; i < 6; i++) {
        box_tick(&box);
    }
    assert_true(fabsf(box.body->w[1] - (5.0f - 2.1213f)) < 0.05f);
    for (int i = 0; i < 20; i++) {
        box_tick(&box);
    }
    assert_true(fabsf(box.body->w[1]) < 1e-5f);
    impulse_run_free(&box.run);
}

static void
test_cube_stops_turning(void **state)
{
    (void)state;
    each_kernel(twist);
}

/* A ball turning on its one point stops by the friction of spinning alone: 0.1 m m g / I. */
static void
spin_down(void)
{
    struct box box;
    box_make(&box, 0.0f, 1);
    box.contact->spinning = 0.1f;
    box.body->w[1] = 5.0f;
    for (int i = 0; i < 30; i++) {
        box_tick(&box);
    }
    assert_true(fabsf(box.body->w[1] - (5.0f - 0.1f * 20 * 3 / 2)) < 0.05f);
    box.contact->spinning = 0.0f;
    box.body->w[1] = 5.0f;
    box_tick(&box);
    assert_true(box.body->w[1] == 5.0f);
    impulse_run_free(&box.run);
}

static void
test_ball_spins_down(void **state)
{
    (void)state;
    each_kernel(spin_down);
}

/* A ball rolling aslant slows down by r m g / (I + m R^2) = 0.05 * 20 / (1/3 + 1/2). */
static void
roll(void)
{
    struct box box;
    box_make(&box, 0.0f, 1);
    box.contact->rolling = 0.05f;
    box.body->v[0] = 0.6f;
    box.body->v[2] = 0.8f;
    box.body->w[0] = 1.6f;
    box.body->w[2] = -1.2f;
    for (int i = 0; i < 50; i++) {
        box_tick(&box);
    }
    assert_true(fabsf(box.body->w[0] - 0.8f) < 0.03f);
    assert_true(fabsf(box.body->w[2] + 0.6f) < 0.03f);
    assert_true(fabsf(box.body->v[2] - 0.4f) < 0.02f);
    for (int i = 0; i < 60; i++) {
        box_tick(&box);
    }
    assert_true(fabsf(box.body->w[0]) < 1e-4f && fabsf(box.body->v[0]) < 1e-4f);
    impulse_run_free(&box.run);
}

static void
test_ball_rolls_to_rest(void **state)
{
    (void)state;
    each_kernel(roll);
}

static void
ride(void)
{
    struct box box;
    box_make(&box, 0.0f, 4);
    box.contact->surface[0] = 2.0f;
    box.contact->surface[2] = -1.0f;
    for (int i = 0; i < 60; i++) {
        box_tick(&box);
    }
    assert_true(fabsf(box.body->v[0] - 2.0f) < 1e-4f);
    assert_true(fabsf(box.body->v[2] + 1.0f) < 1e-4f);
    impulse_run_free(&box.run);
}

static void
test_cube_rides_a_belt(void **state)
{
    (void)state;
    each_kernel(ride);
}

static void
bounce(void)
{
    struct box box;
    box_make(&box, 1.25f, 1);
    box.contact->restitution = 0.6f;
    float lowest = 0, after = 0;
    for (int i = 0; i < 40 && after <= 0; i++) {
        box_tick(&box);
        lowest = fminf(lowest, box.body->v[1]);
        after = box.body->v[1];
    }
    assert_true(fabsf(lowest + 5.0f) < 0.2f);
    assert_true(fabsf(after + 0.6f * lowest) < 0.02f);
    impulse_run_free(&box.run);
}

static void
test_ball_bounces(void **state)
{
    (void)state;
    each_kernel(bounce);
}

/* Turning at 60 rad/s about an axis for a tick is a quaternion of 0.5 rad. */
static void
turn(void)
{
    struct box box;
    box_make(&box, 50.0f, 1);
    box.body->w[0] = 36.0f;
    box.body->w[2] = -48.0f;
    box_tick(&box);
    assert_true(fabsf(box.body->q[0] - 0.6f * 0.4794255f) < 1e-6f);
    assert_true(fabsf(box.body->q[2] + 0.8f * 0.4794255f) < 1e-6f);
    assert_true(fabsf(box.body->q[3] - 0.8775826f) < 1e-6f);
    box.body->w[0] = 180.0f; /* 240 rad/s: 4 rad a tick: the last part would be negative */
    box.body->w[2] = -160.0f;
    box_tick(&box);
    assert_true(box.body->q[3] >= 0.0f);
    impulse_run_free(&box.run);
}

static void
test_turn_is_exact(void **state)
{
    (void)state;
    each_kernel(turn);
}

/*
 * A body of moments 1, 2, 3 turning about its middle axis, nearly, tumbles: energy never grows (the
 * step is implicit), and the momentum's direction is kept within what the step loses.
 */
static void
tumble(void)
{
    struct box box;
    box_make(&box, 50.0f, 1);
    struct cn_impulse_mass3 *mass = box.run.mass;
    const float I[3] = {1, 2, 3};
    float energy = 0.5f * 2 * 9.001f;
    bool flipped = false;
    double R[3] = {0.01, 3.0, 0.01}; /* spin in the body's axes */
    box.drive->a[1] = 0;
    for (int k = 0; k < 3; k++) {
        box.drive->inertia[k] = I[k];
        mass->inverse_inertia[k] = 1 / I[k];
    }
    for (int i = 0; i < 300; i++) {
        /* Each tick begins in the body's own axes, as if the world had been turned there. */
        for (int k = 0; k < 3; k++) {
            box.body->w[k] = (float)R[k];
        }
        box_tick(&box);
        const float *q = box.body->q, *v = box.body->w;
        double u[3] = {-(double)q[0], -(double)q[1], -(double)q[2]}, c[3], s = (double)q[3];
        for (int k = 0; k < 3; k++) {
            int m = (k + 1) % 3, n = (k + 2) % 3;
            c[k] = 2 * (u[m] * (double)v[n] - u[n] * (double)v[m]);
        }
        float now = 0;
        for (int k = 0; k < 3; k++) {
            int m = (k + 1) % 3, n = (k + 2) % 3;
            R[k] = (double)v[k] + s * c[k] + (u[m] * c[n] - u[n] * c[m]);
            now += 0.5f * I[k] * (float)(R[k] * R[k]);
        }
        assert_true(now <= energy * 1.0001f);
        energy = now;
        flipped = flipped || R[1] < -1.0;
    }
    assert_true(flipped);
    assert_true(energy > 0.85f * 9);
    impulse_run_free(&box.run);
}

static void
test_body_tumbles(void **state)
{
    (void)state;
    each_kernel(tumble);
}

static void
restrain(void)
{
    struct box box;
    box_make(&box, 50.0f, 1);
    box.drive->locks = CN_LOCK_LINEAR_X | CN_LOCK_ANGULAR_Z;
    box.body->v[0] = 5.0f;
    box.body->w[2] = 5.0f;
    box_tick(&box);
    assert_true(box.body->v[0] == 0.0f && box.body->w[2] == 0.0f && box.body->d[0] == 0.0f);
    assert_true(fabsf(box.body->v[1] + G * TICK) < 1e-6f);
    box.drive->locks = 0;
    box.body->v[0] = 3e3f;
    box.body->v[2] = 4e3f;
    box.body->w[1] = 1e5f;
    box_tick(&box);
    assert_true(fabsf(hypotf(box.body->v[0], box.body->v[2]) - 400.0f) < 0.1f);
    assert_true(fabsf(box.body->w[1] - CN_IMPULSE_TURN_MAX * 240) < 0.1f);
    impulse_run_free(&box.run);
}

static void
test_locks_and_caps(void **state)
{
    (void)state;
    each_kernel(restrain);
}

/* b turned by the unit quaternion of vector q and last part s. */
static void
turned(const double q[3], double s, const double b[3], double out[3])
{
    double u[3];
    for (int k = 0; k < 3; k++) {
        int m = (k + 1) % 3, n = (k + 2) % 3;
        u[k] = q[m] * b[n] - q[n] * b[m];
    }
    for (int k = 0; k < 3; k++) {
        int m = (k + 1) % 3, n = (k + 2) % 3;
        out[k] = b[k] + 2.0 * (s * u[k] + q[m] * u[n] - q[n] * u[m]);
    }
}

/*
 * A body that turns by up to 1 rad within a tick of 64 substeps keeps its angular momentum: so the
 * gyroscopic torque turns with the body within the tick.  The step's own error is below 1 %.
 */
static void
turn_far(void)
{
    static const float spins[][3] = {{30, 40, 20}, {-40, 5, 35}, {3, -50, 10}, {20, 20, -40}};
    for (size_t i = 0; i < sizeof(spins) / sizeof(spins[0]); i++) {
        struct box box;
        box_make(&box, 50.0f, 1);
        struct cn_impulse_mass3 *mass = box.run.mass;
        const double I[3] = {1.0, 2.0, 3.0};
        box.run.tick.substep_count = 64;
        box.run.tick.h = 1.0f / (60.0f * 64.0f);
        box.run.tick.inverse_h = 60.0f * 64.0f;
        box.drive->a[1] = 0;
        for (int k = 0; k < 3; k++) {
            box.drive->inertia[k] = (float)I[k];
            mass->inverse_inertia[k] = (float)(1.0 / I[k]);
            box.body->w[k] = spins[i][k];
        }
        box_tick(&box);
        double q[3], back[3], w[3], own[3], momentum[3], off = 0.0, size = 0.0;
        double s = (double)box.body->q[3];
        for (int k = 0; k < 3; k++) {
            q[k] = (double)box.body->q[k];
            back[k] = -q[k];
            w[k] = (double)box.body->w[k];
        }
        turned(back, s, w, own);
        for (int k = 0; k < 3; k++) {
            own[k] *= I[k];
        }
        turned(q, s, own, momentum);
        for (int k = 0; k < 3; k++) {
            double before = I[k] * (double)spins[i][k];
            off += (momentum[k] - before) * (momentum[k] - before);
            size += before * before;
        }
        assert_true(s < 0.95);
        assert_true(off < 0.01 * 0.01 * size);
        impulse_run_free(&box.run);
    }
}

static void
test_momentum_stays_within_a_tick(void **state)
{
    (void)state;
    each_kernel(turn_far);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cube_settles),
        cmocka_unit_test(test_ball_sinks_less_where_firm),
        cmocka_unit_test(test_cube_slides),
        cmocka_unit_test(test_cube_stops_turning),
        cmocka_unit_test(test_ball_spins_down),
        cmocka_unit_test(test_ball_rolls_to_rest),
        cmocka_unit_test(test_cube_rides_a_belt),
        cmocka_unit_test(test_ball_bounces),
        cmocka_unit_test(test_turn_is_exact),
        cmocka_unit_test(test_body_tumbles),
        cmocka_unit_test(test_momentum_stays_within_a_tick),
        cmocka_unit_test(test_locks_and_caps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
