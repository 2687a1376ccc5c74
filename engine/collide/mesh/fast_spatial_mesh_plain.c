/* fast_spatial_mesh_plain.c: see fast_spatial_mesh_lanes.h. */
#define CN_WIDE_PLAIN
#include "engine/collide/mesh/fast_spatial_mesh_lanes.h"

const struct cn_fast_mesh_kernel cn_fast_mesh_plain = {"plain", look, reach};
