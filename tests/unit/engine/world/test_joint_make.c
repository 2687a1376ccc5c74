/* test_joint_make.c: a new joint has no error to correct, for any poses of its bodies. */
#include "engine/constraint/joint.h"
#include "engine/world/world_inside.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/world/scene.h"

static struct scene scene;

static int
rows_of(const struct cn_world *world, struct cn_joint_row *rows)
{
    cn_pose pose[8];
    for (int i = 0; i < world->model.body_count; i++) {
        pose[i] = cn_motion_pose(&world->model.motion[i], world->model.settings.dimension);
    }
    return cn_joint_rows(&world->model, world->model.motion, pose, rows);
}

/* Two bodies that are turned, the first with its centre of mass off its origin. */
static void
make_bodies(bool planar)
{
    if (planar) {
        static const cn_vec3 corner[] = {{0.0, 0.0, 0.0}, {2.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
        scene_init(&scene, 9.81);
        int a = scene_polygon(&scene, 1.0, 2.0, corner, 3);
        scene.body[a].angle = 0.7;
        scene_box(&scene, 5.0, 3.0, 1.0, 2.0);
        scene.body[1].angle = -2.5;
        return;
    }
    scene_init_space(&scene, 9.81);
    for (int i = 0; i < 2; i++) {
        scene_rotor(&scene, 1.0, 2.0, 2.5);
        scene.body[i].position = cn_vec3_make(3.0 * i, 1.0, -2.0 * i);
        scene.body[i].orientation = (cn_quat){0.5, 0.5 - i, 0.5, 0.5};
    }
}

static void
test_starts_at_zero(void **unused)
{
    (void)unused;
    for (int planar = 0; planar < 2; planar++) {
        make_bodies(planar);
        cn_vec3 anchor = {2.5, 3.5, planar ? 0.0 : 0.25}, other = {4.0, 1.0, 0.0};
        scene_joint(&scene, CN_JOINT_BALL, 0, 1, anchor);
        struct cn_joint_def *hinge = scene_joint(&scene, CN_JOINT_HINGE, 0, 1, anchor);
        struct cn_joint_def *slider = scene_joint(&scene, CN_JOINT_SLIDER, -1, 1, anchor);
        scene_joint(&scene, CN_JOINT_FIXED, 1, 0, anchor);
        scene_rod(&scene, CN_JOINT_DISTANCE, 0, 1, anchor, other);
        scene_rod(&scene, CN_JOINT_ROPE, 0, -1 + 2, anchor, other);
        struct cn_joint_def *track = scene_joint(&scene, CN_JOINT_TRACK, -1, 0, anchor);
        if (!planar) {
            hinge->axis = cn_vec3_make(1.0, -2.0, 3.0);
        }
        slider->axis = cn_vec3_make(3.0, 4.0, planar ? 7.0 : 0.5); /* z is ignored */
        hinge->has_limit = slider->has_limit = true;
        hinge->lower = slider->lower = -0.5;
        hinge->upper = slider->upper = 0.5;
        const cn_vec3 points[] = {{0.0, 0.0, 0.0}, anchor, {6.0, 6.0, 1.0}, {8.0, 3.0, 0.0}};
        struct cn_curve_def curve = {
            .kind = CN_CURVE_SPLINE, .points = points, .point_count = 4};
        scene.def.curves = &curve;
        scene.def.curve_count = 1;
        track->curve = 0;
        struct cn_world *world = scene_create(&scene);
        struct cn_joint_row rows[64];
        int count = rows_of(world, rows), bilateral = 0, limits = 0;
        assert_int_equal(count, cn_joint_row_count_max(&world->model));
        for (int r = 0; r < count; r++) {
            if (rows[r].tag == CN_ROW_BILATERAL) {
                assert_near(rows[r].gap, 0.0, 1e-14);
                bilateral++;
            } else {
                bool rope = r == count - (planar ? 2 : 3);
                assert_near(rows[r].gap, rope ? 0.0 : 0.5, 1e-14);
                limits++;
            }
            assert_true(r == 0 || rows[r - 1].id < rows[r].id);
        }
        assert_int_equal(bilateral, planar ? 2 + 2 + 2 + 3 + 1 + 1 : 3 + 5 + 5 + 6 + 1 + 2);
        assert_int_equal(limits, 5);
        cn_world_destroy(world);
    }
}

/* Jointed bodies do not collide, unless the joint says so.  A joint to the world has no effect. */
static void
test_joined(void **unused)
{
    (void)unused;
    scene_init(&scene, 9.81);
    for (int i = 0; i < 4; i++) {
        scene_circle(&scene, 3.0 * i, 0.0, 1.0);
    }
    scene_joint(&scene, CN_JOINT_BALL, 2, 1, cn_vec3_make(4.0, 0.0, 0.0));
    scene_joint(&scene, CN_JOINT_BALL, 1, 2, cn_vec3_make(5.0, 0.0, 0.0));
    scene_joint(&scene, CN_JOINT_BALL, 0, 1, cn_vec3_make(1.0, 0.0, 0.0));
    scene_joint(&scene, CN_JOINT_BALL, 2, 3, cn_vec3_make(7.0, 0.0, 0.0))->collide = true;
    scene_joint(&scene, CN_JOINT_BALL, -1, 0, cn_vec3_make(0.0, 0.0, 0.0));
    struct cn_world *world = scene_create(&scene);
    const struct cn_model *model = &world->model;
    assert_true(cn_model_joined(model, 1, 2) && cn_model_joined(model, 2, 1));
    assert_true(cn_model_joined(model, 0, 1));
    assert_false(cn_model_joined(model, 2, 3));
    assert_false(cn_model_joined(model, 0, 2));
    cn_world_destroy(world);
}

/* Actuators are the thrusters, then the motors in the order of their joints. */
static void
test_motors_are_actuators(void **unused)
{
    (void)unused;
    scene_init(&scene, 0.0);
    scene_circle(&scene, 0.0, 0.0, 1.0);
    struct cn_thruster_def thruster = {.force = {1.0, 0.0, 0.0}};
    scene.def.thrusters = &thruster;
    scene.def.thruster_count = 1;
    const cn_vec3 middle = {0.0, 0.0, 0.0};
    scene_joint(&scene, CN_JOINT_HINGE, -1, 0, middle);
    struct cn_joint_def *motor = scene_joint(&scene, CN_JOINT_HINGE, -1, 0, middle);
    motor->has_motor = true;
    motor->motor_speed = 2.0;
    struct cn_world *world = scene_create(&scene);
    assert_int_equal(world->model.joint[0].actuator, -1);
    assert_int_equal(world->model.joint[1].actuator, 1);
    struct cn_joint_row rows[8];
    assert_int_equal(rows_of(world, rows), 5);
    assert_near(rows[4].rate, -2.0, 0.0);
    struct cn_command command = {.kind = CN_COMMAND_HOLD_ACTUATOR};
    command.hold_actuator = (struct cn_hold_actuator){
        .holder = {.source = 1}, .actuator = 1, .level = 0.25};
    scene_command(world, &command);
    assert_int_equal(rows_of(world, rows), 5);
    assert_near(rows[4].rate, -0.5, 0.0);
    struct cn_defect defect = {0};
    command.hold_actuator.actuator = 2;
    assert_int_equal(cn_world_command_apply(world, &command, &defect), CN_REFERENCE);
    cn_world_destroy(world);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_starts_at_zero),
        cmocka_unit_test(test_joined),
        cmocka_unit_test(test_motors_are_actuators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
