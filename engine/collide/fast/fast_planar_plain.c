/* fast_planar_plain.c: see fast_planar_boxes.h. */
#define CN_WIDE_PLAIN
#include "engine/collide/fast/fast_planar_boxes.h"

const struct cn_fast_kernel2 cn_fast_kernel2_plain = {"plain", meet_boxes};
