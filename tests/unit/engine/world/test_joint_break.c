/* test_joint_break.c: joints break when they bear too much, and hold until then. */
#include "engine/world/world_inside.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/world/scene.h"

static struct scene scene;

static const char *const steppers[] = {"event", "time"};

/* A box of 1 kg at (1, 0), held to the origin; 9.81 N and 9.81 N m. */
static struct cn_joint_def *
make_beam(const char *stepper, enum cn_joint_kind kind)
{
    scene_init(&scene, 9.81);
    scene_box(&scene, 1.0, 0.0, 0.5, 0.5);
    strcpy(scene.def.settings.stepper, stepper);
    struct cn_joint_def *joint = scene_joint(&scene, kind, -1, 0, cn_vec3_make(0.0, 0.0, 0.0));
    return joint;
}

/* The tick in which the joint breaks, of ten; -1: it holds. */
static int
broken_at(struct cn_world *world)
{
    int at = -1;
    for (int tick = 0; tick < 10; tick++) {
        assert_int_equal(cn_world_step(world, CN_WORK_UNLIMITED), CN_STEP_DONE);
        const struct cn_event *event;
        int count = cn_world_events(world, &event);
        for (int i = 0; i < count; i++) {
            if (event[i].kind == CN_EVENT_JOINT_BROKEN) {
                assert_int_equal(at, -1);
                assert_int_equal(event[i].body_b, 0);
                assert_near(event[i].value, 0.0, 0.0);
                at = tick;
            }
        }
    }
    return at;
}

static void
test_force(void **unused)
{
    (void)unused;
    for (int k = 0; k < 4; k++) {
        bool weak = k % 2 == 0;
        struct cn_joint_def *joint = make_beam(steppers[k / 2], CN_JOINT_FIXED);
        joint->break_force = weak ? 9.0 : 11.0;
        struct cn_world *world = scene_create(&scene);
        assert_int_equal(broken_at(world), weak ? 0 : -1);
        struct cn_joint_view view;
        cn_world_joint_view(world, 0, &view);
        assert_true(view.absent == weak);
        struct cn_body_view body;
        cn_world_body_view(world, 0, &body);
        assert_near(body.velocity.y, weak ? -9.81 * 9.0 / 60.0 : 0.0, 1e-3);
        cn_world_destroy(world);
    }
}

static void
test_torque(void **unused)
{
    (void)unused;
    for (int k = 0; k < 4; k++) {
        bool weak = k % 2 == 0;
        struct cn_joint_def *joint = make_beam(steppers[k / 2], CN_JOINT_FIXED);
        joint->break_torque = weak ? 9.0 : 11.0;
        struct cn_world *world = scene_create(&scene);
        assert_int_equal(broken_at(world), weak ? 0 : -1);
        cn_world_destroy(world);
    }
}

/* A pendulum let go from the side pulls with 3 m g at the bottom: it breaks on the way. */
static void
test_pendulum(void **unused)
{
    (void)unused;
    struct cn_joint_def *joint = make_beam("event", CN_JOINT_BALL);
    joint->break_force = 15.0;
    struct cn_world *world = scene_create(&scene);
    assert_int_equal(broken_at(world), -1);
    int at = -1;
    for (int round = 0; round < 6 && at < 0; round++) {
        at = broken_at(world);
    }
    assert_true(at >= 0);
    cn_world_destroy(world);
}

/* A joint that was made while the world runs breaks like one of the scene, first or not. */
static void
test_made_since(void **unused)
{
    (void)unused;
    for (int k = 0; k < 8; k++) {
        bool weak = k % 2 == 0, first = k / 4 == 0;
        scene_init(&scene, 9.81);
        scene_box(&scene, 1.0, 0.0, 0.5, 0.5);
        scene_box(&scene, 9.0, 0.0, 0.5, 0.5);
        strcpy(scene.def.settings.stepper, steppers[k / 2 % 2]);
        if (!first) {
            scene_joint(&scene, CN_JOINT_FIXED, -1, 1, cn_vec3_make(9.0, 0.0, 0.0))
                ->break_force = 1e6;
        }
        struct cn_joint_def *def =
            scene_joint(&scene, CN_JOINT_FIXED, -1, 0, cn_vec3_make(1.0, 0.0, 0.0));
        struct cn_joint_def made = *def;
        scene.def.joint_count--; /* only its numbers are wanted */
        struct cn_world *world = scene_create(&scene);
        struct cn_command command = {.kind = CN_COMMAND_SET_GRAVITY};
        scene_command(world, &command);
        scene_tick(world);
        made.break_force = weak ? 9.0 : 11.0;
        int slot = -1;
        assert_int_equal(cn_world_make_joint(world, &made, NULL, &slot), CN_OK);
        command.set_gravity.value.y = -9.81;
        scene_command(world, &command);
        int broken = 0;
        for (int tick = 0; tick < 10; tick++) {
            scene_tick(world);
            struct cn_event event;
            broken += scene_events(world, CN_EVENT_JOINT_BROKEN, &event);
        }
        assert_int_equal(broken, weak);
        cn_world_destroy(world);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_force),
        cmocka_unit_test(test_torque),
        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_made_since),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
