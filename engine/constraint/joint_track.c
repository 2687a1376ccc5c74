/* joint_track.c: a point of a body stays on a curve that is fixed in the world. */
#include "engine/constraint/joint.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <math.h>

/* 1 - k . (p - c) stays above this: the centre of curvature has no unique nearest point. */
#define SPREAD_MIN 1e-3

/* A unit direction across t; in the plane the one to its left. */
static cn_vec3
direction_across(const struct cn_joint_at *view, cn_vec3 t)
{
    if (view->planar) {
        return cn_vec3_make(-t.y, t.x, 0.0);
    }
    double x = fabs(t.x), y = fabs(t.y), z = fabs(t.z);
    cn_vec3 helper = {0.0, 0.0, 1.0};
    if (x <= y && x <= z) {
        helper = cn_vec3_make(1.0, 0.0, 0.0);
    } else if (y <= z) {
        helper = cn_vec3_make(0.0, 1.0, 0.0);
    }
    cn_vec3 n = cn_vec3_cross(helper, t);
    return cn_vec3_scale(n, 1.0 / cn_vec3_length(n));
}

/* How fast the foot moves along the arc [m/s]. */
static double
foot_speed(const struct cn_joint_at *view, const struct cn_curve_foot *foot)
{
    cn_vec3 d = cn_vec3_sub(view->b.point, foot->point);
    double spread = 1.0 - cn_vec3_dot(foot->curvature, d);
    return cn_vec3_dot(foot->tangent, view->b.velocity) / cn_max(spread, SPREAD_MIN);
}

static struct cn_curve_foot
find_foot(const struct cn_joint_at *view)
{
    CN_ASSERT(0 <= view->joint->curve && view->joint->curve < view->model->curve_count);
    return cn_curve_foot_near(
        &view->model->curve[view->joint->curve], view->b.point, view->state->place);
}

/* The row of n . (p - c), as if A's point were the foot and did not move. */
static void
normal_row(const struct cn_joint_at *view, const struct cn_curve_foot *foot, cn_vec3 n,
    struct cn_joint_row *row)
{
    struct cn_joint_at against = *view;
    against.a.point = foot->point;
    cn_joint_row_world(&against, n, row);
    row->bias -= cn_vec3_dot(n, foot->curvature) * foot_speed(view, foot) *
                 cn_vec3_dot(foot->tangent, view->b.velocity);
}

static int
track_hold(const struct cn_joint_at *view, struct cn_joint_row *rows)
{
    struct cn_curve_foot foot = find_foot(view);
    cn_vec3 n = direction_across(view, foot.tangent);
    normal_row(view, &foot, n, &rows[0]);
    if (view->planar) {
        return 1;
    }
    normal_row(view, &foot, cn_vec3_cross(foot.tangent, n), &rows[1]);
    return 2;
}

/* The speed t . p' along the curve; t rotates by k as the foot moves. */
static bool
track_coordinate(const struct cn_joint_at *view, struct cn_joint_row *row)
{
    struct cn_curve_foot foot = find_foot(view);
    cn_joint_row_world(view, foot.tangent, row);
    row->gap = 0.0;
    row->bias += cn_vec3_dot(foot.curvature, view->b.velocity) * foot_speed(view, &foot);
    return true;
}

const struct cn_joint_type cn_joint_track = {
    .hold = track_hold,
    .coordinate = track_coordinate,
    .hold_planar = 1,
    .hold_spatial = 2,
};
