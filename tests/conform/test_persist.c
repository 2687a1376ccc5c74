/*
 * test_persist.c: persistent contacts hold stacks, let an overhanging stair fall, slide by
 * Coulomb's law, and give the same bits in a world that is restored at any tick.
 */
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define GRAVITY 10.0
#define SECOND 60
#define TALL 40
#define ROWS 8

static struct scene scene;

static void
begin(bool spatial)
{
    (spatial ? scene_init_space : scene_init)(&scene, GRAVITY);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "impulse");
    scene.def.settings.sleep = false;
    scene_friction(&scene, 0, 0.6);
    scene_floor(&scene);
}

/* Boxes of 1 m and 1 kg in rows of base, base - 1, ..., 1; the first one is returned. */
static int
add_pyramid(int base)
{
    int first = -1;
    for (int i = 0; i < base; i++) {
        for (int j = i; j < base; j++) {
            int box = scene_box(&scene, 0.5 * (i + 1) + (j - i), i + 0.5, 1.0, 1.0);
            first = first < 0 ? box : first;
        }
    }
    return first;
}

/* The longest way of a body along the ground [m]. *energy: the kinetic energy of all [J]. */
static double
drift_of(const struct cn_world *world, int first, double *energy)
{
    double drift = 0.0;
    *energy = 0.0;
    for (int i = first; i < scene.def.body_count; i++) {
        struct cn_body_view view = scene_view(world, i);
        cn_vec3 way = cn_vec3_sub(view.position, scene.body[i].position);
        drift = fmax(drift, sqrt(way.x * way.x + way.z * way.z));
        *energy += 0.5 * view.mass * cn_vec3_dot(view.velocity, view.velocity) +
                   0.5 * (view.mass / 6.0) *
                       cn_vec3_dot(view.angular_velocity, view.angular_velocity);
    }
    return drift;
}

static void
check_stands(bool spatial, bool tower)
{
    double energy;
    begin(spatial);
    int first = tower ? scene_box(&scene, 0.0, 0.5, 1.0, 1.0) : add_pyramid(ROWS);
    for (int i = 1; tower && i < TALL; i++) {
        scene_box(&scene, 0.0, i + 0.5, 1.0, 1.0);
    }
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 20 * SECOND);
    assert_true(drift_of(world, first, &energy) < 0.05);
    assert_true(energy < 1e-4);
    scene_ticks(world, 100 * SECOND);
    assert_true(drift_of(world, first, &energy) < 0.05);
    assert_true(energy < 1e-6);
    cn_world_destroy(world);
}

static void
test_stands(void **state)
{
    (void)state;
    for (int tower = 0; tower < 2; tower++) {
        check_stands(false, tower == 1);
        check_stands(true, tower == 1);
    }
}

/* Steps of a stair that each stand, but whose upper ones together hang over the lowest. */
static void
check_falls(bool spatial)
{
    begin(spatial);
    int last = -1;
    for (int i = 0; i < 8; i++) {
        last = scene_box(&scene, 0.15 * i, i + 0.5, 1.0, 1.0);
    }
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 5 * SECOND);
    assert_true(scene_view(world, last).position.y < 3.0);
    cn_world_destroy(world);
}

static void
test_overhang_falls(void **state)
{
    (void)state;
    check_falls(false);
    check_falls(true);
}

/* On a ground that is tilted by gravity: above friction's angle it slides as Coulomb says. */
static void
check_slope(bool spatial, double steepness)
{
    const double friction = 0.6, slope = steepness * friction;
    begin(spatial);
    double across = GRAVITY * slope / sqrt(1.0 + slope * slope);
    double down = GRAVITY / sqrt(1.0 + slope * slope);
    scene.def.settings.gravity = cn_vec3_make(across, -down, 0.0);
    int box = scene_box(&scene, 0.0, 0.25, 1.0, 0.5);
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 3 * SECOND);
    double x = scene_view(world, box).position.x;
    double expected = 0.5 * fmax(across - friction * down, 0.0) * 9.0;
    assert_true(fabs(x - expected) < 0.03 * expected + 0.01);
    cn_world_destroy(world);
}

static void
test_slides_as_coulomb_says(void **state)
{
    (void)state;
    for (int spatial = 0; spatial < 2; spatial++) {
        check_slope(spatial == 1, 0.95);
        check_slope(spatial == 1, 1.05);
        check_slope(spatial == 1, 1.5);
    }
}

/* A world restored at every tick has the bits of the first one: settled, asleep, and hit. */
static void
check_restores(bool spatial, bool sleep)
{
    begin(spatial);
    scene.def.settings.sleep = sleep;
    add_pyramid(4);
    int ball = scene_box(&scene, -30.0, 1.2, 0.5, 0.5);
    scene.body[ball].gravity_scale = 0.0;
    scene.body[ball].velocity.x = 12.0;
    struct cn_world *world = scene_create(&scene), *other = scene_create(&scene);
    for (int tick = 0; tick < 4 * SECOND; tick++) {
        scene_restore(other, world);
        assert_int_equal(cn_world_hash(other), cn_world_hash(world));
        scene_tick(world);
        scene_tick(other);
        assert_int_equal(cn_world_hash(other), cn_world_hash(world));
        scene_tick(other);
    }
    cn_world_destroy(other);
    cn_world_destroy(world);
}

static void
test_restored_goes_on(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        check_restores(k % 2 == 1, k / 2 == 1);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stands),
        cmocka_unit_test(test_overhang_falls),
        cmocka_unit_test(test_slides_as_coulomb_says),
        cmocka_unit_test(test_restored_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
