/*
 * pose.h: a frame in the world: origin and rotation matrix.
 *
 * The matrix is stored beside the quaternion because a narrowphase transforms many points by one
 * pose.  In a planar world it is the rotation by the body's angle about z.
 */
#ifndef ENGINE_MATH_POSE_H
#define ENGINE_MATH_POSE_H

#include "engine/math/mat33.h"

typedef struct {
    cn_vec3 position;  /* of the frame's origin [m] */
    cn_mat33 rotation; /* local to world */
} cn_pose;

static inline cn_mat33
cn_mat33_about_z(double sine, double cosine)
{
    return (cn_mat33){{cosine, sine, 0.0}, {-sine, cosine, 0.0}, {0.0, 0.0, 1.0}};
}

/* Local point to world. */
static inline cn_vec3
cn_pose_apply(const cn_pose *pose, cn_vec3 local)
{
    return cn_vec3_add(pose->position, cn_mat33_apply(&pose->rotation, local));
}

/* Local direction to world. */
static inline cn_vec3
cn_pose_turn(const cn_pose *pose, cn_vec3 local)
{
    return cn_mat33_apply(&pose->rotation, local);
}

/* World direction to local. */
static inline cn_vec3
cn_pose_turn_back(const cn_pose *pose, cn_vec3 world)
{
    return (cn_vec3){cn_vec3_dot(pose->rotation.cx, world), cn_vec3_dot(pose->rotation.cy, world),
        cn_vec3_dot(pose->rotation.cz, world)};
}

/* World point to local. */
static inline cn_vec3
cn_pose_invert(const cn_pose *pose, cn_vec3 world)
{
    return cn_pose_turn_back(pose, cn_vec3_sub(world, pose->position));
}

#endif
