/* joint_rope.c: two points are at most a length apart: one limit, and no row that holds. */
#include "engine/constraint/joint.h"

static int
rope_hold(const struct cn_joint_at *view, struct cn_joint_row *rows)
{
    (void)view;
    (void)rows;
    return 0;
}

const struct cn_joint_type cn_joint_rope = {
    .hold = rope_hold,
    .coordinate = cn_joint_row_length,
    .hold_planar = 0,
    .hold_spatial = 0,
};
