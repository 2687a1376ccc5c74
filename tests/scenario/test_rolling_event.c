/*
 * test_rolling_event.c: rolling and spinning friction with the stepper `event`, whose answers are
 * those of the hand for ticks of any size: it finds the instants at which rolling ends.  Bodies lie
 * within the gap tolerance above the ground, so lever arms are true to a millionth.
 *
 * The radius is R = 0.5 m, g = 10 m/s^2, I / m is R^2 / 2 of the disc and 2 R^2 / 5 of the ball.
 * With a rolling friction of k [m] a body that rolls on level ground slows by
 *
 *     a = (g k / R) / (1 + I / (m R^2))
 *
 * One that spins about the normal, with a spinning friction of k, slows by k g m / I [rad/s^2].
 */
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/support/near.h"

#define RADIUS 0.5
#define GRAVITY 10.0

static const char *const solvers[] = {"baraff94", "newton", "sweeps"};
static const int rates[] = {7, 60, 1000}; /* ticks a second */

static struct scene scene;

/* A disc or a ball on the ground; returns its body. */
static int
start(bool spatial, const char *solver, int rate, double rolling, double spinning)
{
    if (spatial) {
        scene_init_space(&scene, GRAVITY);
    } else {
        scene_init(&scene, GRAVITY);
    }
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "%s", solver);
    scene.def.tick_rate = rate;
    scene_friction(&scene, 0, 1.0);
    scene.material[0].rolling_friction = rolling;
    scene.material[0].spinning_friction = spinning;
    scene_floor(&scene);
    int body = scene_circle(&scene, 0.0, RADIUS, RADIUS);
    if (spatial) {
        scene.shape[body].kind = CN_SHAPE_SPHERE;
        scene.shape[body].sphere.radius = RADIUS;
    }
    return body;
}

static double
inertia_factor(bool spatial)
{
    return spatial ? 0.4 : 0.5;
}

/* Rolls at 1 m/s: stops within one tick, at v^2 / 2 a, and stays there exactly. */
static void
roll_and_stop(bool spatial, const char *solver, int rate)
{
    double rolling = 0.05, speed = 1.0;
    int body = start(spatial, solver, rate, rolling, 0.0);
    double a = GRAVITY * rolling / RADIUS / (1.0 + inertia_factor(spatial)), stop = speed / a;
    scene.body[body].velocity.x = speed;
    scene.body[body].angular_velocity.z = -speed / RADIUS;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, rate / 2);
    double time = (double)(rate / 2) / rate;
    assert_near(scene_view(world, body).velocity.x, speed - a * time, 1e-6);
    assert_near(scene_view(world, body).position.x, (speed - 0.5 * a * time) * time, 1e-6);
    const struct cn_contact_view *contact;
    assert_int_equal(cn_world_contacts(world, &contact), 1);
    assert_near(contact[0].moment.z, rolling * contact[0].force, 1e-9); /* against the turning */
    assert_near(contact[0].friction.x, -a, 1e-6 * a);

    scene_ticks(world, (int)(stop * rate) + 1 - rate / 2);
    double at = scene_view(world, body).position.x;
    assert_near(at, speed * speed / (2.0 * a), 1e-6);
    assert_near(scene_view(world, body).velocity.x, 0.0, 1e-9);
    assert_near(scene_view(world, body).angular_velocity.z, 0.0, 1e-9);
    scene_ticks(world, 2 * rate);
    assert_near(scene_view(world, body).position.x, at, 1e-9);
    assert_int_equal(cn_world_contacts(world, &contact), 1);
    assert_near(contact[0].moment.z, 0.0, 1e-9);
    const struct cn_event *event;
    assert_int_equal(cn_world_events(world, &event), 0); /* no other solver stands in */
    cn_world_destroy(world);
}

static void
test_roll_and_stop(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof(solvers) / sizeof(solvers[0]); k++) {
        for (size_t r = 0; r < sizeof(rates) / sizeof(rates[0]); r++) {
            roll_and_stop(false, solvers[k], rates[r]);
            roll_and_stop(true, solvers[k], rates[r]);
        }
    }
}

/* An incline of 3 : 4 holds a body where k / R is above 0.75; else it rolls with the known a. */
static void
incline(bool spatial, const char *solver, int rate, double rolling)
{
    int body = start(spatial, solver, rate, rolling, 0.0);
    scene.def.settings.gravity = cn_vec3_make(0.6 * GRAVITY, -0.8 * GRAVITY, 0.0);
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, rate);
    double pull = GRAVITY * (0.6 - 0.8 * rolling / RADIUS);
    double a = fmax(pull, 0.0) / (1.0 + inertia_factor(spatial));
    double near = pull > 0.0 ? 1e-5 : 1e-12;
    assert_near(scene_view(world, body).velocity.x, a, near);
    assert_near(scene_view(world, body).angular_velocity.z, -a / RADIUS, near);
    assert_near(scene_view(world, body).position.x, 0.5 * a, near);
    cn_world_destroy(world);
}

