/*
 * impulse_joint_lanes_ball.h: balls in space whose turn is not free, LANES at once.
 *
 * It is impulse_joint_turn.c in lanes; limits, springs and friction that a joint does not have are
 * far away, or 0.
 */
#ifndef ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_LANES_BALL_H
#define ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_LANES_BALL_H

#include "engine/solve/joints/impulse_joint_lanes3.h"

/* The present turn, and the rows of twist and cone. */
struct joint_ball {
    struct wide3 a[3], b[3]; /* the frames */
    struct wide3 twist, cone;
    cn_wide sine, cosine; /* of the swing */
};

static inline struct joint_ball
joint_ball_of(const float *block, const struct joint_pair3 *p)
{
    struct joint_ball ball;
    for (int k = 0; k < 3; k++) {
        ball.a[k] = joint_turn(&p->a, wide3_get(block, BALL3_FRAME_A + 3 * k));
        ball.b[k] = joint_turn(&p->b, wide3_get(block, BALL3_FRAME_B + 3 * k));
    }
    struct wide3 u = ball.a[0], v = ball.b[0], across = wide3_cross(v, u);
    ball.cosine = wide3_dot(u, v);
    ball.sine = wide_sqrt(wide3_dot(across, across));
    cn_wide one = wide_splat(1.0f), most = one + ball.cosine;
    cn_wide_mask swings = wide_greater(ball.sine, wide_splat(CN_SOFT_SINE_MIN));
    cn_wide_mask twists = wide_greater(most, wide_splat(CN_SOFT_TWIST_MIN));
    ball.twist = wide3_scale(wide3_add(u, v), wide_keep(twists, one / most));
    ball.cone = wide3_scale(across, wide_keep(swings, one / ball.sine));
    return ball;
}

/* The rotation vector from A's frame to B's. */
static inline struct wide3
joint_ball_rotation(const struct joint_ball *ball)
{
    struct wide3 sum = wide3_cross(ball->a[0], ball->b[0]);
    sum = wide3_add(sum, wide3_cross(ball->a[1], ball->b[1]));
    sum = wide3_add(sum, wide3_cross(ball->a[2], ball->b[2]));
    cn_wide trace = ball->cosine + wide3_dot(ball->a[1], ball->b[1]) +
                    wide3_dot(ball->a[2], ball->b[2]);
    cn_wide half = wide_splat(0.5f), one = wide_splat(1.0f);
    cn_wide sine = half * wide_sqrt(wide3_dot(sum, sum)), cosine = half * (trace - one);
    cn_wide angle = joint_angle(cosine, sine);
    cn_wide_mask turns = wide_greater(sine, wide_splat(CN_SOFT_SINE_MIN));
    return wide3_scale(sum, half * wide_select(turns, angle / sine, one));
}

/* The twist; it is counted from that at the start of the tick. */
static inline cn_wide
joint_ball_twist(const float *block, const struct joint_ball *ball)
{
    cn_wide x = wide3_dot(ball->a[1], ball->b[1]) + wide3_dot(ball->a[2], ball->b[2]);
    cn_wide y = wide3_dot(ball->a[2], ball->b[1]) - wide3_dot(ball->a[1], ball->b[2]);
    cn_wide inverse = lanes_inverse(wide_sqrt(x * x + y * y));
    cn_wide c = joint_get(block, BALL3_TWIST_COSINE), s = joint_get(block, BALL3_TWIST_SINE);
    cn_wide cosine = (x * c + y * s) * inverse, sine = (y * c - x * s) * inverse;
    return joint_get(block, BALL3_TWIST) + joint_angle(cosine, sine);
}

/* The state of a pass: the relative spin, and the sum of impulses that changed it by K. */
struct joint_ball_state {
    struct wide_inertia K;
    struct wide3 w, sum;
};

static inline void
joint_ball_grow(struct joint_ball_state *state, struct wide3 impulse)
{
    state->sum = wide3_add(state->sum, impulse);
    state->w = wide3_add(state->w, wide3_spin(&state->K, impulse));
}

static inline void
joint_ball_spring(float *block, const struct joint_ball *ball, bool use_bias,
    struct joint_ball_state *state)
{
    if (use_bias) {
        wide3_put(block, BALL3_STRETCH, joint_ball_rotation(ball));
    }
    cn_wide drag = joint_get(block, BALL3_DRAG), one = wide_splat(1.0f);
    struct wide3 old = wide3_get(block, BALL3_SPRING_IMPULSE);
    struct wide3 off =
        wide3_add_scaled(old, joint_get(block, BALL3_PUSH), wide3_get(block, BALL3_STRETCH));
    off = wide3_add_scaled(off, drag, state->w);
    const struct wide_inertia *m = &state->K;
    struct wide_inertia K = {one + drag * m->xx, one + drag * m->yy, one + drag * m->zz,
        drag * m->xy, drag * m->yz, drag * m->zx};
    struct wide3 grown = wide3_scale(joint_solve3(&K, off), wide_splat(-1.0f));
    wide3_put(block, BALL3_SPRING_IMPULSE, wide3_add(old, grown));
    joint_ball_grow(state, grown);
}

