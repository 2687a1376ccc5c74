/* fast_spatial_mesh_avx2.c: see fast_spatial_mesh_lanes.h. */
#define CN_WIDE_AVX2
#include "engine/collide/mesh/fast_spatial_mesh_lanes.h"

const struct cn_fast_mesh_kernel cn_fast_mesh_avx2 = {"avx2", look, reach};
