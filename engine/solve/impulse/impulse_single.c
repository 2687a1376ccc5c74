#define CN_WIDE_SINGLE
#include "engine/solve/impulse/impulse_kernel.h"

IMPULSE_KERNEL(cn_impulse_kernel_single, "single");
