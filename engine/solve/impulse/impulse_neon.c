#define CN_WIDE_NEON
#include "engine/solve/impulse/impulse_kernel.h"

IMPULSE_KERNEL(cn_impulse_kernel_neon, "neon");
