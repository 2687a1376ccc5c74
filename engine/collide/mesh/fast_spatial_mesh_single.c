/* fast_spatial_mesh_single.c: see fast_spatial_mesh_lanes.h. */
#define CN_WIDE_SINGLE
#include "engine/collide/mesh/fast_spatial_mesh_lanes.h"

const struct cn_fast_mesh_kernel cn_fast_mesh_single = {"single", look, reach};
