/*
 * wide_plain.h: wide.h with four lanes in plain C, by the vectors of gcc and clang.
 */
#ifndef ENGINE_MATH_WIDE_PLAIN_H
#define ENGINE_MATH_WIDE_PLAIN_H

#include <math.h>
#include <string.h>

#define CN_WIDE_LANES 4

typedef float cn_wide __attribute__((vector_size(16)));
typedef int32_t cn_wide_mask __attribute__((vector_size(16))); /* -1 or 0 a lane */

static inline cn_wide
wide_splat(float x)
{
    return (cn_wide){x, x, x, x};
}

static inline cn_wide
wide_load(const float *p)
{
    cn_wide a;
    memcpy(&a, p, sizeof(a));
    return a;
}

static inline void
wide_store(float *p, cn_wide a)
{
    memcpy(p, &a, sizeof(a));
}

static inline cn_wide_mask
wide_greater(cn_wide a, cn_wide b)
{
    return (cn_wide_mask)(a > b);
}

static inline cn_wide_mask
wide_and(cn_wide_mask a, cn_wide_mask b)
{
    return a & b;
}

static inline cn_wide_mask
wide_or(cn_wide_mask a, cn_wide_mask b)
{
    return a | b;
}

static inline cn_wide
wide_select(cn_wide_mask m, cn_wide a, cn_wide b)
{
    return (cn_wide)(((cn_wide_mask)a & m) | ((cn_wide_mask)b & ~m));
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
    return (cn_wide){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
}

static inline cn_wide
wide_abs(cn_wide a)
{
    return (cn_wide){fabsf(a[0]), fabsf(a[1]), fabsf(a[2]), fabsf(a[3])};
}

static inline unsigned
wide_bits(cn_wide_mask m)
{
    return (unsigned)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
}

static inline cn_wide_mask
wide_negative(const int32_t *p)
{
    cn_wide_mask a;
    memcpy(&a, p, sizeof(a));
    return (cn_wide_mask)(a < 0);
}

/* Mask of the lanes where the bits of a, read as an integer, are above n. */
static inline cn_wide_mask
wide_above(cn_wide a, int32_t n)
{
    return (cn_wide_mask)((cn_wide_mask)a > n);
}

/* Mask of the lanes where they equal n. */
static inline cn_wide_mask
wide_is(cn_wide a, int32_t n)
{
    return (cn_wide_mask)((cn_wide_mask)a == n);
}

static inline void
wide_turn(const cn_wide row[4], cn_wide out[4])
{
    for (int k = 0; k < 4; k++) {
        out[k] = (cn_wide){row[0][k], row[1][k], row[2][k], row[3][k]};
    }
}

static inline void
wide_rows(const float *const row[CN_WIDE_LANES], cn_wide out[4])
{
    cn_wide in[4] = {wide_load(row[0]), wide_load(row[1]), wide_load(row[2]), wide_load(row[3])};
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
            memcpy(&in[lane], (const char *)base + offset[lane] + 16 * k, sizeof(in[lane]));
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
    cn_wide_mask whole = __builtin_convertvector(a, cn_wide_mask);
    memcpy(p, &whole, sizeof(whole));
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
        float row[4];
        memcpy(row, (const char *)one + low[lane], 8);
        memcpy(row + 2, (const char *)other + high[lane], 8);
        in[lane] = (cn_wide){row[0], row[1], row[2], row[3]};
    }
    wide_turn(in, out);
}

static inline void
wide_rows_store(float *const row[CN_WIDE_LANES], const cn_wide in[4])
{
    cn_wide out[4];
    wide_turn(in, out);
    for (int lane = 0; lane < 4; lane++) {
        wide_store(row[lane], out[lane]);
    }
}

static inline void
wide_rows_store_at(void *base, const int32_t offset[CN_WIDE_LANES], const cn_wide in[4])
{
    cn_wide out[4];
    wide_turn(in, out);
    for (int lane = 0; lane < 4; lane++) {
        memcpy((char *)base + offset[lane], &out[lane], sizeof(out[lane]));
    }
}

#endif
