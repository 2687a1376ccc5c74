/*
 * joint_ball.c: one point of both bodies stays together; in the plane the same as a hinge.
 *
 * In space a cone, the twist and friction may bound the turn of B against A.
 */
#include "engine/constraint/joint.h"

static bool
ball_coordinate(const struct cn_joint_at *view, struct cn_joint_row *row)
{
    if (view->planar || !view->joint->has_limit) {
        return false;
    }
    cn_joint_row_twist(view, row);
    return true;
}

/* The row of cone - s. */
static bool
cone_row(const struct cn_joint_at *view, struct cn_joint_row *row)
{
    struct cn_joint_row swing;
    if (!cn_joint_row_swing(view, &swing)) {
        return false;
    }
    *row = (struct cn_joint_row){.row = swing.row,
        .tag = CN_ROW_NORMAL,
        .gap = view->joint->cone - swing.gap,
        .rate = -swing.rate,
        .bias = -swing.bias,
        .id = CN_JOINT_PART_CONE};
    row->row.angular_a = swing.row.angular_b;
    row->row.angular_b = swing.row.angular_a;
    return true;
}

static int
ball_beside(const struct cn_joint_at *view, struct cn_joint_row *rows)
{
    const struct cn_joint *joint = view->joint;
    int count = joint->has_cone && cone_row(view, &rows[0]) ? 1 : 0;
    if (!(joint->friction > 0.0)) {
        return count;
    }
    const cn_vec3 axis[] = {view->a.frame.cx, view->a.frame.cy, view->a.frame.cz};
    for (int k = 0; k < 3; k++) {
        struct cn_joint_row *row = &rows[count++];
        *row = (struct cn_joint_row){.tag = CN_ROW_BOUNDED};
        cn_joint_row_spin(view, axis[k], row);
        row->lower = -joint->friction;
        row->upper = joint->friction;
        row->id = (uint64_t)(CN_JOINT_PART_FRICTION + k);
    }
    return count;
}

const struct cn_joint_type cn_joint_ball = {
    .hold = cn_joint_hold_point,
    .coordinate = ball_coordinate,
    .beside = ball_beside,
    .hold_planar = 2,
    .hold_spatial = 3,
};
