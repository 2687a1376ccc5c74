/* fast_spatial_mesh_solid.h: a mesh against a shape that is not a mesh. */
#ifndef ENGINE_COLLIDE_MESH_FAST_SPATIAL_MESH_SOLID_H
#define ENGINE_COLLIDE_MESH_FAST_SPATIAL_MESH_SOLID_H

#include "engine/collide/mesh/fast_spatial_mesh_look.h"

/*
 * Looks up samples of a mesh in a shape that is not a mesh, and points of that shape in the mesh's
 * field.
 */
void cn_mesh_against_solid(struct cn_mesh_gather *gather, const struct cn_mesh_side *side);

#endif
