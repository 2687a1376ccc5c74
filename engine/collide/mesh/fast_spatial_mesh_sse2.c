/* fast_spatial_mesh_sse2.c: see fast_spatial_mesh_lanes.h. */
#define CN_WIDE_SSE2
#include "engine/collide/mesh/fast_spatial_mesh_lanes.h"

const struct cn_fast_mesh_kernel cn_fast_mesh_sse2 = {"sse2", look, reach};
