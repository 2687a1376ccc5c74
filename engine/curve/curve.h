/*
 * curve.h: curves fixed in the world, along which tracks guide a point of a body.
 *
 *     c(s)   a point [m]; the parameter s is m along a line, rad around a circle, and along a
 *            spline the sum of the straight distances between its points (chord length)
 *     c', c''   derivatives by s
 *
 *     line     c(s) = from + s u, u the unit direction; endless
 *     circle   c(s) = center + radius (cos s, sin s, 0); s is not wrapped
 *     spline   between the points P_i at s_i, h = s_{i+1} - s_i, B = (s - s_i) / h, A = 1 - B:
 *
 *                 c(s) = A P_i + B P_{i+1} + ((A^3 - A) M_i + (B^3 - B) M_{i+1}) h^2 / 6
 *
 *              M_i = c''(s_i) makes c' continuous.  A closed one is periodic, an open one natural:
 *              M = 0 at both ends, so that it continues straight beyond them and stays C2.
 *
 * Chord length keeps |c'| near 1 even where the points are unevenly spaced.  Neighbours that
 * coincide have no direction between them, and are refused when a world is made.
 *
 * Source: de Boor, A Practical Guide to Splines, chapter IV (natural and periodic end conditions).
 *
 * Ownership: a spline borrows its knots.
 */
#ifndef ENGINE_CURVE_CURVE_H
#define ENGINE_CURVE_CURVE_H

#include "engine/math/vec3.h"

#include <stdbool.h>

enum cn_curve_kind { CN_CURVE_SPLINE, CN_CURVE_CIRCLE, CN_CURVE_LINE };

struct cn_curve_knot {
    double parameter; /* s_i; the first is 0 */
    cn_vec3 point;    /* P_i [m] */
    cn_vec3 second;   /* M_i [1/m] */
};

struct cn_curve {
    enum cn_curve_kind kind;
    cn_vec3 origin;    /* LINE: from; CIRCLE: center */
    cn_vec3 direction; /* LINE: unit */
    double radius;     /* CIRCLE */
    const struct cn_curve_knot *knot; /* SPLINE: a closed one repeats the first at its end */
    int knot_count;
    bool closed;
};

struct cn_curve_point {
    cn_vec3 point, first, second; /* c, c', c'' */
};

/* The point of a curve that is nearest to a given point, with the tangent and curvature there. */
struct cn_curve_foot {
    double parameter;
    cn_vec3 point;     /* of the curve [m] */
    cn_vec3 tangent;   /* unit, towards greater s */
    cn_vec3 curvature; /* d(tangent)/d(arc length), towards the centre of curvature [1/m] */
};

/* The number of knots of a spline through point_count points: one more where it is closed. */
int cn_curve_knot_count(int point_count, bool closed);

/*
 * Fills knot[] (cn_curve_knot_count of them) for a spline through points[].  Neighbouring points
 * differ.  There are at least two, at least three if closed, and at most CN_CURVE_POINTS_MAX.
 */
void cn_curve_spline(
    const cn_vec3 *points, int point_count, bool closed, struct cn_curve_knot *knot);

struct cn_curve_point cn_curve_at(const struct cn_curve *curve, double parameter);

/*
 * The point of the curve where (c - point) . c' = 0, found from `start`, a parameter near it: the
 * nearest point of that neighbourhood.  So a body on a track that crosses itself stays on its own
 * branch.
 */
struct cn_curve_foot cn_curve_foot_near(
    const struct cn_curve *curve, cn_vec3 point, double start);

/*
 * The nearest point of the whole curve, as far as a search from eight starts in each piece of a
 * spline finds it.
 */
struct cn_curve_foot cn_curve_foot_search(const struct cn_curve *curve, cn_vec3 point);

/* The least parameter of the same point.  It is within the length of a closed spline. */
double cn_curve_wrap(const struct cn_curve *curve, double parameter);

#endif
