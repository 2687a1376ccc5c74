#define CN_WIDE_AVX512
#include "engine/solve/joints/impulse_joint_kernel.h"

JOINT_KERNEL(cn_joint_kernel_avx512, "avx512");
