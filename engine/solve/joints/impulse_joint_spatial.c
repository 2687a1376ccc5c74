/* impulse_joint_spatial.c: the rows of a joint in space, at the present places of its bodies. */
#include "engine/solve/joints/impulse_joint_spatial.h"

#include "engine/math/scalar.h"
#include "engine/math/trig.h"

#include <math.h>

#define LENGTH_MIN 1e-9f /* m: below it two points have no direction */

typedef cn_soft_vec vec;

static struct cn_soft_place3
find_end(const struct cn_impulse_joint_job *job, int32_t name, vec arm)
{
    struct cn_soft_place3 end = {
        .turn = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}}};
    int32_t index = cn_impulse_index(name);
    end.arm = arm;
    if (index >= 0) {
        const struct cn_impulse_body3 *body = (const struct cn_impulse_body3 *)job->body + index;
        end.v = cn_soft_vec_of(body->v);
        end.w = cn_soft_vec_of(body->w);
        end.d = cn_soft_vec_of(body->d);
        end.turn = cn_soft_mat_of_quat(body->q[0], body->q[1], body->q[2], body->q[3]);
        end.arm = cn_soft_mat_apply(&end.turn, arm);
    }
    return end;
}

/* The lag of an end's arm, which turns at w. */
static vec
find_lag(const struct cn_soft_place3 *end, float h)
{
    float square = cn_soft_dot(end->w, end->w), along = cn_soft_dot(end->w, end->arm);
    if (!(square > 0.0f)) {
        return cn_soft_vec_make(0.0f, 0.0f, 0.0f);
    }
    vec across = cn_soft_add_scaled(end->arm, -along / square, end->w);
    return cn_soft_scale(across, cn_soft_lag(h, square));
}

struct cn_soft_at3
cn_soft_find_ends3(const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j)
{
    struct cn_soft_at3 at = {.a = find_end(job, j->name_a, j->arm_a),
        .b = find_end(job, j->name_b, j->arm_b)};
    at.apart = cn_soft_add(j->apart, cn_soft_sub(at.b.d, at.a.d));
    at.apart = cn_soft_add(at.apart,
        cn_soft_sub(cn_soft_sub(at.b.arm, j->arm_b), cn_soft_sub(at.a.arm, j->arm_a)));
    at.lag = cn_soft_sub(find_lag(&at.b, job->tick->h), find_lag(&at.a, job->tick->h));
    return at;
}

/* ---- rows ---- */

/* The row of n . (pB - pA), where A's point moves with the arm arm_a. */
static struct cn_soft_row3
point_row(const struct cn_soft_at3 *at, vec arm_a, vec n)
{
    return (struct cn_soft_row3){
        .n = n,
        .a = cn_soft_cross(n, arm_a),
        .b = cn_soft_cross(at->b.arm, n),
        .gap = cn_soft_dot(n, at->apart),
        .lag = cn_soft_dot(n, at->lag),
    };
}

/* The same with n fixed in A. */
static struct cn_soft_row3
row_in_a(const struct cn_soft_at3 *at, vec n)
{
    return point_row(at, cn_soft_add(at->a.arm, at->apart), n);
}

/* The row of u . v, u fixed in A and v in B. */
static struct cn_soft_row3
across_row(vec u, vec v)
{
    vec j = cn_soft_cross(v, u);
    return (struct cn_soft_row3){
        .a = cn_soft_scale(j, -1.0f), .b = j, .gap = cn_soft_dot(u, v)};
}

static vec
point_velocity(const struct cn_soft_place3 *end)
{
    return cn_soft_add(end->v, cn_soft_cross(end->w, end->arm));
}

static struct cn_soft_row3
length_row(const struct cn_soft_at3 *at, float h)
{
    float length = sqrtf(cn_soft_dot(at->apart, at->apart));
    if (!(length > LENGTH_MIN)) {
        return point_row(at, at->a.arm, cn_soft_vec_make(1.0f, 0.0f, 0.0f));
    }
    struct cn_soft_row3 row =
        point_row(at, at->a.arm, cn_soft_scale(at->apart, 1.0f / length));
    row.gap = length;
    vec v = cn_soft_sub(point_velocity(&at->b), point_velocity(&at->a));
    vec across = cn_soft_scale(cn_soft_cross(row.n, v), 1.0f / length);
    row.lag -= length * cn_soft_lag(h, cn_soft_dot(across, across));
    return row;
}

/*
 * The row of a hinge's angle.  The turn since the start of the tick is measured between angle_x of
 * A and a direction of B.  The two were equal at the start, so the turn is small, and exact there.
 * The row is along A's axis.  B's axis differs from it by the error of the rows that hold.
 */
static struct cn_soft_row3
angle_row(const struct cn_soft_joint3 *j, const struct cn_soft_at3 *at)
{
    vec axis = cn_soft_mat_apply(&at->a.turn, j->frame_a.cx);
    vec b = cn_soft_mat_apply(&at->b.turn, j->angle_b);
    float x = cn_soft_dot(cn_soft_mat_apply(&at->a.turn, j->angle_x), b);
    float y = cn_soft_dot(cn_soft_mat_apply(&at->a.turn, j->angle_y), b);
    return (struct cn_soft_row3){
        .a = cn_soft_scale(axis, -1.0f),
        .b = axis,
        .gap = j->angle + (float)cn_atan2((double)y, (double)x),
    };
}

