/* fast_spatial_mesh_points.h: manifolds of few points, made of candidates. */
#ifndef ENGINE_COLLIDE_MESH_FAST_SPATIAL_MESH_POINTS_H
#define ENGINE_COLLIDE_MESH_FAST_SPATIAL_MESH_POINTS_H

#include "engine/collide/mesh/fast_spatial_mesh_look.h"

/* Makes clusters of the candidates, of which there is at least one. */
void cn_mesh_reduce(struct cn_mesh_gather *gather, struct cn_fast_mesh_found *found);

#endif
