/*
 * field.h: the signed distance to a closed surface, on a grid.
 *
 *     phi(p)   distance of p from the surface [m], negative inside, positive outside
 *     normal   its gradient: unit, out of the solid
 *
 * Nodes hold exact distances to the triangles within the band around the surface; between nodes phi
 * is trilinear.  Beyond the band a value lies between those of exact nodes CN_FIELD_BRICK cells
 * apart: right in sign, and as good as so large a cell; cn_field_bound never exceeds the distance.
 * Every cell has a label, so that whoever asks only whether a point is inside need not interpolate
 * where no surface is (section 4).
 *
 * A uniform field stores all nodes.  A sparse one stores fine nodes only in bricks through which
 * the band goes, and coarse ones elsewhere; where the two meet, fine nodes take the values that
 * the coarse cell interpolates, so that phi is continuous (section 3, after Westermann et al.).
 *
 * Frame: the mesh's.  Outside the grid's box phi is the length of a way to the surface that is
 * straight in the box and outside it; where the two meet is moved until the way is no longer
 * broken, so that phi is as good there as on the box's faces.
 *
 * Source: Guendelman, Bridson and Fedkiw 2003, sections 3 and 4; they march outward from the
 * surface (Sethian 1996), which is of first order.
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
    double band;     /* within which nodes are exact [m] */
    int count[3];    /* fine nodes along each axis; cells are one less */
    float deepest;   /* the least phi of all nodes, < 0 [m] */
    float steepness; /* never less than |grad phi| within the grid's box, where every node is exact;
                      * HUGE_VALF where not */

    /* Uniform: every node, x first, then y, then z.  NULL of a sparse field. */
    const float *value;
    const uint8_t *label; /* of every cell, in the same order; cn_field_label */

    /* Sparse: coarse nodes every CN_FIELD_BRICK fine ones; of each coarse cell its brick, or -1;
     * a brick is (CN_FIELD_BRICK + 1)^3 nodes. */
    int coarse_count[3]; /* coarse nodes along each axis */
    const float *coarse;
    const int32_t *brick_of;
    const float *brick;
    int brick_count;
};

/* phi at p [m]. */
double cn_field_distance(const struct cn_field *field, cn_vec3 p);

/* phi at p, and its gradient there, made unit; (0, 0, 1) where it has none. */
double cn_field_sample(const struct cn_field *field, cn_vec3 p, cn_vec3 *normal);

/*
 * Never more than the distance from p to the surface [m], >= 0, anywhere: what is smaller than that
 * around p does not touch.  Off by a cell's half diagonal, and by more outside the grid's box.
 */
double cn_field_bound(const struct cn_field *field, cn_vec3 p);

/* Whether phi < 0 at p: by labels alone where no surface is near. */
bool cn_field_is_inside(const struct cn_field *field, cn_vec3 p);

/* Bytes that the field takes. */
size_t cn_field_size(const struct cn_field *field);

#endif
