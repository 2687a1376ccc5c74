/*
 * mass.h: volume, centroid and inertia of the inside of a closed surface of triangles.
 *
 * Each triangle (a, b, c), counter-clockwise from outside, spans a tetrahedron with the origin, of
 * signed volume V = a . (b x c) / 6.  Sums over all of them, with s = a + b + c:
 *
 *     volume = sum V,   volume centroid = sum V s / 4
 *     sum over x x' dV = sum V (a a' + b b' + c c' + s s') / 20
 *
 * The surface may be non-convex and have several parts; the result is exact for the polyhedron.
 * The origin is put at the first vertex, so that a body far from its frame's origin loses no
 * digits.
 *
 * Source: the moments of a tetrahedron; Mirtich, Journal of Graphics Tools 1 (1996), has the same
 * integrals by another method.
 */
#ifndef ENGINE_MESH_MASS_H
#define ENGINE_MESH_MASS_H

#include "engine/math/mat33.h"

/* The mass properties of a body of density 1. */
struct cn_volume {
    double volume;    /* m^3 */
    cn_vec3 center;   /* centroid [m] */
    cn_mat33 inertia; /* about the centroid, of density 1 [m^5] */
};

/* triangle[i] has three indices into vertex[].  All zeros for a surface without volume. */
struct cn_volume
cn_mesh_volume(const cn_vec3 *vertex, const int (*triangle)[3], int triangle_count);

#endif
