/*
 * hull_build.h: the convex hull of points.
 *
 * Points are added one after the other, the one farthest outside first, to a hull of triangles; in
 * the end triangles that lie in one plane become one face.  What is outside by less than FLAT_RATIO
 * of the points' diameter is not added, and what is flat up to that much is one face: so corners
 * that were rounded, points within a face or an edge, and doubles all give the hull that was meant.
 *
 * Which side of a plane a point is on is decided exactly: coordinates are rounded to a grid of
 * 2^-36 of the diameter and determinants taken in integers of 128 bits, so that the triangles are a
 * closed convex surface whatever the input.  The vertices themselves are the points as given.
 *
 * Source: Barber, Dobkin and Huhdanpaa, The Quickhull Algorithm, ACM TOMS 22 (1996), for the order
 * of the points; the exact grid in place of their thick facets is ours.
 */
#ifndef ENGINE_SHAPE_HULL_BUILD_H
#define ENGINE_SHAPE_HULL_BUILD_H

#include "engine/base/defect.h"
#include "engine/shape/polytope.h"

/*
 * Fills *hull.  Refuses, with `path` and the reason: fewer than 4 points or more than
 * CN_HULL_POINTS_MAX, points all in one place, on one line or in one plane, and hulls of more than
 * CN_HULL_VERTICES_MAX corners.  The coordinates are finite.  A defect of NULL is allowed.
 */
CN_MUST_USE enum cn_status cn_hull_build(const cn_vec3 *points, int point_count, const char *path,
    struct cn_hull *hull, struct cn_defect *defect);

#endif
