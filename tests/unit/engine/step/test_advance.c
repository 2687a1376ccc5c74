/*
 * test_advance.c: a body that no force acts on keeps its momenta and its energy: in space it turns
 * with the angular momentum that it had, whatever its inertia, spin and step are.
 */
#include "engine/base/rng.h"
#include "engine/math/scalar.h"
#include "engine/step/advance.h"
#include "engine/step/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/near.h"

static struct cn_model model;
static struct cn_body body;
static struct cn_motion motion;
static struct cn_event event[8];

/* A body of 2 kg with the moments of inertia ix, iy, iz about its axes [kg m^2]. */
static void
begin(enum cn_dimension dimension, double ix, double iy, double iz)
{
    model = (struct cn_model){.body_count = 1, .body_max = 1, .body = &body, .motion = &motion,
        .event = event, .event_max = 8};
    model.settings.dimension = dimension;
    body = (struct cn_body){.mass_inverse = 0.5};
    body.inertia = cn_mat33_diagonal(ix, iy, iz);
    body.inertia_inverse = cn_mat33_diagonal(1.0 / ix, 1.0 / iy, 1.0 / iz);
    motion = (struct cn_motion){.orientation = cn_quat_identity()};
}

static cn_vec3
random_vector(struct cn_rng *rng, double size)
{
    double x = cn_rng_uniform(rng, -size, size), y = cn_rng_uniform(rng, -size, size);
    return cn_vec3_make(x, y, cn_rng_uniform(rng, -size, size));
}

static cn_vec3
angular_momentum(void)
{
    cn_mat33 turn = cn_quat_to_mat33(motion.orientation);
    cn_vec3 spin = cn_mat33_apply_back(&turn, motion.angular_velocity);
    return cn_mat33_apply(&turn, cn_mat33_apply(&body.inertia, spin));
}

static void
assert_same_vector(cn_vec3 a, cn_vec3 b, double tolerance)
{
    assert_near(a.x, b.x, tolerance);
    assert_near(a.y, b.y, tolerance);
    assert_near(a.z, b.z, tolerance);
}

static void
test_momenta_stay(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 21};
    for (int trial = 0; trial < 300; trial++) {
        begin(CN_SPATIAL, cn_rng_uniform(&rng, 0.1, 3.0), cn_rng_uniform(&rng, 0.1, 3.0),
            cn_rng_uniform(&rng, 0.1, 3.0));
        motion.orientation = cn_quat_rotate_by(motion.orientation, random_vector(&rng, 3.0));
        motion.angular_velocity = random_vector(&rng, 20.0);
        motion.velocity = random_vector(&rng, 5.0);
        cn_vec3 before = angular_momentum(), from = motion.position, went = motion.velocity;
        double h = cn_rng_uniform(&rng, 1e-4, 0.05);
        for (int step = 0; step < 20; step++) {
            struct cn_twist twist = {motion.velocity, motion.angular_velocity};
            cn_advance_body(&model, 0, &twist, h);
        }
        assert_same_vector(angular_momentum(), before, 1e-11);
        assert_same_vector(motion.velocity, went, 0.0);
        assert_same_vector(motion.position, cn_vec3_add_scaled(from, 20.0 * h, went), 1e-13);
        assert_near(cn_quat_length(motion.orientation), 1.0, 1e-14);
    }
}

/* Twice the energy of turning. */
static double
turning(void)
{
    return cn_vec3_dot(angular_momentum(), motion.angular_velocity);
}

/* Energy and momentum stay, also for a rod whose moments differ by 10^4, and in large turns. */
static void
test_energy_stays(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 23};
    for (int trial = 0; trial < 300; trial++) {
        double thin = exp(cn_rng_uniform(&rng, -9.2, 0.0));
        begin(CN_SPATIAL, 1.0, cn_rng_uniform(&rng, 1.0, 1.0 + thin), thin);
        motion.orientation = cn_quat_rotate_by(motion.orientation, random_vector(&rng, 3.0));
        motion.angular_velocity = random_vector(&rng, 30.0);
        double energy = turning(), h = cn_rng_uniform(&rng, 1e-4, 0.05);
        cn_vec3 before = angular_momentum();
        for (int step = 0; step < 20; step++) {
            struct cn_twist twist = {motion.velocity, motion.angular_velocity};
            cn_advance_body(&model, 0, &twist, h);
            assert_near(turning(), energy, 1e-11 * energy);
        }
        assert_same_vector(angular_momentum(), before, 1e-10);
    }
}

/*
 * A body with two equal moments I: its axis goes round the angular momentum L at |L| / I, at an
 * angle that stays.
 */
