/*
 * contact_motion.h: how the parts of a contact move with the two bodies.
 *
 * The feet fA, fB are the core points between which the gap is measured; the face's foot is the
 * other body's point.  With v = vB(fB) - vA(fA) the relative velocity of the bodies' material
 * there, and G = gap + radius, the unit normal turns by
 *
 *     FACE_A  n' = wA x n                     EDGES   n' = (1 - n n') (eA x eB)' / |eA x eB|
 *     FACE_B  n' = wB x n                     POINTS, HOLLOW (G < 0)  n' = (1 - n n') v / G
 *     LINE_*  n' = (1 - n n') (v - (v . e + G n . e') e) / G,   e' = w x e of the line's owner
 *
 * where (1 - n n') removes the component along n.
 */
#ifndef ENGINE_CONSTRAINT_CONTACT_MOTION_H
#define ENGINE_CONSTRAINT_CONTACT_MOTION_H

#include "engine/collide/exact/contact.h"
#include "engine/model/model.h"

/* The vectors from the two centres of mass to the feet [m, world axes]. */
void cn_contact_arms(const struct cn_motion *motion, const cn_pose *pose,
    const struct cn_contact *contact, cn_vec3 *arm_a, cn_vec3 *arm_b);

/* The velocity of a body's material at `arm` from its centre of mass [m/s]. */
static inline cn_vec3
cn_motion_velocity_at(const struct cn_motion *motion, cn_vec3 arm)
{
    return cn_vec3_add(motion->velocity, cn_vec3_cross(motion->angular_velocity, arm));
}

/* n' [1/s]. */
cn_vec3 cn_contact_normal_rate(
    const struct cn_motion *motion, const cn_pose *pose, const struct cn_contact *contact);

/*
 * The velocity of contact->point [m/s]; where something rolls or turns the point belongs to neither
 * body.
 */
cn_vec3 cn_contact_point_velocity(
    const struct cn_motion *motion, const cn_pose *pose, const struct cn_contact *contact);

#endif
