/*
 * test_pieces.c: outlines and chains under the production solver.
 *
 *   1. a body that slides or rolls over the joints of a level chain is not lifted by them
 *   2. a disc rests in the corner of two walls, and a ball comes to rest at the bottom of a bowl
 *   3. concave bodies pile up and come to rest, and a restored world continues with the same bits
 */
#include "tests/support/world/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/near.h"

#define LINKS 60
#define LINK 0.5 /* m */
#define PILE 12
#define PILE_TICKS 240

static struct scene scene;

static void
begin(void)
{
    scene_init(&scene, 9.81);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "impulse");
}

static int
add_border(enum cn_shape_kind kind, double x, double y, const cn_vec3 *points, int count)
{
    int body = scene_polygon(&scene, x, y, points, count);
    const cn_vec3 *kept = scene.shape[body].polygon.vertices;
    scene.shape[body].kind = kind;
    scene.shape[body].boundary.points = kept;
    scene.shape[body].boundary.point_count = count;
    scene.shape[body].boundary.closed = kind == CN_SHAPE_OUTLINE;
    if (kind == CN_SHAPE_CHAIN) {
        scene.body[body].type = CN_STATIC;
        scene.body[body].mass = 0.0;
    }
    return body;
}

/* A level chain at y = 0. It runs from right to left, so its solid side is below. */
static void
add_level(void)
{
    cn_vec3 points[LINKS + 1];
    for (int i = 0; i <= LINKS; i++) {
        points[i] = (cn_vec3){(LINKS - i) * LINK, 0.0, 0.0};
    }
    add_border(CN_SHAPE_CHAIN, 0.0, 0.0, points, LINKS + 1);
}

static void
test_joints_lift_nothing(void **state)
{
    (void)state;
    begin();
    add_level();
    int box = scene_box(&scene, 1.0, 0.25, 1.0, 0.5);
    scene_circle(&scene, 3.0, 0.25, 0.25);
    int capsule = scene_capsule(&scene, 5.0, 0.25, 0.25, 0.6);
    scene.body[capsule].angle = 1.5707963267948966;
    for (int body = box; body <= capsule; body++) {
        scene.body[body].velocity.x = 5.0;
    }
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 30); /* to sink in by what soft contacts need */
    for (int tick = 0; tick < 240; tick++) { /* 20 m: 40 joints */
        scene_tick(world);
        for (int body = box; body <= capsule; body++) {
            struct cn_body_view view = scene_view(world, body);
            assert_near(view.velocity.y, 0.0, 1e-3);
            assert_near(view.velocity.x, 5.0, 1e-3);
            assert_near(view.angular_velocity.z, 0.0, 1e-3);
        }
    }
    assert_true(scene_view(world, box).position.x > 20.0);
    cn_world_destroy(world);
}

static void
test_corner_and_bowl(void **state)
{
    (void)state;
    static const cn_vec3 corner[] = {{4.0, 4.0, 0.0}, {0.0, 0.0, 0.0}, {-4.0, 4.0, 0.0}};
    static const cn_vec3 bowl[] = {{12.0, 2.0, -1.0}, {8.0, 2.0, 0.0}};
    begin();
    scene.material[0].restitution = 0.0;
    add_border(CN_SHAPE_CHAIN, 0.0, 0.0, corner, 3);
    add_border(CN_SHAPE_CHAIN, 0.0, 0.0, bowl, 2);
    int disc = scene_circle(&scene, 0.3, 2.0, 0.5);
    int ball = scene_circle(&scene, 9.0, 1.5, 0.25);
    scene.body[ball].damping_linear = 2.0;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 900);
    struct cn_body_view view = scene_view(world, disc);
    assert_near(view.position.x, 0.0, 6e-3); /* the overlap that is left alone */
    assert_near(view.position.y, 0.5 * sqrt(2.0), 1e-2);
    view = scene_view(world, ball);
    assert_near(view.position.x, 10.0, 0.11); /* on the lowest chords of the arc */
    assert_near(view.position.y, 0.25, 2e-2);
    cn_world_destroy(world);
}

/* Angles of two arms, thrown onto a chain with an end wall. */
static void
make_pile(bool sleep)
{
    static const cn_vec3 angle[] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {1.0, 0.3, 0.0},
        {0.3, 0.3, 0.0}, {0.3, 1.0, 0.0}, {0.0, 1.0, 0.0}};
    static const cn_vec3 ground[] = {{3.0, 3.0, 0.0}, {3.0, 0.0, 0.0}, {1.0, 0.0, 0.0},
        {-1.0, 0.0, 0.0}, {-3.0, 0.0, 0.0}, {-3.0, 3.0, 0.0}};
    begin();
    scene_friction(&scene, 0, 0.6);
    scene.def.settings.sleep = sleep;
    add_border(CN_SHAPE_CHAIN, 0.0, 0.0, ground, 6);
    for (int i = 0; i < PILE; i++) {
        int body = add_border(
            CN_SHAPE_OUTLINE, 0.9 * (i % 3 - 1) - 0.3, 0.6 + 1.1 * (i / 3), angle, 6);
        scene.body[body].angle = 0.7 * i;
        scene.body[body].mass = 1.0;
    }
}

/* Twice: contacts of pieces that sleep are in images, too. */
static void
test_restored_pile_goes_on(void **state)
{
    (void)state;
    make_pile(true);
    struct cn_world *world = scene_create(&scene), *other = scene_create(&scene);
    for (int tick = 0; tick < 3 * PILE_TICKS; tick++) {
        if (tick % 30 == 0) {
            scene_restore(other, world);
        }
        assert_int_equal(cn_world_hash(other), cn_world_hash(world));
        scene_tick(world);
        scene_tick(other);
    }
    assert_true(cn_vec3_length(scene_view(world, 1).velocity) == 0.0);
    cn_world_destroy(world);
    cn_world_destroy(other);
}

static void
test_concave_bodies_pile_up(void **state)
{
    (void)state;
    make_pile(false);
    struct cn_world *world = scene_create(&scene), *other = scene_create(&scene);
    for (int tick = 0; tick < PILE_TICKS; tick++) {
        if (tick % 10 == 0) {
            scene_restore(other, world);
        }
        assert_int_equal(cn_world_hash(other), cn_world_hash(world));
        scene_tick(world);
        scene_tick(other);
    }
    scene_ticks(world, 600);
    for (int body = 1; body <= PILE; body++) {
        struct cn_body_view view = scene_view(world, body);
        assert_true(view.position.y > -0.01 && fabs(view.position.x) < 3.0); /* a corner */
        assert_true(cn_vec3_length(view.velocity) < 0.05);
    }
    assert_true(scene_depth(world) > 0.0 && scene_depth(world) < 0.02);
    cn_world_destroy(world);
    cn_world_destroy(other);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joints_lift_nothing),
        cmocka_unit_test(test_corner_and_bowl),
        cmocka_unit_test(test_concave_bodies_pile_up),
        cmocka_unit_test(test_restored_pile_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
