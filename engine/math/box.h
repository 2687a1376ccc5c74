/*
 * box.h: axis-aligned boxes of float [m], singly and in groups of eight.
 *
 * Eight boxes are stored axis by axis, so that one box is compared with all of them in a few
 * instructions.  Only comparisons and minima are used, so every instruction set gives the same
 * result.
 *
 * The empty box begins at +infinity and ends at -infinity: it overlaps no box, and its union with
 * another box is that box.
 */
#ifndef ENGINE_MATH_BOX_H
#define ENGINE_MATH_BOX_H

#include "engine/math/aabb.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#if defined __SSE2__
#include <emmintrin.h>
#elif defined __aarch64__
#include <arm_neon.h>
#endif

struct cn_box {
    float low[3], high[3];
};

struct cn_box8 {
    float low[3][8], high[3][8];
};

#define CN_BOX_FAR 3e38f /* no box reaches beyond this */

#define CN_BOX_EMPTY                                                                               \
    ((struct cn_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}})

static inline bool
cn_box_meet(const struct cn_box *a, const struct cn_box *b)
{
    /* No short-circuit operators: the results of single comparisons can not be predicted. */
    return (a->low[0] <= b->high[0]) & (b->low[0] <= a->high[0]) & (a->low[1] <= b->high[1]) &
           (b->low[1] <= a->high[1]) & (a->low[2] <= b->high[2]) & (b->low[2] <= a->high[2]);
}

static inline void
cn_box_join(struct cn_box *a, const struct cn_box *b)
{
    for (int k = 0; k < 3; k++) {
        a->low[k] = b->low[k] < a->low[k] ? b->low[k] : a->low[k];
        a->high[k] = b->high[k] > a->high[k] ? b->high[k] : a->high[k];
    }
}

/* Floats at or below x and at or above x; a NaN counts as -far and as far. */
static inline float
cn_box_below(double x)
{
    double near = x >= (double)-CN_BOX_FAR ? x : (double)-CN_BOX_FAR;
    float f = near <= (double)CN_BOX_FAR ? (float)near : CN_BOX_FAR;
    /* The double differs from f by at most half a step of float; |f| 2^-23 is at least one step. */
    return f - (fabsf(f) * 0x1p-23f + 0x1p-126f);
}

static inline float
cn_box_above(double x)
{
    return -cn_box_below(-x);
}

/* `box` grown by `extra` on every side, rounded outward. */
static inline struct cn_box
cn_box_around(const cn_aabb *box, double extra)
{
    return (struct cn_box){
        {cn_box_below(box->low.x - extra), cn_box_below(box->low.y - extra),
            cn_box_below(box->low.z - extra)},
        {cn_box_above(box->high.x + extra), cn_box_above(box->high.y + extra),
            cn_box_above(box->high.z + extra)},
    };
}

static inline bool
cn_box_holds(const struct cn_box *box, const cn_aabb *inner)
{
    return ((double)box->low[0] <= inner->low.x) & (inner->high.x <= (double)box->high[0]) &
           ((double)box->low[1] <= inner->low.y) & (inner->high.y <= (double)box->high[1]) &
           ((double)box->low[2] <= inner->low.z) & (inner->high.z <= (double)box->high[2]);
}

static inline struct cn_box
cn_box8_get(const struct cn_box8 *eight, int i)
{
    return (struct cn_box){{eight->low[0][i], eight->low[1][i], eight->low[2][i]},
        {eight->high[0][i], eight->high[1][i], eight->high[2][i]}};
}

static inline void
cn_box8_set(struct cn_box8 *eight, int i, const struct cn_box *one)
{
    for (int k = 0; k < 3; k++) {
        eight->low[k][i] = one->low[k];
        eight->high[k][i] = one->high[k];
    }
}

