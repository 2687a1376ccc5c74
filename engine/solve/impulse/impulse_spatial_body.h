/*
 * impulse_spatial_body.h: spatial bodies moving through a substep, LANES at once.
 *
 * Gyroscopic torque: in axes that turn with the body, I (w' - w) + h w' x (I w') = 0 is solved by
 * one step of Newton from w.  This is stable where an explicit step is not.
 *
 * A turn by h w is the unit quaternion along (tan(|h w| / 2) w / |w|, 1), its tangent by the series
 * that impulse_planar_body.h uses.  A body's turn keeps its last part >= 0, so that the kernels may
 * read the vector part alone.
 */
#ifndef ENGINE_SOLVE_IMPULSE_IMPULSE_SPATIAL_BODY_H
#define ENGINE_SOLVE_IMPULSE_IMPULSE_SPATIAL_BODY_H

#include "engine/solve/impulse/impulse_planar_body.h"
#include "engine/solve/impulse/impulse_wide3.h"

#define SPATIAL_SPEEDS 6 /* v, w */

LANES_INLINE uint32_t
spatial_locks(const struct cn_impulse_drive3 *drive)
{
    uint32_t locks = 0;
    for (int k = 0; k < LANES; k++) {
        locks |= drive[k].locks;
    }
    return locks;
}

static void
spatial_lock(const struct cn_impulse_drive3 *drive, cn_wide v[SPATIAL_SPEEDS])
{
    static const uint32_t bit[SPATIAL_SPEEDS] = {CN_LOCK_LINEAR_X, CN_LOCK_LINEAR_Y,
        CN_LOCK_LINEAR_Z, CN_LOCK_ANGULAR_X, CN_LOCK_ANGULAR_Y, CN_LOCK_ANGULAR_Z};
    for (int part = 0; part < SPATIAL_SPEEDS; part++) {
        _Alignas(64) float x[LANES];
        wide_store(x, v[part]);
        for (int k = 0; k < LANES; k++) {
            x[k] = drive[k].locks & bit[part] ? 0.0f : x[k];
        }
        v[part] = wide_load(x);
    }
}

/* Reads v and w of each record.  The other two numbers of the two rows go to rest. */
LANES_INLINE void
spatial_speeds_load(
    const void *record, const int32_t *step, cn_wide v[SPATIAL_SPEEDS], cn_wide rest[2])
{
    cn_wide row[2][4];
    wide_rows_many(record, step, 2, row);
    v[0] = row[0][0];
    v[1] = row[0][1];
    v[2] = row[0][2];
    v[3] = row[0][3];
    v[4] = row[1][0];
    v[5] = row[1][1];
    rest[0] = row[1][2];
    rest[1] = row[1][3];
}

LANES_INLINE void
spatial_speeds_store(
    void *record, const int32_t *step, const cn_wide v[SPATIAL_SPEEDS], const cn_wide rest[2])
{
    cn_wide low[4] = {v[0], v[1], v[2], v[3]}, high[4] = {v[4], v[5], rest[0], rest[1]};
    wide_rows_store_at(record, step, low);
    wide_rows_store_at((char *)record + 16, step, high);
}

/* b turned by q, or turned back if the sign is -1. */
LANES_INLINE wide3
spatial_rotate(wide3 q, cn_wide s, cn_wide sign, wide3 b)
{
    wide3 u = wide3_scale(sign, wide3_cross(q, b));
    wide3 uu = wide3_scale(sign, wide3_cross(q, u));
    wide3 sum = wide3_add(wide3_scale(s, u), uu);
    return wide3_add(b, wide3_add(sum, sum));
}

