/*
 * test_sleep.c: laws of sleep in the production solver, in the plane and in space.
 *
 *   1. bodies at rest fall asleep, island by island, and then cost nothing
 *   2. a body wakes when it is touched or held, jointed to a body that wakes, or loses its support
 *   3. an impact on a sleeping body has the same effect as on one that is awake
 *   4. a restored world continues with the bits of one that never stopped, asleep or awake
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

static struct scene scene;

static void
begin(bool spatial)
{
    (spatial ? scene_init_space : scene_init)(&scene, 9.81);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "impulse");
    scene.def.settings.sleep = true;
    scene_friction(&scene, 0, 0.6);
}

static int
count_asleep(const struct cn_world *world)
{
    int count = 0;
    for (int i = 0; i < cn_world_body_count(world); i++) {
        count += scene_view(world, i).island >= 0;
    }
    return count;
}

static void
expect_island(const struct cn_world *world, int first, int end, int island)
{
    for (int i = first; i < end; i++) {
        assert_int_equal(scene_view(world, i).island, island);
    }
}

static int
stack(double x, int count)
{
    int first = -1;
    for (int i = 0; i < count; i++) {
        int body = scene_box(&scene, x, 0.25 + 0.5 * i, 0.5, 0.5);
        first = i == 0 ? body : first;
    }
    return first;
}

static int
sphere(double x, double y, double radius)
{
    int body = scene_circle(&scene, x, y, radius);
    if (scene.def.settings.dimension == CN_SPATIAL) {
        scene.shape[body] = (struct cn_shape_def){
            .kind = CN_SHAPE_SPHERE, .density = 1.0, .sphere = {.radius = radius}};
    }
    return body;
}

static void
check_islands(bool spatial)
{
    begin(spatial);
    scene_floor(&scene);
    int left = stack(-3.0, 4), right = stack(3.0, 5), ball = sphere(0.0, 0.5, 0.2);
    scene.body[ball].velocity.x = 3.0;
    scene.body[ball].velocity.y = 60.0; /* up for 12 s */
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 200);
    expect_island(world, left, left + 4, left);
    expect_island(world, right, right + 5, right);
    assert_int_equal(scene_view(world, ball).island, -1);
    assert_int_equal(cn_world_count(world).awake_count, 1);
    assert_true(scene_view(world, right + 4).position.y > 2.2);

    /* The ball is put onto the right one, which wakes; the left one does not. */
    struct cn_command place = {
        .kind = CN_COMMAND_PLACE_BODY,
        .place_body = {.body = ball, .position = {3.0, 3.2, 0.0}, .velocity = {0.0, -2.0, 0.0},
            .orientation = {1.0, 0.0, 0.0, 0.0}},
    };
    scene_command(world, &place);
    int woken = 0;
    for (int tick = 0; tick < 30 && woken == 0; tick++) {
        expect_island(world, right, right + 5, right);
        scene_tick(world);
        woken = scene_events(world, CN_EVENT_BODY_WAKE, NULL);
    }
    assert_int_equal(woken, 5);
    expect_island(world, right, right + 5, -1);
    expect_island(world, left, left + 4, left);
    scene_ticks(world, 240);
    expect_island(world, right, right + 5, right);
    assert_true(scene_view(world, ball).island >= 0);
    assert_int_equal(cn_world_count(world).awake_count, 0);
    assert_int_equal(cn_world_count(world).pair_count, 0);

    /* A held force wakes the left one. */
    scene_hold_force(world, left + 2, (cn_vec3){0.0, 0.0, 0.0}, (cn_vec3){0.01, 0.0, 0.0});
    scene_tick(world);
    expect_island(world, left, left + 4, -1);
    expect_island(world, right, right + 5, right);
    scene_ticks(world, 120);
    expect_island(world, left, left + 4, -1); /* as long as it is held */
    cn_world_destroy(world);
}

