/*
 * impulse_joint_lanes.h: the source of the joints' kernels, over wide.h: the part for both
 * dimensions.
 */
#ifndef ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_LANES_H
#define ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_LANES_H

#include "engine/solve/impulse/impulse_lanes.h"
#include "engine/solve/joints/impulse_joint_wide.h"

#define FIELD(block, field) ((block) + (size_t)(field) * LANES)

static inline cn_wide
joint_get(const float *block, int field)
{
    return wide_load(FIELD(block, field));
}

static inline void
joint_put(float *block, int field, cn_wide value)
{
    wide_store(FIELD(block, field), value);
}

static inline const int32_t *
joint_bodies(const float *block, int field)
{
    return (const int32_t *)(const void *)FIELD(block, field);
}

/* The softness of the rows that hold, in a pass. */
struct joint_soft {
    cn_wide bias_rate, lag_rate, mass_scale, impulse_scale;
};

static inline struct joint_soft
joint_soft_of(const struct cn_impulse_joint_job *job, bool use_bias)
{
    return (struct joint_soft){
        .bias_rate = wide_splat(use_bias ? job->soft.bias_rate : 0.0f),
        .lag_rate = wide_splat(use_bias ? job->tick->inverse_h : 0.0f),
        .mass_scale = wide_splat(use_bias ? job->soft.mass_scale : 1.0f),
        .impulse_scale = wide_splat(use_bias ? job->soft.impulse_scale : 0.0f),
    };
}

/* cn_soft_lag, given h^2 w^2. */
static inline cn_wide
joint_lag(cn_wide square)
{
    return wide_splat(-0.5f) * wide_min(square, wide_splat(1.0f));
}

/*
 * The angle of a turn in [-pi, pi], given its cosine and sine, which are those of a unit vector.
 * It is twice the angle of (1 + cosine, sine), by a polynomial whose error is below 3e-8 rad
 * (Abramowitz and Stegun, 4.4.49).  Small angles keep their relative accuracy.
 */
static inline cn_wide
joint_angle(cn_wide cosine, cn_wide sine)
{
    cn_wide x = wide_max(wide_splat(1.0f) + cosine, wide_splat(1e-12f)), y = wide_abs(sine);
    cn_wide_mask steep = wide_greater(y, x);
    cn_wide q = wide_min(x, y) / wide_max(x, y), z = q * q;
    cn_wide p = wide_splat(0.0028662257f);
    p = p * z + wide_splat(-0.0161657367f);
    p = p * z + wide_splat(0.0429096138f);
    p = p * z + wide_splat(-0.0752896400f);
    p = p * z + wide_splat(0.1065626393f);
    p = p * z + wide_splat(-0.1420889944f);
    p = p * z + wide_splat(0.1999355085f);
    p = p * z + wide_splat(-0.3333314528f);
    p = p * z * q + q;
    p = wide_select(steep, wide_splat(1.57079633f) - p, p);
    p = p + p;
    return wide_select(wide_greater(wide_zero(), sine), -p, p);
}

/* The fields of CN_WIDE_JOINT_FREE from ANGLE on. */
#define X(name) FREE_##name,
enum { CN_WIDE_JOINT_FREE(X) };
#undef X

/*
 * Solves a limit at the distance `way`, which changes at `rate`; mass is 1 / K.  Returns its new
 * impulse.
 */
static inline cn_wide
joint_limit(const struct cn_impulse_joint_job *job, bool use_bias, cn_wide way, cn_wide rate,
    cn_wide mass, cn_wide old)
{
    cn_wide_mask apart = wide_greater(way, wide_zero());
    cn_wide bias = wide_select(apart, way * wide_splat(job->tick->inverse_h),
        way * wide_splat(use_bias ? job->soft.bias_rate : 0.0f));
    cn_wide one = wide_splat(1.0f);
    cn_wide mass_scale = one, impulse_scale = wide_zero();
    if (use_bias) {
        mass_scale = wide_select(apart, one, wide_splat(job->soft.mass_scale));
        impulse_scale = wide_select(apart, wide_zero(), wide_splat(job->soft.impulse_scale));
    }
    return wide_max(old - mass_scale * (rate + bias) * mass - impulse_scale * old, wide_zero());
}

