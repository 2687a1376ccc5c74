/* test_force_joint.c: springs of joints and mutual gravity are what their potentials fall by. */
#include "engine/constraint/force.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/solve/joints.h"

#define STEP 1e-5

static void
place(const struct jointed *all, const struct cn_motion *motion, cn_pose *pose)
{
    for (int i = 0; i < all->model.body_count; i++) {
        pose[i] = cn_motion_pose(&motion[i], all->model.settings.dimension);
    }
}

static double
potential(const struct jointed *all, const struct cn_motion *motion)
{
    cn_pose pose[JOINTS_BODY_MAX];
    place(all, motion, pose);
    return cn_force_potential(&all->model, motion, pose);
}

/* Moves each body along x, y and its angle in turn. */
static void
check_gradient(const struct jointed *all)
{
    struct cn_wrench wrench[JOINTS_BODY_MAX];
    cn_pose pose[JOINTS_BODY_MAX];
    place(all, all->motion, pose);
    cn_force_sum(&all->model, all->motion, pose, wrench);
    for (int i = 0; i < all->model.body_count; i++) {
        const double force[] = {wrench[i].force.x, wrench[i].force.y, wrench[i].torque.z};
        for (int axis = 0; axis < 3; axis++) {
            double value[2];
            for (int side = 0; side < 2; side++) {
                struct jointed moved = *all;
                double by = side == 0 ? -STEP : STEP;
                double *coordinate[] = {&moved.motion[i].position.x, &moved.motion[i].position.y,
                    &moved.motion[i].angle};
                *coordinate[axis] += by;
                value[side] = potential(all, moved.motion);
            }
            assert_near(-(value[1] - value[0]) / (2.0 * STEP), force[axis], 1e-8);
        }
    }
}

static void
test_springs(void **unused)
{
    (void)unused;
    struct jointed all;
    jointed_init(&all, CN_PLANAR);
    int a = jointed_body(&all, cn_vec3_make(0.0, 0.0, 0.0), 1.0, 1.0);
    int b = jointed_body(&all, cn_vec3_make(2.0, 1.0, 0.0), 1.0, 1.0);
    const cn_mat33 z = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    const cn_mat33 x = cn_mat33_about_z(0.6, 0.8);
    struct cn_joint *hinge = jointed_joint(
        &all, CN_JOINT_HINGE, a, b, all.motion[b].position, all.motion[b].position, &z);
    hinge->has_spring = true;
    hinge->stiffness = 3.0;
    hinge->rest = 0.5;
    struct cn_joint *slider = jointed_joint(
        &all, CN_JOINT_SLIDER, a, b, all.motion[a].position, all.motion[a].position, &x);
    slider->has_spring = true;
    slider->stiffness = 7.0;
    slider->rest = -0.25;
    all.motion[a].angle = 0.3;
    all.motion[b].angle = -0.4;
    all.motion[b].position.x = 2.2;
    check_gradient(&all);

    /* By hand: hinge turned by -0.7, 3 (-0.7 - 0.5) = -3.6 pulls B forward. */
    slider->stiffness = 0.0;
    cn_pose pose[2];
    struct cn_wrench wrench[2];
    place(&all, all.motion, pose);
    cn_force_sum(&all.model, all.motion, pose, wrench);
    assert_near(wrench[b].torque.z, 3.6, 1e-14);
    assert_near(wrench[a].torque.z, -3.6, 1e-14);
    hinge->damping = 2.0;
    all.motion[b].angular_velocity.z = 1.0;
    cn_force_sum(&all.model, all.motion, pose, wrench);
    assert_near(wrench[b].torque.z, 1.6, 1e-14);
}

static cn_quat
turned(cn_vec3 turn)
{
    double angle = cn_vec3_length(turn), sine, cosine;
    cn_sin_cos(0.5 * angle, &sine, &cosine);
    double s = angle > 0.0 ? sine / angle : 0.0;
    return (cn_quat){cosine, s * turn.x, s * turn.y, s * turn.z};
}