/* A ball rolls without friction into one at rest, with sleep or without. */
static cn_vec3
hit(bool spatial, bool sleep, double *mover)
{
    begin(spatial);
    scene.def.settings.sleep = sleep;
    scene_friction(&scene, 0, 0.0);
    scene_floor(&scene);
    int rests = sphere(0.0, 0.25, 0.25);
    int moves = sphere(-6.0, 0.25, 0.25);
    scene.body[moves].velocity.x = 3.0;
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 60);
    assert_int_equal(scene_view(world, rests).island, sleep ? rests : -1);
    scene_ticks(world, 80); /* they meet after 110 */
    *mover = scene_view(world, moves).velocity.x;
    cn_vec3 velocity = scene_view(world, rests).velocity;
    cn_world_destroy(world);
    return velocity;
}

static void
check_hit(bool spatial)
{
    double mover[2];
    cn_vec3 asleep = hit(spatial, true, &mover[0]), awake = hit(spatial, false, &mover[1]);
    assert_true(fabs(asleep.x - 1.5) < 0.02); /* restitution 0: both move at half the speed */
    assert_true(fabs(asleep.x - awake.x) < 1e-4);
    assert_true(fabs(mover[0] - mover[1]) < 1e-4);
}

/* A box on a shelf falls if the shelf is removed, starts to move, or is placed elsewhere. */
static void
check_support(bool spatial)
{
    for (int way = 0; way < 3; way++) {
        begin(spatial);
        int shelf = scene_box(&scene, 0.0, 1.0, 2.0, 0.2);
        scene.body[shelf].type = way == 0 ? CN_STATIC : CN_KINEMATIC;
        int box = scene_box(&scene, 0.0, 1.35, 0.5, 0.5);
        struct cn_world *world = scene_create(&scene);
        scene_ticks(world, 120);
        assert_int_equal(scene_view(world, box).island, box);
        struct cn_command command;
        if (way == 0) {
            command = (struct cn_command){.kind = CN_COMMAND_REMOVE_BODY,
                .remove_body = {.slot = shelf, .generation = 0}};
            command.remove_body.generation = scene_view(world, shelf).generation;
        } else if (way == 1) {
            command = (struct cn_command){.kind = CN_COMMAND_SET_VELOCITY,
                .set_velocity = {.body = shelf, .velocity = {0.0, 1.0, 0.0}}};
        } else {
            command = (struct cn_command){.kind = CN_COMMAND_PLACE_BODY,
                .place_body = {.body = shelf, .position = {9.0, 1.0, 0.0},
                    .orientation = {1.0, 0.0, 0.0, 0.0}}};
        }
        scene_command(world, &command);
        scene_tick(world);
        assert_int_equal(scene_view(world, box).island, -1);
        scene_ticks(world, 30);
        double y = scene_view(world, box).position.y;
        assert_true(way == 1 ? y > 1.7 : y < 0.7);
        cn_world_destroy(world);
    }
}

/* A hanging chain sleeps as one island.  A single link that is put to sleep wakes again. */
static void
check_tied(bool spatial)
{
    begin(spatial);
    scene.def.settings.damping_linear = scene.def.settings.damping_angular = 0.5;
    int last = -1, first = -1;
    for (int i = 0; i < 5; i++) {
        int link = scene_capsule(&scene, 0.0, 3.75 - 0.5 * i, 0.05, 0.2);
        scene_joint(&scene, spatial ? CN_JOINT_BALL : CN_JOINT_HINGE, last, link,
            cn_vec3_make(0.0, 4.0 - 0.5 * i, 0.0));
        first = i == 0 ? link : first;
        last = link;
    }
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 200);
    expect_island(world, first, first + 5, first);
    struct cn_command push = {.kind = CN_COMMAND_SET_VELOCITY,
        .set_velocity = {.body = last, .velocity = {1.0, 0.0, 0.0}}};
    scene_command(world, &push);
    scene_tick(world);
    expect_island(world, first, first + 5, -1);
    struct cn_command doze = {.kind = CN_COMMAND_SLEEP_BODY,
        .sleep_body = {.body = first + 2, .asleep = true}};
    scene_command(world, &doze);
    scene_tick(world);
    expect_island(world, first, first + 5, -1);
    cn_world_destroy(world);
}

/* ---- restoring ---- */

static void
make_box(struct cn_world *world, double x, double y)
{
    struct cn_body_def def = scene.body[1];
    struct cn_defect defect;
    int32_t slot;
    def.shapes = &scene.shape[1];
    def.shape_count = 1;
    def.position.x = x;
    def.position.y = y;
    assert_int_equal(cn_world_make_body(world, &def, &defect, &slot), CN_OK);
}

