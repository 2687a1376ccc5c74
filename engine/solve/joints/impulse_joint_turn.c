/*
 * impulse_joint_turn.c: the turn of a ball in space: its spring, friction, twist and cone.
 *
 * All symbols are in world axes and at present:
 *
 *     a, b       the frames of A and B; u = a.cx is the axis of the cone, v = b.cx the twist axis
 *     w          wB - wA
 *     K          inv(IA) + inv(IB)
 *
 *     spring     dl = -inv(1 + drag K) (l + push r + drag w),  r the rotation vector from a to b
 *     friction   -inv(K) w stops the turn; each component in the axes of a is bounded
 *     twist      rate (u + v) . w / (1 + u . v)
 *     cone       rate -n . w, n the direction of u x v
 *
 * push, drag and the limits are those of impulse_joint.h; the rows those of
 * engine/constraint/joint.h.  impulse_joint_lanes_ball.h does the same in lanes.
 *
 * The turn of a thin ball (impulse_joint_thin.c) meets the answer of the point.
 */
#include "engine/solve/joints/impulse_joint_spatial.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/math/trig.h"

#include <math.h>

typedef cn_soft_vec vec;

/* The present turn. */
struct turned {
    cn_soft_mat a, b;
    vec w;
    float K[6]; /* xx yy zz xy yz zx */
};

cn_soft_mat
cn_soft_mat_multiply(const cn_soft_mat *turn, const cn_soft_mat *m)
{
    return (cn_soft_mat){cn_soft_mat_apply(turn, m->cx), cn_soft_mat_apply(turn, m->cy),
        cn_soft_mat_apply(turn, m->cz)};
}

static struct turned
find_turn(const struct cn_soft_joint3 *j, const struct cn_soft_at3 *at)
{
    struct turned t = {
        .a = cn_soft_mat_multiply(&at->a.turn, &j->frame_a),
        .b = cn_soft_mat_multiply(&at->b.turn, &j->frame_b),
        .w = cn_soft_sub(at->b.w, at->a.w),
    };
    const vec axis[] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
    vec column[3];
    for (int k = 0; k < 3; k++) {
        column[k] = cn_soft_add(cn_soft_give(&at->a, j->inertia_a, axis[k]),
            cn_soft_give(&at->b, j->inertia_b, axis[k]));
    }
    t.K[0] = column[0].x;
    t.K[1] = column[1].y;
    t.K[2] = column[2].z;
    t.K[3] = column[1].x;
    t.K[4] = column[2].y;
    t.K[5] = column[0].z;
    return t;
}

/* The sum of a_k x b_k is 2 n sin q, and the sum of a_k . b_k is 1 + 2 cos q. */
cn_soft_vec
cn_soft_rotation(const cn_soft_mat *a, const cn_soft_mat *b)
{
    vec sum = cn_soft_add(cn_soft_cross(a->cx, b->cx), cn_soft_cross(a->cy, b->cy));
    sum = cn_soft_add(sum, cn_soft_cross(a->cz, b->cz));
    float trace =
        cn_soft_dot(a->cx, b->cx) + cn_soft_dot(a->cy, b->cy) + cn_soft_dot(a->cz, b->cz);
    float sine = 0.5f * sqrtf(cn_soft_dot(sum, sum)), cosine = 0.5f * (trace - 1.0f);
    float angle = (float)cn_atan2((double)sine, (double)cosine);
    return cn_soft_scale(sum, 0.5f * (sine > CN_SOFT_SINE_MIN ? angle / sine : 1.0f));
}

struct cn_soft_twist
cn_soft_twist_make(const cn_soft_mat *a, const cn_soft_mat *b, double before)
{
    float x = cn_soft_dot(a->cy, b->cy) + cn_soft_dot(a->cz, b->cz);
    float y = cn_soft_dot(a->cz, b->cy) - cn_soft_dot(a->cy, b->cz);
    double angle = cn_atan2((double)y, (double)x), turn = 2.0 * CN_PI;
    double length = sqrt(cn_max((double)x * (double)x + (double)y * (double)y, 1e-12));
    return (struct cn_soft_twist){
        .angle = angle + turn * floor((before - angle) / turn + 0.5),
        .cosine = (float)((double)x / length),
        .sine = (float)((double)y / length),
    };
}

/* (u + v) / (1 + u . v); 0 where the twist is not defined. */
static vec
twist_row(const struct turned *t)
{
    float most = 1.0f + cn_soft_dot(t->a.cx, t->b.cx);
    float scale = most > CN_SOFT_TWIST_MIN ? 1.0f / most : 0.0f;
    return cn_soft_scale(cn_soft_add(t->a.cx, t->b.cx), scale);
}

