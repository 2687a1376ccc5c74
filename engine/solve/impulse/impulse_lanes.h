/*
 * impulse_lanes.h: the common part of the planar and the spatial contact kernels.
 *
 * A block names a body by its offset in bytes from the first one, so that a lane's address needs
 * one addition.  A set sign bit means that the body is not written: -1 is a fixed body, any other
 * negative number a kinematic one.
 */
#ifndef ENGINE_SOLVE_IMPULSE_IMPULSE_LANES_H
#define ENGINE_SOLVE_IMPULSE_IMPULSE_LANES_H

#include "engine/base/assert.h"
#include "engine/math/wide.h"
#include "engine/solve/impulse/impulse.h"

#include <float.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#define LANES CN_WIDE_LANES

#define LANES_INLINE WIDE_INLINE
#define LANES_UNROLL WIDE_UNROLL

#define LANES_GROUND (-1)

/* Offsets of consecutive records. */
#define LANES_STEPS(size) \
    {0, (size), 2 * (size), 3 * (size), 4 * (size), 5 * (size), 6 * (size), 7 * (size), \
        8 * (size), 9 * (size), 10 * (size), 11 * (size), 12 * (size), 13 * (size), \
        14 * (size), 15 * (size)}

static const int32_t lanes_step16[16] = LANES_STEPS(16);
static const int32_t lanes_step32[16] = LANES_STEPS(32);
static const int32_t lanes_step44[16] = LANES_STEPS(44);
static const int32_t lanes_step64[16] = LANES_STEPS(64);
_Static_assert(sizeof(struct cn_impulse_contact) == 44, "lanes_step44 is of contacts");

/* Flags of a block: at least one lane has the property. */
#define LANES_RESTITUTION 1u
#define LANES_ROLLING 2u
#define LANES_SURFACE 4u
#define LANES_FIRM 8u
#define LANES_DAMPED 16u

/* Two masses are uneven if their ratio is above this. */
#define LANES_UNEVEN_MASSES 4.0f

/* Every stage relies on these: the first where it works on bodies, the second where on blocks. */
LANES_INLINE void
lanes_check_bodies(const struct cn_impulse_job *job, size_t size, int first, int end)
{
    CN_ASSERT(0 <= first && first <= end && end <= job->body_count);
    CN_ASSERT(job->body_count <= INT32_MAX / (int)size); /* offsets fit into 31 bits */
    CN_ASSERT((uintptr_t)job->body % size == 0);
    CN_ASSERT(job->drive != NULL || first == end);
}

LANES_INLINE void
lanes_check_blocks(const struct cn_impulse_job *job, int first, int end)
{
    CN_ASSERT(0 <= first && first <= end);
    CN_ASSERT((uintptr_t)job->block % 64 == 0);
    CN_ASSERT(first == end || (job->block != NULL && job->manifold != NULL));
}

/* Only `gained` relies on these. */
LANES_INLINE void
lanes_check_heat(const struct cn_impulse_job *job, int first)
{
    CN_ASSERT(job->heat != NULL && (uintptr_t)job->heat % 16 == 0);
    CN_ASSERT(job->excess != NULL && (uintptr_t)job->excess % 64 == 0);
    CN_ASSERT(first % 16 == 0); /* a multiple of any kernel's lanes */
}

/* The excess of energy of bodies, given the squares of speed and spin, and g . d. */
LANES_INLINE cn_wide
lanes_excess(const struct cn_impulse_tick *tick, const struct cn_impulse_heat *heat,
    cn_wide speed, cn_wide spin, cn_wide fall)
{
    cn_wide at[4];
    wide_rows_at(heat, lanes_step16, at);
    cn_wide after = wide_splat(0.5f) * (at[0] * speed + at[1] * spin);
    cn_wide gain = (after - at[2]) - at[0] * (fall + wide_splat(tick->pushed));
    return gain - wide_splat(CN_IMPULSE_GAIN) * (after + at[2]);
}

/*
 * The names of each lane's bodies, and the index of its manifold.  `bits` has them in registers, as
 * rows: body_a, body_b, manifold, friction.
 */
struct lanes_names {
    cn_wide bits[4];
    _Alignas(64) int32_t a[LANES];
    _Alignas(64) int32_t b[LANES];
    _Alignas(64) int32_t manifold[LANES];
};

LANES_INLINE void
lanes_store_bits(int32_t *to, cn_wide bits)
{
    _Alignas(64) float copy[LANES];
    wide_store(copy, bits);
    memcpy(to, copy, sizeof(copy));
}

LANES_INLINE void
lanes_read_names(const struct cn_impulse_contact *contact, struct lanes_names *names)
{
    wide_rows_at(contact, lanes_step44, names->bits);
    lanes_store_bits(names->a, names->bits[0]);
    lanes_store_bits(names->b, names->bits[1]);
    lanes_store_bits(names->manifold, names->bits[2]);
}

