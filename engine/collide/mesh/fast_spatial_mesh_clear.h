/* fast_spatial_mesh_clear.h: pairs of meshes that are known to be apart. */
#ifndef ENGINE_COLLIDE_MESH_FAST_SPATIAL_MESH_CLEAR_H
#define ENGINE_COLLIDE_MESH_FAST_SPATIAL_MESH_CLEAR_H

#include "engine/collide/mesh/fast_spatial_mesh_look.h"

/* Whether two meshes are known to be too far apart for anything to be found. */
bool cn_mesh_is_clear(const struct cn_mesh_gather *gather, struct cn_fast_mesh_clear *clear);

/* For two meshes of which nothing was found: computes how far apart they are, if that may last. */
void cn_mesh_clear(struct cn_mesh_gather *gather, struct cn_fast_mesh_clear *clear);

#endif
