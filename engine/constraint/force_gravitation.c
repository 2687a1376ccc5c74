/*
 * force_gravitation.c: every body with a mass attracts every other body.
 *
 *     force on A = G mA mB d / |d|^3,   d = from A's centre of mass to B's;  the opposite on B
 *     potential  = -G mA mB / |d|
 *
 * Bodies attract as if their mass were concentrated in their centres: exact for spheres, and for
 * circles as sections of spheres.  Two centres at one place have no direction and no force, and the
 * potential stays finite there.  A body that is held fixed still attracts others, and does not
 * move.
 */
#include "engine/constraint/force.h"

#include "engine/math/scalar.h"

#define DISTANCE_MIN 1e-9 /* m */

static void
gravitation_apply(const struct cn_model *model, const struct cn_motion *motion,
    const cn_pose *pose, struct cn_wrench *wrench)
{
    (void)pose;
    double G = model->settings.gravitation;
    for (int i = 0; i < model->body_count && G > 0.0; i++) {
        double mass = model->body[i].mass;
        for (int j = i + 1; j < model->body_count && mass > 0.0; j++) {
            cn_vec3 d = cn_vec3_sub(motion[j].position, motion[i].position);
            double distance = cn_vec3_length(d);
            if (!(distance > DISTANCE_MIN)) {
                continue;
            }
            double pull = G * mass * model->body[j].mass / (distance * distance * distance);
            wrench[i].force = cn_vec3_add_scaled(wrench[i].force, pull, d);
            wrench[j].force = cn_vec3_add_scaled(wrench[j].force, -pull, d);
        }
    }
}

static double
gravitation_potential(
    const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose)
{
    (void)pose;
    double G = model->settings.gravitation, sum = 0.0;
    for (int i = 0; i < model->body_count && G > 0.0; i++) {
        for (int j = i + 1; j < model->body_count; j++) {
            cn_vec3 d = cn_vec3_sub(motion[j].position, motion[i].position);
            sum -= G * model->body[i].mass * model->body[j].mass /
                   cn_max(cn_vec3_length(d), DISTANCE_MIN);
        }
    }
    return sum;
}

const struct cn_force cn_force_gravitation = {
    .name = "gravitation",
    .text = "mutual gravity between all bodies that have a mass",
    .apply = gravitation_apply,
    .potential = gravitation_potential,
};
