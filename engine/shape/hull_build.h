/*
 * hull_build.h: the convex hull of points.
 *
 * Points are added one after the other, the farthest outside first, to a hull of triangles.  In the
 * end triangles that lie in one plane become one face.  A point that is outside by less than
 * FLAT_RATIO of the points' diameter is not added, and triangles that are flat within that
 * tolerance become one face.  So rounded corners, duplicate points and points inside a face or an
 * edge all give the hull that was meant.
 *
 * The side of a plane on which a point lies is decided exactly.  Coordinates are rounded to a grid
 * of 2^-36 of the diameter, and determinants are computed in 128-bit integers, so that the
 * triangles form a closed convex surface for every input.  The vertices themselves are the given
 * points.
 *
 * Source: Barber, Dobkin and Huhdanpaa, The Quickhull Algorithm, ACM TOMS 22 (1996), for the order
 * of the points.  Departure: an exact grid instead of their thick facets.
 */
#ifndef ENGINE_SHAPE_HULL_BUILD_H
#define ENGINE_SHAPE_HULL_BUILD_H

#include "engine/base/defect.h"
#include "engine/shape/polytope.h"

/*
 * Fills *hull.  It refuses, with `path` and the reason, fewer than 4 points or more than
 * CN_HULL_POINTS_MAX.  It also refuses points that all coincide or lie on one line or in one plane,
 * and hulls of more than CN_HULL_VERTICES_MAX corners.  The coordinates are finite.  A defect of
 * NULL is allowed.
 */
CN_MUST_USE enum cn_status cn_hull_build(const cn_vec3 *points, int point_count, const char *path,
    struct cn_hull *hull, struct cn_defect *defect);

#endif