/* -n, with sin s in *sine; 0 where the swing has no direction. */
static vec
cone_row(const struct turned *t, float *sine)
{
    vec row = cn_soft_cross(t->b.cx, t->a.cx);
    *sine = sqrtf(cn_soft_dot(row, row));
    return cn_soft_scale(row, *sine > CN_SOFT_SINE_MIN ? 1.0f / *sine : 0.0f);
}

/* ---- the start of a tick ---- */

struct cn_soft_turn
cn_soft_turn_make(const struct cn_impulse_joint_job *job, int index, const cn_soft_mat *a,
    const cn_soft_mat *b, float trace)
{
    CN_ASSERT(0 <= index && index < job->model->joint_count);
    const struct cn_joint *joint = &job->model->joint[index];
    struct cn_joint_state *state = &job->model->joint_state[index];
    float h = job->tick->h;
    struct cn_soft_turn turn = {
        .has_lower = joint->has_limit && isfinite(joint->lower),
        .has_upper = joint->has_limit && isfinite(joint->upper),
        .has_cone = joint->has_cone,
        .has_spring = joint->has_spring,
        .impulse_max = h * (float)joint->friction,
        .cone = (float)joint->cone,
    };
    turn.lower = turn.has_lower ? (float)joint->lower : 0.0f;
    turn.upper = turn.has_upper ? (float)joint->upper : 0.0f;
    turn.acts = joint->has_limit || joint->has_cone || joint->has_spring || joint->friction > 0.0;
    if (joint->has_limit) {
        struct cn_soft_twist twist = cn_soft_twist_make(a, b, state->place);
        state->place = twist.angle;
        turn.twist = (struct cn_soft_twist){twist.angle, twist.cosine, twist.sine};
    }
    if (joint->has_spring) {
        float k = (float)joint->stiffness, s = h * h * k * trace; /* at least the largest s */
        turn.spring_push = h * k;
        turn.spring_drag = h * ((float)joint->damping + s / (1.0f + s) * h * k);
        turn.stretch = cn_soft_rotation(a, b);
        turn.spring = cn_soft_scale(turn.stretch, -turn.spring_push);
    }
    return turn;
}

void
cn_soft_turn_prepare(
    const struct cn_impulse_joint_job *job, struct cn_soft_joint3 *j, float trace)
{
    j->turn = cn_soft_turn_make(job, j->index, &j->frame_a, &j->frame_b, trace);
}

/* ---- passes ---- */

static void
apply_turn(const struct cn_soft_joint3 *j, vec impulse, struct cn_soft_at3 *at)
{
    at->a.w = cn_soft_sub(at->a.w, cn_soft_give(&at->a, j->inertia_a, impulse));
    at->b.w = cn_soft_add(at->b.w, cn_soft_give(&at->b, j->inertia_b, impulse));
}

void
cn_soft_turn_push(const struct cn_soft_joint3 *j, struct cn_soft_at3 *at)
{
    struct turned t = find_turn(j, at);
    const float *impulse = j->impulse;
    float sine;
    vec friction = cn_soft_vec_of(&impulse[CN_JOINT_PART_FRICTION]);
    vec sum = cn_soft_add(j->turn.spring, cn_soft_mat_apply(&t.a, friction));
    float twist = impulse[CN_JOINT_PART_LOWER] - impulse[CN_JOINT_PART_UPPER];
    sum = cn_soft_add_scaled(sum, twist, twist_row(&t));
    sum = cn_soft_add_scaled(sum, impulse[CN_JOINT_PART_CONE], cone_row(&t, &sine));
    apply_turn(j, sum, at);
}

/* Adds an impulse: the relative spin changes by K times it. */
static void
grow(vec impulse, struct turned *t, vec *sum)
{
    *sum = cn_soft_add(*sum, impulse);
    t->w = cn_soft_add(t->w, cn_soft_inertia_apply(t->K, impulse));
}

/* Solves (one + scale K) x = r. */
static vec
solve_block(const struct turned *t, float one, float scale, vec r)
{
    const float *m = t->K;
    float K[CN_SOFT_HOLD_MAX][CN_SOFT_HOLD_MAX] = {
        {one + scale * m[0]},
        {scale * m[3], one + scale * m[1]},
        {scale * m[5], scale * m[4], one + scale * m[2]},
    };
    float x[CN_SOFT_HOLD_MAX] = {r.x, r.y, r.z};
    cn_soft_block_solve(3, K, x);
    return cn_soft_vec_of(x);
}

