/*
 * wide_x86.h: wide.h with the four lanes of SSE2, the eight of AVX2 or the sixteen of AVX-512.
 *
 * minps and maxps follow exactly the rule of wide.h.  Transposing rows stays within the 128-bit
 * quarters of a register: row j of quarter g is that of lane 4 g + j.
 */
#ifndef ENGINE_MATH_WIDE_X86_H
#define ENGINE_MATH_WIDE_X86_H

#include <immintrin.h>

#if defined(CN_WIDE_AVX512)

#define CN_WIDE_LANES 16
typedef __m512 cn_wide;
typedef __mmask16 cn_wide_mask;

#define WIDE_(operation) _mm512_##operation##_ps
#define WIDE_SHUFFLE(a, b, which) _mm512_shuffle_ps(a, b, which)

static inline cn_wide_mask
wide_greater(cn_wide a, cn_wide b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ);
}

static inline cn_wide_mask
wide_and(cn_wide_mask a, cn_wide_mask b)
{
    return (cn_wide_mask)(a & b);
}

static inline cn_wide_mask
wide_or(cn_wide_mask a, cn_wide_mask b)
{
    return (cn_wide_mask)(a | b);
}

static inline cn_wide
wide_select(cn_wide_mask m, cn_wide a, cn_wide b)
{
    return _mm512_mask_blend_ps(m, b, a);
}

static inline cn_wide
wide_abs(cn_wide a)
{
    return _mm512_abs_ps(a);
}

static inline unsigned
wide_bits(cn_wide_mask m)
{
    return m;
}

static inline cn_wide_mask
wide_negative(const int32_t *p)
{
    return _mm512_cmpgt_epi32_mask(_mm512_setzero_si512(), _mm512_loadu_si512(p));
}

/* Mask of the lanes where the bits of a, read as an integer, are above n. */
static inline cn_wide_mask
wide_above(cn_wide a, int32_t n)
{
    return _mm512_cmpgt_epi32_mask(_mm512_castps_si512(a), _mm512_set1_epi32(n));
}

/* Mask of the lanes where they equal n. */
static inline cn_wide_mask
wide_is(cn_wide a, int32_t n)
{
    return _mm512_cmpeq_epi32_mask(_mm512_castps_si512(a), _mm512_set1_epi32(n));
}

/*
 * Stores whole numbers of at most 2^30 as integers, at an address aligned to the register's size.
 */
static inline void
wide_integers(int32_t *p, cn_wide a)
{
    _mm512_store_si512(p, _mm512_cvttps_epi32(a));
}

/* Row j of every quarter; WIDE_FOUR(lane) is defined where this is used. */
#define WIDE_GATHER(j) \
    _mm512_insertf32x4(_mm512_insertf32x4(_mm512_insertf32x4(_mm512_castps128_ps512( \
        WIDE_FOUR(j)), WIDE_FOUR((j) + 4), 1), WIDE_FOUR((j) + 8), 2), WIDE_FOUR((j) + 12), 3)
#define WIDE_SCATTER(j, a) \
    _mm_storeu_ps(WIDE_ROW(j), _mm512_castps512_ps128(a)); \
    _mm_storeu_ps(WIDE_ROW((j) + 4), _mm512_extractf32x4_ps(a, 1)); \
    _mm_storeu_ps(WIDE_ROW((j) + 8), _mm512_extractf32x4_ps(a, 2)); \
    _mm_storeu_ps(WIDE_ROW((j) + 12), _mm512_extractf32x4_ps(a, 3))

#elif defined(CN_WIDE_AVX2)

#define CN_WIDE_LANES 8
typedef __m256 cn_wide;
typedef __m256 cn_wide_mask; /* all bits of a lane, or none */

#define WIDE_(operation) _mm256_##operation##_ps
#define WIDE_SHUFFLE(a, b, which) _mm256_shuffle_ps(a, b, which)

static inline cn_wide_mask
wide_greater(cn_wide a, cn_wide b)
{
    return _mm256_cmp_ps(a, b, _CMP_GT_OQ);
}

static inline cn_wide_mask
wide_and(cn_wide_mask a, cn_wide_mask b)
{
    return _mm256_and_ps(a, b);
}

static inline cn_wide_mask
wide_or(cn_wide_mask a, cn_wide_mask b)
{
    return _mm256_or_ps(a, b);
}

