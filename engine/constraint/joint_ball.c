/* joint_ball.c: one point of both bodies stays together; in the plane the same as a hinge. */
#include "engine/constraint/joint.h"

const struct cn_joint_type cn_joint_ball = {
    .hold = cn_joint_hold_point,
    .hold_planar = 2,
    .hold_spatial = 3,
};