static void
test_an_axis_goes_round(void **state)
{
    (void)state;
    begin(CN_SPATIAL, 2.0, 2.0, 1.0);
    motion.angular_velocity = (cn_vec3){0.5, 0.0, 3.0}; /* L = (1, 0, 3) */
    cn_vec3 L = angular_momentum();
    double duration = CN_PI / (sqrt(10.0) / 2.0), beside = 3.0 / sqrt(10.0);
    struct cn_twist twist = {{0.0, 0.0, 0.0}, motion.angular_velocity};
    cn_advance_body(&model, 0, &twist, duration);
    cn_vec3 axis = cn_quat_to_mat33(motion.orientation).cz;
    assert_near(cn_vec3_dot(axis, L) / cn_vec3_length(L), beside, 1e-12);
    /* After half a precession, (0, 0, 1) is mirrored at L: 2 (axis . L) L / L^2 - axis. */
    assert_same_vector(axis, (cn_vec3){0.6, 0.0, 0.8}, 0.05);
}

/* A quarter turn about an axis of inertia. */
static void
test_a_quarter_turn(void **state)
{
    (void)state;
    begin(CN_SPATIAL, 1.0, 2.0, 4.0);
    /* The spin is about y, so the axis y stays: nothing changes but the orientation. */
    struct cn_twist twist = {{0.0, 0.0, 0.0}, {0.0, CN_PI / 2.0, 0.0}};
    cn_advance_body(&model, 0, &twist, 1.0);
    assert_same_vector(motion.angular_velocity, (cn_vec3){0.0, CN_PI / 2.0, 0.0}, 1e-15);
    assert_near(motion.orientation.y, sqrt(0.5), 1e-15);
}

/* In the plane the angle grows by h w; a body without inverse mass keeps its spin. */
static void
test_plane_and_kinematic(void **state)
{
    (void)state;
    begin(CN_PLANAR, 1.0, 1.0, 4.0);
    motion.angle = 7.0;
    struct cn_twist twist = {{1.0, -2.0, 0.0}, {0.0, 0.0, 3.0}};
    cn_advance_body(&model, 0, &twist, 0.5);
    assert_near(motion.angle, 8.5, 1e-15);
    assert_same_vector(motion.position, (cn_vec3){0.5, -1.0, 0.0}, 0.0);
    assert_near(motion.orientation.z, sin(4.25), 1e-15);
    assert_near(motion.orientation.w, cos(4.25), 1e-15);
    assert_same_vector(motion.angular_velocity, twist.angular, 0.0);

    begin(CN_SPATIAL, 1.0, 2.0, 4.0);
    body.mass_inverse = 0.0;
    twist.angular = (cn_vec3){1.0, 2.0, 3.0};
    cn_advance_body(&model, 0, &twist, 0.5);
    assert_same_vector(motion.angular_velocity, twist.angular, 0.0);
}

/* A body that would leave all bounds stays where it is, at rest, and an event reports it. */
static void
test_quarantine(void **state)
{
    (void)state;
    begin(CN_SPATIAL, 1.0, 2.0, 4.0);
    motion.position.x = 3.0;
    struct cn_twist twist = {{HUGE_VAL, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    cn_advance_body(&model, 0, &twist, 0.5);
    assert_same_vector(motion.position, (cn_vec3){3.0, 0.0, 0.0}, 0.0);
    assert_same_vector(motion.velocity, (cn_vec3){0.0, 0.0, 0.0}, 0.0);
    assert_same_vector(motion.angular_velocity, (cn_vec3){0.0, 0.0, 0.0}, 0.0);
    assert_true(body.quarantined && body.mass_inverse == 0.0);
    assert_int_equal(model.event_count, 1);
    assert_int_equal(event[0].kind, CN_EVENT_QUARANTINE);
    assert_int_equal(event[0].body_a, 0);
}

/*
 * Impulses of one contact are added up.  Contacts come in any order, and are kept sorted and once.
 */
static void
test_impulses_add_up(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 22};
    static struct cn_impulse impulse[64];
    double sum[40] = {0.0};
    begin(CN_PLANAR, 1.0, 1.0, 1.0);
    model.impulse = impulse;
    model.contact_max = 64;
    for (int i = 0; i < 500; i++) {
        int k = (int)(cn_rng_next(&rng) % 40);
        struct cn_contact contact = {.shape_a = k / 8, .shape_b = 10 + k % 8, .feature = 3};
        double given = cn_rng_uniform(&rng, 0.0, 1.0);
        cn_memory_add_impulse(&model, &contact, given);
        sum[k] += given;
    }
    assert_int_equal(model.impulse_count, 40);
    for (int i = 0; i < 40; i++) {
        struct cn_contact contact = {.shape_a = i / 8, .shape_b = 10 + i % 8, .feature = 3};
        assert_true(impulse[i].id == cn_contact_id(&contact));
        assert_near(impulse[i].impulse, sum[i], 1e-13);
        assert_true(i == 0 || impulse[i - 1].id < impulse[i].id);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_momenta_stay),
        cmocka_unit_test(test_energy_stays),
        cmocka_unit_test(test_an_axis_goes_round),
        cmocka_unit_test(test_a_quarter_turn),
        cmocka_unit_test(test_plane_and_kinematic),
        cmocka_unit_test(test_quarantine),
        cmocka_unit_test(test_impulses_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
