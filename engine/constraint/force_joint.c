/*
 * force_joint.c: springs along the free coordinate q of hinges and sliders, and against the turn of
 * balls in space.
 *
 *     force along the row of q = -( stiffness (q - rest) + damping q' )
 *     potential = stiffness (q - rest)^2 / 2
 *
 * A ball's spring acts against the rotation vector r from A's frame to B's, at most half a turn:
 *
 *     torque on B = -( stiffness r + damping (wB - wA) ),  potential = stiffness r^2 / 2
 *
 * because |r|' = (r / |r|) . (wB - wA).  It has no rest but 0.
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

/* The spring of a ball. */
static void
turn_bodies(struct cn_wrench *wrench, const struct cn_joint *joint,
    const struct cn_joint_turn *turn)
{
    cn_vec3 torque = cn_vec3_scale(turn->turn, -joint->stiffness);
    torque = cn_vec3_add_scaled(torque, -joint->damping, turn->rate);
    if (turn->body_a >= 0) {
        wrench[turn->body_a].torque = cn_vec3_sub(wrench[turn->body_a].torque, torque);
    }
    if (turn->body_b >= 0) {
        wrench[turn->body_b].torque = cn_vec3_add(wrench[turn->body_b].torque, torque);
    }
}

static void
joint_apply(const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose,
    struct cn_wrench *wrench)
{
    for (int i = 0; i < model->joint_count; i++) {
        const struct cn_joint *joint = &model->joint[i];
        struct cn_joint_row q;
        struct cn_joint_turn turn;
        if (joint->absent || !joint->has_spring) {
            continue;
        }
        if (joint->kind == CN_JOINT_BALL) {
            cn_joint_turn(model, motion, pose, i, &turn);
            turn_bodies(wrench, joint, &turn);
            continue;
        }
        if (!cn_joint_coordinate(model, motion, pose, i, &q)) {
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
        struct cn_joint_turn turn;
        if (joint->absent || !joint->has_spring) {
            continue;
        }
        if (joint->kind == CN_JOINT_BALL) {
            cn_joint_turn(model, motion, pose, i, &turn);
            sum += 0.5 * joint->stiffness * cn_vec3_dot(turn.turn, turn.turn);
        } else if (cn_joint_coordinate(model, motion, pose, i, &q)) {
            double stretch = q.gap - joint->rest;
            sum += 0.5 * joint->stiffness * stretch * stretch;
        }
    }
    return sum;
}

const struct cn_force cn_force_joint = {
    .name = "joint",
    .text = "springs of hinges, sliders and balls",
    .apply = joint_apply,
    .potential = joint_potential,
};