static void
test_incline(void **state)
{
    (void)state;
    static const double rolling[] = {0.0, 0.1, 0.374, 0.376, 1.0}; /* 0.375 is critical */
    for (size_t k = 0; k < sizeof(solvers) / sizeof(solvers[0]); k++) {
        for (size_t i = 0; i < sizeof(rolling) / sizeof(rolling[0]); i++) {
            incline(false, solvers[k], 60, rolling[i]);
            incline(true, solvers[k], 60, rolling[i]);
        }
        incline(true, solvers[k], 7, 0.374);
    }
}

/* A ball that spins at 4 rad/s about the normal loses 2 rad/s in a second, and stops after 2 s. */
static void
test_spins(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof(solvers) / sizeof(solvers[0]); k++) {
        for (size_t r = 0; r < sizeof(rates) / sizeof(rates[0]); r++) {
            int body = start(true, solvers[k], rates[r], 0.0, 0.02);
            scene.body[body].angular_velocity.y = 4.0;
            struct cn_world *world = scene_create(&scene);
            scene_ticks(world, rates[r]);
            assert_near(scene_view(world, body).angular_velocity.y, 2.0, 1e-9);
            scene_ticks(world, rates[r] + 1);
            assert_near(scene_view(world, body).angular_velocity.y, 0.0, 1e-9);
            cn_quat stopped = scene_view(world, body).orientation;
            assert_near(fabs(stopped.w), fabs(cos(2.0)), 1e-6); /* half of 4 rad */
            scene_ticks(world, rates[r]);
            assert_near(scene_view(world, body).orientation.w, stopped.w, 1e-9);
            assert_near(scene_view(world, body).position.x, 0.0, 1e-9);
            cn_world_destroy(world);
        }
    }
}

/*
 * A body that spins and falls at 3 m/s, with restitution 0.5: the impulse of its bounce is 4.5 m,
 * and moments take k 4.5 m / I of the spin.  No friction turns it.
 */
static void
test_impact(void **state)
{
    (void)state;
    double k = 0.02, impulse = 4.5;
    for (int spatial = 0; spatial < 2; spatial++) {
        double I = inertia_factor(spatial == 1) * RADIUS * RADIUS;
        int body = start(spatial == 1, "baraff94", 60, k, k);
        scene.def.settings.gravity = cn_vec3_make(0.0, 0.0, 0.0);
        scene_friction(&scene, 0, 0.0);
        scene.material[0].restitution = 0.5;
        scene.body[body].position.y += 0.01;
        scene.body[body].velocity.y = -3.0;
        scene.body[body].angular_velocity = cn_vec3_make(0.0, spatial == 1 ? 2.0 : 0.0, 8.0);
        struct cn_world *world = scene_create(&scene);
        scene_ticks(world, 2);
        struct cn_body_view view = scene_view(world, body);
        assert_near(view.velocity.y, 1.5, 1e-9);
        assert_near(view.velocity.x, 0.0, 1e-9);
        assert_near(view.angular_velocity.z, 8.0 - k * impulse / I, 1e-8);
        assert_near(view.angular_velocity.y, spatial == 1 ? 2.0 - k * impulse / I : 0.0, 1e-8);
        cn_world_destroy(world);
    }
    int body = start(true, "baraff94", 60, 0.0, 1.0); /* far more than stops the spin */
    scene.body[body].position.y += 0.01;
    scene.body[body].velocity.y = -3.0;
    scene.body[body].angular_velocity.y = 2.0;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 2);
    assert_near(scene_view(world, body).angular_velocity.y, 0.0, 1e-9);
    cn_world_destroy(world);
}

/* Where bodies end that roll and spin apart, against `time` and newton in ticks of a hundredth. */
static void
test_end_of_others(void **state)
{
    (void)state;
    for (int spatial = 0; spatial < 2; spatial++) {
        cn_vec3 end[2];
        double turned[2];
        for (int fine = 0; fine < 2; fine++) {
            int rate = fine == 1 ? 1000 : 60;
            double finer = fine == 1 ? 6.0 : 1.0;
            int body = start(spatial == 1, fine == 1 ? "newton" : "baraff94", rate, 0.04, 0.03);
            scene.def.settings.time_rate = 1.0 / finer;
            snprintf(scene.def.settings.stepper, CN_NAME_SIZE, fine == 1 ? "time" : "event");
            scene_friction(&scene, 0, 0.3);
            scene.body[body].velocity = cn_vec3_make(1.5, 0.0, spatial == 1 ? 0.5 : 0.0);
            scene.body[body].angular_velocity =
                cn_vec3_make(0.0, spatial == 1 ? 3.0 : 0.0, 2.0); /* it slides at first */
            struct cn_world *world = scene_create(&scene);
            scene_ticks(world, (int)(4.0 * finer) * rate);
            end[fine] = scene_view(world, body).position;
            turned[fine] = spatial == 1 ? scene_view(world, body).orientation.w
                                        : scene_view(world, body).angle;
            assert_near(scene_view(world, body).velocity.x, 0.0, 1e-9);
            cn_world_destroy(world);
        }
        assert_near(end[0].x, end[1].x, 1e-3 * fabs(end[1].x));
        assert_near(end[0].z, end[1].z, 1e-3);
        assert_near(fabs(turned[0]), fabs(turned[1]), 2e-3);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roll_and_stop),
        cmocka_unit_test(test_incline),
        cmocka_unit_test(test_spins),
        cmocka_unit_test(test_impact),
        cmocka_unit_test(test_end_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