static void
remove_body(struct cn_world *world, int body)
{
    struct cn_command go = {.kind = CN_COMMAND_REMOVE_BODY, .remove_body = {.slot = body}};
    go.remove_body.generation = scene_view(world, body).generation;
    scene_command(world, &go);
}

/* The changes to the world before a tick. */
static void
act(struct cn_world *world, int tick, int shelf, int ball)
{
    if (tick == 150) {
        remove_body(world, shelf);
    } else if (tick == 180 || tick == 263) {
        make_box(world, 1.1, 3.0); /* onto a stack that sleeps */
    } else if (tick == 200) {
        remove_body(world, 2); /* out of a stack that sleeps, */
    } else if (tick == 203 || tick == 320) {
        make_box(world, -3.0, 4.0); /* and another into its slot */
    } else if (tick == 240 || tick == 300) {
        struct cn_command other = {.kind = CN_COMMAND_SET_BODY_TYPE,
            .set_body_type = {.body = 9, .type = tick == 240 ? CN_STATIC : CN_DYNAMIC}};
        scene_command(world, &other);
    } else if (tick == 170) {
        struct cn_command doze = {.kind = CN_COMMAND_SLEEP_BODY,
            .sleep_body = {.body = ball, .asleep = true}};
        scene_command(world, &doze);
    } else if (tick == 235) {
        struct cn_command throw = {.kind = CN_COMMAND_SET_VELOCITY,
            .set_velocity = {.body = ball, .velocity = {-9.0, 2.0, 0.0}}};
        scene_command(world, &throw);
    }
}

static void
check_restore(bool spatial)
{
    begin(spatial);
    scene_floor(&scene);
    stack(-3.0, 4);
    stack(-3.55, 4); /* side by side, not touching at first */
    stack(1.0, 3);
    int shelf = scene_box(&scene, 3.0, 1.0, 2.0, 0.2);
    scene.body[shelf].type = CN_STATIC;
    scene_box(&scene, 3.0, 1.35, 0.5, 0.5);
    scene_box(&scene, 3.0, 1.85, 0.5, 0.5);
    int ball = sphere(6.0, 0.3, 0.3);
    struct cn_world *world = scene_create(&scene), *other = scene_create(&scene);
    int slept = 0, woke = 0;
    for (int tick = 0; tick < 420; tick++) {
        if (tick % 4 == 0 || (tick > 145 && tick < 175) ||
            (tick > 230 && tick < 270)) { /* the other world stops and continues from an image */
            scene_restore(other, world);
        }
        assert_int_equal(cn_world_hash(other), cn_world_hash(world));
        act(world, tick, shelf, ball);
        act(other, tick, shelf, ball);
        if (cn_world_hash(other) != cn_world_hash(world)) {
            fail_msg("before tick %d they differ", tick);
        }
        if (tick % 7 == 3 || tick == 150) { /* also between command and tick */
            scene_restore(other, world);
            assert_int_equal(cn_world_hash(other), cn_world_hash(world));
        }
        scene_tick(world);
        scene_tick(other);
        slept += scene_events(world, CN_EVENT_BODY_SLEEP, NULL);
        woke += scene_events(world, CN_EVENT_BODY_WAKE, NULL);
        if (cn_world_hash(other) != cn_world_hash(world)) {
            fail_msg("tick %d differs", tick);
        }
    }
    assert_true(slept > 16); /* more than there are bodies */
    assert_true(woke >= 4); /* two fell, one was thrown, and hit something */
    assert_true(count_asleep(world) > 10);
    cn_world_destroy(world);
    cn_world_destroy(other);
}

#define BOTH(law)                                                                                  \
    static void test_##law(void **state)                                                           \
    {                                                                                              \
        (void)state;                                                                               \
        check_##law(false);                                                                        \
        check_##law(true);                                                                         \
    }
BOTH(islands)
BOTH(hit)
BOTH(support)
BOTH(tied)
BOTH(restore)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_islands),
        cmocka_unit_test(test_hit),
        cmocka_unit_test(test_support),
        cmocka_unit_test(test_tied),
        cmocka_unit_test(test_restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
