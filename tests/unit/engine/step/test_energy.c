/*
 * test_energy.c: the impulses of the solver `impulse` give no energy to an island of bodies.
 *
 * Scenes are a light body between two heavy ones, whose momentum and energy are known by hand, and
 * boxes that collide without restitution.  Their impulses must not act again in the next substep.
 * A kinematic body that moves may give energy.
 */
#include "tests/support/near.h"
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define TICK (1.0 / 60.0)
#define SIDE 0.2

static struct scene scene;

static void
begin(bool planar, double gravity)
{
    if (planar) {
        scene_init(&scene, gravity);
    } else {
        scene_init_space(&scene, gravity);
    }
    strcpy(scene.def.settings.stepper, "time");
    strcpy(scene.def.settings.solver, "impulse");
}

/* Adds a box whose sides are SIDE long. */
static int
add_box(double x, double y, double mass, double speed)
{
    int box = scene_box(&scene, x, y, SIDE, SIDE);
    scene.body[box].mass = mass;
    scene.body[box].velocity.x = speed;
    return box;
}

static double
momentum(const struct cn_world *world, const int *body, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        struct cn_body_view view = scene_view(world, body[i]);
        sum += view.mass * view.velocity.x;
    }
    return sum;
}

/*
 * A light box lies between two heavy ones, which approach each other at 2 m/s.  Their momenta
 * cancel.  They have M v^2 = M joules, and never get more; the mass ratio is up to 1e6.
 */
static void
test_pressed(void **unused)
{
    (void)unused;
    const double light[] = {1.0, 1e-2, 1e-3};
    for (int k = 0; k < 12; k++) {
        double heavy = k % 4 < 2 ? 1000.0 : 1.0;
        begin(k % 2 == 0, 0.0);
        int body[] = {add_box(-SIDE, 1.0, heavy, 1.0), add_box(0.0, 1.0, light[k / 4], 0.0),
            add_box(SIDE, 1.0, heavy, -1.0)};
        struct cn_world *world = scene_create(&scene);
        assert_near(cn_world_energy(world).total, heavy, 1e-9);
        for (int tick = 0; tick < 120; tick++) {
            scene_tick(world);
            double now = cn_world_energy(world).total;
            assert_true(now <= 1.01 * heavy);
            assert_near(momentum(world, body, 3), 0.0, 1e-4 * heavy);
        }
        cn_world_destroy(world);
    }
}

/*
 * A row of boxes without restitution: the first runs into the others at 3 m/s.  The energy falls
 * from 4.5 J towards that of the common motion, 4.5 / 8 J, and never grows.
 */
static void
test_plastic(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; k++) {
        begin(k == 0, 0.0);
        int body[8];
        for (int i = 0; i < 8; i++) {
            body[i] = add_box(SIDE * i, 1.0, 1.0, i == 0 ? 3.0 : 0.0);
        }
        struct cn_world *world = scene_create(&scene);
        double before = cn_world_energy(world).total, first = before;
        for (int tick = 0; tick < 30; tick++) {
            scene_tick(world);
            double now = cn_world_energy(world).total;
            assert_true(now <= 1.011 * before);
            assert_near(momentum(world, body, 8), 3.0, 1e-4);
            before = now;
        }
        assert_true(before < 0.5 * first && before > first / 8.0 - 1e-3);
        cn_world_destroy(world);
    }
}

/* A kinematic box that moves gives its speed to a box in its way: 0.5 m v^2 of energy. */
static void
test_driven(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; k++) {
        begin(k == 0, 0.0);
        int ram = add_box(-SIDE - 0.01, 1.0, 1.0, 2.0), box = add_box(0.0, 1.0, 5.0, 0.0);
        scene.body[ram].type = CN_KINEMATIC;
        struct cn_world *world = scene_create(&scene);
        for (int tick = 0; tick < 10; tick++) {
            scene_tick(world);
        }
        struct cn_body_view view = scene_view(world, box);
        assert_true(view.velocity.x > 1.9); /* the first push is faster: contacts are soft */
        cn_world_destroy(world);
    }
}

/* A body that falls onto the floor at 20 m/s, and is stopped on its way, gains nothing. */
static void
test_stopped_fall(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; k++) {
        begin(k == 0, 9.81);
        scene_floor(&scene);
        int box = scene_box(&scene, 0.0, 0.3, SIDE, SIDE);
        scene.body[box].mass = 2.0;
        scene.body[box].velocity.y = -20.0;
        struct cn_world *world = scene_create(&scene);
        double before = cn_world_energy(world).total;
        for (int tick = 0; tick < 6; tick++) {
            scene_tick(world);
            double now = cn_world_energy(world).total;
            assert_true(now <= before + 1e-3 * before);
            before = now;
        }
        cn_world_destroy(world);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pressed),
        cmocka_unit_test(test_plastic),
        cmocka_unit_test(test_driven),
        cmocka_unit_test(test_stopped_fall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
