/* fast_planar_sse2.c: see fast_planar_boxes.h. */
#define CN_WIDE_SSE2
#include "engine/collide/fast/fast_planar_boxes.h"

const struct cn_fast_kernel2 cn_fast_kernel2_sse2 = {"sse2", meet_boxes};
