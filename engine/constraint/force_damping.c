/*
 * force_damping.c: motion through a thick medium.
 *
 *     force = -linear v  [N],  torque = -angular w  [N m]    linear in N s/m, angular in N m s
 */
#include "engine/constraint/force.h"

#include <stddef.h>

static void
damping_apply(const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose,
    struct cn_wrench *wrench)
{
    (void)pose;
    double linear = model->settings.damping_linear, angular = model->settings.damping_angular;
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
