/*
 * impulse_joint_lanes2.h: points and hinges of the plane, LANES at once.
 *
 * impulse_joint_planar.c does the same for one joint.
 */
#ifndef ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_LANES2_H
#define ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_LANES2_H

#include "engine/solve/joints/impulse_joint_lanes.h"

struct joint_end2 {
    cn_wide vx, vy, w, spare;
    cn_wide dx, dy, cosine, sine;
    cn_wide rx, ry; /* the present arm */
    cn_wide mass, inertia;
    unsigned fixed;
};

struct joint_pair2 {
    struct joint_end2 a, b;
};

static const _Alignas(32) struct cn_impulse_body2 joint_ground2 = {.cosine = 1.0f};

static inline void
joint_read_end2(const struct cn_impulse_joint_job *job, const float *block, int body, int arm,
    int mass, int inertia, struct joint_end2 *end)
{
    const int32_t *offset = joint_bodies(block, body);
    cn_wide v[4], d[4];
    end->fixed = wide_bits(wide_negative(offset));
    lanes_rows(job->body, offset, end->fixed, &joint_ground2, 0, v);
    lanes_rows(job->body, offset, end->fixed, &joint_ground2, 16, d);
    end->vx = v[0];
    end->vy = v[1];
    end->w = v[2];
    end->spare = v[3];
    end->dx = d[0];
    end->dy = d[1];
    end->cosine = d[2];
    end->sine = d[3];
    cn_wide x = joint_get(block, arm), y = joint_get(block, arm + 1);
    end->rx = d[2] * x - d[3] * y;
    end->ry = d[3] * x + d[2] * y;
    end->mass = joint_get(block, mass);
    end->inertia = joint_get(block, inertia);
}

static inline void
joint_read2(const struct cn_impulse_joint_job *job, const float *block, struct joint_pair2 *p)
{
    joint_read_end2(
        job, block, POINT2_A, POINT2_ARM_A, POINT2_MASS_A, POINT2_INERTIA_A, &p->a);
    joint_read_end2(
        job, block, POINT2_B, POINT2_ARM_B, POINT2_MASS_B, POINT2_INERTIA_B, &p->b);
}

static inline void
joint_write2(const struct cn_impulse_joint_job *job, const float *block, struct joint_pair2 *p)
{
    cn_wide a[4] = {p->a.vx, p->a.vy, p->a.w, p->a.spare};
    cn_wide b[4] = {p->b.vx, p->b.vy, p->b.w, p->b.spare};
    lanes_rows_store(job->body, joint_bodies(block, POINT2_A), p->a.fixed, 0, a);
    lanes_rows_store(job->body, joint_bodies(block, POINT2_B), p->b.fixed, 0, b);
}

/* Applies an impulse to B's point, and the opposite one to A's. */
static inline void
joint_push2(struct joint_pair2 *p, cn_wide x, cn_wide y)
{
    p->a.vx = p->a.vx - p->a.mass * x;
    p->a.vy = p->a.vy - p->a.mass * y;
    p->a.w = p->a.w - p->a.inertia * (p->a.rx * y - p->a.ry * x);
    p->b.vx = p->b.vx + p->b.mass * x;
    p->b.vy = p->b.vy + p->b.mass * y;
    p->b.w = p->b.w + p->b.inertia * (p->b.rx * y - p->b.ry * x);
}

static inline void
joint_twist2(struct joint_pair2 *p, cn_wide impulse)
{
    p->a.w = p->a.w - p->a.inertia * impulse;
    p->b.w = p->b.w + p->b.inertia * impulse;
}

/*
 * The bias of the point rows: from the gap between the points, and from its change in a substep
 * beyond the rate.
 */
