/*
 * test_one_way.c: one-way shapes with every stepper and solver: a ball that comes from below passes
 * and lands, one that comes from above is held, one that overlaps at first falls.
 */
#include "engine/math/scalar.h"
#include "engine/state/portable.h"
#include "engine/world/world_inside.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/world/methods.h"

#define G 10.0
#define TOP 3.2 /* of the platform, whose height is 0.4 m */

/* A ball of radius 0.5 m. */
static int
ball_at(double x, double y)
{
    int body = scene_circle(&scene, x, y, 0.5);
    if (spatial) {
        scene.shape[body].kind = CN_SHAPE_SPHERE;
        scene.shape[body].sphere.radius = 0.5;
    }
    return body;
}

static int
platform(double normal_x, double normal_y)
{
    int body = scene_box(&scene, 0.0, 3.0, 8.0, 0.4);
    scene.body[body].type = CN_STATIC;
    scene.shape[body].one_way = true;
    scene.shape[body].one_way_normal = (cn_vec3){normal_x, normal_y, 0.0};
    return body;
}

/* Thrown up at 9 m/s from 1 m it rises to 5.05 m, through the platform, and lands on it. */
static void
law_lands(void)
{
    begin(G);
    (void)platform(0.0, 2.0);
    int ball = ball_at(0.0, 1.0);
    scene.body[ball].velocity.y = 9.0;
    scene.shape[ball].contact_events = true;
    struct cn_world *world = scene_create(&scene);
    double most = 0.0;
    int begins = 0;
    for (int tick = 0; tick < 150; tick++) {
        scene_tick(world);
        most = fmax(most, scene_view(world, ball).position.y);
        begins += scene_events(world, CN_EVENT_CONTACT_BEGIN, NULL);
    }
    assert_near(most, 5.05, 0.1);
    assert_near(scene_view(world, ball).position.y, TOP + 0.5, 0.02);
    assert_int_equal(begins, 1);
    assert_int_equal(world->model.passage_count, 1);
    assert_false(world->model.passage[0].passes);
    cn_world_destroy(world);
}

static void
test_lands(void **state)
{
    (void)state;
    for_each(law_lands);
}

/* At 7 m/s it turns at 3.45 m, inside the platform, and falls back to the ground. */
static void
law_returns(void)
{
    begin(G);
    (void)scene_floor(&scene);
    (void)platform(0.0, 1.0);
    int ball = ball_at(0.0, 1.0);
    scene.body[ball].velocity.y = 7.0;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 42);
    assert_near(scene_view(world, ball).position.y, 3.45, 0.1);
    scene_ticks(world, 100);
    assert_near(scene_view(world, ball).position.y, 0.5, 0.02);
    cn_world_destroy(world);
}

static void
test_returns(void **state)
{
    (void)state;
    for_each(law_returns);
}

/* With the normal down a ball from above passes, and one from below bounces off. */
static void
law_turned(void)
{
    begin(G);
    (void)scene_floor(&scene);
    int shelf = platform(0.0, 1.0), above = ball_at(-2.0, 5.0), below = ball_at(2.0, 1.0);
    scene.body[below].velocity.y = 9.0;
    if (spatial) {
        scene.body[shelf].orientation = cn_quat_about_z(CN_PI);
    } else {
        scene.body[shelf].angle = CN_PI;
    }
    struct cn_world *world = scene_create(&scene);
    double most = 0.0;
    for (int tick = 0; tick < 180; tick++) {
        scene_tick(world);
        most = fmax(most, scene_view(world, below).position.y);
    }
    assert_true(most < 2.4);
    assert_near(scene_view(world, above).position.y, 0.5, 0.02);
    assert_near(scene_view(world, below).position.y, 0.5, 0.02);
    cn_world_destroy(world);
}

static void
test_turned(void **state)
{
    (void)state;
    for_each(law_turned);
}

/* A ball that is deep in the platform at first falls; beside it one that lies on top stays. */
static void
law_overlaps(void)
{
    begin(G);
    (void)scene_floor(&scene);
    (void)platform(0.0, 1.0);
    int deep = ball_at(-2.0, 3.2), lies = ball_at(2.0, TOP + 0.5);
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 120);
    assert_near(scene_view(world, deep).position.y, 0.5, 0.02);
    assert_near(scene_view(world, lies).position.y, TOP + 0.5, 0.02);
    cn_world_destroy(world);
}

static void
test_overlaps(void **state)
{
    (void)state;
    for_each(law_overlaps);
}

/* A ball that passes, and turns back just before it has left, still passes. */
static void
law_turns_back(void)
{
    begin(0.0);
    (void)platform(0.0, 1.0);
    int ball = ball_at(0.0, TOP + 0.496 - 29.0 / 60.0);
    scene.body[ball].velocity.y = 1.0;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 29);
    assert_near(scene_view(world, ball).position.y, TOP + 0.496, 1e-4);
    struct cn_command back = {.kind = CN_COMMAND_SET_VELOCITY};
    back.set_velocity = (struct cn_set_velocity){.body = ball, .velocity = {0.0, -1.0, 0.0}};
    scene_command(world, &back);
    scene_ticks(world, 60);
    assert_near(scene_view(world, ball).position.y, TOP - 0.504, 1e-3);
    cn_world_destroy(world);
}

