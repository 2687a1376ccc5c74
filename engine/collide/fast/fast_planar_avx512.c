/* fast_planar_avx512.c: see fast_planar_boxes.h. */
#define CN_WIDE_AVX512
#include "engine/collide/fast/fast_planar_boxes.h"

const struct cn_fast_kernel2 cn_fast_kernel2_avx512 = {"avx512", meet_boxes};