static inline void
joint_ball_friction(float *block, const struct joint_ball *ball, struct joint_ball_state *state)
{
    cn_wide most = joint_get(block, BALL3_FRICTION_MAX);
    struct wide3 stop = joint_solve3(&state->K, state->w);
    struct wide3 grown = {wide_zero(), wide_zero(), wide_zero()};
    for (int k = 0; k < 3; k++) {
        cn_wide old = joint_get(block, BALL3_FRICTION_IMPULSE + k);
        cn_wide now = wide_clamp(old - wide3_dot(ball->a[k], stop), -most, most);
        joint_put(block, BALL3_FRICTION_IMPULSE + k, now);
        grown = wide3_add_scaled(grown, now - old, ball->a[k]);
    }
    joint_ball_grow(state, grown);
    for (int k = 0; k < 3; k++) {
        cn_wide old = joint_get(block, BALL3_FRICTION_IMPULSE + k);
        cn_wide K = wide3_dot(ball->a[k], wide3_spin(&state->K, ball->a[k]));
        cn_wide wanted = wide3_dot(ball->a[k], state->w) * lanes_inverse(K);
        cn_wide now = wide_clamp(old - wanted, -most, most);
        joint_put(block, BALL3_FRICTION_IMPULSE + k, now);
        joint_ball_grow(state, wide3_scale(ball->a[k], now - old));
    }
}

/* A limit of the row, whose impulse is in a field. */
static inline void
joint_ball_limit(const struct cn_impulse_joint_job *job, float *block, bool use_bias,
    struct wide3 row, cn_wide way, int field, struct joint_ball_state *state)
{
    cn_wide mass = lanes_inverse(wide3_dot(row, wide3_spin(&state->K, row)));
    cn_wide old = joint_get(block, field), rate = wide3_dot(row, state->w);
    cn_wide now = joint_limit(job, use_bias, way, rate, mass, old);
    joint_put(block, field, now);
    joint_ball_grow(state, wide3_scale(row, now - old));
}

/* The torque of all impulses but that of the point. */
static inline struct wide3
joint_ball_torque(const float *block, const struct joint_ball *ball)
{
    struct wide3 t = wide3_get(block, BALL3_SPRING_IMPULSE);
    for (int k = 0; k < 3; k++) {
        t = wide3_add_scaled(t, joint_get(block, BALL3_FRICTION_IMPULSE + k), ball->a[k]);
    }
    cn_wide twist =
        joint_get(block, BALL3_LOWER_IMPULSE) - joint_get(block, BALL3_UPPER_IMPULSE);
    t = wide3_add_scaled(t, twist, ball->twist);
    return wide3_add_scaled(t, joint_get(block, BALL3_CONE_IMPULSE), ball->cone);
}

static inline void
joint_ball3(const struct cn_impulse_joint_job *job, float *block, struct joint_pair3 *p,
    const struct joint_ball *ball, bool use_bias)
{
    const struct wide_inertia *a = &p->a.inertia, *b = &p->b.inertia;
    struct joint_ball_state state = {
        .K = {a->xx + b->xx, a->yy + b->yy, a->zz + b->zz, a->xy + b->xy, a->yz + b->yz,
            a->zx + b->zx},
        .w = wide3_sub(p->b.w, p->a.w),
        .sum = {wide_zero(), wide_zero(), wide_zero()},
    };
    joint_ball_spring(block, ball, use_bias, &state);
    joint_ball_friction(block, ball, &state);
    cn_wide twist = joint_ball_twist(block, ball);
    joint_ball_limit(job, block, use_bias, ball->twist, twist - joint_get(block, BALL3_LOWER),
        BALL3_LOWER_IMPULSE, &state);
    joint_ball_limit(job, block, use_bias, wide3_scale(ball->twist, wide_splat(-1.0f)),
        joint_get(block, BALL3_UPPER) - twist, BALL3_UPPER_IMPULSE, &state);
    cn_wide swing = joint_angle(ball->cosine, ball->sine);
    joint_ball_limit(job, block, use_bias, ball->cone, joint_get(block, BALL3_CONE) - swing,
        BALL3_CONE_IMPULSE, &state);
    joint_twist3(p, state.sum);
}

/* ---- passes ---- */

static void
ball3_warm_start(const struct cn_impulse_joint_job *job, float *block)
{
    struct joint_pair3 p;
    joint_read3(job, block, &p);
    struct joint_ball ball = joint_ball_of(block, &p);
    joint_twist3(&p, joint_ball_torque(block, &ball));
    joint_push3(&p, wide3_get(block, POINT3_IMPULSE));
    joint_write3(job, block, &p);
}

static void
ball3_solve(const struct cn_impulse_joint_job *job, float *block)
{
    struct joint_pair3 p;
    joint_read3(job, block, &p);
    struct joint_ball ball = joint_ball_of(block, &p);
    joint_ball3(job, block, &p, &ball, true);
    joint_point3(job, block, &p, true);
    joint_note_spins3(block, &p, joint_ball_torque(block, &ball));
    joint_write3(job, block, &p);
}

static void
ball3_relax(const struct cn_impulse_joint_job *job, float *block)
{
    struct joint_pair3 p;
    joint_read3(job, block, &p);
    struct joint_ball ball = joint_ball_of(block, &p);
    if (job->carry != NULL) {
        joint_carry_spins3(job, block, &p, joint_ball_torque(block, &ball));
    }
    joint_ball3(job, block, &p, &ball, false);
    joint_point3(job, block, &p, false);
    joint_tally(block, POINT3_IMPULSE, POINT3_TOTAL, 3);
    joint_tally(block, BALL3_FRICTION_IMPULSE, BALL3_FRICTION_TOTAL, 6);
    joint_write3(job, block, &p);
}

#endif
