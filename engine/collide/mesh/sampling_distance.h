/*
 * sampling_distance.h: the signed distance of a point from a shape, in the frame of its body.
 *
 * It is a mesh's field, or exact for a convex shape.  For polytopes it is the largest distance from
 * a face's plane (sampling.h).
 */
#ifndef ENGINE_COLLIDE_MESH_SAMPLING_DISTANCE_H
#define ENGINE_COLLIDE_MESH_SAMPLING_DISTANCE_H

#include "engine/mesh/mesh.h"
#include "engine/shape/shape.h"

#include <stdbool.h>

/* The distance [m], < 0 inside; *normal is its gradient, unit. */
double cn_sampling_distance(const struct cn_shape *shape, cn_vec3 point, cn_vec3 *normal);

/* Whether a ball is beyond one side of the box around a mesh. */
bool cn_sampling_is_beside(const cn_aabb *box, cn_vec3 center, double radius);

/* Whether no point of a ball comes within `margin` of a shape's surface or inside. */
bool cn_sampling_is_apart(
    const struct cn_shape *shape, cn_vec3 center, double radius, double margin);

#endif