/* Bit k: whether box k of `eight` overlaps box i of `others`. */
static inline uint32_t
cn_box8_meet_row(const struct cn_box8 *eight, const struct cn_box8 *others, int i)
{
#if defined __SSE2__
    __m128 high = _mm_set1_ps(others->high[0][i]);
    __m128 first = _mm_cmple_ps(_mm_loadu_ps(eight->low[0]), high);
    __m128 second = _mm_cmple_ps(_mm_loadu_ps(eight->low[0] + 4), high);
    for (int k = 0; k < 3; k++) {
        __m128 low = _mm_set1_ps(others->low[k][i]);
        first = _mm_and_ps(first, _mm_cmpge_ps(_mm_loadu_ps(eight->high[k]), low));
        second = _mm_and_ps(second, _mm_cmpge_ps(_mm_loadu_ps(eight->high[k] + 4), low));
        if (k > 0) {
            high = _mm_set1_ps(others->high[k][i]);
            first = _mm_and_ps(first, _mm_cmple_ps(_mm_loadu_ps(eight->low[k]), high));
            second = _mm_and_ps(second, _mm_cmple_ps(_mm_loadu_ps(eight->low[k] + 4), high));
        }
    }
    return (uint32_t)_mm_movemask_ps(first) | (uint32_t)_mm_movemask_ps(second) << 4;
#elif defined __aarch64__
    static const uint32_t bits[4] = {1, 2, 4, 8};
    uint32x4_t first = vdupq_n_u32(UINT32_MAX), second = first, bit = vld1q_u32(bits);
    for (int k = 0; k < 3; k++) {
        float32x4_t low = vdupq_n_f32(others->low[k][i]), high = vdupq_n_f32(others->high[k][i]);
        first = vandq_u32(first, vcgeq_f32(vld1q_f32(eight->high[k]), low));
        first = vandq_u32(first, vcleq_f32(vld1q_f32(eight->low[k]), high));
        second = vandq_u32(second, vcgeq_f32(vld1q_f32(eight->high[k] + 4), low));
        second = vandq_u32(second, vcleq_f32(vld1q_f32(eight->low[k] + 4), high));
    }
    return vaddvq_u32(vandq_u32(first, bit)) | vaddvq_u32(vandq_u32(second, bit)) << 4;
#else
    uint32_t met = 0;
    for (int n = 0; n < 8; n++) {
        uint32_t all = 1;
        for (int k = 0; k < 3; k++) {
            all &= (uint32_t)(eight->low[k][n] <= others->high[k][i]);
            all &= (uint32_t)(eight->high[k][n] >= others->low[k][i]);
        }
        met |= all << n;
    }
    return met;
#endif
}

/* Bit k: whether box k of the eight overlaps `one`. */
static inline uint32_t
cn_box8_meet(const struct cn_box8 *eight, const struct cn_box *one)
{
    struct cn_box8 single;
    cn_box8_set(&single, 0, one);
    return cn_box8_meet_row(eight, &single, 0);
}

/* Bit k: whether box k of the eight is within `one`; an empty box always is. */
static inline uint32_t
cn_box8_within(const struct cn_box8 *eight, const struct cn_box *one)
{
#if defined __SSE2__
    __m128 first = _mm_castsi128_ps(_mm_set1_epi32(-1)), second = first;
    for (int k = 0; k < 3; k++) {
        __m128 low = _mm_set1_ps(one->low[k]), high = _mm_set1_ps(one->high[k]);
        first = _mm_and_ps(first, _mm_cmpge_ps(_mm_loadu_ps(eight->low[k]), low));
        first = _mm_and_ps(first, _mm_cmple_ps(_mm_loadu_ps(eight->high[k]), high));
        second = _mm_and_ps(second, _mm_cmpge_ps(_mm_loadu_ps(eight->low[k] + 4), low));
        second = _mm_and_ps(second, _mm_cmple_ps(_mm_loadu_ps(eight->high[k] + 4), high));
    }
    return (uint32_t)_mm_movemask_ps(first) | (uint32_t)_mm_movemask_ps(second) << 4;
#else
    uint32_t within = 0;
    for (int n = 0; n < 8; n++) {
        uint32_t all = 1;
        for (int k = 0; k < 3; k++) {
            all &= (uint32_t)(eight->low[k][n] >= one->low[k]);
            all &= (uint32_t)(eight->high[k][n] <= one->high[k]);
        }
        within |= all << n;
    }
    return within;
#endif
}

