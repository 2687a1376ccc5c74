/*
 * wide_neon.h: wide.h with four lanes of 64-bit ARM.
 *
 * vminq and vmaxq treat NaNs and zeros differently from wide.h, so comparisons are used instead.
 */
#ifndef ENGINE_MATH_WIDE_NEON_H
#define ENGINE_MATH_WIDE_NEON_H

#include <arm_neon.h>

#define CN_WIDE_LANES 4

typedef float32x4_t cn_wide;
typedef uint32x4_t cn_wide_mask;

static inline cn_wide
wide_splat(float x)
{
    return vdupq_n_f32(x);
}

static inline cn_wide
wide_load(const float *p)
{
    return vld1q_f32(p);
}

static inline void
wide_store(float *p, cn_wide a)
{
    vst1q_f32(p, a);
}

static inline cn_wide_mask
wide_greater(cn_wide a, cn_wide b)
{
    return vcgtq_f32(a, b);
}

static inline cn_wide_mask
wide_and(cn_wide_mask a, cn_wide_mask b)
{
    return vandq_u32(a, b);
}

static inline cn_wide_mask
wide_or(cn_wide_mask a, cn_wide_mask b)
{
    return vorrq_u32(a, b);
}

static inline cn_wide
wide_select(cn_wide_mask m, cn_wide a, cn_wide b)
{
    return vbslq_f32(m, a, b);
}

static inline cn_wide
wide_min(cn_wide a, cn_wide b)
{
    return wide_select(wide_greater(b, a), a, b);
}

static inline cn_wide
wide_max(cn_wide a, cn_wide b)
{
    return wide_select(wide_greater(a, b), a, b);
}

static inline cn_wide
wide_sqrt(cn_wide a)
{
    return vsqrtq_f32(a);
}

static inline cn_wide
wide_abs(cn_wide a)
{
    return vabsq_f32(a);
}

static inline unsigned
wide_bits(cn_wide_mask m)
{
    const uint32x4_t weight = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(m, weight));
}

static inline cn_wide_mask
wide_negative(const int32_t *p)
{
    return vcltzq_s32(vld1q_s32(p));
}

/* Mask of the lanes where the bits of a, read as an integer, are above n. */
static inline cn_wide_mask
wide_above(cn_wide a, int32_t n)
{
    return vcgtq_s32(vreinterpretq_s32_f32(a), vdupq_n_s32(n));
}

/* Mask of the lanes where they equal n. */
static inline cn_wide_mask
wide_is(cn_wide a, int32_t n)
{
    return vceqq_s32(vreinterpretq_s32_f32(a), vdupq_n_s32(n));
}

static inline void
wide_turn(const cn_wide row[4], cn_wide out[4])
{
    float32x4x2_t low = vtrnq_f32(row[0], row[1]); /* 00 10 02 12, 01 11 03 13 */
    float32x4x2_t high = vtrnq_f32(row[2], row[3]);
    out[0] = vcombine_f32(vget_low_f32(low.val[0]), vget_low_f32(high.val[0]));
    out[1] = vcombine_f32(vget_low_f32(low.val[1]), vget_low_f32(high.val[1]));
    out[2] = vcombine_f32(vget_high_f32(low.val[0]), vget_high_f32(high.val[0]));
    out[3] = vcombine_f32(vget_high_f32(low.val[1]), vget_high_f32(high.val[1]));
}

static inline void
wide_rows(const float *const row[CN_WIDE_LANES], cn_wide out[4])
{
    cn_wide in[4] = {vld1q_f32(row[0]), vld1q_f32(row[1]), vld1q_f32(row[2]), vld1q_f32(row[3])};
    wide_turn(in, out);
}

/* Reads `count` consecutive rows of each lane's record, `offset` bytes after base. */
static inline void
wide_rows_many(
    const void *base, const int32_t offset[CN_WIDE_LANES], int count, cn_wide out[][4])
{
    for (int k = 0; k < count; k++) {
        cn_wide in[4];
        for (int lane = 0; lane < 4; lane++) {
            in[lane] = vld1q_f32(
                (const float *)(const void *)((const char *)base + offset[lane] + 16 * k));
        }
        wide_turn(in, out[k]);
    }
}

/*
 * Stores whole numbers of at most 2^30 as integers, at an address aligned to the register's size.
 */
static inline void
wide_integers(int32_t *p, cn_wide a)
{
    vst1q_s32(p, vcvtq_s32_f32(a));
}

/*
 * Reads rows whose first half is low[lane] bytes after `one`, the second high[lane] bytes after
 * `other`.
 */
static inline void
wide_pairs(const void *one, const int32_t low[CN_WIDE_LANES], const void *other,
    const int32_t high[CN_WIDE_LANES], cn_wide out[4])
{
    cn_wide in[4];
    for (int lane = 0; lane < 4; lane++) {
        in[lane] = vcombine_f32(
            vld1_f32((const float *)(const void *)((const char *)one + low[lane])),
            vld1_f32((const float *)(const void *)((const char *)other + high[lane])));
    }
    wide_turn(in, out);
}

static inline void
wide_rows_store(float *const row[CN_WIDE_LANES], const cn_wide in[4])
{
    cn_wide out[4];
    wide_turn(in, out);
    for (int lane = 0; lane < 4; lane++) {
        vst1q_f32(row[lane], out[lane]);
    }
}

static inline void
wide_rows_store_at(void *base, const int32_t offset[CN_WIDE_LANES], const cn_wide in[4])
{
    cn_wide out[4];
    wide_turn(in, out);
    for (int lane = 0; lane < 4; lane++) {
        vst1q_f32((float *)(void *)((char *)base + offset[lane]), out[lane]);
    }
}

#endif
