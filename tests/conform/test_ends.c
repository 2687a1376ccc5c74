/*
 * test_ends.c: each event that two shapes begin to touch, or that a body enters a sensor, is
 * followed by an event for its end.
 *
 *   1. Bodies are removed, made in the same slots and changed; joints are made and removed; bodies
 *      sleep and are teleported.  Each end follows a beginning, and a removed body has no beginning
 *      without an end.
 *   2. If all derived data is rebuilt before every tick, the events are the same.
 *   3. An event of a sensor has the sensor's index in the shapes of its body.
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

#include "tests/support/near.h"

#define BODIES 24
#define ROUNDS 12
#define TICKS 150

static struct scene scene;
static struct cn_shape_def plate[2];

/* How many of each are open: of a body with another, of a sensor with a visitor. */
struct open {
    int contact[BODIES][BODIES], sensor[BODIES][BODIES];
    int ended; /* while the other end was being removed */
};

static void
listen(const struct cn_world *world, struct open *open)
{
    const struct cn_event *event;
    int count = cn_world_events(world, &event);
    assert_int_equal(cn_world_events_dropped(world), 0);
    for (int i = 0; i < count; i++) {
        int a = event[i].body_a, b = event[i].body_b;
        switch (event[i].kind) {
        case CN_EVENT_CONTACT_BEGIN:
            open->contact[a][b]++;
            break;
        case CN_EVENT_CONTACT_END:
            open->contact[a][b]--;
            assert_true(open->contact[a][b] >= 0);
            break;
        case CN_EVENT_SENSOR_BEGIN:
            open->sensor[a][b]++;
            break;
        case CN_EVENT_SENSOR_END:
            open->sensor[a][b]--;
            assert_true(open->sensor[a][b] >= 0);
            break;
        case CN_EVENT_BODY_REMOVED:
            for (int k = 0; k < BODIES; k++) {
                assert_int_equal(open->contact[a][k] + open->contact[k][a], 0);
                assert_int_equal(open->sensor[a][k] + open->sensor[k][a], 0);
            }
            open->ended += i > 0;
            break;
        default:
            break;
        }
    }
}

/* A plate of which the second shape is a sensor, and a heap of boxes in it, some of two shapes. */
static void
begin(bool spatial, const char *stepper, const char *solver)
{
    (spatial ? scene_init_space : scene_init)(&scene, 9.81);
    snprintf(scene.def.settings.stepper, CN_NAME_SIZE, "%s", stepper);
    snprintf(scene.def.settings.solver, CN_NAME_SIZE, "%s", solver);
    scene.def.event_max = 4096;
    scene_friction(&scene, 0, 0.6);
    int ground = scene_box(&scene, 0.0, -0.5, 20.0, 1.0);
    scene.body[ground].type = CN_STATIC;
    plate[0] = scene.shape[ground];
    plate[0].box.size.z = 20.0;
    plate[1] = plate[0];
    plate[1].sensor = true;
    plate[1].position.y = 1.0;
    scene.body[ground].shapes = plate;
    scene.body[ground].shape_count = 2;
    for (int i = 1; i < BODIES / 2; i++) {
        int body = scene_box(&scene, 0.6 * (i % 4), 0.26 + 0.52 * (int)(i / 4), 0.5, 0.5);
        scene.shape[body].contact_events = i % 3 != 0;
    }
}

static void
make(struct cn_world *world, struct cn_rng *rng)
{
    struct cn_body_def def;
    struct cn_shape_def shape = {.kind = CN_SHAPE_BOX, .box = {{0.5, 0.5, 0.5}}};
    cn_body_def_init(&def);
    shape.contact_events = true;
    shape.sensor = cn_rng_next(rng) % 4 == 0;
    def.shapes = &shape;
    def.shape_count = 1;
    if (shape.sensor) {
        def.type = CN_KINEMATIC;
    }
    def.position.x = 0.6 * (cn_rng_next(rng) % 4);
    def.position.y = 0.3 + 0.3 * (cn_rng_next(rng) % 5);
    if (cn_world_body_slot(world) < BODIES) {
        assert_int_equal(cn_world_make_body(world, &def, NULL, NULL), CN_OK);
    }
}

