/*
 * test_capsules.c: balls on hulls, and capsules in space and in the plane: margins known by hand,
 * and every certificate verified.
 */
#include "tests/unit/prove/rig.h"

/* A ball in the groove of two hulls, (3, 4) / 5 to the sides: 10 N / (2 * 0.8). */
static void
test_ball(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        begin(0.0);
        if (order == 0) {
            add_ball(0.0, 1.4, 0.0, 0.5);
        }
        scene.body[add_block(-0.8, 0.5, 0.0, 1.0, 1.0, 1.0)].type = CN_STATIC;
        scene.body[add_block(0.8, 0.5, 0.0, 1.0, 1.0, 1.0)].type = CN_STATIC;
        if (order == 1) {
            add_ball(0.0, 1.4, 0.0, 0.5);
        }
        expect(PV_STABLE, 6.25);
        assert_int_equal(contacts, 2);
    }
}

/*
 * In space a log between two fixed ones touches each along a line of 1.5 m, with 10 N / (2 * 0.8).
 * Its centre is above one third of each line, so the ends get 1/3 and 2/3.
 */
static void
test_logs(void **state)
{
    (void)state;
    begin(0.0);
    for (int i = 0; i < 3; i++) {
        int log = scene_capsule(&scene, 0.6 * (i - 1), i == 1 ? 0.8 : 0.0, 0.5, 2.0);
        lay(log);
        scene.body[log].type = i == 1 ? CN_DYNAMIC : CN_STATIC;
        scene.body[log].mass = 1.0;
        scene.body[log].position.z = 0.5 * i;
    }
    expect(PV_STABLE, 6.25 / 3.0);
    assert_int_equal(contacts, 4);
    begin(0.0); /* across each other: one point */
    int under = scene_capsule(&scene, 0.0, 0.0, 0.5, 2.0);
    scene.body[under].type = CN_STATIC;
    lay(under);
    int over = scene_capsule(&scene, 0.0, 1.0, 0.5, 2.0);
    scene.body[over].orientation = (cn_quat){sqrt(0.5), 0.0, 0.0, sqrt(0.5)};
    scene.body[over].mass = 1.0;
    expect(PV_STABLE, 10.0);
    assert_int_equal(contacts, 1);
}

/* A capsule on a block as a hull, a cuboid, a plane: lying, upright, reaching over its end. */
static void
test_capsule(void **state)
{
    (void)state;
    for (int kind = 0; kind < 9; kind++) {
        begin(0.0);
        if (kind % 3 == 0) {
            scene.body[add_block(0.0, -0.5, 0.0, 4.0, 1.0, 4.0)].type = CN_STATIC;
        } else if (kind % 3 == 1) {
            add_static_box(0.0, -0.5, 0.0, 4.0, 1.0, 4.0);
        } else {
            scene_floor(&scene);
        }
        bool stands = kind / 3 == 1, reaches = kind / 3 == 2 && kind % 3 != 2;
        int log = scene_capsule(&scene, reaches ? 1.5 : 0.0, stands ? 1.5 : 0.5, 0.5, 2.0);
        scene.body[log].mass = 1.0;
        if (!stands) {
            turn(log, 0.0, 0.0, 1.0, 2.0 * atan(1.0));
        }
        expect(PV_STABLE, stands ? 10.0 : reaches ? 10.0 / 3.0 : 5.0); /* arms of 1 and 1/2 m */
        assert_int_equal(contacts, stands ? 1 : 2);
    }
}

/* The same in the plane: on a plane, a box, a polygon, and between two discs. */
static void
test_flat_capsule(void **state)
{
    (void)state;
    static const cn_vec3 roof[3] = {{-2, -1, 0}, {2, -1, 0}, {0, 0, 0}};
    for (int kind = 0; kind < 4; kind++) {
        scene_init(&scene, G);
        if (kind == 0) {
            scene_floor(&scene);
        } else if (kind == 1) {
            scene_box(&scene, 0.0, -0.5, 4.0, 1.0);
        } else if (kind == 2) {
            scene_polygon(&scene, 0.0, 0.0, roof, 3); /* on its top */
        } else {
            scene_circle(&scene, -0.6, -0.3, 0.5); /* (3, 4) / 5 to each */
            scene_circle(&scene, 0.6, -0.3, 0.5);
        }
        for (int i = 0; i < scene.def.body_count; i++) {
            scene.body[i].type = CN_STATIC;
        }
        int log = scene_capsule(&scene, 0.0, kind >= 2 ? 1.5 : 0.5, 0.5, 2.0);
        scene.body[log].mass = 1.0;
        scene.body[log].angle = kind >= 2 ? 0.0 : 2.0 * atan(1.0);
        expect(PV_STABLE, kind == 2 ? 10.0 : kind == 3 ? 6.25 : 5.0);
        assert_int_equal(contacts, kind == 2 ? 1 : 2);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball),
        cmocka_unit_test(test_logs),
        cmocka_unit_test(test_capsule),
        cmocka_unit_test(test_flat_capsule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