/* The change of w in h by the torque of its own spin; zero where no inertia is given. */
LANES_INLINE wide3
spatial_gyro(const cn_wide inertia[6], wide3 q, cn_wide s, wide3 w, cn_wide h)
{
    cn_wide one = wide_splat(1.0f), zero = wide_zero();
    wide3 local = spatial_rotate(q, s, zero - one, w);
    wide3 spin = lanes_apply3(inertia, local);
    wide3 column[3] = {{inertia[0], inertia[3], inertia[5]}, {inertia[3], inertia[1], inertia[4]},
        {inertia[5], inertia[4], inertia[2]}};
    wide3 unit[3] = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
    for (int k = 0; k < 3; k++) {
        wide3 turn = wide3_sub(wide3_cross(local, column[k]), wide3_cross(spin, unit[k]));
        column[k] = wide3_add(column[k], wide3_scale(h, turn));
    }
    wide3 b = wide3_scale(zero - h, wide3_cross(local, spin));
    wide3 c12 = wide3_cross(column[1], column[2]);
    cn_wide det = wide3_dot(column[0], c12);
    cn_wide inverse = wide_keep(wide_greater(inertia[0], zero), one / det);
    wide3 change = {inverse * wide3_dot(b, c12),
        inverse * wide3_dot(b, wide3_cross(column[2], column[0])),
        inverse * wide3_dot(b, wide3_cross(column[0], column[1]))};
    return spatial_rotate(q, s, one, change);
}

LANES_INLINE void
spatial_add_gyro(const struct cn_impulse_body3 *body, const struct cn_impulse_drive3 *drive,
    cn_wide h, cn_wide v[SPATIAL_SPEEDS])
{
    cn_wide row[2][4], turn[2][4];
    wide_rows_at(drive->inertia, lanes_step64, row[0]);
    if (wide_bits(wide_greater(row[0][0], wide_zero())) == 0) {
        return;
    }
    wide_rows_at(&drive->inertia[4], lanes_step64, row[1]);
    wide_rows_at(&body->d[2], lanes_step64, turn[0]);
    wide_rows_at(&body->q[3], lanes_step64, turn[1]);
    cn_wide inertia[6] = {row[0][0], row[0][1], row[0][2], row[0][3], row[1][0], row[1][1]};
    wide3 q = {turn[0][1], turn[0][2], turn[0][3]};
    wide3 change = spatial_gyro(inertia, q, turn[1][0], (wide3){v[3], v[4], v[5]}, h);
    v[3] = v[3] + change.x;
    v[4] = v[4] + change.y;
    v[5] = v[5] + change.z;
}

LANES_INLINE void
spatial_velocities_of(struct cn_impulse_body3 *body, struct cn_impulse_carry3 *carry,
    const struct cn_impulse_drive3 *drive, cn_wide h)
{
    cn_wide v[SPATIAL_SPEEDS], before[SPATIAL_SPEEDS], given[SPATIAL_SPEEDS], a[SPATIAL_SPEEDS];
    cn_wide place[2], spare[2] = {wide_zero(), wide_zero()}, keep[2];
    spatial_speeds_load(body, lanes_step64, v, place);
    spatial_speeds_load(drive, lanes_step64, a, keep);
    bool locked = spatial_locks(drive) != 0;
    if (carry != NULL) {
        spatial_speeds_load(carry, lanes_step32, before, spare);
        for (int k = 0; k < SPATIAL_SPEEDS; k++) {
            given[k] = v[k] - before[k];
        }
    }
    for (int k = 0; k < SPATIAL_SPEEDS; k++) {
        v[k] = (v[k] + h * a[k]) * keep[k / 3] + wide_zero();
    }
    spatial_add_gyro(body, drive, h, v);
    if (locked) {
        spatial_lock(drive, v);
    }
    if (carry != NULL) {
        spatial_speeds_store(carry, lanes_step32, v, spare);
        for (int k = 0; k < SPATIAL_SPEEDS; k++) {
            v[k] = v[k] + given[k];
        }
        if (locked) {
            spatial_lock(drive, v);
        }
    }
    spatial_speeds_store(body, lanes_step64, v, place);
}

LANES_INLINE cn_wide
spatial_square(const cn_wide *v)
{
    return (v[0] * v[0] + v[1] * v[1]) + v[2] * v[2];
}

/*
 * Reduces speeds to their limits, and sets velocities along locked axes to zero.  carry changes by
 * the same amounts as v.
 */
