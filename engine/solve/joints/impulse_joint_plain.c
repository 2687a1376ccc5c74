#define CN_WIDE_PLAIN
#include "engine/solve/joints/impulse_joint_kernel.h"

JOINT_KERNEL(cn_joint_kernel_plain, "plain");
