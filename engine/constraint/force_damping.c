/*
 * force_damping.c: linear damping of all bodies, as in a thick medium.
 *
 *     force = -linear v  [N],  torque = -angular w  [N m]    linear in N s/m, angular in N m s
 *
 * and a body's own damping, with the rates dl, da [1/s] at which its velocities decay:
 *
 *     force = -m dl v,  torque = -da I w
 */
#include "engine/base/assert.h"
#include "engine/constraint/force.h"

#include <stddef.h>

/* I w of a body, world axes. */
static cn_vec3
angular_momentum(const struct cn_model *model, int i, const cn_pose *pose, cn_vec3 w)
{
    if (model->settings.dimension == CN_PLANAR) {
        return cn_vec3_make(0.0, 0.0, model->body[i].inertia.cz.z * w.z);
    }
    cn_vec3 own = cn_pose_turn_back(pose, w);
    return cn_pose_turn(pose, cn_mat33_apply(&model->body[i].inertia, own));
}

static void
damp_body(const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose, int i,
    struct cn_wrench *wrench)
{
    const struct cn_body *body = &model->body[i];
    if (body->mass_inverse == 0.0 ||
        (body->damping_linear == 0.0 && body->damping_angular == 0.0)) {
        return;
    }
    CN_ASSERT(body->damping_linear >= 0.0 && body->damping_angular >= 0.0);
    wrench[i].force = cn_vec3_add_scaled(
        wrench[i].force, -body->damping_linear * body->mass, motion[i].velocity);
    wrench[i].torque = cn_vec3_add_scaled(wrench[i].torque, -body->damping_angular,
        angular_momentum(model, i, &pose[i], motion[i].angular_velocity));
}

static void
damping_apply(const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose,
    struct cn_wrench *wrench)
{
    for (int i = 0; i < model->body_count; i++) {
        damp_body(model, motion, pose, i, wrench);
    }
    double linear = model->settings.damping_linear, angular = model->settings.damping_angular;
    CN_ASSERT(linear >= 0.0 && angular >= 0.0);
    if (linear == 0.0 && angular == 0.0) {
        return;
    }
    for (int i = 0; i < model->body_count; i++) {
        if (model->body[i].mass_inverse > 0.0) {
            wrench[i].force = cn_vec3_add_scaled(wrench[i].force, -linear, motion[i].velocity);
            wrench[i].torque =
                cn_vec3_add_scaled(wrench[i].torque, -angular, motion[i].angular_velocity);
        }
    }
}

const struct cn_force cn_force_damping = {
    .name = "damping",
    .text = "a drag against velocity and angular velocity of every body that can move",
    .apply = damping_apply,
    .potential = NULL,
};
