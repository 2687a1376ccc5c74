/*
 * polygon.h: cuts a polygon in space into triangles; it may be concave and not quite flat.
 *
 * Ears are cut in the plane of the polygon's mean normal (Newell's).  An ear is three corners in a
 * row that turn in the direction of the polygon and contain no other corner.  If rounding leaves
 * no ear, the corner with the best turn is cut.
 */
#ifndef ASSETS_POLYGON_H
#define ASSETS_POLYGON_H

#include "engine/math/vec3.h"

#include <stdint.h>

/* corner[count] are indices into vertex[]; triangle[count - 2] are indices into corner[]. */
void as_polygon_part(
    const cn_vec3 *vertex, const int32_t *corner, int count, int32_t (*triangle)[3]);

#endif
