/*
 * test_rest_life.c: making, removing, joining and placing bodies in a world that mostly sleeps.
 *
 *   1. A world that is restored from its own image before every tick rebuilds all derived data.  It
 *      has the bits and events of a world that updates its derived data at each change.
 *   2. Changes at one end of a world do not wake the other end.
 *   3. The joints of a body, and disturbed bodies, are visited in an order that does not depend on
 *      the world's history.
 */
#include "engine/base/rng.h"
#include "engine/state/image.h"
#include "tests/support/world/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STACKS 12
#define HEIGHT 3

static struct scene scene;

static void
begin(bool spatial)
{
    (spatial ? scene_init_space : scene_init)(&scene, 9.81);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "time");
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "impulse");
    scene.def.settings.sleep = true;
    scene_friction(&scene, 0, 0.6);
    scene_floor(&scene);
    for (int i = 0; i < STACKS * HEIGHT; i++) {
        scene_box(&scene, 2.0 * (int)(i / HEIGHT) - STACKS, 0.25 + 0.5 * (i % HEIGHT), 0.5, 0.5);
    }
    for (int i = 0; i + 1 < HEIGHT; i++) { /* the first stack hangs together by joints */
        cn_vec3 between = {-STACKS, 0.5 * (i + 1), 0.0};
        scene_joint(&scene, CN_JOINT_HINGE, 1 + i, 2 + i, between)->collide = i % 2 == 0;
    }
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
make_body(struct cn_world *world, struct cn_rng *rng, bool spatial)
{
    static const cn_vec3 point[4] = {
        {-0.3, -0.3, -0.3}, {0.3, -0.3, -0.3}, {0.0, 0.3, -0.3}, {0.0, 0.0, 0.4}};
    struct cn_shape_def shape[2] = {
        {.kind = spatial ? CN_SHAPE_SPHERE : CN_SHAPE_CIRCLE, .density = 1.0},
        {.kind = CN_SHAPE_BOX, .density = 1.0},
    };
    struct cn_body_def def;
    cn_body_def_init(&def);
    if (spatial) {
        shape[0].sphere.radius = 0.2;
    } else {
        shape[0].circle.radius = 0.2;
    }
    shape[1].box.size = (cn_vec3){0.4, 0.3, 0.4};
    shape[1].position.y = 0.1;
    if (spatial && cn_rng_next(rng) % 2 == 0) {
        shape[0] = (struct cn_shape_def){.kind = CN_SHAPE_HULL, .density = 1.0};
        shape[0].hull.vertices = point;
        shape[0].hull.vertex_count = 4;
    }
    def.shapes = shape;
    def.shape_count = 1 + (int)(cn_rng_next(rng) % 2);
    def.position.x = cn_rng_uniform(rng, -STACKS, STACKS);
    def.position.y = cn_rng_uniform(rng, 0.3, 2.5);
    def.velocity.x = cn_rng_uniform(rng, -1.0, 1.0);
    def.type = cn_rng_next(rng) % 6 == 0 ? CN_STATIC : CN_DYNAMIC;
    def.velocity.x *= def.type == CN_DYNAMIC ? 1.0 : 0.0;
    assert_int_equal(cn_world_make_body(world, &def, NULL, NULL), CN_OK);
}

static void
make_joint(struct cn_world *world, struct cn_rng *rng)
{
    int count = cn_world_body_count(world);
    struct cn_joint_def def;
    cn_joint_def_init(&def, CN_JOINT_BALL);
    def.body_a = (int)(cn_rng_next(rng) % (unsigned)count);
    def.body_b = (int)(cn_rng_next(rng) % (unsigned)count);
    def.anchor_b = scene_view(world, def.body_b).position;
    def.collide = cn_rng_next(rng) % 3 == 0;
    (void)!cn_world_make_joint(world, &def, NULL, NULL); /* may name a removed body */
}

/* One change.  The engine refuses some changes, and refuses the same ones in both worlds. */
static void
change(struct cn_world *world, uint64_t seed, bool spatial)
{
    struct cn_rng rng = {seed * UINT64_C(0x9e3779b97f4a7c15)};
    int body = (int)(cn_rng_next(&rng) % (unsigned)cn_world_body_count(world));
    int joints = cn_world_joint_count(world);
    struct cn_command command = {.kind = CN_COMMAND_SLEEP_BODY};
    switch (cn_rng_next(&rng) % 9) {
    case 0:
    case 1:
    case 2:
        make_body(world, &rng, spatial);
        return;
    case 3:
        (void)!cn_world_remove_body(world, 1 + body, NULL); /* the floor stays */
        return;
    case 4:
        make_joint(world, &rng);
        return;
    case 5:
        (void)!cn_world_remove_joint(world, (int)(cn_rng_next(&rng) % (unsigned)joints), NULL);
        return;
    case 6:
        command.kind = CN_COMMAND_SET_BODY_TYPE;
        command.set_body_type.body = 1 + body;
        command.set_body_type.type = (enum cn_body_type)(cn_rng_next(&rng) % 3);
        break;
    case 7:
        command.kind = CN_COMMAND_PLACE_BODY;
        command.place_body.body = 1 + body;
        command.place_body.position = (cn_vec3){cn_rng_uniform(&rng, -STACKS, STACKS), 2.0, 0.0};
        command.place_body.orientation = (cn_quat){1.0, 0.0, 0.0, 0.0};
        break;
    default:
        command.sleep_body.body = body;
        command.sleep_body.asleep = cn_rng_next(&rng) % 2 == 0;
        break;
    }
    (void)!cn_world_command_apply(world, &command, NULL);
}

