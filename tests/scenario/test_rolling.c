/*
 * test_rolling.c: a disc or a ball with rolling friction slows, stops, and stays, as the hand
 * computes, under the steppers and solvers that state problems with moments.
 *
 * The radius is R = 0.5 m, I / m is R^2 / 2 of the disc and 2 R^2 / 5 of the ball, g = 10 m/s^2.
 * Rolling friction k [m] bears a moment of at most k times the normal force.  A body that rolls on
 * an incline with gravity's parts g_x along it and g_y into it accelerates by
 *
 *     a = (g_x - k g_y / R) / (1 + I / (m R^2))
 */
#include "engine/solve/table/solver_table.h"
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"

#define RADIUS 0.5

static const char *const methods[][2] = {
    {"time", "newton"}, {"time", "sweeps"}, {"position", "newton"}, {"position", "sweeps"},
    {"event", "newton"}, {"event", "sweeps"}, {"event", "baraff94"}, {"time", "baraff94"},
    {"position", "baraff94"}};

static struct scene scene;

struct setting {
    const char *const *method; /* stepper, solver */
    bool spatial;
};

/* A disc in the plane, a ball in space. */
static int
add_round(struct setting setting, double x, double y, double radius)
{
    int body = scene_circle(&scene, x, y, radius);
    if (setting.spatial) {
        scene.shape[body].kind = CN_SHAPE_SPHERE;
        scene.shape[body].sphere.radius = radius;
    }
    return body;
}

static int
start(struct setting setting, double gravity_x, double gravity_y, double rolling)
{
    if (setting.spatial) {
        scene_init_space(&scene, 0.0);
    } else {
        scene_init(&scene, 0.0);
    }
    scene.def.settings.gravity = cn_vec3_make(gravity_x, -gravity_y, 0.0);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "%s", setting.method[0]);
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "%s", setting.method[1]);
    scene_friction(&scene, 0, 1.0);
    scene.material[0].rolling_friction = rolling;
    scene_floor(&scene);
    return add_round(setting, 0.0, RADIUS, RADIUS);
}

static double
inertia_factor(struct setting setting)
{
    return setting.spatial ? 1.4 : 1.5;
}

/* Rolls at 2 m/s on level ground: stops after v / a, at v^2 / 2 a, and stays there. */
static void
roll_and_stop(struct setting setting)
{
    double rolling = 0.03, speed = 2.0, rate = 60.0;
    double a = 10.0 * rolling / RADIUS / inertia_factor(setting), stop = speed / a;
    int body = start(setting, 0.0, 10.0, rolling);
    scene.body[body].velocity.x = speed;
    scene.body[body].angular_velocity.z = -speed / RADIUS;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 120);
    assert_near(scene_view(world, body).velocity.x, speed - 2.0 * a, 1e-6);
    assert_near(scene_view(world, body).angular_velocity.z, -(speed - 2.0 * a) / RADIUS, 1e-6);
    scene_ticks(world, (int)((stop - 2.0) * rate) + 2);
    double at = scene_view(world, body).position.x;
    assert_near(at, speed * speed / (2.0 * a), speed / rate); /* of first order */
    assert_near(scene_view(world, body).velocity.x, 0.0, 1e-7);
    scene_ticks(world, 300);
    assert_near(scene_view(world, body).position.x, at, 1e-6);
    cn_world_destroy(world);
}

/* On an incline of 3 : 4 it stays where k / R is above 0.75, and else rolls as computed. */
static void
incline(struct setting setting)
{
    int body = start(setting, 6.0, 8.0, 0.4);
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 300);
    assert_near(scene_view(world, body).position.x, 0.0, 1e-6);
    cn_world_destroy(world);

    body = start(setting, 6.0, 8.0, 0.05);
    world = scene_create(&scene);
    scene_ticks(world, 60);
    double a = (6.0 - 0.1 * 8.0) / inertia_factor(setting);
    assert_near(scene_view(world, body).velocity.x, a, 1e-6 * a);
    assert_near(scene_view(world, body).angular_velocity.z, -a / RADIUS, 1e-6 * a / RADIUS);
    const struct cn_contact_view *contact;
    assert_int_equal(cn_world_contacts(world, &contact), 1);
    assert_near(contact[0].moment.z / contact[0].force, 0.05, 1e-7); /* against the turning */
    cn_world_destroy(world);
}