static inline void
joint_bias2(const struct cn_impulse_joint_job *job, const float *block, const struct joint_pair2 *p,
    const struct joint_soft *soft, cn_wide bias[2])
{
    cn_wide turned_ax = p->a.rx - joint_get(block, POINT2_ARM_A);
    cn_wide turned_ay = p->a.ry - joint_get(block, POINT2_ARM_A + 1);
    cn_wide turned_bx = p->b.rx - joint_get(block, POINT2_ARM_B);
    cn_wide turned_by = p->b.ry - joint_get(block, POINT2_ARM_B + 1);
    cn_wide x = joint_get(block, POINT2_APART) + (p->b.dx - p->a.dx) + (turned_bx - turned_ax);
    cn_wide y = joint_get(block, POINT2_APART + 1) + (p->b.dy - p->a.dy) + (turned_by - turned_ay);
    cn_wide h = wide_splat(job->tick->h), turn_a = h * p->a.w, turn_b = h * p->b.w;
    cn_wide lag_a = joint_lag(turn_a * turn_a), lag_b = joint_lag(turn_b * turn_b);
    bias[0] = soft->bias_rate * x + soft->lag_rate * (lag_b * p->b.rx - lag_a * p->a.rx);
    bias[1] = soft->bias_rate * y + soft->lag_rate * (lag_b * p->b.ry - lag_a * p->a.ry);
}

static inline void
joint_point2(const struct cn_impulse_joint_job *job, float *block, struct joint_pair2 *p,
    bool use_bias)
{
    struct joint_soft soft = joint_soft_of(job, use_bias);
    cn_wide x = (p->b.vx - p->b.w * p->b.ry) - (p->a.vx - p->a.w * p->a.ry);
    cn_wide y = (p->b.vy + p->b.w * p->b.rx) - (p->a.vy + p->a.w * p->a.rx);
    if (use_bias) {
        cn_wide bias[2];
        joint_bias2(job, block, p, &soft, bias);
        x = x + bias[0];
        y = y + bias[1];
    }
    cn_wide mass = p->a.mass + p->b.mass;
    cn_wide ax = p->a.inertia * p->a.rx, ay = p->a.inertia * p->a.ry;
    cn_wide bx = p->b.inertia * p->b.rx, by = p->b.inertia * p->b.ry;
    cn_wide xx = mass + ay * p->a.ry + by * p->b.ry;
    cn_wide yy = mass + ax * p->a.rx + bx * p->b.rx;
    cn_wide xy = -(ax * p->a.ry + bx * p->b.ry);
    cn_wide inverse = lanes_inverse(xx * yy - xy * xy);
    cn_wide old_x = joint_get(block, POINT2_IMPULSE), old_y = joint_get(block, POINT2_IMPULSE + 1);
    cn_wide grown_x = -soft.mass_scale * ((yy * x - xy * y) * inverse) - soft.impulse_scale * old_x;
    cn_wide grown_y = -soft.mass_scale * ((xx * y - xy * x) * inverse) - soft.impulse_scale * old_y;
    joint_put(block, POINT2_IMPULSE, old_x + grown_x);
    joint_put(block, POINT2_IMPULSE + 1, old_y + grown_y);
    joint_push2(p, grown_x, grown_y);
}

/* The changes of the bodies' spins by the impulse at the present arms. */
static inline void
joint_spins2(const float *block, const struct joint_pair2 *p, cn_wide spin[2])
{
    cn_wide x = joint_get(block, POINT2_IMPULSE), y = joint_get(block, POINT2_IMPULSE + 1);
    spin[0] = -p->a.inertia * (p->a.rx * y - p->a.ry * x);
    spin[1] = p->b.inertia * (p->b.rx * y - p->b.ry * x);
}

static inline void
joint_note_spins2(float *block, const struct joint_pair2 *p)
{
    cn_wide spin[2];
    joint_spins2(block, p, spin);
    joint_put(block, POINT2_SPIN_A, spin[0]);
    joint_put(block, POINT2_SPIN_B, spin[1]);
}

/*
 * Corrects carry by the turn of the arms since the pass with bias: then the bodies carry the
 * impulse at the present arms into the next substep.
 */