static void
solve_spring(struct cn_soft_turn *turn, bool use_bias, struct turned *t, vec *sum)
{
    if (use_bias) {
        turn->stretch = cn_soft_rotation(&t->a, &t->b);
    }
    vec off = cn_soft_add_scaled(turn->spring, turn->spring_push, turn->stretch);
    off = cn_soft_add_scaled(off, turn->spring_drag, t->w);
    vec grown = solve_block(t, 1.0f, turn->spring_drag, cn_soft_scale(off, -1.0f));
    turn->spring = cn_soft_add(turn->spring, grown);
    grow(grown, t, sum);
}

static float
bounded(float value, float most)
{
    return value > most ? most : value < -most ? -most : value;
}

/* All components at once; then one by one, because a bound on one changes the others. */
static void
solve_friction(float most, float *friction, struct turned *t, vec *sum)
{
    vec stop = solve_block(t, 0.0f, 1.0f, cn_soft_scale(t->w, -1.0f));
    const vec axis[] = {t->a.cx, t->a.cy, t->a.cz};
    vec grown = {0.0f, 0.0f, 0.0f};
    for (int k = 0; k < 3; k++) {
        float old = friction[k];
        friction[k] = bounded(old + cn_soft_dot(axis[k], stop), most);
        grown = cn_soft_add_scaled(grown, friction[k] - old, axis[k]);
    }
    grow(grown, t, sum);
    for (int k = 0; k < 3; k++) {
        float K = cn_soft_dot(axis[k], cn_soft_inertia_apply(t->K, axis[k])), old = friction[k];
        float wanted = K > 0.0f ? cn_soft_dot(axis[k], t->w) / K : 0.0f;
        friction[k] = bounded(old - wanted, most);
        grow(cn_soft_scale(axis[k], friction[k] - old), t, sum);
    }
}

/* Solves a limit at the distance `way`, whose rate is the row times w. */
static void
solve_limit(const struct cn_impulse_joint_job *job, bool use_bias, vec row, float way,
    struct turned *t, vec *sum, float *impulse)
{
    float K = cn_soft_dot(row, cn_soft_inertia_apply(t->K, row));
    if (!(K > 0.0f)) {
        return;
    }
    float grown = cn_soft_limit_solve(
        job->tick, &job->soft, use_bias, way, cn_soft_dot(row, t->w), K, impulse);
    grow(cn_soft_scale(row, grown), t, sum);
}

/* Lets the turn meet the answer of a thin ball's point. */
static void
yield_to(const struct cn_soft_yield *yield, struct turned *t)
{
    const vec *less = yield->K;
    const float off[6] = {less[0].x, less[1].y, less[2].z, less[1].x, less[2].y, less[0].z};
    for (int k = 0; k < 6; k++) {
        t->K[k] = cn_soft_thin_rest(t->K[k], off[k]);
    }
    t->w = cn_soft_add(t->w, yield->w);
}

void
cn_soft_turn_solve(const struct cn_impulse_joint_job *job, struct cn_soft_joint3 *j, bool use_bias,
    const struct cn_soft_yield *yield, struct cn_soft_at3 *at)
{
    struct cn_soft_turn *turn = &j->turn;
    struct turned t = find_turn(j, at);
    if (yield != NULL) {
        yield_to(yield, &t);
    }
    vec sum = {0.0f, 0.0f, 0.0f};
    if (turn->has_spring) {
        solve_spring(turn, use_bias, &t, &sum);
    }
    if (turn->impulse_max > 0.0f) {
        solve_friction(turn->impulse_max, &j->impulse[CN_JOINT_PART_FRICTION], &t, &sum);
    }
    if (turn->has_lower || turn->has_upper) {
        float twist = (float)cn_soft_twist_make(&t.a, &t.b, turn->twist.angle).angle;
        vec row = twist_row(&t);
        if (turn->has_lower) {
            solve_limit(job, use_bias, row, twist - turn->lower, &t, &sum,
                &j->impulse[CN_JOINT_PART_LOWER]);
        }
        if (turn->has_upper) {
            solve_limit(job, use_bias, cn_soft_scale(row, -1.0f), turn->upper - twist, &t, &sum,
                &j->impulse[CN_JOINT_PART_UPPER]);
        }
    }
    if (turn->has_cone) {
        float sine;
        vec row = cone_row(&t, &sine);
        float swing = (float)cn_atan2((double)sine, (double)cn_soft_dot(t.a.cx, t.b.cx));
        solve_limit(job, use_bias, row, turn->cone - swing, &t, &sum,
            &j->impulse[CN_JOINT_PART_CONE]);
    }
    apply_turn(j, sum, at);
}
