/* fast_planar_single.c: see fast_planar_boxes.h. */
#define CN_WIDE_SINGLE
#include "engine/collide/fast/fast_planar_boxes.h"

const struct cn_fast_kernel2 cn_fast_kernel2_single = {"single", meet_boxes};
