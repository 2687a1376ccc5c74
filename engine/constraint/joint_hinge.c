/* joint_hinge.c: a point and an axis stay together. */
#include "engine/constraint/joint.h"

static int
hinge_hold(const struct cn_joint_at *view, struct cn_joint_row *rows)
{
    int count = cn_joint_hold_point(view, rows);
    if (!view->planar) {
        cn_joint_row_across(view, view->a.frame.cx, view->b.frame.cy, &rows[count++]);
        cn_joint_row_across(view, view->a.frame.cx, view->b.frame.cz, &rows[count++]);
    }
    return count;
}

static bool
hinge_coordinate(const struct cn_joint_at *view, struct cn_joint_row *row)
{
    cn_joint_row_angle(view, row);
    return true;
}

const struct cn_joint_type cn_joint_hinge = {
    .hold = hinge_hold,
    .coordinate = hinge_coordinate,
    .hold_planar = 2,
    .hold_spatial = 5,
};
