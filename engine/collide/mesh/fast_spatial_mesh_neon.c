/* fast_spatial_mesh_neon.c: see fast_spatial_mesh_lanes.h. */
#define CN_WIDE_NEON
#include "engine/collide/mesh/fast_spatial_mesh_lanes.h"

const struct cn_fast_mesh_kernel cn_fast_mesh_neon = {"neon", look, reach};
