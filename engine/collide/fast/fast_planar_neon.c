/* fast_planar_neon.c: see fast_planar_boxes.h. */
#define CN_WIDE_NEON
#include "engine/collide/fast/fast_planar_boxes.h"

const struct cn_fast_kernel2 cn_fast_kernel2_neon = {"neon", meet_boxes};
