/* fast_spatial_mesh_pair.h: a pair of shapes with a mesh, and its manifolds. */
#ifndef ENGINE_COLLIDE_MESH_FAST_SPATIAL_MESH_PAIR_H
#define ENGINE_COLLIDE_MESH_FAST_SPATIAL_MESH_PAIR_H

#include "engine/collide/fast/fast_spatial_shape.h"
#include "engine/mesh/mesh.h"

#define CN_FAST_MESH_MANIFOLDS_MAX 8 /* of two shapes; the most urgent ones are kept */

struct cn_fast_mesh_point {
    float place[3]; /* halfway between the surfaces, from A's centre of mass, world axes [m] */
    float separation;
    uint32_t feature;
};

struct cn_fast_mesh_manifold {
    float normal[3];
    int32_t point_count;
    struct cn_fast_mesh_point point[CN_POINTS_SPATIAL_MAX];
};

struct cn_fast_mesh_found {
    int32_t manifold_count;
    int32_t sample_count; /* points that were looked up, without those of skipped patches */
    struct cn_fast_mesh_manifold manifold[CN_FAST_MESH_MANIFOLDS_MAX];
};

/* The velocities of a body when the tick begins. */
struct cn_fast_mesh_motion {
    float velocity[3], spin[3]; /* of the centre of mass [m/s, rad/s] */
};

struct cn_fast_mesh_pair {
    const struct cn_fast_shape3 *a, *b; /* at least one is a mesh */
    const struct cn_place3 *place_a, *place_b;
    const struct cn_fast_mesh_motion *motion_a, *motion_b;
    float margin;   /* [m] */
    float duration; /* T [s]; 0: only points within the margin count */
    struct cn_fast_mesh_clear *clear; /* of the pair, kept from tick to tick; NULL: not used */
};

/*
 * Bounds for two meshes that were apart (fast_spatial_mesh_clear.c).  They are derived: without
 * them, or with zeros, the same is found, but later.  They hold for two unchanged shapes: a caller
 * that changes a shape sets them to zeros.
 */
struct cn_fast_mesh_clear {
    float least;      /* D: the least of all interpolated distances at that time [m]; 0: unknown */
    int16_t age;      /* ticks for which it has held, up to a few */
    int16_t wait;     /* ticks to wait before D is computed again */
    float axis[3][3]; /* from B's frame into A's, at that time */
    float origin[3];
};

#endif