/*
 * One pass over the free coordinate, as in cn_soft_free_solve, given q, its rate and its effective
 * inverse mass K.  `free` is the block's field ANGLE.  Returns the change of the impulse along it.
 */
static inline cn_wide
joint_free_solve(const struct cn_impulse_joint_job *job, bool use_bias, float *free, cn_wide q,
    cn_wide rate, cn_wide K)
{
    cn_wide_mask moves = wide_greater(K, wide_zero());
    cn_wide mass = lanes_inverse(K), one = wide_splat(1.0f);
    cn_wide stretch = joint_get(free, FREE_STRETCH), drag = joint_get(free, FREE_DRAG);
    if (use_bias) {
        stretch = q - joint_get(free, FREE_REST);
        joint_put(free, FREE_STRETCH, stretch);
    }
    cn_wide spring = joint_get(free, FREE_SPRING_IMPULSE);
    cn_wide pull = spring + joint_get(free, FREE_PUSH) * stretch + drag * rate;
    cn_wide sum = wide_keep(moves, -pull / (one + drag * K));
    joint_put(free, FREE_SPRING_IMPULSE, spring + sum);

    cn_wide motor = joint_get(free, FREE_MOTOR_IMPULSE);
    cn_wide most = joint_get(free, FREE_MOTOR_MAX);
    cn_wide off = rate + K * sum - joint_get(free, FREE_SPEED);
    cn_wide now = wide_clamp(motor - off * mass, -most, most);
    joint_put(free, FREE_MOTOR_IMPULSE, now);
    sum = sum + (now - motor);

    cn_wide lower = joint_get(free, FREE_LOWER_IMPULSE);
    now = joint_limit(job, use_bias, q - joint_get(free, FREE_LOWER), rate + K * sum, mass, lower);
    joint_put(free, FREE_LOWER_IMPULSE, now);
    sum = sum + (now - lower);

    cn_wide upper = joint_get(free, FREE_UPPER_IMPULSE);
    now = joint_limit(
        job, use_bias, joint_get(free, FREE_UPPER) - q, -(rate + K * sum), mass, upper);
    joint_put(free, FREE_UPPER_IMPULSE, now);
    return sum - (now - upper);
}

/* The sum of the impulses along the free coordinate. */
static inline cn_wide
joint_free_sum(const float *free)
{
    return joint_get(free, FREE_LOWER_IMPULSE) - joint_get(free, FREE_UPPER_IMPULSE) +
           joint_get(free, FREE_MOTOR_IMPULSE) + joint_get(free, FREE_SPRING_IMPULSE);
}

/*
 * Adds `change` to one number of each body's carry, `at` floats after the beginning of its record.
 */
static inline void
joint_carry(const struct cn_impulse_joint_job *job, const int32_t *offset, size_t body_size,
    size_t carry_size, size_t at, cn_wide change)
{
    _Alignas(64) float lane[LANES];
    wide_store(lane, change);
    for (int k = 0; k < LANES; k++) {
        if (offset[k] >= 0) {
            size_t index = (size_t)offset[k] / body_size;
            float *carry = (float *)(void *)((char *)job->carry + index * carry_size);
            carry[at] = carry[at] + lane[k];
        }
    }
}

/* Adds `count` impulses, from field `impulse` on, to the totals from field `total` on. */
static inline void
joint_tally(float *block, int impulse, int total, int count)
{
    for (int k = 0; k < count; k++) {
        joint_put(block, total + k, joint_get(block, total + k) + joint_get(block, impulse + k));
    }
}

#endif
