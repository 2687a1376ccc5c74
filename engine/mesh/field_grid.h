/*
 * field_grid.h: all nodes of a distance field while it is baked; used only in this folder.
 */
#ifndef ENGINE_MESH_FIELD_GRID_H
#define ENGINE_MESH_FIELD_GRID_H

#include "engine/mesh/mesh.h"

struct cn_field_grid {
    const struct cn_mesh *mesh;
    const struct cn_field *field; /* its position and counts */
    float *value;                 /* of every node, x first [m] */
    size_t row, layer;            /* nodes from one to the next one in y and z */
    int32_t near;                 /* the last nearest triangle; -1: none yet */
};

static inline struct cn_field_grid
cn_field_grid_over(const struct cn_mesh *mesh, const struct cn_field *field)
{
    size_t row = (size_t)field->count[0];
    return (struct cn_field_grid){.mesh = mesh,
        .field = field,
        .row = row,
        .layer = row * (size_t)field->count[1],
        .near = -1};
}

static inline size_t
cn_field_grid_index(const struct cn_field_grid *grid, int x, int y, int z)
{
    return (size_t)x + grid->row * (size_t)y + grid->layer * (size_t)z;
}

/*
 * Makes the signs consistent.  If the distances of two neighbouring nodes add up to more than a
 * cell, no surface passes between them, so they are on the same side.  The signs may contradict
 * that, because normals of slivers point anywhere and parts may pass through each other.  Then
 * every region of such neighbours takes the side that the winding number of its deepest node gives.
 */
CN_MUST_USE enum cn_status cn_field_grid_sign(
    struct cn_field_grid *grid, struct cn_defect *defect);

#endif