static void
test_every_method(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof(methods) / sizeof(methods[0]); k++) {
        for (int spatial = 0; spatial < 2; spatial++) {
            struct setting setting = {methods[k], spatial == 1};
            roll_and_stop(setting);
            incline(setting);
        }
    }
}

/*
 * A ball that spins at 4 rad/s about the normal loses k g m / I = 1 rad/s in a second, and stops.
 */
static void
test_spins(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof(methods) / sizeof(methods[0]); k++) {
        int body = start((struct setting){methods[k], true}, 0.0, 10.0, 0.0);
        scene.material[0].spinning_friction = 0.01;
        scene.body[body].angular_velocity.y = 4.0;
        struct cn_world *world = scene_create(&scene);
        scene_ticks(world, 120);
        assert_near(scene_view(world, body).angular_velocity.y, 2.0, 1e-6);
        scene_ticks(world, 180);
        assert_near(scene_view(world, body).angular_velocity.y, 0.0, 1e-7);
        assert_near(scene_view(world, body).position.x, 0.0, 1e-7);
        cn_world_destroy(world);
    }
}

/* Bodies that fall, bounce and roll never gain energy by moments. */
static void
test_energy(void **state)
{
    (void)state;
    static const char *const gentle[][2] = {{"time", "newton"}, {"event", "baraff94"}};
    for (int k = 0; k < 4; k++) {
        struct setting setting = {gentle[k / 2], k % 2 == 1};
        start(setting, 0.0, 10.0, 0.05);
        scene.material[0].spinning_friction = 0.05;
        scene.material[0].restitution = 0.4;
        for (int i = 0; i < 5; i++) {
            int body = i % 2 == 0 ? add_round(setting, 0.4 * i, 2.0 + i, 0.3)
                                  : scene_box(&scene, 0.4 * i, 2.0 + i, 0.5, 0.4);
            scene.body[body].angular_velocity.z = 6.0 - 4.0 * i;
            scene.body[body].velocity.x = 1.0 - i;
        }
        struct cn_world *world = scene_create(&scene);
        double before = cn_world_energy(world).total, first = before;
        for (int t = 0; t < 300; t++) {
            scene_tick(world);
            double now = cn_world_energy(world).total;
            assert_true(now <= before + 1e-6 * fabs(first));
            before = now;
        }
        cn_world_destroy(world);
    }
}

/* Methods without moments are refused by name, at the start and as a command. */
static void
test_refused(void **state)
{
    (void)state;
    static const char *const without[][2] = {{"event", "faure96"}, {"time", "faure96"}};
    struct cn_defect defect;
    struct cn_world *world = NULL;
    for (size_t k = 0; k < sizeof(without) / sizeof(without[0]); k++) {
        start((struct setting){without[k], false}, 0.0, 10.0, 0.05);
        assert_int_equal(cn_world_create(&scene.def, &defect, &world), CN_PAIR);
        assert_string_equal(defect.path, "materials[0].rollingFriction");
        assert_string_equal(defect.text, "is above 0, and the solver \"faure96\" has no moments "
            "against rolling; baraff94, newton, sweeps, impulse, guendelman03 have them");
    }
    start((struct setting){without[0], false}, 0.0, 10.0, 0.0); /* none, so it is accepted */
    scene.material[0].spinning_friction = 0.05; /* in the plane nothing spins about a normal */
    assert_int_equal(cn_world_create(&scene.def, &defect, &world), CN_OK);
    cn_world_destroy(world);

    start((struct setting){methods[0], false}, 0.0, 10.0, 0.05);
    world = scene_create(&scene);
    struct cn_command command = {.kind = CN_COMMAND_SET_SOLVER, .set_solver = {"faure96"}};
    assert_int_equal(cn_world_command_check(world, &command, &defect), CN_PAIR);
    assert_non_null(strstr(defect.text, "\"faure96\" has no moments against rolling"));
    cn_world_destroy(world);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_method),
        cmocka_unit_test(test_spins),
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
