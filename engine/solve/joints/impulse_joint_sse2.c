#define CN_WIDE_SSE2
#include "engine/solve/joints/impulse_joint_kernel.h"

JOINT_KERNEL(cn_joint_kernel_sse2, "sse2");
