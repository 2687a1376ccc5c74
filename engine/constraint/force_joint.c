/*
 * force_joint.c: springs along the free coordinate q of hinges and sliders.
 *
 *     force along the row of q = -( stiffness (q - rest) + damping q' )
 *     potential = stiffness (q - rest)^2 / 2
 */
#include "engine/constraint/force.h"

#include "engine/constraint/joint.h"

static void
pull_body(struct cn_wrench *wrench, int body, cn_vec3 linear, cn_vec3 angular, double force)
{
    if (body >= 0) {
        wrench[body].force = cn_vec3_add_scaled(wrench[body].force, force, linear);
        wrench[body].torque = cn_vec3_add_scaled(wrench[body].torque, force, angular);
    }
}

static void
joint_apply(const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose,
    struct cn_wrench *wrench)
{
    for (int i = 0; i < model->joint_count; i++) {
        const struct cn_joint *joint = &model->joint[i];
        struct cn_joint_row q;
        if (joint->absent || !joint->has_spring ||
            !cn_joint_coordinate(model, motion, pose, i, &q)) {
            continue;
        }
        double force = -(joint->stiffness * (q.gap - joint->rest) + joint->damping * q.rate);
        pull_body(wrench, q.row.body_a, q.row.linear_a, q.row.angular_a, force);
        pull_body(wrench, q.row.body_b, q.row.linear_b, q.row.angular_b, force);
    }
}

static double
joint_potential(const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose)
{
    double sum = 0.0;
    for (int i = 0; i < model->joint_count; i++) {
        const struct cn_joint *joint = &model->joint[i];
        struct cn_joint_row q;
        if (!joint->absent && joint->has_spring &&
            cn_joint_coordinate(model, motion, pose, i, &q)) {
            double stretch = q.gap - joint->rest;
            sum += 0.5 * joint->stiffness * stretch * stretch;
        }
    }
    return sum;
}

const struct cn_force cn_force_joint = {
    .name = "joint",
    .text = "springs of hinges and sliders",
    .apply = joint_apply,
    .potential = joint_potential,
};