static int
hold_point(const struct cn_soft_at3 *at, struct cn_soft_row3 *rows)
{
    rows[0] = point_row(at, at->a.arm, cn_soft_vec_make(1.0f, 0.0f, 0.0f));
    rows[1] = point_row(at, at->a.arm, cn_soft_vec_make(0.0f, 1.0f, 0.0f));
    rows[2] = point_row(at, at->a.arm, cn_soft_vec_make(0.0f, 0.0f, 1.0f));
    return 3;
}

static int
hold_turn(const struct cn_soft_joint3 *j, const struct cn_soft_at3 *at, struct cn_soft_row3 *rows)
{
    const cn_soft_mat *a = &j->frame_a, *b = &j->frame_b;
    rows[0] = across_row(
        cn_soft_mat_apply(&at->a.turn, a->cx), cn_soft_mat_apply(&at->b.turn, b->cy));
    rows[1] = across_row(
        cn_soft_mat_apply(&at->a.turn, a->cy), cn_soft_mat_apply(&at->b.turn, b->cz));
    rows[2] = across_row(
        cn_soft_mat_apply(&at->a.turn, a->cz), cn_soft_mat_apply(&at->b.turn, b->cx));
    return 3;
}

static struct cn_curve_foot
find_foot(const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j,
    const struct cn_soft_at3 *at, cn_vec3 *off)
{
    cn_vec3 point = {j->point[0] + (double)at->apart.x - (double)j->apart.x,
        j->point[1] + (double)at->apart.y - (double)j->apart.y,
        j->point[2] + (double)at->apart.z - (double)j->apart.z};
    const struct cn_joint *joint = &job->model->joint[j->index];
    struct cn_curve_foot foot =
        cn_curve_foot_near(&job->model->curve[joint->curve], point, j->parameter);
    *off = cn_vec3_sub(point, foot.point);
    return foot;
}

/* The two directions across the tangent t, as in cn_joint_rows. */
static void
across_tangent(cn_vec3 t, cn_vec3 n[2])
{
    double x = fabs(t.x), y = fabs(t.y), z = fabs(t.z);
    cn_vec3 helper = {0.0, 0.0, 1.0};
    if (x <= y && x <= z) {
        helper = cn_vec3_make(1.0, 0.0, 0.0);
    } else if (y <= z) {
        helper = cn_vec3_make(0.0, 1.0, 0.0);
    }
    n[0] = cn_vec3_cross(helper, t);
    n[0] = cn_vec3_scale(n[0], 1.0 / cn_vec3_length(n[0]));
    n[1] = cn_vec3_cross(t, n[0]);
}

int
cn_soft_hold_track3(const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j,
    const struct cn_soft_at3 *at, struct cn_soft_row3 *rows)
{
    cn_vec3 n[2], off;
    struct cn_curve_foot foot = find_foot(job, j, at, &off);
    across_tangent(foot.tangent, n);
    float way = job->tick->h * cn_soft_dot(cn_soft_vec_from(foot.tangent), at->b.v);
    for (int k = 0; k < 2; k++) {
        rows[k] = point_row(at, at->a.arm, cn_soft_vec_from(n[k]));
        rows[k].gap = (float)cn_vec3_dot(n[k], off);
        rows[k].lag -= 0.5f * (float)cn_vec3_dot(n[k], foot.curvature) * way * way;
    }
    return 2;
}

/* Finds the rows that hold.  Returns their number. */
int
cn_soft_find_hold3(const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j,
    const struct cn_soft_at3 *at, struct cn_soft_row3 *rows)
{
    const struct cn_joint *joint = &job->model->joint[j->index];
    vec axis;
    switch (joint->kind) {
    case CN_JOINT_BALL:
        return hold_point(at, rows);
    case CN_JOINT_HINGE:
        axis = cn_soft_mat_apply(&at->a.turn, j->frame_a.cx);
        (void)hold_point(at, rows);
        rows[3] = across_row(axis, cn_soft_mat_apply(&at->b.turn, j->frame_b.cy));
        rows[4] = across_row(axis, cn_soft_mat_apply(&at->b.turn, j->frame_b.cz));
        return 5;
    case CN_JOINT_SLIDER:
        rows[0] = row_in_a(at, cn_soft_mat_apply(&at->a.turn, j->frame_a.cy));
        rows[1] = row_in_a(at, cn_soft_mat_apply(&at->a.turn, j->frame_a.cz));
        return 2 + hold_turn(j, at, rows + 2);
    case CN_JOINT_FIXED:
        return hold_point(at, rows) + hold_turn(j, at, rows + 3);
    case CN_JOINT_DISTANCE:
        if (joint->has_limit) {
            return 0;
        }
        rows[0] = length_row(at, job->tick->h);
        rows[0].gap -= (float)joint->length;
        return 1;
    case CN_JOINT_ROPE:
        return 0;
    case CN_JOINT_TRACK:
        return cn_soft_hold_track3(job, j, at, rows);
    }
    return 0;
}

/* Finds the row of the free coordinate, for a joint that has one. */
struct cn_soft_row3
cn_soft_find_coordinate3(const struct cn_impulse_joint_job *job, const struct cn_soft_joint3 *j,
    const struct cn_soft_at3 *at)
{
    cn_vec3 off;
    struct cn_soft_row3 row;
    switch (job->model->joint[j->index].kind) {
    case CN_JOINT_HINGE:
        return angle_row(j, at);
    case CN_JOINT_SLIDER:
        return row_in_a(at, cn_soft_mat_apply(&at->a.turn, j->frame_a.cx));
    case CN_JOINT_TRACK:
        row = point_row(at, at->a.arm, cn_soft_vec_from(find_foot(job, j, at, &off).tangent));
        row.gap = 0.0f;
        return row;
    default:
        return length_row(at, job->tick->h);
    }
}
