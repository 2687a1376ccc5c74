/* joint_slider.c: B moves along an axis of A and does not rotate relative to A. */
#include "engine/constraint/joint.h"

static int
slider_hold(const struct cn_joint_at *view, struct cn_joint_row *rows)
{
    int count = 0;
    cn_joint_row_in_a(view, view->a.frame.cy, &rows[count++]);
    if (!view->planar) {
        cn_joint_row_in_a(view, view->a.frame.cz, &rows[count++]);
    }
    return count + cn_joint_hold_turn(view, rows + count);
}

static bool
slider_coordinate(const struct cn_joint_at *view, struct cn_joint_row *row)
{
    cn_joint_row_in_a(view, view->a.frame.cx, row);
    return true;
}

const struct cn_joint_type cn_joint_slider = {
    .hold = slider_hold,
    .coordinate = slider_coordinate,
    .hold_planar = 2,
    .hold_spatial = 5,
};
