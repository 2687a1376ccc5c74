#define CN_WIDE_SINGLE
#include "engine/solve/joints/impulse_joint_kernel.h"

JOINT_KERNEL(cn_joint_kernel_single, "single");