static inline cn_wide
wide_select(cn_wide_mask m, cn_wide a, cn_wide b)
{
    return _mm256_blendv_ps(b, a, m);
}

static inline cn_wide
wide_abs(cn_wide a)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}

static inline unsigned
wide_bits(cn_wide_mask m)
{
    return (unsigned)_mm256_movemask_ps(m);
}

static inline cn_wide_mask
wide_negative(const int32_t *p)
{
    return _mm256_castsi256_ps(
        _mm256_srai_epi32(_mm256_loadu_si256((const __m256i *)(const void *)p), 31));
}

static inline cn_wide_mask
wide_above(cn_wide a, int32_t n)
{
    return _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_castps_si256(a), _mm256_set1_epi32(n)));
}

/* Mask of the lanes where they equal n. */
static inline cn_wide_mask
wide_is(cn_wide a, int32_t n)
{
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_castps_si256(a), _mm256_set1_epi32(n)));
}

/*
 * Stores whole numbers of at most 2^30 as integers, at an address aligned to the register's size.
 */
static inline void
wide_integers(int32_t *p, cn_wide a)
{
    _mm256_store_si256((__m256i *)(void *)p, _mm256_cvttps_epi32(a));
}

#define WIDE_GATHER(j) \
    _mm256_insertf128_ps(_mm256_castps128_ps256(WIDE_FOUR(j)), WIDE_FOUR((j) + 4), 1)
#define WIDE_SCATTER(j, a) \
    _mm_storeu_ps(WIDE_ROW(j), _mm256_castps256_ps128(a)); \
    _mm_storeu_ps(WIDE_ROW((j) + 4), _mm256_extractf128_ps(a, 1))

#else

#define CN_WIDE_LANES 4
typedef __m128 cn_wide;
typedef __m128 cn_wide_mask;

#define WIDE_(operation) _mm_##operation##_ps
#define WIDE_SHUFFLE(a, b, which) _mm_shuffle_ps(a, b, which)

static inline cn_wide_mask
wide_greater(cn_wide a, cn_wide b)
{
    return _mm_cmpgt_ps(a, b);
}

static inline cn_wide_mask
wide_and(cn_wide_mask a, cn_wide_mask b)
{
    return _mm_and_ps(a, b);
}

static inline cn_wide_mask
wide_or(cn_wide_mask a, cn_wide_mask b)
{
    return _mm_or_ps(a, b);
}

static inline cn_wide
wide_select(cn_wide_mask m, cn_wide a, cn_wide b)
{
    return _mm_or_ps(_mm_and_ps(m, a), _mm_andnot_ps(m, b));
}

static inline cn_wide
wide_abs(cn_wide a)
{
    return _mm_andnot_ps(_mm_set1_ps(-0.0f), a);
}

static inline unsigned
wide_bits(cn_wide_mask m)
{
    return (unsigned)_mm_movemask_ps(m);
}

static inline cn_wide_mask
wide_negative(const int32_t *p)
{
    return _mm_castsi128_ps(_mm_srai_epi32(_mm_loadu_si128((const __m128i *)(const void *)p), 31));
}

static inline cn_wide_mask
wide_above(cn_wide a, int32_t n)
{
    return _mm_castsi128_ps(_mm_cmpgt_epi32(_mm_castps_si128(a), _mm_set1_epi32(n)));
}

/* Mask of the lanes where they equal n. */
static inline cn_wide_mask
wide_is(cn_wide a, int32_t n)
{
    return _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_castps_si128(a), _mm_set1_epi32(n)));
}

/*
 * Stores whole numbers of at most 2^30 as integers, at an address aligned to the register's size.
 */
static inline void
wide_integers(int32_t *p, cn_wide a)
{
    _mm_store_si128((__m128i *)(void *)p, _mm_cvttps_epi32(a));
}

#define WIDE_GATHER(j) WIDE_FOUR(j)
#define WIDE_SCATTER(j, a) _mm_storeu_ps(WIDE_ROW(j), a)

#endif

static inline cn_wide
wide_splat(float x)
{
    return WIDE_(set1)(x);
}

/* Loads from and stores to an address aligned to the register's size. */
static inline cn_wide
wide_load(const float *p)
{
    return WIDE_(load)(p);
}

static inline void
wide_store(float *p, cn_wide a)
{
    WIDE_(store)(p, a);
}

static inline cn_wide
wide_min(cn_wide a, cn_wide b)
{
    return WIDE_(min)(a, b);
}

