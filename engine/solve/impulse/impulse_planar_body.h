/*
 * impulse_planar_body.h: planar bodies moving through a substep, LANES at once.
 *
 * A turn by x = h w is the rational rotation of t = tan(x / 2), by its series.  Its length is 1 up
 * to rounding, and its error is below 1e-5 rad for turns up to half a radian.
 *
 * No velocity is ever -0: +0 is added where -0 could arise, and sums of other velocities do not
 * make a -0.  So an impulse of zero changes no bit, and a kernel may leave out rows that no lane of
 * a block needs.
 */
#ifndef ENGINE_SOLVE_IMPULSE_IMPULSE_PLANAR_BODY_H
#define ENGINE_SOLVE_IMPULSE_IMPULSE_PLANAR_BODY_H

#include "engine/model/model.h"
#include "engine/solve/impulse/impulse_lanes.h"

LANES_INLINE uint32_t
planar_locks(const struct cn_impulse_drive2 *drive)
{
    uint32_t locks = 0;
    for (int k = 0; k < LANES; k++) {
        locks |= drive[k].locks;
    }
    return locks;
}

/* Sets the velocities along locked axes to zero. */
static void
planar_lock(const struct cn_impulse_drive2 *drive, cn_wide v[3])
{
    _Alignas(64) float x[LANES], y[LANES], w[LANES];
    wide_store(x, v[0]);
    wide_store(y, v[1]);
    wide_store(w, v[2]);
    for (int k = 0; k < LANES; k++) {
        uint32_t locks = drive[k].locks;
        x[k] = locks & CN_LOCK_LINEAR_X ? 0.0f : x[k];
        y[k] = locks & CN_LOCK_LINEAR_Y ? 0.0f : y[k];
        w[k] = locks & CN_LOCK_ANGULAR_Z ? 0.0f : w[k];
    }
    v[0] = wide_load(x);
    v[1] = wide_load(y);
    v[2] = wide_load(w);
}