/* The box around all eight. */
static inline struct cn_box
cn_box8_bound(const struct cn_box8 *eight)
{
    struct cn_box bound;
    for (int k = 0; k < 3; k++) {
        float low[4], high[4];
        for (int i = 0; i < 4; i++) {
            float l = eight->low[k][i], h = eight->high[k][i];
            low[i] = eight->low[k][i + 4] < l ? eight->low[k][i + 4] : l;
            high[i] = eight->high[k][i + 4] > h ? eight->high[k][i + 4] : h;
        }
        for (int half = 2; half > 0; half /= 2) {
            for (int i = 0; i < half; i++) {
                low[i] = low[i + half] < low[i] ? low[i + half] : low[i];
                high[i] = high[i + half] > high[i] ? high[i + half] : high[i];
            }
        }
        bound.low[k] = low[0];
        bound.high[k] = high[0];
    }
    return bound;
}

/*
 * A segment, prepared for groups of boxes: from + t along, 0 <= t <= 1, with a radius around it.
 * near and far are its start, moved outwards on the sides where it enters and leaves boxes.
 */
struct cn_box_ray {
    bool backwards[3]; /* along an axis it enters where boxes are high */
    float near[3], far[3], rate_near[3], rate_far[3];
};

/*
 * Where the segment enters each of eight boxes, at the earliest.  Bit k of the result is set if it
 * enters box k up to t = `last`; by rounding it may be set although the segment just misses.
 */
static inline uint32_t
cn_box8_enter(
    const struct cn_box8 *eight, const struct cn_box_ray *ray, float last, float enter[8])
{
#if defined __SSE2__
    __m128 first4[2] = {_mm_setzero_ps(), _mm_setzero_ps()};
    __m128 last4[2] = {_mm_set1_ps(last), _mm_set1_ps(last)};
    for (int k = 0; k < 3; k++) {
        const float *in = ray->backwards[k] ? eight->high[k] : eight->low[k];
        const float *out = ray->backwards[k] ? eight->low[k] : eight->high[k];
        __m128 near = _mm_set1_ps(ray->near[k]), far = _mm_set1_ps(ray->far[k]);
        __m128 rate_near = _mm_set1_ps(ray->rate_near[k]);
        __m128 rate_far = _mm_set1_ps(ray->rate_far[k]);
        for (int half = 0; half < 2; half++) {
            __m128 a = _mm_mul_ps(_mm_sub_ps(_mm_loadu_ps(in + 4 * half), near), rate_near);
            __m128 b = _mm_mul_ps(_mm_sub_ps(_mm_loadu_ps(out + 4 * half), far), rate_far);
            first4[half] = _mm_max_ps(a, first4[half]);
            last4[half] = _mm_min_ps(b, last4[half]);
        }
    }
    _mm_storeu_ps(enter, first4[0]);
    _mm_storeu_ps(enter + 4, first4[1]);
    return (uint32_t)_mm_movemask_ps(_mm_cmple_ps(first4[0], last4[0])) |
           (uint32_t)_mm_movemask_ps(_mm_cmple_ps(first4[1], last4[1])) << 4;
#else
    uint32_t met = 0;
    for (int i = 0; i < 8; i++) {
        float first = 0.0F, end = last;
        for (int k = 0; k < 3; k++) {
            float in = ray->backwards[k] ? eight->high[k][i] : eight->low[k][i];
            float out = ray->backwards[k] ? eight->low[k][i] : eight->high[k][i];
            float a = (in - ray->near[k]) * ray->rate_near[k];
            float b = (out - ray->far[k]) * ray->rate_far[k];
            first = a > first ? a : first;
            end = b < end ? b : end;
        }
        enter[i] = first;
        met |= (uint32_t)(first <= end) << i;
    }
    return met;
#endif
}

#endif