static inline cn_wide
wide_max(cn_wide a, cn_wide b)
{
    return WIDE_(max)(a, b);
}

static inline cn_wide
wide_sqrt(cn_wide a)
{
    return WIDE_(sqrt)(a);
}

/* Transposes the 4 x 4 matrix in every quarter. */
static inline void
wide_turn(cn_wide a, cn_wide b, cn_wide c, cn_wide d, cn_wide out[4])
{
    cn_wide ab_low = WIDE_(unpacklo)(a, b), ab_high = WIDE_(unpackhi)(a, b);
    cn_wide cd_low = WIDE_(unpacklo)(c, d), cd_high = WIDE_(unpackhi)(c, d);
    out[0] = WIDE_SHUFFLE(ab_low, cd_low, 0x44);
    out[1] = WIDE_SHUFFLE(ab_low, cd_low, 0xee);
    out[2] = WIDE_SHUFFLE(ab_high, cd_high, 0x44);
    out[3] = WIDE_SHUFFLE(ab_high, cd_high, 0xee);
}

#define WIDE_FOUR(lane) _mm_loadu_ps(WIDE_ROW(lane))
#define WIDE_ROW(lane) row[lane]

static inline void
wide_rows(const float *const row[CN_WIDE_LANES], cn_wide out[4])
{
    wide_turn(WIDE_GATHER(0), WIDE_GATHER(1), WIDE_GATHER(2), WIDE_GATHER(3), out);
}

static inline void
wide_rows_store(float *const row[CN_WIDE_LANES], const cn_wide in[4])
{
    cn_wide out[4];
    wide_turn(in[0], in[1], in[2], in[3], out);
    WIDE_SCATTER(0, out[0]);
    WIDE_SCATTER(1, out[1]);
    WIDE_SCATTER(2, out[2]);
    WIDE_SCATTER(3, out[3]);
}

#undef WIDE_ROW
#define WIDE_ROW(lane) (const float *)(const void *)(p[lane] + 16 * (ptrdiff_t)k)

/* Reads `count` consecutive rows of each lane's record, `offset` bytes after base. */
WIDE_INLINE void
wide_rows_many(
    const void *base, const int32_t offset[CN_WIDE_LANES], int count, cn_wide out[][4])
{
    const char *p[CN_WIDE_LANES];
    WIDE_UNROLL
    for (int lane = 0; lane < CN_WIDE_LANES; lane++) {
        p[lane] = (const char *)base + offset[lane];
    }
    WIDE_UNROLL
    for (int k = 0; k < count; k++) {
        wide_turn(WIDE_GATHER(0), WIDE_GATHER(1), WIDE_GATHER(2), WIDE_GATHER(3), out[k]);
    }
}

#undef WIDE_FOUR
#define WIDE_HALF(base, offset) (const __m64 *)(const void *)((const char *)(base) + (offset))
#define WIDE_FOUR(lane) _mm_loadh_pi( \
    _mm_loadl_pi(_mm_setzero_ps(), WIDE_HALF(one, low[lane])), WIDE_HALF(other, high[lane]))

/*
 * Reads rows whose first half is low[lane] bytes after `one`, the second high[lane] bytes after
 * `other`.
 */
WIDE_INLINE void
wide_pairs(const void *one, const int32_t low[CN_WIDE_LANES], const void *other,
    const int32_t high[CN_WIDE_LANES], cn_wide out[4])
{
    wide_turn(WIDE_GATHER(0), WIDE_GATHER(1), WIDE_GATHER(2), WIDE_GATHER(3), out);
}

#undef WIDE_HALF
#undef WIDE_FOUR
#undef WIDE_ROW
#define WIDE_ROW(lane) ((float *)(void *)((char *)base + offset[lane]))

static inline void
wide_rows_store_at(void *base, const int32_t offset[CN_WIDE_LANES], const cn_wide in[4])
{
    cn_wide out[4];
    wide_turn(in[0], in[1], in[2], in[3], out);
    WIDE_SCATTER(0, out[0]);
    WIDE_SCATTER(1, out[1]);
    WIDE_SCATTER(2, out[2]);
    WIDE_SCATTER(3, out[3]);
}

#undef WIDE_ROW
#undef WIDE_GATHER
#undef WIDE_SCATTER
#undef WIDE_SHUFFLE
#undef WIDE_

#endif