LANES_INLINE void
planar_velocities_of(struct cn_impulse_body2 *body, struct cn_impulse_carry2 *carry,
    const struct cn_impulse_drive2 *drive, cn_wide h)
{
    cn_wide v[4], before[4], a[4], rest[4];
    cn_wide given[3] = {wide_zero(), wide_zero(), wide_zero()};
    wide_rows_at(body, lanes_step32, v);
    wide_rows_at(drive, lanes_step32, a);
    wide_rows_at(&drive->keep_angular, lanes_step32, rest);
    cn_wide keep[3] = {a[3], a[3], rest[0]};
    bool locked = planar_locks(drive) != 0;
    if (carry != NULL) {
        wide_rows_at(carry, lanes_step16, before);
        for (int k = 0; k < 3; k++) {
            given[k] = v[k] - before[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        v[k] = (v[k] + h * a[k]) * keep[k] + wide_zero();
    }
    if (locked) {
        planar_lock(drive, v);
    }
    if (carry != NULL) {
        cn_wide now[4] = {v[0], v[1], v[2], before[3]};
        wide_rows_store_at(carry, lanes_step16, now);
        for (int k = 0; k < 3; k++) {
            v[k] = v[k] + given[k];
        }
        if (locked) {
            planar_lock(drive, v);
        }
    }
    wide_rows_store_at(body, lanes_step32, v);
}

/*
 * Reduces speeds to their limits, and sets velocities along locked axes to zero.  carry changes by
 * the same amounts as v.
 */
static void
planar_restrain(const struct cn_impulse_tick *tick, struct cn_impulse_carry2 *carry,
    const struct cn_impulse_drive2 *drive, cn_wide v[3])
{
    cn_wide before[4] = {wide_zero(), wide_zero(), wide_zero(), wide_zero()};
    cn_wide most = wide_splat(tick->linear_speed_max);
    cn_wide turn = wide_splat(CN_IMPULSE_TURN_MAX * tick->inverse_h);
    cn_wide was[3] = {v[0], v[1], v[2]};
    cn_wide speed = wide_sqrt(v[0] * v[0] + v[1] * v[1]);
    cn_wide scale = wide_select(wide_greater(speed, most), most / speed, wide_splat(1.0f));
    v[0] = v[0] * scale;
    v[1] = v[1] * scale;
    v[2] = wide_clamp(v[2], -turn, turn);
    planar_lock(drive, v);
    if (carry != NULL) {
        wide_rows_at(carry, lanes_step16, before);
    }
    for (int k = 0; k < 3; k++) {
        v[k] = v[k] + wide_zero();
        cn_wide_mask cut = wide_or(wide_greater(was[k], v[k]), wide_greater(v[k], was[k]));
        before[k] = wide_select(cut, v[k] - (was[k] - before[k]), before[k]);
    }
    if (carry != NULL) {
        wide_rows_store_at(carry, lanes_step16, before);
    }
}

/* Turns (cosine, sine) by the angle x. */
LANES_INLINE void
planar_turn(cn_wide x, cn_wide *cosine, cn_wide *sine)
{
    cn_wide u = wide_splat(0.5f) * x, uu = u * u;
    cn_wide series = wide_splat(2.0f / 15.0f) + uu * wide_splat(17.0f / 315.0f);
    cn_wide t = u * (wide_splat(1.0f) + uu * (wide_splat(1.0f / 3.0f) + uu * series));
    cn_wide tt = t * t, one = wide_splat(1.0f);
    cn_wide scale = one / (one + tt);
    cn_wide c = (one - tt) * scale, s = (t + t) * scale;
    cn_wide turned = *cosine * c - *sine * s;
    *sine = *sine * c + *cosine * s;
    *cosine = turned;
}

LANES_INLINE void
planar_positions_of(const struct cn_impulse_tick *tick, struct cn_impulse_body2 *body,
    struct cn_impulse_carry2 *carry, const struct cn_impulse_drive2 *drive)
{
    cn_wide v[4], d[4], h = wide_splat(tick->h);
    cn_wide most = wide_splat(tick->linear_speed_max), turn = wide_splat(CN_IMPULSE_TURN_MAX);
    wide_rows_at(body, lanes_step32, v);
    wide_rows_at(&body->dx, lanes_step32, d);
    cn_wide_mask fast = wide_or(wide_greater(v[0] * v[0] + v[1] * v[1], most * most),
        wide_greater(wide_abs(h * v[2]), turn));
    if (wide_bits(fast) != 0 || planar_locks(drive) != 0) {
        planar_restrain(tick, carry, drive, v);
        wide_rows_store_at(body, lanes_step32, v);
    }
    d[0] = d[0] + h * v[0];
    d[1] = d[1] + h * v[1];
    planar_turn(h * v[2], &d[2], &d[3]);
    wide_rows_store_at(&body->dx, lanes_step32, d);
}

/* The last bodies, fewer than LANES, in arrays of LANES. */
struct planar_few {
    _Alignas(64) struct cn_impulse_body2 body[LANES];
    struct cn_impulse_carry2 carry[LANES];
    struct cn_impulse_drive2 drive[LANES];
};

static void
planar_few_load(struct planar_few *few, const struct cn_impulse_job *job, int first, size_t count)
{
    memset(few, 0, sizeof(*few));
    memcpy(few->body, (struct cn_impulse_body2 *)job->body + first, count * sizeof(*few->body));
    if (job->carry != NULL) {
        memcpy(few->carry, (struct cn_impulse_carry2 *)job->carry + first,
            count * sizeof(*few->carry));
    }
    memcpy(few->drive, (const struct cn_impulse_drive2 *)job->drive + first,
        count * sizeof(*few->drive));
}

static void
planar_few_store(const struct planar_few *few, const struct cn_impulse_job *job, int first,
    size_t count)
{
    memcpy((struct cn_impulse_body2 *)job->body + first, few->body, count * sizeof(*few->body));
    if (job->carry != NULL) {
        memcpy((struct cn_impulse_carry2 *)job->carry + first, few->carry,
            count * sizeof(*few->carry));
    }
}

static void
planar_integrate_velocities(const struct cn_impulse_job *job, int first, int end)
{
    lanes_check_bodies(job, sizeof(struct cn_impulse_body2), first, end);
    struct cn_impulse_body2 *body = job->body;
    struct cn_impulse_carry2 *carry = job->carry;
    const struct cn_impulse_drive2 *drive = job->drive;
    cn_wide h = wide_splat(job->tick->h);
    int i = first;
    for (; i + LANES <= end; i += LANES) {
        planar_velocities_of(&body[i], carry == NULL ? NULL : &carry[i], &drive[i], h);
    }
    if (i < end) {
        struct planar_few few;
        planar_few_load(&few, job, i, (size_t)(end - i));
        planar_velocities_of(few.body, carry == NULL ? NULL : few.carry, few.drive, h);
        planar_few_store(&few, job, i, (size_t)(end - i));
    }
}

static void
planar_integrate_positions(const struct cn_impulse_job *job, int first, int end)
{
    lanes_check_bodies(job, sizeof(struct cn_impulse_body2), first, end);
    struct cn_impulse_body2 *body = job->body;
    struct cn_impulse_carry2 *carry = job->carry;
    const struct cn_impulse_drive2 *drive = job->drive;
    int i = first;
    for (; i + LANES <= end; i += LANES) {
        planar_positions_of(job->tick, &body[i], carry == NULL ? NULL : &carry[i], &drive[i]);
    }
    if (i < end) {
        struct planar_few few;
        planar_few_load(&few, job, i, (size_t)(end - i));
        planar_positions_of(job->tick, few.body, carry == NULL ? NULL : few.carry, few.drive);
        planar_few_store(&few, job, i, (size_t)(end - i));
    }
}

LANES_INLINE cn_wide
planar_excess(const struct cn_impulse_tick *tick, const struct cn_impulse_body2 *body,
    const struct cn_impulse_heat *heat)
{
    cn_wide row[2][4];
    wide_rows_many(body, lanes_step32, 2, row);
    cn_wide speed = row[0][0] * row[0][0] + row[0][1] * row[0][1];
    cn_wide fall = wide_splat(tick->gravity[0]) * row[1][0] +
                   wide_splat(tick->gravity[1]) * row[1][1];
    return lanes_excess(tick, heat, speed, row[0][2] * row[0][2], fall);
}

static bool
planar_gained(const struct cn_impulse_job *job, int first, int end)
{
    lanes_check_bodies(job, sizeof(struct cn_impulse_body2), first, end);
    lanes_check_heat(job, first);
    const struct cn_impulse_body2 *body = job->body;
    unsigned much = 0;
    int i = first;
    for (; i + LANES <= end; i += LANES) {
        cn_wide excess = planar_excess(job->tick, &body[i], &job->heat[i]);
        wide_store(&job->excess[i], excess);
        much |= wide_bits(wide_greater(excess, wide_zero()));
    }
    if (i < end) {
        struct planar_few few;
        struct cn_impulse_heat heat[LANES] = {{0}};
        _Alignas(64) float excess[LANES];
        size_t count = (size_t)(end - i);
        planar_few_load(&few, job, i, count);
        memcpy(heat, &job->heat[i], count * sizeof(heat[0]));
        wide_store(excess, planar_excess(job->tick, few.body, heat));
        memcpy(&job->excess[i], excess, count * sizeof(excess[0]));
        much |= wide_bits(wide_greater(wide_load(excess), wide_zero()));
    }
    return much != 0;
}

#endif