static void
test_turns_back(void **state)
{
    (void)state;
    for_each(law_turns_back);
}

/* A ball that moves level at the height of the platform enters at its side, and falls. */
static void
law_sides(void)
{
    begin(G);
    (void)platform(0.0, 1.0);
    int ball = ball_at(-4.6, 3.0);
    scene.body[ball].velocity.x = 3.0;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 60);
    assert_near(scene_view(world, ball).position.x, -1.6, 0.1);
    assert_near(scene_view(world, ball).position.y, 3.0 - 5.0, 0.1);
    cn_world_destroy(world);
}

static void
test_sides(void **state)
{
    (void)state;
    for_each(law_sides);
}

/* A world that is restored while a ball passes has the bits of the original. */
static void
law_restores(void)
{
    begin(G);
    (void)platform(0.0, 1.0);
    int ball = ball_at(0.0, 1.0);
    scene.body[ball].velocity.y = 9.0;
    struct cn_world *world = scene_create(&scene), *copy = scene_create(&scene);
    size_t before = cn_world_image_size(world);
    scene_ticks(world, 15);
    assert_int_equal(world->model.passage_count, 1);
    assert_true(world->model.passage[0].passes);
    if (solver->kind != CN_SOLVER_BODIES) { /* others have no contacts besides */
        assert_int_equal(cn_world_image_size(world), before + 8 + 9);
    }
    scene_restore(copy, world);
    for (int tick = 0; tick < 100; tick++) {
        assert_true(cn_world_hash(copy) == cn_world_hash(world));
        scene_tick(world);
        scene_tick(copy);
    }
    assert_near(scene_view(copy, ball).position.y, TOP + 0.5, 0.02);
    struct cn_world *fresh = scene_create(&scene);
    scene_restore(copy, fresh); /* an image without passages clears those that were */
    assert_int_equal(copy->model.passage_count, 0);
    assert_true(cn_world_hash(copy) == cn_world_hash(fresh));
    cn_world_destroy(world);
    cn_world_destroy(copy);
    cn_world_destroy(fresh);
}

static void
test_restores(void **state)
{
    (void)state;
    for_each(law_restores);
}

/* A ball that was held is placed below: it is judged again, and passes when it is thrown up. */
static void
law_placed(void)
{
    begin(G);
    (void)platform(0.0, 1.0);
    int ball = ball_at(0.0, TOP + 0.5);
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 5);
    struct cn_command place = {.kind = CN_COMMAND_PLACE_BODY,
        .place_body = {.body = ball, .position = {0.0, 2.25, 0.0},
            .orientation = cn_quat_identity(), .velocity = {0.0, 8.0, 0.0}}};
    scene_command(world, &place);
    assert_int_equal(world->model.passage_count, 0);
    scene_ticks(world, 30);
    assert_true(scene_view(world, ball).position.y > TOP + 0.5);
    struct cn_command remove = {.kind = CN_COMMAND_REMOVE_BODY, .remove_body = {.slot = 0}};
    scene_ticks(world, 90);
    assert_near(scene_view(world, ball).position.y, TOP + 0.5, 0.02);
    scene_command(world, &remove);
    assert_int_equal(world->model.passage_count, 0);
    assert_int_equal(world->model.one_way_count, 0);
    scene_ticks(world, 60);
    assert_true(scene_view(world, ball).position.y < 0.0);
    cn_world_destroy(world);
}

static void
test_placed(void **state)
{
    (void)state;
    for_each(law_placed);
}

static void
refuse(const struct cn_shape_def *given, enum cn_status status, const char *path)
{
    scene_init(&scene, G);
    int box = scene_box(&scene, 0.0, 0.0, 1.0, 1.0);
    scene.body[box].type = CN_STATIC;
    scene.shape[box] = *given;
    struct cn_defect defect = {.status = CN_OK};
    struct cn_world *world = NULL;
    assert_int_equal(cn_world_create(&scene.def, &defect, &world), status);
    assert_string_equal(defect.path, path);
}

static void
test_refusals(void **state)
{
    (void)state;
    struct cn_shape_def shape = {.kind = CN_SHAPE_BOX, .box.size = {1.0, 1.0, 1.0},
        .one_way = true, .one_way_normal = {0.0, 0.0, 1.0}};
    refuse(&shape, CN_RANGE, "bodies[0].shapes[0].oneWay.normal"); /* in the plane it is 0 */
    shape.one_way_normal.x = (double)NAN;
    refuse(&shape, CN_FINITE, "bodies[0].shapes[0].oneWay.normal.x");
    shape.one_way_normal.x = 1.0;
    shape.sensor = true;
    refuse(&shape, CN_PAIR, "bodies[0].shapes[0].oneWay");
    shape = (struct cn_shape_def){.kind = CN_SHAPE_PLANE, .plane.normal = {0.0, 1.0, 0.0},
        .one_way = true, .one_way_normal = {0.0, 1.0, 0.0}};
    refuse(&shape, CN_PAIR, "bodies[0].shapes[0].oneWay");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lands),
        cmocka_unit_test(test_returns),
        cmocka_unit_test(test_turned),
        cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_turns_back),
        cmocka_unit_test(test_sides),
        cmocka_unit_test(test_restores),
        cmocka_unit_test(test_placed),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
