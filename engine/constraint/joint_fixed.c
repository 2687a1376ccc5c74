/* joint_fixed.c: the two bodies do not move relative to each other. */
#include "engine/constraint/joint.h"

static int
fixed_hold(const struct cn_joint_at *view, struct cn_joint_row *rows)
{
    int count = cn_joint_hold_point(view, rows);
    return count + cn_joint_hold_turn(view, rows + count);
}

const struct cn_joint_type cn_joint_fixed = {
    .hold = fixed_hold,
    .hold_planar = 3,
    .hold_spatial = 6,
};
