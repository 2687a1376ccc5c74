/*
 * four.h: four floats at once, for the spatial geometry of one pair of shapes.
 *
 * The operators of C work on them lane by lane (a language extension of gcc and clang).  So a
 * lane's bits are those of the same scalar expression, with or without SIMD.  Where the compilers
 * have no operator, an SSE2 instruction is used, and the portable form is beside it.  Comparisons
 * give masks: all bits of a lane are set, or none.
 */
#ifndef ENGINE_MATH_FOUR_H
#define ENGINE_MATH_FOUR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) && !defined(CN_NO_SIMD)
#include <emmintrin.h>
#define CN_FOUR_SSE2 1
#else
#define CN_FOUR_SSE2 0
#endif

typedef float cn_four __attribute__((vector_size(16)));
typedef int32_t cn_four_mask __attribute__((vector_size(16)));

/* Picks lanes of a (0 to 3) and b (4 to 7) by constant indices. */
#if defined(__clang__) || __GNUC__ >= 12
#define cn_four_shuffle(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define cn_four_shuffle(a, b, i, j, k, l) __builtin_shuffle(a, b, (cn_four_mask){i, j, k, l})
#endif
#define cn_four_order(a, i, j, k, l) cn_four_shuffle(a, a, i, j, k, l)

static inline cn_four
cn_four_splat(float x)
{
    return (cn_four){x, x, x, x};
}

/* Loads four numbers from any address. */
static inline cn_four
cn_four_load(const float *from)
{
    cn_four a;
    memcpy(&a, from, sizeof a);
    return a;
}

static inline void
cn_four_store(float *to, cn_four a)
{
    memcpy(to, &a, sizeof a);
}

static inline cn_four
cn_four_select(cn_four_mask mask, cn_four yes, cn_four no)
{
    return (cn_four)((mask & (cn_four_mask)yes) | (~mask & (cn_four_mask)no));
}

static inline cn_four
cn_four_abs(cn_four a)
{
    const cn_four_mask sign = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
    return (cn_four)((cn_four_mask)a & sign);
}

/* a < b ? a : b, and a > b ? a : b */
static inline cn_four
cn_four_min(cn_four a, cn_four b)
{
#if CN_FOUR_SSE2
    return (cn_four)_mm_min_ps((__m128)a, (__m128)b);
#else
    return cn_four_select(a < b, a, b);
#endif
}

static inline cn_four
cn_four_max(cn_four a, cn_four b)
{
#if CN_FOUR_SSE2
    return (cn_four)_mm_max_ps((__m128)a, (__m128)b);
#else
    return cn_four_select(a > b, a, b);
#endif
}

static inline cn_four
cn_four_sqrt(cn_four a)
{
#if CN_FOUR_SSE2
    return (cn_four)_mm_sqrt_ps((__m128)a);
#else
    return (cn_four){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
#endif
}

/* Bit i of the result is lane i of the mask. */
static inline int
cn_four_bits(cn_four_mask mask)
{
#if CN_FOUR_SSE2
    return _mm_movemask_ps((__m128)mask);
#else
    return (mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8);
#endif
}

/* Transposes the 4 x 4 matrix of rows a, b, c, d. */
static inline void
cn_four_transpose(cn_four *a, cn_four *b, cn_four *c, cn_four *d)
{
    cn_four ab_low = cn_four_shuffle(*a, *b, 0, 4, 1, 5);
    cn_four ab_high = cn_four_shuffle(*a, *b, 2, 6, 3, 7);
    cn_four cd_low = cn_four_shuffle(*c, *d, 0, 4, 1, 5);
    cn_four cd_high = cn_four_shuffle(*c, *d, 2, 6, 3, 7);
    *a = cn_four_shuffle(ab_low, cd_low, 0, 1, 4, 5);
    *b = cn_four_shuffle(ab_low, cd_low, 2, 3, 6, 7);
    *c = cn_four_shuffle(ab_high, cd_high, 0, 1, 4, 5);
    *d = cn_four_shuffle(ab_high, cd_high, 2, 3, 6, 7);
}

/* Dot product of the first three lanes, added from left to right. */
static inline float
cn_four_dot3(cn_four a, cn_four b)
{
    cn_four p = a * b;
    return p[0] + p[1] + p[2];
}

/* Cross product of the first three lanes; the fourth is 0 where both are finite. */
static inline cn_four
cn_four_cross(cn_four a, cn_four b)
{
    cn_four p = a * cn_four_order(b, 1, 2, 0, 3) - b * cn_four_order(a, 1, 2, 0, 3);
    return cn_four_order(p, 1, 2, 0, 3);
}

#endif