static void
spatial_restrain(const struct cn_impulse_tick *tick, struct cn_impulse_carry3 *carry,
    const struct cn_impulse_drive3 *drive, cn_wide v[SPATIAL_SPEEDS])
{
    cn_wide most[2] = {wide_splat(tick->linear_speed_max),
        wide_splat(CN_IMPULSE_TURN_MAX * tick->inverse_h)};
    cn_wide was[SPATIAL_SPEEDS], before[SPATIAL_SPEEDS], spare[2];
    for (int k = 0; k < 2; k++) {
        cn_wide speed = wide_sqrt(spatial_square(&v[3 * k]));
        cn_wide scale = wide_select(
            wide_greater(speed, most[k]), most[k] / speed, wide_splat(1.0f));
        for (int part = 3 * k; part < 3 * k + 3; part++) {
            was[part] = v[part];
            v[part] = v[part] * scale + wide_zero();
        }
    }
    spatial_lock(drive, v);
    if (carry == NULL) {
        return;
    }
    spatial_speeds_load(carry, lanes_step32, before, spare);
    for (int k = 0; k < SPATIAL_SPEEDS; k++) {
        cn_wide_mask cut = wide_or(wide_greater(was[k], v[k]), wide_greater(v[k], was[k]));
        before[k] = wide_select(cut, v[k] - (was[k] - before[k]), before[k]);
    }
    spatial_speeds_store(carry, lanes_step32, before, spare);
}

/* Turns q further by the vector x. */
LANES_INLINE void
spatial_turn_on(wide3 x, wide3 *q, cn_wide *s)
{
    cn_wide one = wide_splat(1.0f), zero = wide_zero();
    wide3 u = wide3_scale(wide_splat(0.5f), x);
    cn_wide uu = wide3_dot(u, u);
    cn_wide series = wide_splat(2.0f / 15.0f) + uu * wide_splat(17.0f / 315.0f);
    wide3 t = wide3_scale(one + uu * (wide_splat(1.0f / 3.0f) + uu * series), u);
    cn_wide scale = one / wide_sqrt(one + wide3_dot(t, t));
    /* (t, 1) q */
    wide3 vector = wide3_add(wide3_add(*q, wide3_scale(*s, t)), wide3_cross(t, *q));
    cn_wide rest = *s - wide3_dot(t, *q);
    scale = wide_select(wide_greater(zero, rest), zero - scale, scale);
    *q = wide3_scale(scale, vector);
    *s = scale * rest;
}

LANES_INLINE void
spatial_positions_of(const struct cn_impulse_tick *tick, struct cn_impulse_body3 *body,
    struct cn_impulse_carry3 *carry, const struct cn_impulse_drive3 *drive)
{
    cn_wide v[SPATIAL_SPEEDS], d[2], row[2][4], h = wide_splat(tick->h);
    cn_wide most = wide_splat(tick->linear_speed_max);
    cn_wide turn = wide_splat(CN_IMPULSE_TURN_MAX * tick->inverse_h);
    spatial_speeds_load(body, lanes_step64, v, d);
    wide_rows_at(&body->d[2], lanes_step64, row[0]);
    wide_rows_at(&body->q[3], lanes_step64, row[1]);
    cn_wide_mask fast = wide_or(wide_greater(spatial_square(v), most * most),
        wide_greater(spatial_square(&v[3]), turn * turn));
    if (wide_bits(fast) != 0 || spatial_locks(drive) != 0) {
        spatial_restrain(tick, carry, drive, v);
    }
    d[0] = d[0] + h * v[0];
    d[1] = d[1] + h * v[1];
    wide3 q = {row[0][1], row[0][2], row[0][3]};
    spatial_turn_on((wide3){h * v[3], h * v[4], h * v[5]}, &q, &row[1][0]);
    cn_wide low[4] = {row[0][0] + h * v[2], q.x, q.y, q.z};
    spatial_speeds_store(body, lanes_step64, v, d);
    wide_rows_store_at(&body->d[2], lanes_step64, low);
    wide_rows_store_at(&body->q[3], lanes_step64, row[1]);
}

/* The last bodies, fewer than LANES, in arrays of LANES. */
struct spatial_few {
    _Alignas(64) struct cn_impulse_body3 body[LANES];
    struct cn_impulse_carry3 carry[LANES];
    struct cn_impulse_drive3 drive[LANES];
};

static void
spatial_few_load(struct spatial_few *few, const struct cn_impulse_job *job, int first, size_t count)
{
    memset(few, 0, sizeof(*few));
    memcpy(few->body, (struct cn_impulse_body3 *)job->body + first, count * sizeof(*few->body));
    if (job->carry != NULL) {
        memcpy(few->carry, (struct cn_impulse_carry3 *)job->carry + first,
            count * sizeof(*few->carry));
    }
    memcpy(few->drive, (const struct cn_impulse_drive3 *)job->drive + first,
        count * sizeof(*few->drive));
}

