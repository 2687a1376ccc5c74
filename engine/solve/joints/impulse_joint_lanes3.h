/*
 * impulse_joint_lanes3.h: balls and hinges in space, LANES at once.
 *
 * impulse_joint_spatial.c does the same for one joint, with one difference: here the swing of a
 * hinge is a block of its own, solved before the point.
 */
#ifndef ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_LANES3_H
#define ENGINE_SOLVE_JOINTS_IMPULSE_JOINT_LANES3_H

#include "engine/solve/joints/impulse_joint_lanes.h"

#include <float.h>

/* Part of a row's diagonal.  A row with a smaller pivot depends on those before it. */
#define JOINT_PIVOT_MIN 1e-6f

struct wide3 {
    cn_wide x, y, z;
};

static inline struct wide3
wide3_get(const float *block, int field)
{
    return (struct wide3){
        joint_get(block, field), joint_get(block, field + 1), joint_get(block, field + 2)};
}

static inline void
wide3_put(float *block, int field, struct wide3 v)
{
    joint_put(block, field, v.x);
    joint_put(block, field + 1, v.y);
    joint_put(block, field + 2, v.z);
}

static inline struct wide3
wide3_add(struct wide3 a, struct wide3 b)
{
    return (struct wide3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline struct wide3
wide3_sub(struct wide3 a, struct wide3 b)
{
    return (struct wide3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline struct wide3
wide3_scale(struct wide3 a, cn_wide s)
{
    return (struct wide3){a.x * s, a.y * s, a.z * s};
}

static inline struct wide3
wide3_add_scaled(struct wide3 a, cn_wide s, struct wide3 b)
{
    return (struct wide3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline cn_wide
wide3_dot(struct wide3 a, struct wide3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct wide3
wide3_cross(struct wide3 a, struct wide3 b)
{
    return (struct wide3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* A symmetric matrix. */
struct wide_inertia {
    cn_wide xx, yy, zz, xy, yz, zx;
};

static inline struct wide3
wide3_spin(const struct wide_inertia *m, struct wide3 v)
{
    return (struct wide3){
        m->xx * v.x + m->xy * v.y + m->zx * v.z,
        m->xy * v.x + m->yy * v.y + m->yz * v.z,
        m->zx * v.x + m->yz * v.y + m->zz * v.z,
    };
}

struct joint_end3 {
    struct wide3 v, w, d;
    struct wide3 turn[3]; /* columns; the turn in this tick */
    struct wide3 r;       /* the present arm */
    struct wide_inertia inertia; /* inverse, at present */
    cn_wide mass, spare;  /* spare is not used */
    unsigned fixed;
};

struct joint_pair3 {
    struct joint_end3 a, b;
};

static const _Alignas(64) struct cn_impulse_body3 joint_ground3 = {.q = {0.0f, 0.0f, 0.0f, 1.0f}};

_Static_assert(offsetof(struct cn_impulse_body3, w) == 12 &&
                   offsetof(struct cn_impulse_body3, d) == 24 &&
                   offsetof(struct cn_impulse_body3, q) == 36,
    "rows of a body: v w0, w1 w2 d0 d1, d2 q0 q1 q2, q3");

static inline struct wide3
joint_turn(const struct joint_end3 *end, struct wide3 v)
{
    struct wide3 sum = wide3_scale(end->turn[0], v.x);
    sum = wide3_add_scaled(sum, v.y, end->turn[1]);
    return wide3_add_scaled(sum, v.z, end->turn[2]);
}

static inline void
joint_turn_of(struct joint_end3 *end, cn_wide x, cn_wide y, cn_wide z, cn_wide w)
{
    cn_wide one = wide_splat(1.0f), x2 = x + x, y2 = y + y, z2 = z + z;
    cn_wide xx = x * x2, yy = y * y2, zz = z * z2, xy = x * y2, xz = x * z2, yz = y * z2;
    cn_wide wx = w * x2, wy = w * y2, wz = w * z2;
    end->turn[0] = (struct wide3){one - (yy + zz), xy + wz, xz - wy};
    end->turn[1] = (struct wide3){xy - wz, one - (xx + zz), yz + wx};
    end->turn[2] = (struct wide3){xz + wy, yz - wx, one - (xx + yy)};
}

/* Turns the inertia with the body: R m R'. */
static inline void
joint_turn_inertia(struct joint_end3 *end, const float *block, int field)
{
    struct wide_inertia m = {joint_get(block, field), joint_get(block, field + 1),
        joint_get(block, field + 2), joint_get(block, field + 3), joint_get(block, field + 4),
        joint_get(block, field + 5)};
    const struct wide3 *R = end->turn;
    struct wide3 p[3]; /* R m, by columns */
    p[0] = wide3_add_scaled(
        wide3_add_scaled(wide3_scale(R[0], m.xx), m.xy, R[1]), m.zx, R[2]);
    p[1] = wide3_add_scaled(
        wide3_add_scaled(wide3_scale(R[0], m.xy), m.yy, R[1]), m.yz, R[2]);
    p[2] = wide3_add_scaled(
        wide3_add_scaled(wide3_scale(R[0], m.zx), m.yz, R[1]), m.zz, R[2]);
    end->inertia = (struct wide_inertia){
        .xx = p[0].x * R[0].x + p[1].x * R[1].x + p[2].x * R[2].x,
        .yy = p[0].y * R[0].y + p[1].y * R[1].y + p[2].y * R[2].y,
        .zz = p[0].z * R[0].z + p[1].z * R[1].z + p[2].z * R[2].z,
        .xy = p[0].x * R[0].y + p[1].x * R[1].y + p[2].x * R[2].y,
        .yz = p[0].y * R[0].z + p[1].y * R[1].z + p[2].y * R[2].z,
        .zx = p[0].z * R[0].x + p[1].z * R[1].x + p[2].z * R[2].x,
    };
}

static inline void
joint_read_end3(const struct cn_impulse_joint_job *job, const float *block, int body, int arm,
    int mass, int inertia, struct joint_end3 *end)
{
    const int32_t *offset = joint_bodies(block, body);
    cn_wide p[4], q[4], r[4], s[4];
    end->fixed = wide_bits(wide_negative(offset));
    lanes_rows(job->body, offset, end->fixed, &joint_ground3, 0, p);
    lanes_rows(job->body, offset, end->fixed, &joint_ground3, 16, q);
    lanes_rows(job->body, offset, end->fixed, &joint_ground3, 32, r);
    lanes_rows(job->body, offset, end->fixed, &joint_ground3, 48, s);
    end->v = (struct wide3){p[0], p[1], p[2]};
    end->w = (struct wide3){p[3], q[0], q[1]};
    end->d = (struct wide3){q[2], q[3], r[0]};
    joint_turn_of(end, r[1], r[2], r[3], s[0]);
    end->r = joint_turn(end, wide3_get(block, arm));
    end->mass = joint_get(block, mass);
    joint_turn_inertia(end, block, inertia);
}

static inline void
joint_read3(const struct cn_impulse_joint_job *job, const float *block, struct joint_pair3 *p)
{
    joint_read_end3(
        job, block, POINT3_A, POINT3_ARM_A, POINT3_MASS_A, POINT3_INERTIA_A, &p->a);
    joint_read_end3(
        job, block, POINT3_B, POINT3_ARM_B, POINT3_MASS_B, POINT3_INERTIA_B, &p->b);
}

static inline void
joint_write_end3(const struct cn_impulse_joint_job *job, const float *block, int body,
    const struct joint_end3 *end)
{
    const int32_t *offset = joint_bodies(block, body);
    cn_wide p[4] = {end->v.x, end->v.y, end->v.z, end->w.x};
    cn_wide q[4] = {end->w.y, end->w.z, end->d.x, end->d.y};
    lanes_rows_store(job->body, offset, end->fixed, 0, p);
    lanes_rows_store(job->body, offset, end->fixed, 16, q);
}

static inline void
joint_write3(const struct cn_impulse_joint_job *job, const float *block,
    const struct joint_pair3 *p)
{
    joint_write_end3(job, block, POINT3_A, &p->a);
    joint_write_end3(job, block, POINT3_B, &p->b);
}

/* Applies an impulse to B's point, and the opposite one to A's. */
static inline void
joint_push3(struct joint_pair3 *p, struct wide3 f)
{
    struct wide3 a = wide3_spin(&p->a.inertia, wide3_cross(p->a.r, f));
    struct wide3 b = wide3_spin(&p->b.inertia, wide3_cross(p->b.r, f));
    p->a.v = wide3_add_scaled(p->a.v, -p->a.mass, f);
    p->a.w = wide3_sub(p->a.w, a);
    p->b.v = wide3_add_scaled(p->b.v, p->b.mass, f);
    p->b.w = wide3_add(p->b.w, b);
}

static inline void
joint_twist3(struct joint_pair3 *p, struct wide3 t)
{
    p->a.w = wide3_sub(p->a.w, wide3_spin(&p->a.inertia, t));
    p->b.w = wide3_add(p->b.w, wide3_spin(&p->b.inertia, t));
}

/* ---- point ---- */

/*
 * The change of an arm's end in a substep beyond its rate: cn_soft_lag times the part across w.  A
 * spin whose square is below the normal floats has none, because 1 / square overflows.
 */
static inline struct wide3
joint_lag3(const struct joint_end3 *end, cn_wide h)
{
    cn_wide square = wide3_dot(end->w, end->w);
    cn_wide_mask spins = wide_greater(square, wide_splat(FLT_MIN));
    cn_wide inverse = wide_keep(spins, wide_splat(1.0f) / square);
    cn_wide along = wide3_dot(end->w, end->r) * inverse;
    struct wide3 across = wide3_add_scaled(end->r, -along, end->w);
    return wide3_scale(across, joint_lag(h * h * square));
}

static inline struct wide3
joint_bias3(const struct cn_impulse_joint_job *job, const float *block,
    const struct joint_pair3 *p, const struct joint_soft *soft)
{
    struct wide3 turned_a = wide3_sub(p->a.r, wide3_get(block, POINT3_ARM_A));
    struct wide3 turned_b = wide3_sub(p->b.r, wide3_get(block, POINT3_ARM_B));
    struct wide3 gap = wide3_add(wide3_get(block, POINT3_APART), wide3_sub(p->b.d, p->a.d));
    gap = wide3_add(gap, wide3_sub(turned_b, turned_a));
    cn_wide h = wide_splat(job->tick->h);
    struct wide3 lag = wide3_sub(joint_lag3(&p->b, h), joint_lag3(&p->a, h));
    return wide3_add_scaled(wide3_scale(gap, soft->bias_rate), soft->lag_rate, lag);
}

/*
 * Adds [r] m [r]' to K, m symmetric: the velocity at r by the spin that a unit impulse at r gives.
 */
static inline void
joint_point_give(struct wide_inertia *K, const struct wide_inertia *m, struct wide3 r)
{
    /* Rows of [r] m, where [r] v = r x v. */
    struct wide3 x = {r.y * m->zx - r.z * m->xy, r.y * m->yz - r.z * m->yy,
        r.y * m->zz - r.z * m->yz};
    struct wide3 y = {r.z * m->xx - r.x * m->zx, r.z * m->xy - r.x * m->yz,
        r.z * m->zx - r.x * m->zz};
    struct wide3 z = {r.x * m->xy - r.y * m->xx, r.x * m->yy - r.y * m->xy,
        r.x * m->yz - r.y * m->zx};
    K->xx = K->xx + (x.z * r.y - x.y * r.z);
    K->yy = K->yy + (y.x * r.z - y.z * r.x);
    K->zz = K->zz + (z.y * r.x - z.x * r.y);
    K->xy = K->xy + (y.z * r.y - y.y * r.z);
    K->yz = K->yz + (z.x * r.z - z.z * r.x);
    K->zx = K->zx + (z.z * r.y - z.y * r.z);
}

static inline cn_wide
joint_pivot(cn_wide pivot, cn_wide diagonal)
{
    cn_wide_mask independent = wide_greater(pivot, wide_splat(JOINT_PIVOT_MIN) * diagonal);
    return wide_keep(independent, wide_splat(1.0f) / pivot);
}

/* Solves K x = r, by K = L D L'. */
static inline struct wide3
joint_solve3(const struct wide_inertia *K, struct wide3 r)
{
    cn_wide dx = joint_pivot(K->xx, K->xx);
    cn_wide yx = K->xy * dx, zx = K->zx * dx;
    cn_wide dy = joint_pivot(K->yy - yx * K->xy, K->yy);
    cn_wide rest = K->yz - zx * K->xy, zy = rest * dy;
    cn_wide dz = joint_pivot(K->zz - zx * K->zx - zy * rest, K->zz);
    cn_wide y = r.y - yx * r.x;
    cn_wide z = (r.z - zx * r.x - zy * y) * dz;
    y = y * dy - zy * z;
    return (struct wide3){r.x * dx - yx * y - zx * z, y, z};
}

static inline void
joint_point3(const struct cn_impulse_joint_job *job, float *block, struct joint_pair3 *p,
    bool use_bias)
{
    struct joint_soft soft = joint_soft_of(job, use_bias);
    struct wide3 rate = wide3_sub(wide3_add(p->b.v, wide3_cross(p->b.w, p->b.r)),
        wide3_add(p->a.v, wide3_cross(p->a.w, p->a.r)));
    if (use_bias) {
        rate = wide3_add(rate, joint_bias3(job, block, p, &soft));
    }
    cn_wide mass = p->a.mass + p->b.mass, zero = wide_zero();
    struct wide_inertia K = {mass, mass, mass, zero, zero, zero};
    joint_point_give(&K, &p->a.inertia, p->a.r);
    joint_point_give(&K, &p->b.inertia, p->b.r);
    struct wide3 old = wide3_get(block, POINT3_IMPULSE);
    struct wide3 grown = wide3_scale(joint_solve3(&K, rate), -soft.mass_scale);
    grown = wide3_add_scaled(grown, -soft.impulse_scale, old);
    wide3_put(block, POINT3_IMPULSE, wide3_add(old, grown));
    joint_push3(p, grown);
}

/* ---- hinge ---- */

/*
 * The two rows of a hinge's swing: j = v x u, with u A's axis and v a direction across B's axis.
 * Their gaps are u . v.
 */
struct joint_swing {
    struct wide3 axis, y, z;
    cn_wide gap_y, gap_z;
};

static inline struct joint_swing
joint_swing_of(const float *block, const struct joint_pair3 *p)
{
    struct wide3 axis = joint_turn(&p->a, wide3_get(block, HINGE3_AXIS_A));
    struct wide3 y = joint_turn(&p->b, wide3_get(block, HINGE3_Y_B));
    struct wide3 z = joint_turn(&p->b, wide3_get(block, HINGE3_Z_B));
    return (struct joint_swing){axis, wide3_cross(y, axis), wide3_cross(z, axis),
        wide3_dot(axis, y), wide3_dot(axis, z)};
}

/* inv(I) t of both bodies together: the relative spin that a torque t gives. */
static inline struct wide3
joint_give_turn(const struct joint_pair3 *p, struct wide3 t)
{
    return wide3_add(wide3_spin(&p->a.inertia, t), wide3_spin(&p->b.inertia, t));
}

static inline void
joint_hold_swing(const struct cn_impulse_joint_job *job, float *block, struct joint_pair3 *p,
    const struct joint_swing *swing, bool use_bias)
{
    struct joint_soft soft = joint_soft_of(job, use_bias);
    struct wide3 w = wide3_sub(p->b.w, p->a.w);
    cn_wide rate_y = wide3_dot(swing->y, w) + soft.bias_rate * swing->gap_y;
    cn_wide rate_z = wide3_dot(swing->z, w) + soft.bias_rate * swing->gap_z;
    struct wide3 give_y = joint_give_turn(p, swing->y), give_z = joint_give_turn(p, swing->z);
    cn_wide yy = wide3_dot(swing->y, give_y), zz = wide3_dot(swing->z, give_z);
    cn_wide yz = wide3_dot(swing->y, give_z);
    cn_wide inverse = lanes_inverse(yy * zz - yz * yz);
    cn_wide old_y = joint_get(block, HINGE3_SWING_IMPULSE);
    cn_wide old_z = joint_get(block, HINGE3_SWING_IMPULSE + 1);
    cn_wide grown_y = -soft.mass_scale * ((zz * rate_y - yz * rate_z) * inverse) -
                      soft.impulse_scale * old_y;
    cn_wide grown_z = -soft.mass_scale * ((yy * rate_z - yz * rate_y) * inverse) -
                      soft.impulse_scale * old_z;
    joint_put(block, HINGE3_SWING_IMPULSE, old_y + grown_y);
    joint_put(block, HINGE3_SWING_IMPULSE + 1, old_z + grown_z);
    joint_twist3(p, wide3_add_scaled(wide3_scale(swing->y, grown_y), grown_z, swing->z));
}

static inline void
joint_hinge3(const struct cn_impulse_joint_job *job, float *block, struct joint_pair3 *p,
    const struct joint_swing *swing, bool use_bias)
{
    float *free = FIELD(block, HINGE3_ANGLE);
    struct wide3 x = joint_turn(&p->a, wide3_get(block, HINGE3_ANGLE_X));
    struct wide3 b = joint_turn(&p->b, wide3_get(block, HINGE3_Y_B));
    cn_wide cosine = wide3_dot(x, b), sine = wide3_dot(wide3_cross(swing->axis, x), b);
    cn_wide size = wide_sqrt(cosine * cosine + sine * sine), inverse = lanes_inverse(size);
    cn_wide q = joint_get(block, HINGE3_ANGLE) + joint_angle(cosine * inverse, sine * inverse);
    cn_wide rate = wide3_dot(swing->axis, wide3_sub(p->b.w, p->a.w));
    cn_wide K = wide3_dot(swing->axis, joint_give_turn(p, swing->axis));
    cn_wide grown = joint_free_solve(job, use_bias, free, q, rate, K);
    joint_twist3(p, wide3_scale(swing->axis, grown));
    joint_hold_swing(job, block, p, swing, use_bias);
}

/* The torque of a hinge's impulses, without that of its point. */
static inline struct wide3
joint_hinge_torque(const float *block, const struct joint_swing *swing)
{
    struct wide3 t = wide3_scale(swing->axis, joint_free_sum(FIELD(block, HINGE3_ANGLE)));
    t = wide3_add_scaled(t, joint_get(block, HINGE3_SWING_IMPULSE), swing->y);
    return wide3_add_scaled(t, joint_get(block, HINGE3_SWING_IMPULSE + 1), swing->z);
}

/* The changes of the bodies' spins by the impulse at the present arms and a torque t on B. */
static inline void
joint_spins3(
    const float *block, const struct joint_pair3 *p, struct wide3 t, struct wide3 spin[2])
{
    struct wide3 f = wide3_get(block, POINT3_IMPULSE);
    spin[0] = wide3_spin(&p->a.inertia, wide3_sub(wide3_cross(f, p->a.r), t));
    spin[1] = wide3_spin(&p->b.inertia, wide3_add(wide3_cross(p->b.r, f), t));
}

static inline void
joint_note_spins3(float *block, const struct joint_pair3 *p, struct wide3 t)
{
    struct wide3 spin[2];
    joint_spins3(block, p, t, spin);
    wide3_put(block, POINT3_SPIN_A, spin[0]);
    wide3_put(block, POINT3_SPIN_B, spin[1]);
}

static inline void
joint_carry_end3(const struct cn_impulse_joint_job *job, const float *block, int body,
    struct wide3 change)
{
    const size_t size = sizeof(struct cn_impulse_body3), carry = sizeof(struct cn_impulse_carry3);
    const int32_t *offset = joint_bodies(block, body);
    joint_carry(job, offset, size, carry, 3, change.x);
    joint_carry(job, offset, size, carry, 4, change.y);
    joint_carry(job, offset, size, carry, 5, change.z);
}

/*
 * Corrects carry by the turn of the arms since the pass with bias: then the bodies carry the
 * impulses at the present arms into the next substep.
 */
static inline void
joint_carry_spins3(const struct cn_impulse_joint_job *job, const float *block,
    const struct joint_pair3 *p, struct wide3 t)
{
    struct wide3 spin[2];
    joint_spins3(block, p, t, spin);
    joint_carry_end3(
        job, block, POINT3_A, wide3_sub(wide3_get(block, POINT3_SPIN_A), spin[0]));
    joint_carry_end3(
        job, block, POINT3_B, wide3_sub(wide3_get(block, POINT3_SPIN_B), spin[1]));
}

/* ---- passes ---- */

static inline struct wide3
wide3_none(void)
{
    return (struct wide3){wide_zero(), wide_zero(), wide_zero()};
}

static void
point3_warm_start(const struct cn_impulse_joint_job *job, float *block)
{
    struct joint_pair3 p;
    joint_read3(job, block, &p);
    joint_push3(&p, wide3_get(block, POINT3_IMPULSE));
    joint_write3(job, block, &p);
}

static void
point3_solve(const struct cn_impulse_joint_job *job, float *block)
{
    struct joint_pair3 p;
    joint_read3(job, block, &p);
    joint_point3(job, block, &p, true);
    joint_note_spins3(block, &p, wide3_none());
    joint_write3(job, block, &p);
}

static void
point3_relax(const struct cn_impulse_joint_job *job, float *block)
{
    struct joint_pair3 p;
    joint_read3(job, block, &p);
    if (job->carry != NULL) {
        joint_carry_spins3(job, block, &p, wide3_none());
    }
    joint_point3(job, block, &p, false);
    joint_tally(block, POINT3_IMPULSE, POINT3_TOTAL, 3);
    joint_write3(job, block, &p);
}

static void
hinge3_warm_start(const struct cn_impulse_joint_job *job, float *block)
{
    struct joint_pair3 p;
    joint_read3(job, block, &p);
    struct joint_swing swing = joint_swing_of(block, &p);
    joint_twist3(&p, joint_hinge_torque(block, &swing));
    joint_push3(&p, wide3_get(block, POINT3_IMPULSE));
    joint_write3(job, block, &p);
}

static void
hinge3_solve(const struct cn_impulse_joint_job *job, float *block)
{
    struct joint_pair3 p;
    joint_read3(job, block, &p);
    struct joint_swing swing = joint_swing_of(block, &p);
    joint_hinge3(job, block, &p, &swing, true);
    joint_point3(job, block, &p, true);
    joint_note_spins3(block, &p, joint_hinge_torque(block, &swing));
    joint_write3(job, block, &p);
}

static void
hinge3_relax(const struct cn_impulse_joint_job *job, float *block)
{
    struct joint_pair3 p;
    joint_read3(job, block, &p);
    struct joint_swing swing = joint_swing_of(block, &p);
    if (job->carry != NULL) {
        joint_carry_spins3(job, block, &p, joint_hinge_torque(block, &swing));
    }
    joint_hinge3(job, block, &p, &swing, false);
    joint_point3(job, block, &p, false);
    joint_tally(block, POINT3_IMPULSE, POINT3_TOTAL, 3);
    joint_tally(block, HINGE3_SWING_IMPULSE, HINGE3_SWING_TOTAL, 2);
    joint_tally(block, HINGE3_LOWER_IMPULSE, HINGE3_LOWER_TOTAL, 4);
    joint_write3(job, block, &p);
}

#endif
