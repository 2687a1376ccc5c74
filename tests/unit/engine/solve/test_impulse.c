/* test_impulse.c: planar contacts whose motion is known by hand, by every kernel. */
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

/* A box of 1 m and 2 kg, its lower side `gap` above the ground y = 0. */
struct box {
    struct impulse_run run;
    double y;
    struct cn_impulse_body2 *body;
    struct cn_impulse_drive2 *drive;
    struct cn_manifold2 *manifold;
    struct cn_impulse_contact *contact;
};

static void
box_make(struct box *box, float gap, int point_count)
{
    impulse_run_make(&box->run, false, 1, 1);
    box->y = 0.5 + (double)gap;
    box->body = box->run.body;
    box->drive = box->run.drive;
    box->manifold = box->run.manifold;
    box->contact = box->run.contact;
    *box->drive = (struct cn_impulse_drive2){.ay = -G, .keep_linear = 1, .keep_angular = 1};
    *(struct cn_impulse_mass2 *)box->run.mass = (struct cn_impulse_mass2){0.5f, 3.0f};
    *box->contact = (struct cn_impulse_contact){.body_a = CN_IMPULSE_FIXED, .body_b = 0,
        .manifold = 0, .friction = 0.5f};
    *box->manifold = (struct cn_manifold2){.normal_y = 1.0f, .point_count = point_count};
    for (int i = 0; i < 2; i++) {
        float x = point_count == 1 ? 0.0f : i == 0 ? -0.5f : 0.5f;
        box->manifold->point[i].anchor_ax = x;
        box->manifold->point[i].anchor_bx = x;
    }
}

/* The box does not turn much, so its manifold is that of a box upright. */
static void
box_tick(struct box *box)
{
    box->body->dx = box->body->dy = box->body->sine = 0.0f;
    box->body->cosine = 1.0f;
    for (int i = 0; i < 2; i++) {
        box->manifold->point[i].separation = (float)(box->y - 0.5);
        box->manifold->point[i].anchor_ay = (float)(box->y - 0.5) / 2;
        box->manifold->point[i].anchor_by = -(float)(box->y - 0.5) / 2 - 0.5f;
    }
    impulse_run_color(&box->run, kernel);
    impulse_run_tick(&box->run);
    box->y += (double)box->body->dy;
}

/* Every kernel that runs here, the single one too. */
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

/* It comes to rest, and each point carries half its weight: m g h / 2 a substep. */
static void
settle(void)
{
    struct box box;
    box_make(&box, 0.2f, 2);
    for (int i = 0; i < 120; i++) {
        box_tick(&box);
    }
    assert_true(fabsf(box.body->vy) < 1e-5f);
    assert_true(fabsf(box.body->w) < 1e-5f);
    assert_true(fabs(box.y - 0.5) < 2e-3);
    for (int i = 0; i < 2; i++) {
        assert_true(fabsf(box.manifold->point[i].normal_impulse - 2 * G / 240 / 2) < 1e-5f);
        assert_true(fabsf(box.manifold->point[i].total_impulse - 2 * G / 60 / 2) < 1e-4f);
    }
    impulse_run_free(&box.run);
}

static void
test_box_settles(void **state)
{
    (void)state;
    each_kernel(settle);
}

/* With friction 0.5 and 3 m/s it stops after 0.6 s and 0.9 m. */
static void
slide(void)
{
    struct box box;
    box_make(&box, 0.0f, 2);
    box.body->vx = 3.0f;
    double x = 0;
    for (int i = 0; i < 60; i++) {
        box_tick(&box);
        x += (double)box.body->dx;
        if (i == 17) {
            assert_true(fabsf(box.body->vx - 1.5f) < 0.02f);
        }
    }
    assert_true(fabsf(box.body->vx) < 1e-5f);
    assert_true(fabs(x - 0.9) < 0.02);
    impulse_run_free(&box.run);
}

static void
test_box_slides(void **state)
{
    (void)state;
    each_kernel(slide);
}

/* A belt of 2 m/s takes it along. Tangent of normal (0, 1): (1, 0). */
static void
ride(void)
{
    struct box box;
    box_make(&box, 0.0f, 2);
    box.contact->surface[0] = 2.0f;
    for (int i = 0; i < 60; i++) {
        box_tick(&box);
    }
    assert_true(fabsf(box.body->vx - 2.0f) < 1e-4f);
    impulse_run_free(&box.run);
}

static void
test_box_rides_a_belt(void **state)
{
    (void)state;
    each_kernel(ride);
}