/* Law 1. */
static void
check_restored(bool spatial, uint64_t seed)
{
    begin(spatial);
    struct cn_world *going = scene_create(&scene), *restored = scene_create(&scene);
    scene_ticks(going, 60);
    assert_true(count_asleep(going) > STACKS * HEIGHT / 2);
    int asleep = 0;
    for (int tick = 0; tick < 240; tick++) {
        scene_restore(restored, going);
        for (int k = 0; tick % 8 == 0 && k < 1 + tick / 8 % 4; k++) {
            change(going, seed, spatial);
            change(restored, seed++, spatial);
        }
        assert_int_equal(cn_world_hash(restored), cn_world_hash(going));
        scene_tick(going);
        scene_tick(restored);
        assert_true(scene_same_events(going, restored));
        assert_int_equal(cn_world_hash(restored), cn_world_hash(going));
        asleep += count_asleep(going);
    }
    assert_true(asleep > 240 * 5);
    cn_world_destroy(going);
    cn_world_destroy(restored);
}

static void
test_restored_at_every_tick(void **state)
{
    (void)state;
    /*
     * These seeds have bodies that run away, fast bodies with several hits, and contacts far
     * behind.
     */
    static const uint64_t seed[] = {1, 2, 25, 27, 53};
    for (size_t i = 0; i < sizeof(seed) / sizeof(seed[0]); i++) {
        check_restored(false, 1000 * seed[i]);
        check_restored(true, 1000 * seed[i]);
    }
}

/* Law 2: a box is made on the last stack, lies there, and is removed. */
static void
check_far_end(bool spatial)
{
    begin(spatial);
    struct cn_world *world = scene_create(&scene);
    scene_ticks(world, 90);
    assert_int_equal(count_asleep(world), STACKS * HEIGHT);
    assert_int_equal(cn_world_count(world).pair_count, 0);
    struct cn_shape_def shape = {.kind = CN_SHAPE_BOX, .density = 1.0};
    shape.box.size = (cn_vec3){0.4, 0.4, 0.4};
    struct cn_body_def def;
    cn_body_def_init(&def);
    def.shapes = &shape;
    def.shape_count = 1;
    for (int round = 0; round < 3; round++) {
        int slot;
        def.position = (cn_vec3){STACKS - 2.0, 0.5 * HEIGHT + 0.3, 0.0};
        assert_int_equal(cn_world_make_body(world, &def, NULL, &slot), CN_OK);
        assert_int_equal(slot, 1 + STACKS * HEIGHT);
        scene_tick(world);
        assert_int_equal(cn_world_count(world).awake_count, 1);
        scene_ticks(world, 20);
        assert_int_equal(cn_world_count(world).awake_count, 1 + HEIGHT);
        assert_int_equal(count_asleep(world), (STACKS - 1) * HEIGHT);
        scene_ticks(world, 120);
        assert_int_equal(count_asleep(world), STACKS * HEIGHT + 1);
        assert_int_equal(cn_world_remove_body(world, slot, NULL), CN_OK);
        scene_tick(world);
        assert_int_equal(cn_world_count(world).awake_count, HEIGHT);
        scene_ticks(world, 120);
        assert_int_equal(count_asleep(world), STACKS * HEIGHT);
        assert_int_equal(cn_world_count(world).pair_count, 0);
    }
    cn_world_destroy(world);
}

static void
test_far_end_sleeps(void **state)
{
    (void)state;
    check_far_end(false);
    check_far_end(true);
}

/* Law 3: after the floor is removed all bodies wake in order, also in a restored world. */
static void
test_the_floor_goes(void **state)
{
    (void)state;
    begin(true);
    struct cn_world *going = scene_create(&scene), *restored = scene_create(&scene);
    scene_ticks(going, 90);
    scene_restore(restored, going);
    assert_int_equal(cn_world_remove_body(going, 0, NULL), CN_OK);
    assert_int_equal(cn_world_remove_body(restored, 0, NULL), CN_OK);
    scene_tick(going);
    scene_tick(restored);
    assert_true(scene_same_events(going, restored));
    const struct cn_event *event;
    int count = cn_world_events(going, &event), woken = 0;
    for (int i = 0; i < count; i++) {
        if (event[i].kind == CN_EVENT_BODY_WAKE) {
            assert_int_equal(event[i].body_a, ++woken);
        }
    }
    assert_int_equal(woken, STACKS * HEIGHT);
    cn_world_destroy(going);
    cn_world_destroy(restored);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restored_at_every_tick),
        cmocka_unit_test(test_far_end_sleeps),
        cmocka_unit_test(test_the_floor_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
