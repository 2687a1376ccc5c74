/* fast_spatial_mesh_edges.h: edges of hulls in a mesh, and creases of a mesh in another shape. */
#ifndef ENGINE_COLLIDE_MESH_FAST_SPATIAL_MESH_EDGES_H
#define ENGINE_COLLIDE_MESH_FAST_SPATIAL_MESH_EDGES_H

#include "engine/collide/mesh/fast_spatial_mesh_look.h"
#include "engine/mesh/mesh_low.h"

#define CN_MESH_EDGE_ROWS 8

/*
 * Looks up an edge in a mesh's field: evenly spaced rows from one end to the other, at most
 * CN_MESH_EDGE_ROWS.  The ends themselves are not offered.
 */
void cn_mesh_against_edge(struct cn_mesh_gather *gather, const struct cn_mesh_side *side,
    const float (*row)[4], int count);

/*
 * Samples of a mesh that were looked up in some distance, and the data for searches along creases.
 */
struct cn_mesh_creases {
    struct cn_mesh_gather *gather;
    const struct cn_mesh *mesh;       /* to which the creases belong */
    const struct cn_mesh_turn *turn;  /* from its frame to that of the distance */
    const struct cn_fast_frame *low_frame; /* the frame of the distance, in world axes */
    const int32_t *offset;            /* of the samples, in bytes, ascending */
    int count;
    cn_low_distance *distance;
    void *context;
    bool in_b;                        /* the distance is that from B */
};

/* Offers the lows, and sets skip[] for the samples beside them; looks are those of cn_mesh_look. */
void cn_mesh_look_along(const struct cn_mesh_creases *creases, const struct cn_mesh_looks *looks,
    bool *skip);

#endif
