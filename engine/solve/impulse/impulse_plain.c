#define CN_WIDE_PLAIN
#include "engine/solve/impulse/impulse_kernel.h"

IMPULSE_KERNEL(cn_impulse_kernel_plain, "plain");