/* The offset of a body in bytes, as a block has it.  Without branches, for vector registers. */
LANES_INLINE int32_t
lanes_offset(int32_t name, int32_t size)
{
    int32_t offset = cn_impulse_index(name) * size;
    offset = name < 0 ? offset | INT32_MIN : offset;
    return name == CN_IMPULSE_FIXED ? LANES_GROUND : offset;
}

LANES_INLINE void
lanes_offsets(const int32_t *name, int32_t size, int32_t *to)
{
    for (int k = 0; k < LANES; k++) {
        to[k] = lanes_offset(name[k], size);
    }
}

/* Offsets of their masses.  Where impulses do not move the body, that of the first mass. */
LANES_INLINE void
lanes_mass_offsets(const int32_t *name, int32_t size, int32_t *to)
{
    for (int k = 0; k < LANES; k++) {
        to[k] = (name[k] < 0 ? 0 : name[k]) * size;
    }
}

/*
 * Offsets of the manifolds.  An empty lane reads that of the first lane, because another worker may
 * write all others.
 */
LANES_INLINE void
lanes_manifold_offsets(const int32_t *manifold, int32_t size, int32_t *to)
{
    int32_t first = manifold[0] < 0 ? 0 : manifold[0];
    for (int k = 0; k < LANES; k++) {
        to[k] = (manifold[k] < 0 ? first : manifold[k]) * size;
    }
}

/* Reads the first `count` rows of each lane's body. */
LANES_INLINE void
lanes_rows_many(const void *body, const int32_t *offset, unsigned fixed, const void *ground,
    int count, cn_wide out[][4])
{
    if (__builtin_expect(fixed == 0, 1)) {
        wide_rows_many(body, offset, count, out);
        return;
    }
    const float *row[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        const char *place = offset[lane] == LANES_GROUND
                                ? (const char *)ground
                                : (const char *)body + (offset[lane] & INT32_MAX);
        row[lane] = (const float *)(const void *)place;
    }
    LANES_UNROLL
    for (int k = 0; k < count; k++) {
        wide_rows(row, out[k]);
        for (int lane = 0; lane < LANES; lane++) {
            row[lane] += 4;
        }
    }
}

/* Reads one row of each lane's body, `at` bytes after the body's beginning. */
LANES_INLINE void
lanes_rows(const void *body, const int32_t *offset, unsigned fixed, const void *ground, size_t at,
    cn_wide out[4])
{
    lanes_rows_many((const char *)body + at, offset, fixed, (const char *)ground + at, 1,
        (cn_wide(*)[4])out);
}

LANES_INLINE void
lanes_rows_store(
    void *body, const int32_t *offset, unsigned fixed, size_t at, const cn_wide in[4])
{
    if (__builtin_expect(fixed == 0, 1)) {
        wide_rows_store_at((char *)body + at, offset, in);
        return;
    }
    _Alignas(16) float nowhere[4];
    float *row[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        row[lane] = offset[lane] < 0 ? nowhere
                                     : (float *)(void *)((char *)body + offset[lane] + at);
    }
    wide_rows_store(row, in);
}

LANES_INLINE void
lanes_prefetch(const void *block, size_t size)
{
    for (size_t at = 0; at < size; at += 64) {
        wide_prefetch((const char *)block + at);
    }
}

/* Prefetches the manifolds of a block's contacts, which will soon be read or written. */
LANES_INLINE void
lanes_prefetch_manifolds(
    const struct cn_impulse_contact *contact, const void *manifold, size_t size)
{
    for (int k = 0; k < LANES; k++) {
        int32_t m = contact[k].manifold;
        lanes_prefetch((const char *)manifold + (size_t)(m < 0 ? 0 : m) * size, size + 63);
    }
}

/* 1 / a where a > 0, else 0. */
LANES_INLINE cn_wide
lanes_inverse(cn_wide a)
{
    return wide_keep(wide_greater(a, wide_zero()), wide_splat(1.0f) / a);
}

LANES_INLINE bool
lanes_any(cn_wide a)
{
    return wide_bits(wide_greater(wide_abs(a), wide_zero())) != 0;
}

/* The soft constraint of each lane. */
struct lanes_soft {
    cn_wide rate; /* mass_scale bias_rate [1/s] */
    cn_wide mass_scale, impulse_scale;
    cn_wide inverse_h, push, slop;
};

/*
 * The soft constraint of each lane: `fixed`, which is stiffer, where a side is fixed, else
 * `moving`.
 */
LANES_INLINE struct lanes_soft
lanes_soft_mix(const struct cn_impulse_tick *tick, const struct cn_impulse_soft *moving,
    const struct cn_impulse_soft *fixed, const int32_t *a, const int32_t *b)
{
    cn_wide_mask is_fixed = wide_or(wide_negative(a), wide_negative(b));
    return (struct lanes_soft){
        .rate = wide_select(is_fixed, wide_splat(fixed->mass_scale * fixed->bias_rate),
            wide_splat(moving->mass_scale * moving->bias_rate)),
        .mass_scale = wide_select(
            is_fixed, wide_splat(fixed->mass_scale), wide_splat(moving->mass_scale)),
        .impulse_scale = wide_select(
            is_fixed, wide_splat(fixed->impulse_scale), wide_splat(moving->impulse_scale)),
        .inverse_h = wide_splat(tick->inverse_h),
        .push = wide_splat(-tick->push_speed),
        .slop = wide_splat(tick->slop),
    };
}

