/*
 * field_bake.h: fills the signed distance grid of a mesh whose other data is complete.
 *
 * Reads the vertices, the triangles and their normals, the edges, the tree and the bounds, but not
 * samples and patches.  A surface that the grid can not show is refused.
 */
#ifndef ENGINE_MESH_FIELD_BAKE_H
#define ENGINE_MESH_FIELD_BAKE_H

#include "engine/mesh/mesh.h"

/*
 * resolution is the number of cells along the longest extent, within CN_MESH_RESOLUTION_MIN and
 * _MAX.  *memory is one block of malloc, to which the field's arrays point; the caller frees it.
 */
CN_MUST_USE enum cn_status cn_field_bake(const struct cn_mesh *mesh, int resolution, bool sparse,
    struct cn_field *field, void **memory, struct cn_defect *defect);

#endif
