#define CN_WIDE_AVX2
#include "engine/solve/joints/impulse_joint_kernel.h"

JOINT_KERNEL(cn_joint_kernel_avx2, "avx2");
