/* joint_row.c: the rows that joints are made of; joint.h states them. */
#include "engine/constraint/joint.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/math/trig.h"

#include <math.h>

#define LENGTH_MIN 1e-12 /* m: below it two points have no direction */
#define SWING_MIN 1e-9   /* rad: below it a swing has no direction */

static cn_vec3
centripetal_of(cn_vec3 w, cn_vec3 r)
{
    return cn_vec3_cross(w, cn_vec3_cross(w, r));
}

/* The row of n . (pB - pA), where A's point moves with the given arm. */
static struct cn_row
point_row(const struct cn_joint_at *view, cn_vec3 arm_a, cn_vec3 n)
{
    return (struct cn_row){
        .body_a = view->a.row_body,
        .body_b = view->b.row_body,
        .linear_a = cn_vec3_negate(n),
        .angular_a = cn_vec3_cross(n, arm_a),
        .linear_b = n,
        .angular_b = cn_vec3_cross(view->b.arm, n),
    };
}

/* The row of j . (wB - wA). */
static struct cn_row
turn_row(const struct cn_joint_at *view, cn_vec3 j)
{
    CN_ASSERT(view->a.row_body != view->b.row_body || view->a.row_body < 0);
    return (struct cn_row){.body_a = view->a.row_body,
        .body_b = view->b.row_body,
        .angular_a = cn_vec3_negate(j),
        .angular_b = j};
}

void
cn_joint_row_world(const struct cn_joint_at *view, cn_vec3 n, struct cn_joint_row *row)
{
    const struct cn_joint_end *a = &view->a, *b = &view->b;
    row->row = point_row(view, a->arm, n);
    row->gap = cn_vec3_dot(n, cn_vec3_sub(b->point, a->point));
    row->rate = cn_vec3_dot(n, cn_vec3_sub(b->velocity, a->velocity));
    row->bias = cn_vec3_dot(n, cn_vec3_sub(b->centripetal, a->centripetal));
}

/* n' = wA x n, so (n . d)' = n . d' + (wA x n) . d: A's arm reaches to pB. */
void
cn_joint_row_in_a(const struct cn_joint_at *view, cn_vec3 n, struct cn_joint_row *row)
{
    CN_ASSERT(view->a.row_body != view->b.row_body || view->a.row_body < 0);
    const struct cn_joint_end *a = &view->a, *b = &view->b;
    cn_vec3 d = cn_vec3_sub(b->point, a->point);
    cn_vec3 speed = cn_vec3_sub(b->velocity, a->velocity);
    cn_vec3 turning = cn_vec3_cross(a->spin, n);
    row->row = point_row(view, cn_vec3_add(a->arm, d), n);
    row->gap = cn_vec3_dot(n, d);
    row->rate = cn_vec3_dot(n, speed) + cn_vec3_dot(turning, d);
    row->bias = cn_vec3_dot(n, cn_vec3_sub(b->centripetal, a->centripetal)) +
                cn_vec3_dot(centripetal_of(a->spin, n), d) + 2.0 * cn_vec3_dot(turning, speed);
}

void
cn_joint_row_across(
    const struct cn_joint_at *view, cn_vec3 u, cn_vec3 v, struct cn_joint_row *row)
{
    const struct cn_joint_end *a = &view->a, *b = &view->b;
    cn_vec3 j = cn_vec3_cross(v, u);
    cn_vec3 u_turning = cn_vec3_cross(a->spin, u), v_turning = cn_vec3_cross(b->spin, v);
    row->row = turn_row(view, j);
    row->gap = cn_vec3_dot(u, v);
    row->rate = cn_vec3_dot(j, cn_vec3_sub(b->spin, a->spin));
    row->bias = cn_vec3_dot(centripetal_of(a->spin, u), v) +
                cn_vec3_dot(u, centripetal_of(b->spin, v)) +
                2.0 * cn_vec3_dot(u_turning, v_turning);
}

/* u = d / |d| turns with the points: |d|'' = u . d'' + |d' across u|^2 / |d|. */
bool
cn_joint_row_length(const struct cn_joint_at *view, struct cn_joint_row *row)
{
    cn_vec3 d = cn_vec3_sub(view->b.point, view->a.point);
    double length = cn_vec3_length(d);
    if (!(length > LENGTH_MIN)) {
        return false;
    }
    cn_vec3 speed = cn_vec3_sub(view->b.velocity, view->a.velocity);
    cn_joint_row_world(view, cn_vec3_scale(d, 1.0 / length), row);
    row->gap = length;
    row->bias += (cn_vec3_dot(speed, speed) - row->rate * row->rate) / length;
    return true;
}

/* The angle of (x, y) in the turn nearest to the joint's place, with its derivatives. */
static void
angle_of(const struct cn_joint_at *view, const struct cn_joint_row *x, const struct cn_joint_row *y,
    struct cn_joint_row *row)
{
    double square = cn_max(x->gap * x->gap + y->gap * y->gap, LENGTH_MIN);
    double cosine = x->gap / square, sine = y->gap / square;
    row->row = turn_row(view, cn_vec3_add_scaled(cn_vec3_scale(y->row.angular_b, cosine), -sine,
                                  x->row.angular_b));
    double angle = cn_atan2(y->gap, x->gap), turn = 2.0 * CN_PI;
    row->gap = angle + turn * floor((view->state->place - angle) / turn + 0.5);
    row->rate = cosine * y->rate - sine * x->rate;
    row->bias = cosine * y->bias - sine * x->bias -
                2.0 * row->rate * (cosine * x->rate + sine * y->rate);
}

