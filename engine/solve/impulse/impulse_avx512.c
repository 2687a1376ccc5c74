#define CN_WIDE_AVX512
#include "engine/solve/impulse/impulse_kernel.h"

IMPULSE_KERNEL(cn_impulse_kernel_avx512, "avx512");