/* From 1.25 m it comes down with 5 m/s and goes up with e times that. */
static void
bounce(void)
{
    struct box box;
    box_make(&box, 1.25f, 1);
    box.contact->restitution = 0.6f;
    float lowest = 0, after = 0;
    for (int i = 0; i < 40 && after <= 0; i++) {
        box_tick(&box);
        lowest = fminf(lowest, box.body->vy);
        after = box.body->vy;
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

/* A wheel of radius 0.5 m rolls at 2 rad/s; rolling friction of 0.05 m stops it, as
 * alpha = - r m g (0.05) / (I + m R^2), I = 1/3 kg m^2: -1.2 rad/s^2, after 5/3 s. */
static void
roll(void)
{
    struct box box;
    box_make(&box, 0.0f, 1);
    box.contact->rolling = 0.05f;
    box.body->vx = 1.0f;
    box.body->w = -2.0f;
    for (int i = 0; i < 50; i++) {
        box_tick(&box);
    }
    assert_true(fabsf(box.body->w + 1.0f) < 0.03f);
    assert_true(fabsf(box.body->vx + 0.5f * box.body->w) < 0.01f);
    for (int i = 0; i < 60; i++) {
        box_tick(&box);
    }
    assert_true(fabsf(box.body->w) < 1e-4f);
    impulse_run_free(&box.run);
}

static void
test_wheel_rolls_to_rest(void **state)
{
    (void)state;
    each_kernel(roll);
}

/* Locks hold, damping is exp(-c t) to first order, and no speed is above the greatest. */
static void
restrain(void)
{
    struct box box;
    box_make(&box, 50.0f, 1);
    box.drive->locks = CN_LOCK_LINEAR_X | CN_LOCK_ANGULAR_Z;
    box.body->vx = 5.0f;
    box.body->w = 5.0f;
    box_tick(&box);
    assert_true(box.body->vx == 0.0f && box.body->w == 0.0f && box.body->dx == 0.0f);
    assert_true(fabsf(box.body->vy + G * TICK) < 1e-6f);
    box.drive->locks = 0;
    box.body->vx = 3e3f;
    box.body->vy = 4e3f;
    box_tick(&box);
    assert_true(fabsf(hypotf(box.body->vx, box.body->vy) - 400.0f) < G * TICK);
    box.body->vx = 1.0f;
    box.body->w = 1e6f;
    box.drive->keep_linear = 0.999f;
    box_tick(&box);
    assert_true(fabsf(box.body->vx - powf(0.999f, 4)) < 1e-6f);
    assert_true(fabsf(box.body->w - CN_IMPULSE_TURN_MAX * 240) < 1e-2f);
    impulse_run_free(&box.run);
}

static void
test_locks_damping_and_caps(void **state)
{
    (void)state;
    each_kernel(restrain);
}

/* Turning at 60 rad/s for a tick is turning by 1 rad. */
static void
spin(void)
{
    struct box box;
    box_make(&box, 50.0f, 1);
    box.body->w = 60.0f;
    box_tick(&box);
    assert_true(fabsf(box.body->cosine - 0.5403023f) < 1e-6f);
    assert_true(fabsf(box.body->sine - 0.8414710f) < 1e-6f);
    impulse_run_free(&box.run);
}

static void
test_turn_is_exact(void **state)
{
    (void)state;
    each_kernel(spin);
}

/* Balls of 1 and 3 kg, 4 m/s and at rest, e = 1: momentum and energy stay, so -2 and 2 m/s. */
static void
collide(void)
{
    struct impulse_run run;
    impulse_run_make(&run, false, 2, 1);
    struct cn_impulse_body2 *body = run.body;
    struct cn_impulse_drive2 *drive = run.drive;
    struct cn_impulse_mass2 *mass = run.mass;
    struct cn_manifold2 *manifold = run.manifold;
    for (int i = 0; i < 2; i++) {
        body[i].cosine = 1.0f;
        drive[i] = (struct cn_impulse_drive2){.keep_linear = 1, .keep_angular = 1};
    }
    body[0].vx = 4.0f;
    mass[0] = (struct cn_impulse_mass2){1.0f, 10.0f};
    mass[1] = (struct cn_impulse_mass2){1.0f / 3.0f, 5.0f};
    manifold->normal_x = 1.0f;
    manifold->point_count = 1;
    manifold->point[0].anchor_ax = 0.5f;
    manifold->point[0].anchor_bx = -0.5f;
    run.contact[0] = (struct cn_impulse_contact){.body_a = 0, .body_b = 1, .restitution = 1.0f};
    impulse_run_color(&run, kernel);
    impulse_run_tick(&run);
    assert_true(fabsf(body[0].vx + 2.0f) < 1e-5f);
    assert_true(fabsf(body[1].vx - 2.0f) < 1e-5f);
    assert_true(fabsf(manifold->point[0].total_impulse - 6.0f) < 1e-4f);
    impulse_run_free(&run);
}

static void
test_balls_collide(void **state)
{
    (void)state;
    each_kernel(collide);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_settles),
        cmocka_unit_test(test_box_slides),
        cmocka_unit_test(test_box_rides_a_belt),
        cmocka_unit_test(test_ball_bounces),
        cmocka_unit_test(test_wheel_rolls_to_rest),
        cmocka_unit_test(test_locks_damping_and_caps),
        cmocka_unit_test(test_turn_is_exact),
        cmocka_unit_test(test_balls_collide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
