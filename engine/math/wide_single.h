/*
 * wide_single.h: wide.h with one lane in ordinary C; tests compare every other kind with it.
 */
#ifndef ENGINE_MATH_WIDE_SINGLE_H
#define ENGINE_MATH_WIDE_SINGLE_H

#include <math.h>
#include <string.h>

#define CN_WIDE_LANES 1

typedef float cn_wide;
typedef bool cn_wide_mask;

static inline cn_wide
wide_splat(float x)
{
    return x;
}

static inline cn_wide
wide_load(const float *p)
{
    return *p;
}

static inline void
wide_store(float *p, cn_wide a)
{
    *p = a;
}

static inline cn_wide
wide_min(cn_wide a, cn_wide b)
{
    return a < b ? a : b;
}

static inline cn_wide
wide_max(cn_wide a, cn_wide b)
{
    return a > b ? a : b;
}

static inline cn_wide
wide_sqrt(cn_wide a)
{
    return sqrtf(a);
}

static inline cn_wide
wide_abs(cn_wide a)
{
    return fabsf(a);
}

static inline cn_wide_mask
wide_greater(cn_wide a, cn_wide b)
{
    return a > b;
}

static inline cn_wide_mask
wide_and(cn_wide_mask a, cn_wide_mask b)
{
    return a && b;
}

static inline cn_wide_mask
wide_or(cn_wide_mask a, cn_wide_mask b)
{
    return a || b;
}

static inline cn_wide
wide_select(cn_wide_mask m, cn_wide a, cn_wide b)
{
    return m ? a : b;
}

/* One bit a lane, lane 0 lowest. */
static inline unsigned
wide_bits(cn_wide_mask m)
{
    return m;
}

/* Mask of the lanes where the integers are negative. */
static inline cn_wide_mask
wide_negative(const int32_t *p)
{
    return *p < 0;
}

/* Mask of the lanes where the bits of a, read as an integer, are above n. */
static inline cn_wide_mask
wide_above(cn_wide a, int32_t n)
{
    int32_t bits;
    memcpy(&bits, &a, sizeof(bits));
    return bits > n;
}

/* Mask of the lanes where they equal n. */
static inline cn_wide_mask
wide_is(cn_wide a, int32_t n)
{
    int32_t bits;
    memcpy(&bits, &a, sizeof(bits));
    return bits == n;
}

static inline void
wide_rows(const float *const row[CN_WIDE_LANES], cn_wide out[4])
{
    memcpy(out, row[0], 4 * sizeof(*out));
}

/* Reads `count` consecutive rows of each lane's record, `offset` bytes after base. */
static inline void
wide_rows_many(
    const void *base, const int32_t offset[CN_WIDE_LANES], int count, cn_wide out[][4])
{
    memcpy(out, (const char *)base + offset[0], (size_t)count * sizeof(*out));
}

/*
 * Stores whole numbers of at most 2^30 as integers, at an address aligned to the register's size.
 */
static inline void
wide_integers(int32_t *p, cn_wide a)
{
    *p = (int32_t)a;
}

/*
 * Reads rows whose first half is low[lane] bytes after `one`, the second high[lane] bytes after
 * `other`.
 */
static inline void
wide_pairs(const void *one, const int32_t low[CN_WIDE_LANES], const void *other,
    const int32_t high[CN_WIDE_LANES], cn_wide out[4])
{
    memcpy(out, (const char *)one + low[0], 2 * sizeof(*out));
    memcpy(out + 2, (const char *)other + high[0], 2 * sizeof(*out));
}

static inline void
wide_rows_store(float *const row[CN_WIDE_LANES], const cn_wide in[4])
{
    memcpy(row[0], in, 4 * sizeof(*in));
}

static inline void
wide_rows_store_at(void *base, const int32_t offset[CN_WIDE_LANES], const cn_wide in[4])
{
    memcpy((char *)base + offset[0], in, 4 * sizeof(*in));
}

#endif