LANES_INLINE struct lanes_soft
lanes_soft_of(const struct cn_impulse_tick *tick, const int32_t *a, const int32_t *b)
{
    return lanes_soft_mix(tick, &tick->contact, &tick->contact_fixed, a, b);
}

/*
 * Mask of the lanes where both bodies move and their masses are uneven, given the inverse masses.
 */
LANES_INLINE cn_wide_mask
lanes_uneven(cn_wide ma, cn_wide mb)
{
    cn_wide least = wide_min(ma, mb), most = wide_max(ma, mb);
    return wide_and(wide_greater(least, wide_zero()),
        wide_greater(most, wide_splat(LANES_UNEVEN_MASSES) * least));
}

/*
 * Mask of the lanes that tick->damped is for: both bodies move, and either their masses are uneven
 * or the least gap of their points at the start of the tick is below -tick->deep.
 */
LANES_INLINE cn_wide_mask
lanes_damped(const struct cn_impulse_tick *tick, cn_wide gap, cn_wide ma, cn_wide mb)
{
    cn_wide limit = wide_splat(tick->deep > 0.0f ? -tick->deep : -FLT_MAX);
    cn_wide_mask move = wide_greater(wide_min(ma, mb), wide_zero());
    return wide_or(lanes_uneven(ma, mb), wide_and(move, wide_greater(limit, gap)));
}

/* Changes the soft constraint in the lanes of the mask. */
LANES_INLINE void
lanes_soft_damped(
    struct lanes_soft *soft, const struct cn_impulse_tick *tick, cn_wide_mask is_damped)
{
    const struct cn_impulse_soft *damped = &tick->damped;
    soft->rate = wide_select(
        is_damped, wide_splat(damped->mass_scale * damped->bias_rate), soft->rate);
    soft->mass_scale =
        wide_select(is_damped, wide_splat(damped->mass_scale), soft->mass_scale);
    soft->impulse_scale =
        wide_select(is_damped, wide_splat(damped->impulse_scale), soft->impulse_scale);
}

/* Changes the soft constraint in the lanes that are firm, where firm[] is negative. */
LANES_INLINE void
lanes_soft_firm(struct lanes_soft *soft, const struct cn_impulse_tick *tick, const int32_t *a,
    const int32_t *b, const int32_t *firm)
{
    struct lanes_soft other = lanes_soft_mix(tick, &tick->firm, &tick->firm_fixed, a, b);
    cn_wide_mask is_firm = wide_negative(firm);
    soft->rate = wide_select(is_firm, other.rate, soft->rate);
    soft->mass_scale = wide_select(is_firm, other.mass_scale, soft->mass_scale);
    soft->impulse_scale = wide_select(is_firm, other.impulse_scale, soft->impulse_scale);
}

/*
 * A prepared normal row: at any speed its impulse becomes max(target - mass * speed, 0).  So each
 * row of a sequence waits for few operations of the row before.
 */
struct lanes_row {
    cn_wide mass, target;
};

/*
 * A soft row.  Where there is a gap s, it aims at separation 0 in this substep; else at the speed
 * of the soft push.
 */
LANES_INLINE struct lanes_row
lanes_soft_row(const struct lanes_soft *soft, cn_wide s, cn_wide mass, cn_wide old)
{
    cn_wide_mask apart = wide_greater(s, wide_zero());
    cn_wide depth = wide_min(s + soft->slop, wide_zero());
    cn_wide push = wide_max(soft->rate * depth, soft->push);
    cn_wide bias = wide_select(apart, s * soft->inverse_h, push);
    cn_wide mass_scale = wide_select(apart, wide_splat(1.0f), soft->mass_scale);
    cn_wide impulse_scale = wide_select(apart, wide_zero(), soft->impulse_scale);
    return (struct lanes_row){
        .mass = mass * mass_scale, .target = old - (mass * bias + impulse_scale * old)};
}

/* A stiff row, without push. */
LANES_INLINE struct lanes_row
lanes_stiff_row(cn_wide inverse_h, cn_wide s, cn_wide mass, cn_wide old)
{
    cn_wide bias = wide_max(s, wide_zero()) * inverse_h;
    return (struct lanes_row){.mass = mass, .target = old - mass * bias};
}

LANES_INLINE cn_wide
lanes_row_solve(const struct lanes_row *row, cn_wide speed)
{
    return wide_max(row->target - row->mass * speed, wide_zero());
}

/* Mask of the points that bounce: they approached fast enough and were pushed. */
LANES_INLINE cn_wide_mask
lanes_bounces(cn_wide threshold, cn_wide approach, cn_wide total, cn_wide restitution)
{
    return wide_and(wide_greater(-threshold, approach),
        wide_and(wide_greater(total, wide_zero()), wide_greater(restitution, wide_zero())));
}

#endif
