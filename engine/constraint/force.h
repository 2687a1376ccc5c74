/*
 * force.h: forces on bodies that do not depend on contacts.
 *
 * A kind of force is one file with two functions, and one line in the table.  The first function
 * adds to the bodies' forces [N] and torques [N m, about the centre of mass, world]; the second
 * gives the potential energy [J].
 */
#ifndef ENGINE_CONSTRAINT_FORCE_H
#define ENGINE_CONSTRAINT_FORCE_H

#include "engine/model/model.h"

struct cn_wrench {
    cn_vec3 force, torque;
};

struct cn_force {
    const char *name;
    const char *text; /* one line of description */
    void (*apply)(const struct cn_model *model, const struct cn_motion *motion,
        const cn_pose *pose, struct cn_wrench *wrench);
    /* NULL where the force has no potential. */
    double (*potential)(
        const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose);
};

#define CN_FORCE_TABLE(X)                                                                          \
    X(gravity)                                                                                     \
    X(gravitation)                                                                                 \
    X(damping)                                                                                     \
    X(spring)                                                                                      \
    X(joint)                                                                                       \
    X(constant)                                                                                    \
    X(held)

#define X(name) extern const struct cn_force cn_force_##name;
CN_FORCE_TABLE(X)
#undef X

/* Sets wrench[] (body_count) to the sum of all forces. */
void cn_force_sum(const struct cn_model *model, const struct cn_motion *motion,
    const cn_pose *pose, struct cn_wrench *wrench);

/*
 * The first function adds the scene's constant forces, the second one the held inputs except drags.
 * All these forces stay the same while a body moves a little.
 */
void cn_force_constant_steady(
    const struct cn_model *model, const cn_pose *pose, struct cn_wrench *wrench);
void cn_force_held_steady(
    const struct cn_model *model, const cn_pose *pose, struct cn_wrench *wrench);

/* The potential energy of all forces [J]; gravity's is 0 at the origin. */
double cn_force_potential(
    const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose);

/* Adds a force [N, world] that acts at `arm` from the centre of mass. */
static inline void
cn_wrench_add(struct cn_wrench *wrench, cn_vec3 arm, cn_vec3 force)
{
    wrench->force = cn_vec3_add(wrench->force, force);
    wrench->torque = cn_vec3_add(wrench->torque, cn_vec3_cross(arm, force));
}

#endif
