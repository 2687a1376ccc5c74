/*
 * field.h: the signed distance to a closed surface, on a grid.
 *
 *     phi(p)   distance of p from the surface [m], negative inside, positive outside
 *     normal   its gradient: unit, out of the solid
 *
 * Nodes within the band around the surface hold exact distances to the triangles; between nodes phi
 * is trilinear.  Beyond the band a value is interpolated between exact nodes CN_FIELD_BRICK cells
 * apart: its sign is right, and its accuracy is that of so large a cell; cn_field_bound never
 * exceeds the distance.  Every cell has a label, so that a test for inside needs no interpolation
 * where no surface is near (section 4).
 *
 * A uniform field stores all nodes.  A sparse field stores fine nodes only in bricks that the band
 * passes through, and coarse nodes elsewhere.  Where the two meet, fine nodes take the values
 * interpolated in the coarse cell, so that phi is continuous (section 3, after Westermann et al.).
 *
 * Invariants: 1. A field is either uniform or sparse: exactly one of value and coarse is set.
 * 2. Every axis has two nodes or more; a sparse field's cells fill whole bricks.  3. No stored
 * value is NaN.
 *
 * Frame: the mesh's.  Outside the grid's box phi is the length of a path to the surface that is
 * straight outside the box and straight inside.  The point between the two is moved until the path
 * is no longer bent, so that phi is as accurate there as on the box's faces.
 *
 * Source: Guendelman, Bridson and Fedkiw 2003, sections 3 and 4.  Departure: they march outward
 * from the surface (Sethian 1996), which is of first order.
 */
#ifndef ENGINE_MESH_FIELD_H
#define ENGINE_MESH_FIELD_H

#include "engine/math/aabb.h"
#include "engine/math/vec3.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CN_FIELD_BRICK 8 /* cells along an edge of a sparse field's brick */

enum cn_field_label { CN_FIELD_OUTSIDE, CN_FIELD_INSIDE, CN_FIELD_BAND };

/* Immutable; the arrays belong to the mesh. */
struct cn_field {
    cn_vec3 origin;  /* of node (0, 0, 0) [m] */
    double spacing;  /* of fine nodes [m] */
    double band;     /* nodes are exact within this distance of the surface [m] */
    int count[3];    /* fine nodes along each axis; cells are one less */
    float deepest;   /* the least phi of all nodes, < 0 [m] */
    float steepness; /* upper bound of |grad phi| in the box; HUGE_VALF: unknown */

    /* Uniform: every node, x first, then y, then z.  NULL for a sparse field. */
    const float *value;
    const uint8_t *label; /* of every cell, in the same order; cn_field_label */

    /*
     * Sparse: a coarse node at every CN_FIELD_BRICK-th fine node; the brick of each coarse cell, or
     * -1; the bricks, each of (CN_FIELD_BRICK + 1)^3 nodes.
     */
    int coarse_count[3]; /* coarse nodes along each axis */
    const float *coarse;
    const int32_t *brick_of;
    const float *brick;
    int brick_count;
};

/* phi at p [m]. */
double cn_field_distance(const struct cn_field *field, cn_vec3 p);

/* phi at p, and its normalised gradient there; (0, 0, 1) where the gradient is zero. */
double cn_field_sample(const struct cn_field *field, cn_vec3 p, cn_vec3 *normal);

/*
 * Returns a lower bound of the distance from p to the surface [m], >= 0, for any p.  A ball of a
 * smaller radius around p does not touch the surface.  The bound is too small by half a cell's
 * diagonal, and by more outside the grid's box.
 */
double cn_field_bound(const struct cn_field *field, cn_vec3 p);

/* Whether phi < 0 at p.  It reads only labels where no surface is near. */
bool cn_field_is_inside(const struct cn_field *field, cn_vec3 p);

/* The size of the field in bytes. */
size_t cn_field_size(const struct cn_field *field);

#endif