/*
 * In space q = atan2(y, x) with y = a_z . b_y, x = a_y . b_y, so
 *
 *     q' = (x y' - y x') / r^2,    q'' = (x y'' - y x'') / r^2 - 2 q' (x x' + y y') / r^2
 */
void
cn_joint_row_angle(const struct cn_joint_at *view, struct cn_joint_row *row)
{
    const struct cn_joint_end *a = &view->a, *b = &view->b;
    if (view->planar) {
        double sign = a->frame.cx.z < 0.0 ? -1.0 : 1.0; /* a hinge whose axis points to -z */
        row->row = turn_row(view, cn_vec3_make(0.0, 0.0, sign));
        row->gap = sign * (b->angle - a->angle - view->joint->angle);
        row->rate = sign * (b->spin.z - a->spin.z);
        row->bias = 0.0;
        return;
    }
    struct cn_joint_row x, y;
    cn_joint_row_across(view, a->frame.cy, b->frame.cy, &x);
    cn_joint_row_across(view, a->frame.cz, b->frame.cy, &y);
    angle_of(view, &x, &y, row);
}

/* j' = wA x j. */
void
cn_joint_row_spin(const struct cn_joint_at *view, cn_vec3 j, struct cn_joint_row *row)
{
    cn_vec3 w = cn_vec3_sub(view->b.spin, view->a.spin);
    row->row = turn_row(view, j);
    row->gap = 0.0;
    row->rate = cn_vec3_dot(j, w);
    row->bias = cn_vec3_dot(cn_vec3_cross(view->a.spin, j), w);
}

/* Adds `sign` times the row of u . v. */
static void
add_across(const struct cn_joint_at *view, cn_vec3 u, cn_vec3 v, double sign,
    struct cn_joint_row *sum)
{
    struct cn_joint_row row = {.tag = CN_ROW_NORMAL};
    cn_joint_row_across(view, u, v, &row);
    sum->row.angular_b = cn_vec3_add_scaled(sum->row.angular_b, sign, row.row.angular_b);
    sum->gap += sign * row.gap;
    sum->rate += sign * row.rate;
    sum->bias += sign * row.bias;
}

/* Its angle is atan2(y, x) with the x and y of joint.h; x^2 + y^2 = (1 + u . v)^2. */
void
cn_joint_row_twist(const struct cn_joint_at *view, struct cn_joint_row *row)
{
    const cn_mat33 *a = &view->a.frame, *b = &view->b.frame;
    struct cn_joint_row x, y;
    cn_joint_row_across(view, a->cy, b->cy, &x);
    add_across(view, a->cz, b->cz, 1.0, &x);
    cn_joint_row_across(view, a->cz, b->cy, &y);
    add_across(view, a->cy, b->cz, -1.0, &y);
    angle_of(view, &x, &y, row);
}

/*
 * With x = u . v = cos s:  x' = -s' sin s,  so  s'' = -(x'' + s'^2 cos s) / sin s.  The row of x is
 * v x u = -n sin s.
 */
bool
cn_joint_row_swing(const struct cn_joint_at *view, struct cn_joint_row *row)
{
    struct cn_joint_row x;
    cn_joint_row_across(view, view->a.frame.cx, view->b.frame.cx, &x);
    double sine = cn_vec3_length(x.row.angular_b);
    if (!(sine > SWING_MIN)) {
        return false;
    }
    row->row = turn_row(view, cn_vec3_scale(x.row.angular_b, -1.0 / sine));
    row->gap = cn_atan2(sine, x.gap);
    row->rate = -x.rate / sine;
    row->bias = -(x.bias + row->rate * row->rate * x.gap) / sine;
    return true;
}

int
cn_joint_hold_point(const struct cn_joint_at *view, struct cn_joint_row *rows)
{
    cn_joint_row_world(view, cn_vec3_make(1.0, 0.0, 0.0), &rows[0]);
    cn_joint_row_world(view, cn_vec3_make(0.0, 1.0, 0.0), &rows[1]);
    if (view->planar) {
        return 2;
    }
    cn_joint_row_world(view, cn_vec3_make(0.0, 0.0, 1.0), &rows[2]);
    return 3;
}

int
cn_joint_hold_turn(const struct cn_joint_at *view, struct cn_joint_row *rows)
{
    if (view->planar) {
        cn_joint_row_angle(view, &rows[0]);
        return 1;
    }
    const cn_mat33 *a = &view->a.frame, *b = &view->b.frame;
    cn_joint_row_across(view, a->cx, b->cy, &rows[0]);
    cn_joint_row_across(view, a->cy, b->cz, &rows[1]);
    cn_joint_row_across(view, a->cz, b->cx, &rows[2]);
    return 3;
}
