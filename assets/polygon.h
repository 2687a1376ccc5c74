/*
 * polygon.h: parts a polygon of space, which need not be convex or quite flat, into triangles.
 *
 * Ears are cut in the plane of its mean normal (Newell's): three corners in a row that turn the way
 * of the polygon and hold no other corner.  Where rounding leaves no ear, the best turn is cut.
 */
#ifndef ASSETS_POLYGON_H
#define ASSETS_POLYGON_H

#include "engine/math/vec3.h"

#include <stdint.h>

/* corner[count] are indices into vertex[]; triangle[count - 2] numbers of corners. */
void as_polygon_part(
    const cn_vec3 *vertex, const int32_t *corner, int count, int32_t (*triangle)[3]);

#endif
