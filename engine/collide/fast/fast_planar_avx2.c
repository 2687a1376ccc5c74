/* fast_planar_avx2.c: see fast_planar_boxes.h. */
#define CN_WIDE_AVX2
#include "engine/collide/fast/fast_planar_boxes.h"

const struct cn_fast_kernel2 cn_fast_kernel2_avx2 = {"avx2", meet_boxes};
