/*
 * wide.h: several floats at once, with the same bits for every instruction set.
 *
 * A file that includes this header first defines the kind that it needs: CN_WIDE_SINGLE (1 lane),
 * CN_WIDE_PLAIN (4), CN_WIDE_SSE2 (4), CN_WIDE_NEON (4), CN_WIDE_AVX2 (8) or CN_WIDE_AVX512 (16).
 * The file is compiled for that instruction set.  The plain kind is C with the vectors that gcc and
 * clang have on every machine (WebAssembly too); the single kind is ordinary C.
 *
 * Arithmetic is written with + - * / and unary minus, lane by lane.  Every operation is that of
 * IEEE 754, and no operation is fused or approximate, so a program over lanes gives each lane the
 * bits that one lane alone gets.  Where instruction sets differ, one rule is fixed here:
 *
 *     wide_min(a, b)   a < b ? a : b      so b where either is NaN, or both are zeros
 *     wide_max(a, b)   a > b ? a : b      likewise
 *     wide_select(m, a, b)                a where m, else b, bit by bit
 *
 * The result of an operation on two NaNs may be either of them, and this differs between machines.
 * Code that keeps NaNs out is not affected.
 *
 * A record consists of rows; a row is four floats, 16 bytes, of one quantity.  wide_rows reads one
 * row for each lane and transposes them: out[k] holds float k of every row.  wide_rows_store is its
 * inverse.
 */
#ifndef ENGINE_MATH_WIDE_H
#define ENGINE_MATH_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Registers full of lanes must not pass through memory.  So a WIDE_INLINE function is always
 * inlined into its caller, and a short loop after WIDE_UNROLL is unrolled.  (gcc does neither at
 * -O2 by itself.)  Under sanitizers neither is done: speed does not matter there, and compiling
 * would take minutes.
 */
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
#define WIDE_SLOW
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
    __has_feature(thread_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define WIDE_SLOW
#endif
#endif

#if defined(WIDE_SLOW)
#define WIDE_INLINE static inline
#define WIDE_UNROLL
#elif defined(__clang__)
#define WIDE_INLINE static inline __attribute__((always_inline))
#define WIDE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define WIDE_INLINE static inline __attribute__((always_inline))
#define WIDE_UNROLL _Pragma("GCC unroll 16")
#endif

#if defined(CN_WIDE_AVX512) || defined(CN_WIDE_AVX2) || defined(CN_WIDE_SSE2)
#include "engine/math/wide_x86.h"
#elif defined(CN_WIDE_NEON)
#include "engine/math/wide_neon.h"
#elif defined(CN_WIDE_PLAIN)
#include "engine/math/wide_plain.h"
#elif defined(CN_WIDE_SINGLE)
#include "engine/math/wide_single.h"
#else
#error "say which kind of wide.h is wanted"
#endif

/* Functions that all kinds build from the same parts. */

static inline cn_wide
wide_zero(void)
{
    return wide_splat(0.0f);
}

/* Reads one row of each lane's record, `offset` bytes after base. */
static inline void
wide_rows_at(const void *base, const int32_t offset[CN_WIDE_LANES], cn_wide out[4])
{
    wide_rows_many(base, offset, 1, (cn_wide(*)[4])out);
}

/* a where m, else zero. */
static inline cn_wide
wide_keep(cn_wide_mask m, cn_wide a)
{
    return wide_select(m, a, wide_zero());
}

static inline cn_wide
wide_clamp(cn_wide a, cn_wide low, cn_wide high)
{
    return wide_max(low, wide_min(a, high));
}

/* Prefetches the cache line of p, which will be read soon. */
static inline void
wide_prefetch(const void *p)
{
    __builtin_prefetch(p, 0, 3);
}

#endif