static void
spatial_few_store(
    const struct spatial_few *few, const struct cn_impulse_job *job, int first, size_t count)
{
    memcpy((struct cn_impulse_body3 *)job->body + first, few->body, count * sizeof(*few->body));
    if (job->carry != NULL) {
        memcpy((struct cn_impulse_carry3 *)job->carry + first, few->carry,
            count * sizeof(*few->carry));
    }
}

static void
spatial_integrate_velocities(const struct cn_impulse_job *job, int first, int end)
{
    lanes_check_bodies(job, sizeof(struct cn_impulse_body3), first, end);
    struct cn_impulse_body3 *body = job->body;
    struct cn_impulse_carry3 *carry = job->carry;
    const struct cn_impulse_drive3 *drive = job->drive;
    cn_wide h = wide_splat(job->tick->h);
    int i = first;
    for (; i + LANES <= end; i += LANES) {
        spatial_velocities_of(&body[i], carry == NULL ? NULL : &carry[i], &drive[i], h);
    }
    if (i < end) {
        struct spatial_few few;
        spatial_few_load(&few, job, i, (size_t)(end - i));
        spatial_velocities_of(few.body, carry == NULL ? NULL : few.carry, few.drive, h);
        spatial_few_store(&few, job, i, (size_t)(end - i));
    }
}

static void
spatial_integrate_positions(const struct cn_impulse_job *job, int first, int end)
{
    lanes_check_bodies(job, sizeof(struct cn_impulse_body3), first, end);
    struct cn_impulse_body3 *body = job->body;
    struct cn_impulse_carry3 *carry = job->carry;
    const struct cn_impulse_drive3 *drive = job->drive;
    int i = first;
    for (; i + LANES <= end; i += LANES) {
        spatial_positions_of(job->tick, &body[i], carry == NULL ? NULL : &carry[i], &drive[i]);
    }
    if (i < end) {
        struct spatial_few few;
        spatial_few_load(&few, job, i, (size_t)(end - i));
        spatial_positions_of(job->tick, few.body, carry == NULL ? NULL : few.carry, few.drive);
        spatial_few_store(&few, job, i, (size_t)(end - i));
    }
}

LANES_INLINE cn_wide
spatial_excess(const struct cn_impulse_tick *tick, const struct cn_impulse_body3 *body,
    const struct cn_impulse_heat *heat)
{
    cn_wide row[3][4];
    wide_rows_many(body, lanes_step64, 3, row);
    wide3 v = {row[0][0], row[0][1], row[0][2]}, w = {row[0][3], row[1][0], row[1][1]};
    wide3 d = {row[1][2], row[1][3], row[2][0]};
    wide3 gravity = {wide_splat(tick->gravity[0]), wide_splat(tick->gravity[1]),
        wide_splat(tick->gravity[2])};
    return lanes_excess(
        tick, heat, wide3_dot(v, v), wide3_dot(w, w), wide3_dot(gravity, d));
}

static bool
spatial_gained(const struct cn_impulse_job *job, int first, int end)
{
    lanes_check_bodies(job, sizeof(struct cn_impulse_body3), first, end);
    lanes_check_heat(job, first);
    const struct cn_impulse_body3 *body = job->body;
    unsigned much = 0;
    int i = first;
    for (; i + LANES <= end; i += LANES) {
        cn_wide excess = spatial_excess(job->tick, &body[i], &job->heat[i]);
        wide_store(&job->excess[i], excess);
        much |= wide_bits(wide_greater(excess, wide_zero()));
    }
    if (i < end) {
        struct spatial_few few;
        struct cn_impulse_heat heat[LANES] = {{0}};
        _Alignas(64) float excess[LANES];
        size_t count = (size_t)(end - i);
        spatial_few_load(&few, job, i, count);
        memcpy(heat, &job->heat[i], count * sizeof(heat[0]));
        wide_store(excess, spatial_excess(job->tick, few.body, heat));
        memcpy(&job->excess[i], excess, count * sizeof(excess[0]));
        much |= wide_bits(wide_greater(wide_load(excess), wide_zero()));
    }
    return much != 0;
}

#endif
