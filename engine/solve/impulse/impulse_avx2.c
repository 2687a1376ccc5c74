#define CN_WIDE_AVX2
#include "engine/solve/impulse/impulse_kernel.h"

IMPULSE_KERNEL(cn_impulse_kernel_avx2, "avx2");
