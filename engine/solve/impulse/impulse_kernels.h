/* impulse_kernels.h: the kernels by name.  impulse.c lists those that are built in. */
#ifndef ENGINE_SOLVE_IMPULSE_IMPULSE_KERNELS_H
#define ENGINE_SOLVE_IMPULSE_IMPULSE_KERNELS_H

#include "engine/solve/impulse/impulse.h"

extern const struct cn_impulse_kernel cn_impulse_kernel_plain;
extern const struct cn_impulse_kernel cn_impulse_kernel_sse2;
extern const struct cn_impulse_kernel cn_impulse_kernel_avx2;
extern const struct cn_impulse_kernel cn_impulse_kernel_avx512;
extern const struct cn_impulse_kernel cn_impulse_kernel_neon;

#endif
