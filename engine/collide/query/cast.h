/*
 * cast.h: rays and convex shapes cast along a line until they hit a shape; overlap tests.
 *
 * A cast covers from + t along, 0 <= t <= fraction_max, and finds the least t at which it hits the
 * shape.  A shape is a closed set: its surface belongs to it.  So a cast that only grazes it hits
 * it, up to rounding (CN_CAST_TOUCH for shapes).
 *
 *     starts inside            t = 0, normal zero, is_inside
 *     starts on the surface    t = 0 with the normal there, if it goes into the shape; else the
 *                              surface that it starts on is not met
 *     no length (along is 0)   t = 0, normal zero, if the point is in the shape or on its surface;
 *                              for a cast shape: if the two overlap or touch
 *     chains                   are hit only from their right side, and have no inside
 *     a plane                  is a half plane or half space; below its surface is inside
 *
 * The normal is of unit length and points out of the shape that is hit.  `point` is on its surface;
 * where a cast starts inside, it is the cast's start.
 *
 * Rays are solved by formulas, one for each kind.  Polygons and polytopes: entry into half spaces
 * one after the other (Cyrus and Beck 1978).  Round shapes: quadratic equations.  Outlines: edge by
 * edge, such that no ray passes through at a corner.
 *
 * A cast shape is a convex core with a radius that does not rotate.  Along a line the distance of
 * two convex sets is a convex function of t.  So Newton's method from below, t += gap / speed along
 * the normal, never passes the first contact and converges at least quadratically; gjk.h gives gap
 * and normal.  Outlines and chains are tested part by part (collide/query/part.h).
 *
 * Source: van den Bergen, Ray casting against general convex objects, 2004, in the form for shapes.
 */
#ifndef ENGINE_COLLIDE_QUERY_CAST_H
#define ENGINE_COLLIDE_QUERY_CAST_H

#include "engine/collide/query/part.h"

/* Gaps of cast shapes up to this count as contacts [m]. */
#define CN_CAST_TOUCH 1e-9

/*
 * Rounds of one shape cast against one part; about four are needed.  At the limit the present
 * fraction is returned, which is before the contact, never beyond it.
 */
#define CN_CAST_ROUNDS_MAX 64

struct cn_cast_hit {
    double fraction;
    cn_vec3 point, normal; /* world */
    bool is_inside;
};

/* Whether the ray meets the shape; *hit is then filled. */
bool cn_cast_ray(const struct cn_shape *shape, const cn_pose *pose, cn_vec3 from, cn_vec3 along,
    double fraction_max, struct cn_cast_hit *hit);

/* Whether a convex core of the same dimension, cast along from its pose, hits the shape. */
bool cn_cast_shape(const struct cn_shape *shape, const cn_pose *pose,
    const struct cn_convex *moving, const cn_pose *moving_pose, cn_vec3 along, double fraction_max,
    struct cn_cast_hit *hit);

/* Whether a shape and a convex core overlap or touch; a chain touches only along its line. */
bool cn_overlap(const struct cn_shape *shape, const cn_pose *pose, const struct cn_convex *convex,
    const cn_pose *convex_pose);

#endif
