/*
 * force_constant.c: constant forces and torques on bodies, from the scene.
 *
 *     force = R f,  torque = R t + (R p) x (R f)
 *
 * p the point from the centre of mass in body axes, f and t the force [N] and torque [N m] of the
 * scene, R the body's rotation.  With the frame WORLD R does not rotate f and t, but it does rotate
 * p.
 *
 * The potential of a force in world axes is -f . x, where x is the position of its point; it is 0
 * at the origin.  In the plane the potential of a torque is -t times the angle.  A torque in space,
 * and forces in body axes, have no potential.
 */
#include "engine/base/assert.h"
#include "engine/constraint/force.h"

void
cn_force_constant_steady(
    const struct cn_model *model, const cn_pose *pose, struct cn_wrench *wrench)
{
    for (int i = 0; i < model->constant_force_count; i++) {
        const struct cn_constant_force *of = &model->constant_force[i];
        if (of->absent) {
            continue;
        }
        CN_ASSERT(0 <= of->body && of->body < model->body_count);
        const cn_pose *body = &pose[of->body];
        bool turns = of->frame == CN_FRAME_BODY;
        cn_vec3 force = turns ? cn_pose_turn(body, of->force) : of->force;
        cn_vec3 torque = turns ? cn_pose_turn(body, of->torque) : of->torque;
        cn_wrench_add(&wrench[of->body], cn_pose_turn(body, of->at), force);
        wrench[of->body].torque = cn_vec3_add(wrench[of->body].torque, torque);
    }
}

static void
constant_apply(const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose,
    struct cn_wrench *wrench)
{
    (void)motion;
    cn_force_constant_steady(model, pose, wrench);
}

static double
constant_potential(
    const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose)
{
    bool planar = model->settings.dimension == CN_PLANAR;
    double sum = 0.0;
    for (int i = 0; i < model->constant_force_count; i++) {
        const struct cn_constant_force *of = &model->constant_force[i];
        if (of->absent || model->body[of->body].mass_inverse == 0.0) {
            continue;
        }
        const struct cn_motion *body = &motion[of->body];
        if (of->frame == CN_FRAME_WORLD) {
            cn_vec3 arm = cn_pose_turn(&pose[of->body], of->at);
            sum -= cn_vec3_dot(of->force, cn_vec3_add(body->position, arm));
        }
        sum -= planar ? of->torque.z * body->angle : 0.0;
    }
    return sum;
}

const struct cn_force cn_force_constant = {
    .name = "constant",
    .text = "forces and torques of the scene that always act on a body",
    .apply = constant_apply,
    .potential = constant_potential,
};
