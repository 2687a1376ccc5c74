#define CN_WIDE_SSE2
#include "engine/solve/impulse/impulse_kernel.h"

IMPULSE_KERNEL(cn_impulse_kernel_sse2, "sse2");
