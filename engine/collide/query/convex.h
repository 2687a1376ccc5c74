/*
 * convex.h: a convex core with a radius, the input of distances, casts and times of impact.
 *
 * A core is the hull of points: one (circles, balls), two (capsules, straight edges of chains), or
 * more (boxes, polygons, hulls).  In the plane it may also be a segment of a disc, the hull of an
 * arc: an outward bulging edge of an outline becomes one.  The radius rounds the core.  Nothing is
 * copied: a core borrows the vertices of its shape, in the frame of the shape.
 */
#ifndef ENGINE_COLLIDE_QUERY_CONVEX_H
#define ENGINE_COLLIDE_QUERY_CONVEX_H

#include "engine/math/pose.h"
#include "engine/shape/border.h"
#include "engine/shape/shape.h"

#include <stdbool.h>
#include <stddef.h>

struct cn_convex {
    int vertex_count;
    const cn_vec2 *flat;  /* the vertices of a planar core, or */
    const cn_vec3 *solid; /* those of a spatial one; the other is NULL */
    double radius;        /* of the rounding [m] */
    const struct cn_polytope *polytope; /* of a spatial core with faces, else NULL */
    bool is_arc;          /* two vertices, flat, and the arc between them: */
    double bulge;         /* > 0 (border.h) */
    cn_vec2 arc_center;
    double arc_radius;
};

/* The core of a shape, where it is convex; false: a plane, an outline or a chain. */
bool cn_convex_of(const struct cn_shape *shape, struct cn_convex *convex);

/* The core of two points in the plane (`ends` is borrowed), with the arc of a bulge >= 0. */
struct cn_convex cn_convex_edge(const cn_vec2 ends[2], double bulge);

static inline cn_vec3
cn_convex_vertex(const struct cn_convex *convex, int i)
{
    if (convex->flat != NULL) {
        return (cn_vec3){convex->flat[i].x, convex->flat[i].y, 0.0};
    }
    return convex->solid[i];
}

/*
 * The point of the core farthest along a direction, which need not be of unit length.  *index is
 * its vertex, the first of equal ones; -1 for a point of an arc.
 */
cn_vec3 cn_convex_support(const struct cn_convex *convex, cn_vec3 direction, int *index);

/* Largest distance of a point of the core, without its radius, from a given point [m]. */
double cn_convex_reach(const struct cn_convex *convex, cn_vec3 from);

/* The mean of the vertices: a point within the core. */
cn_vec3 cn_convex_middle(const struct cn_convex *convex);

/* The pose of B's frame in A's frame; positions are subtracted first. */
cn_pose cn_pose_relative(const cn_pose *a, const cn_pose *b);

#endif
