/* test_deep.c: bodies that are deep in one another are found and named, and no others. */
#include "engine/cairn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/world/scene.h"

static struct scene scene;

/* A floor with a row of boxes on it, of 1 m. */
static void
row(struct scene *made, int count, double distance)
{
    scene_init(made, 9.81);
    scene_floor(made);
    for (int i = 0; i < count; i++) {
        scene_box(made, distance * i, 0.5, 1.0, 1.0);
    }
}

static int
find(struct scene *made, struct cn_deep pairs[16])
{
    struct cn_world *world = scene_create(made);
    int count = cn_world_deep(world, pairs, 16);
    cn_world_destroy(world);
    return count;
}

/* Pairs deeper than a fifth of their extent count as deep; touching pairs do not. */
static void
test_threshold(void **state)
{
    (void)state;
    struct cn_deep pairs[16];
    row(&scene, 2, 1.0);
    assert_int_equal(find(&scene, pairs), 0);
    row(&scene, 2, 0.81);
    assert_int_equal(find(&scene, pairs), 0);
    row(&scene, 2, 0.79);
    assert_int_equal(find(&scene, pairs), 1);
    assert_int_equal(pairs[0].body_a, 1);
    assert_int_equal(pairs[0].body_b, 2);
    assert_near(pairs[0].depth, 0.21, 1e-12);
    assert_near(pairs[0].extent, 1.0, 1e-12);
    scene.body[2].position.y = 0.29; /* and in the floor */
    assert_int_equal(find(&scene, pairs), 2);
}

/* Pairs that can not touch are skipped: by filters, sensors, joints, or because both are fixed. */
static void
test_who_can_not_touch(void **state)
{
    (void)state;
    struct cn_deep pairs[16];
    row(&scene, 2, 0.5);
    scene.shape[1].has_filter = scene.shape[2].has_filter = true;
    scene.shape[1].filter = scene.shape[2].filter = (struct cn_filter){1, UINT64_MAX, -3};
    assert_int_equal(find(&scene, pairs), 0);
    row(&scene, 2, 0.5);
    scene.shape[2].sensor = true;
    scene.body[2].mass = scene.body[2].inertia = 1.0;
    assert_int_equal(find(&scene, pairs), 0);
    row(&scene, 2, 0.5);
    scene_joint(&scene, CN_JOINT_HINGE, 1, 2, (cn_vec3){0.25, 0.5, 0.0});
    assert_int_equal(find(&scene, pairs), 0);
    row(&scene, 2, 0.5);
    scene.body[1].type = CN_STATIC;
    assert_int_equal(find(&scene, pairs), 1);
    scene.body[2].type = CN_KINEMATIC;
    assert_int_equal(find(&scene, pairs), 0);
}

/* Discs, all in one point: the search ends after ten pairs. */
static void
test_all_in_one_point(void **state)
{
    (void)state;
    struct cn_deep pairs[16];
    struct cn_defect defect;
    scene_init(&scene, 9.81);
    for (int i = 0; i < 200; i++) {
        scene_circle(&scene, 0.0, 3.0, 0.5);
    }
    struct cn_world *world = scene_create(&scene);
    assert_int_equal(cn_world_deep(world, pairs, 10), 10);
    assert_int_equal(cn_world_deep_check(world, &defect), CN_OVERLAP);
    assert_string_equal(defect.path, "bodies[0]");
    assert_non_null(strstr(defect.text, "is 1 m deep in bodies[1]; a fifth of 1 m is accepted"));
    assert_non_null(strstr(defect.text, "also 0 in 2 by 1 m, 0 in 3 by 1 m"));
    cn_world_destroy(world);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_who_can_not_touch),
        cmocka_unit_test(test_all_in_one_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