static void
join(struct cn_world *world, struct cn_rng *rng)
{
    struct cn_joint_def def;
    int count = cn_world_body_count(world);
    cn_joint_def_init(&def, CN_JOINT_BALL);
    def.body_a = (int)(cn_rng_next(rng) % (unsigned)count);
    def.body_b = (int)(cn_rng_next(rng) % (unsigned)count);
    def.anchor_b = scene_view(world, def.body_b).position;
    int joint;
    if (cn_world_make_joint(world, &def, NULL, &joint) == CN_OK && cn_rng_next(rng) % 2 == 0) {
        assert_int_equal(cn_world_remove_joint(world, joint, NULL), CN_OK);
    }
}

/* Applies one random command, or none. The world may refuse a command whose target does not fit. */
static void
live(struct cn_world *world, struct cn_rng *rng)
{
    int body = (int)(cn_rng_next(rng) % (unsigned)cn_world_body_count(world));
    struct cn_command command = {.kind = CN_COMMAND_KIND_COUNT};
    switch (cn_rng_next(rng) % 8) {
    case 0:
        make(world, rng);
        return;
    case 1:
        (void)!cn_world_remove_body(world, body > 0 ? body : 1, NULL);
        return;
    case 2:
        join(world, rng);
        return;
    case 3:
        command.kind = CN_COMMAND_SET_BODY_TYPE;
        command.set_body_type = (struct cn_set_body_type){body, cn_rng_next(rng) % 3};
        break;
    case 4:
        command.kind = CN_COMMAND_SET_FILTER;
        command.set_filter =
            (struct cn_set_filter){body, -1, {1, UINT64_MAX, -(int)(cn_rng_next(rng) % 2)}};
        break;
    case 5:
        command.kind = CN_COMMAND_SLEEP_BODY;
        command.sleep_body = (struct cn_sleep_body){body, cn_rng_next(rng) % 4 != 0};
        break;
    case 6:
        command.kind = CN_COMMAND_PLACE_BODY;
        command.place_body = (struct cn_place_body){.body = body,
            .position = {0.6 * (cn_rng_next(rng) % 4), 0.3 + 0.5 * (cn_rng_next(rng) % 8), 0.0},
            .orientation = cn_quat_identity()};
        break;
    default:
        return; /* they rest, and some fall asleep */
    }
    (void)!cn_world_command_apply(world, &command, NULL);
}

/* Laws 1 and 2. */
static void
check_balance(bool spatial, const char *stepper, const char *solver)
{
    int ended = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        static struct open open;
        memset(&open, 0, sizeof(open));
        struct cn_rng rng = {77 + round};
        begin(spatial, stepper, solver);
        struct cn_world *world = scene_create(&scene), *again = scene_create(&scene);
        for (int tick = 0; tick < TICKS; tick++) {
            scene_restore(again, world);
            struct cn_rng same = rng;
            for (int k = 0; k < 3 && tick % 80 < 30; k++) {
                live(world, &rng);
                live(again, &same);
            }
            scene_tick(world);
            scene_tick(again);
            assert_int_equal(cn_world_hash(world), cn_world_hash(again));
            assert_true(scene_same_events(world, again));
            listen(world, &open);
        }
        ended += open.ended;
        cn_world_destroy(world);
        cn_world_destroy(again);
    }
    assert_true(ended > ROUNDS); /* so there was something to tell */
}

static void
test_ends_are_told(void **state)
{
    (void)state;
    check_balance(false, "time", "impulse");
    check_balance(true, "time", "impulse");
    check_balance(true, "propagation", "guendelman03");
}

/* Law 3. */
static void
check_place(bool spatial, const char *stepper, const char *solver)
{
    begin(spatial, stepper, solver);
    struct cn_world *world = scene_create(&scene);
    scene_tick(world);
    struct cn_event event;
    assert_true(scene_events(world, CN_EVENT_SENSOR_BEGIN, &event) > 0);
    assert_int_equal(event.body_a, 0);
    assert_near(event.value, 1.0, 0.0);
    assert_int_equal(cn_world_remove_body(world, event.body_b, NULL), CN_OK);
    scene_tick(world);
    assert_int_equal(scene_events(world, CN_EVENT_SENSOR_END, &event), 1);
    assert_near(event.value, 1.0, 0.0);
    cn_world_destroy(world);
}

static void
test_a_sensor_is_named(void **state)
{
    (void)state;
    check_place(false, "time", "impulse");
    check_place(true, "time", "impulse");
    check_place(true, "propagation", "guendelman03");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_are_told),
        cmocka_unit_test(test_a_sensor_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