static inline void
joint_carry_spins2(
    const struct cn_impulse_joint_job *job, const float *block, const struct joint_pair2 *p)
{
    const size_t body = sizeof(struct cn_impulse_body2), carry = sizeof(struct cn_impulse_carry2);
    if (job->carry == NULL) {
        return;
    }
    cn_wide spin[2];
    joint_spins2(block, p, spin);
    joint_carry(job, joint_bodies(block, POINT2_A), body, carry, 2,
        joint_get(block, POINT2_SPIN_A) - spin[0]);
    joint_carry(job, joint_bodies(block, POINT2_B), body, carry, 2,
        joint_get(block, POINT2_SPIN_B) - spin[1]);
}

static inline void
joint_hinge2(const struct cn_impulse_joint_job *job, float *block, struct joint_pair2 *p,
    bool use_bias)
{
    float *free = FIELD(block, HINGE2_ANGLE);
    cn_wide cosine = p->a.cosine * p->b.cosine + p->a.sine * p->b.sine;
    cn_wide sine = p->a.cosine * p->b.sine - p->a.sine * p->b.cosine;
    cn_wide sign = joint_get(block, HINGE2_SIGN);
    cn_wide q = joint_get(block, HINGE2_ANGLE) + sign * joint_angle(cosine, sine);
    cn_wide rate = sign * (p->b.w - p->a.w), K = p->a.inertia + p->b.inertia;
    joint_twist2(p, sign * joint_free_solve(job, use_bias, free, q, rate, K));
}

static void
point2_warm_start(const struct cn_impulse_joint_job *job, float *block)
{
    struct joint_pair2 p;
    joint_read2(job, block, &p);
    joint_push2(&p, joint_get(block, POINT2_IMPULSE), joint_get(block, POINT2_IMPULSE + 1));
    joint_write2(job, block, &p);
}

static void
point2_solve(const struct cn_impulse_joint_job *job, float *block)
{
    struct joint_pair2 p;
    joint_read2(job, block, &p);
    joint_point2(job, block, &p, true);
    joint_note_spins2(block, &p);
    joint_write2(job, block, &p);
}

static void
point2_relax(const struct cn_impulse_joint_job *job, float *block)
{
    struct joint_pair2 p;
    joint_read2(job, block, &p);
    joint_carry_spins2(job, block, &p);
    joint_point2(job, block, &p, false);
    joint_tally(block, POINT2_IMPULSE, POINT2_TOTAL, 2);
    joint_write2(job, block, &p);
}

static void
hinge2_warm_start(const struct cn_impulse_joint_job *job, float *block)
{
    struct joint_pair2 p;
    joint_read2(job, block, &p);
    joint_push2(&p, joint_get(block, POINT2_IMPULSE), joint_get(block, POINT2_IMPULSE + 1));
    cn_wide sum = joint_free_sum(FIELD(block, HINGE2_ANGLE));
    joint_twist2(&p, joint_get(block, HINGE2_SIGN) * sum);
    joint_write2(job, block, &p);
}

static void
hinge2_solve(const struct cn_impulse_joint_job *job, float *block)
{
    struct joint_pair2 p;
    joint_read2(job, block, &p);
    joint_hinge2(job, block, &p, true);
    joint_point2(job, block, &p, true);
    joint_note_spins2(block, &p);
    joint_write2(job, block, &p);
}

static void
hinge2_relax(const struct cn_impulse_joint_job *job, float *block)
{
    struct joint_pair2 p;
    joint_read2(job, block, &p);
    joint_carry_spins2(job, block, &p);
    joint_hinge2(job, block, &p, false);
    joint_point2(job, block, &p, false);
    joint_tally(block, POINT2_IMPULSE, POINT2_TOTAL, 2);
    joint_tally(block, HINGE2_LOWER_IMPULSE, HINGE2_LOWER_TOTAL, 4);
    joint_write2(job, block, &p);
}

#endif
