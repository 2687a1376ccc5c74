/*
 * force_gravity.c: force = m s g on every body that can move.  s is the body's own scale, usually
 * 1; the potential is 0 at the origin.
 */
#include "engine/base/assert.h"
#include "engine/constraint/force.h"

static void
gravity_apply(const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose,
    struct cn_wrench *wrench)
{
    (void)motion;
    (void)pose;
    for (int i = 0; i < model->body_count; i++) {
        if (model->body[i].mass_inverse > 0.0) {
            CN_ASSERT(model->body[i].mass > 0.0); /* model.h, invariant 5 */
            wrench[i].force = cn_vec3_add_scaled(
                wrench[i].force, model->body[i].mass * model->body[i].gravity_scale,
                model->settings.gravity);
        }
    }
}

static double
gravity_potential(
    const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose)
{
    (void)pose;
    double sum = 0.0;
    for (int i = 0; i < model->body_count; i++) {
        if (model->body[i].mass_inverse > 0.0) {
            sum -= model->body[i].mass * model->body[i].gravity_scale *
                   cn_vec3_dot(model->settings.gravity, motion[i].position);
        }
    }
    return sum;
}

const struct cn_force cn_force_gravity = {
    .name = "gravity",
    .text = "the world's gravity on every body that can move",
    .apply = gravity_apply,
    .potential = gravity_potential,
};
