/* test_view_joints.c: what joints bear in worlds at rest, known from statics. */
#include "engine/world/world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/world/scene.h"

#define G 10.0

static struct scene scene;

static void
near_vec3(cn_vec3 actual, cn_vec3 expected, double tolerance)
{
    assert_near(actual.x, expected.x, tolerance);
    assert_near(actual.y, expected.y, tolerance);
    assert_near(actual.z, expected.z, tolerance);
}

static struct cn_joint_view
view_of(const struct cn_world *world, int joint)
{
    struct cn_joint_view view;
    cn_world_joint_view(world, joint, &view);
    return view;
}

/* A beam of 2 kg is held at its left end: the joint lifts its weight and turns against it. */
static void
test_cantilever(void **state)
{
    (void)state;
    scene_init(&scene, G);
    int beam = scene_box(&scene, 1.0, 0.0, 2.0, 0.1);
    scene.body[beam].mass = 2.0;
    scene_joint(&scene, CN_JOINT_FIXED, -1, beam, cn_vec3_make(0.0, 0.0, 0.0));
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 3);
    struct cn_joint_view load = view_of(world, 0);
    assert_int_equal(load.body_a, -1);
    assert_int_equal(load.body_b, beam);
    near_vec3(load.point_b, cn_vec3_make(0.0, 0.0, 0.0), 1e-9);
    near_vec3(load.force, cn_vec3_make(0.0, 2.0 * G, 0.0), 1e-6);
    near_vec3(load.torque, cn_vec3_make(0.0, 0.0, 2.0 * G * 1.0), 1e-6);
    cn_world_destroy(world);
}

/* Two bobs hang under each other on a hook that is B of the upper rod and can not move. */
static void
test_hanging(void **state)
{
    (void)state;
    scene_init(&scene, G);
    int upper = scene_circle(&scene, 0.0, -1.0, 0.1);
    int lower = scene_circle(&scene, 0.0, -2.0, 0.1);
    int hook = scene_circle(&scene, 0.0, 0.0, 0.1);
    scene.body[hook].type = CN_STATIC;
    scene.body[upper].mass = 1.0;
    scene.body[lower].mass = 3.0;
    scene_rod(&scene, CN_JOINT_DISTANCE, upper, hook, cn_vec3_make(0.0, -1.0, 0.0),
        cn_vec3_make(0.0, 0.0, 0.0));
    scene_rod(&scene, CN_JOINT_ROPE, upper, lower, cn_vec3_make(0.0, -1.0, 0.0),
        cn_vec3_make(0.0, -2.0, 0.0));
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 3);
    assert_int_equal(cn_world_joint_count(world), 2);
    struct cn_joint_view rod = view_of(world, 0), rope = view_of(world, 1);
    near_vec3(rod.force, cn_vec3_make(0.0, -4.0 * G, 0.0), 1e-6); /* on B, the hook */
    near_vec3(rope.force, cn_vec3_make(0.0, 3.0 * G, 0.0), 1e-6); /* on the lower bob */
    near_vec3(rod.torque, cn_vec3_make(0.0, 0.0, 0.0), 1e-6);
    cn_world_destroy(world);
}

/* The cantilever in space, turned by a quarter about y: the beam lies along -z. */
static void
test_in_space(void **state)
{
    (void)state;
    scene_init_space(&scene, G);
    int beam = scene_rotor(&scene, 1.0, 2.0, 2.5);
    scene.body[beam].position = cn_vec3_make(0.0, 0.0, -1.0);
    scene.body[beam].orientation = (cn_quat){sqrt(0.5), 0.0, sqrt(0.5), 0.0};
    scene_joint(&scene, CN_JOINT_FIXED, -1, beam, cn_vec3_make(0.0, 0.0, 0.0));
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 3);
    struct cn_joint_view load = view_of(world, 0);
    near_vec3(load.force, cn_vec3_make(0.0, G, 0.0), 1e-6);
    near_vec3(load.torque, cn_vec3_make(1.0 * G, 0.0, 0.0), 1e-6); /* -(r x weight) */
    cn_world_destroy(world);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cantilever),
        cmocka_unit_test(test_hanging),
        cmocka_unit_test(test_in_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