/*
 * A ball turned by r has the torque -k r on B and k r^2 / 2, up to half a turn.  The torque is the
 * slope of the potential.
 */
static void
test_ball_spring(void **unused)
{
    (void)unused;
    struct jointed all;
    jointed_init(&all, CN_SPATIAL);
    const cn_mat33 frame = cn_mat33_diagonal(1.0, 1.0, 1.0);
    int a = jointed_body(&all, cn_vec3_make(0.0, 0.0, 0.0), 1.0, 1.0);
    int b = jointed_body(&all, cn_vec3_make(1.0, 0.0, 0.0), 1.0, 1.0);
    struct cn_joint *ball = jointed_joint(
        &all, CN_JOINT_BALL, a, b, all.motion[b].position, all.motion[b].position, &frame);
    ball->has_spring = true;
    ball->stiffness = 3.0;
    const cn_vec3 turns[] = {
        {0.4, -0.2, 0.7}, {0.0, 1e-12, 0.0}, {0.0, 0.0, 0.0}, {1.8, 1.8, -1.8}};
    for (int k = 0; k < 4; k++) {
        struct cn_wrench wrench[2];
        cn_pose pose[2];
        cn_vec3 r = turns[k];
        all.motion[b].orientation = turned(r);
        place(&all, all.motion, pose);
        cn_force_sum(&all.model, all.motion, pose, wrench);
        cn_vec3 off = cn_vec3_add_scaled(wrench[b].torque, 3.0, r);
        assert_near(cn_vec3_length(off), 0.0, 1e-13);
        assert_near(cn_vec3_length(cn_vec3_add(wrench[a].torque, wrench[b].torque)), 0.0, 0.0);
        assert_near(potential(&all, all.motion), 1.5 * cn_vec3_dot(r, r), 1e-13);
    }
    ball->damping = 2.0;
    all.motion[b].orientation = cn_quat_identity();
    all.motion[a].angular_velocity = cn_vec3_make(0.0, 0.5, 0.0);
    all.motion[b].angular_velocity = cn_vec3_make(1.0, 0.0, 0.0);
    struct cn_wrench wrench[2];
    cn_pose pose[2];
    place(&all, all.motion, pose);
    cn_force_sum(&all.model, all.motion, pose, wrench);
    assert_near(wrench[b].torque.x, -2.0, 1e-15);
    assert_near(wrench[b].torque.y, 1.0, 1e-15);
}

static void
test_gravitation(void **unused)
{
    (void)unused;
    struct jointed all;
    jointed_init(&all, CN_PLANAR);
    all.model.settings.gravitation = 2.0;
    jointed_body(&all, cn_vec3_make(0.0, 0.0, 0.0), 5.0, 1.0);
    jointed_body(&all, cn_vec3_make(3.0, 4.0, 0.0), 10.0, 1.0);
    struct cn_wrench wrench[3];
    cn_pose pose[3];
    place(&all, all.motion, pose);
    cn_force_sum(&all.model, all.motion, pose, wrench);
    assert_near(wrench[0].force.x, 4.0 * 0.6, 1e-14); /* 2 5 10 / 25 = 4 N */
    assert_near(wrench[0].force.y, 4.0 * 0.8, 1e-14);
    assert_near(wrench[1].force.x, -4.0 * 0.6, 1e-14);
    assert_near(potential(&all, all.motion), -20.0, 1e-14);
    jointed_body(&all, cn_vec3_make(-2.0, 1.0, 0.0), 3.0, 1.0);
    check_gradient(&all);

    all.motion[1].position = all.motion[0].position; /* no direction, no force, no infinity */
    place(&all, all.motion, pose);
    cn_force_sum(&all.model, all.motion, pose, wrench);
    assert_true(isfinite(wrench[0].force.x) && isfinite(potential(&all, all.motion)));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_springs),
        cmocka_unit_test(test_ball_spring),
        cmocka_unit_test(test_gravitation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
