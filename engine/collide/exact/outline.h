/* outline.h: a core of one or more vertices in world axes, and its nearest feature to a point. */
#ifndef ENGINE_COLLIDE_EXACT_OUTLINE_H
#define ENGINE_COLLIDE_EXACT_OUTLINE_H

#include "engine/shape/shape.h"

#include <stdbool.h>

struct cn_outline {
    int count;
    cn_vec2 vertex[CN_POLYGON_VERTICES_MAX];
    cn_vec2 normal[CN_POLYGON_VERTICES_MAX]; /* unit, outward, of edge i: vertex i to i + 1 */
};

/* The nearest feature of an outline's boundary to a point. */
struct cn_nearest_feature {
    double distance; /* >= 0 */
    int edge;
    int vertex; /* vertex of that edge; -1: the foot is between its ends */
};

/* Loads the core of a shape with world axes, relative to `origin` (world). */
void cn_outline_load(
    struct cn_outline *outline, const struct cn_shape *shape, const cn_pose *pose, cn_vec3 origin);

/* The foot of a point on edge i, in metres from its first vertex; the edge's length. */
double cn_outline_foot(const struct cn_outline *outline, int edge, cn_vec2 point);
double cn_outline_edge_length(const struct cn_outline *outline, int edge);

/*
 * The nearest feature to a point that is not inside.  Lengths that differ by less than `tie` are
 * equal: then an edge is preferred to a vertex.
 */
struct cn_nearest_feature cn_outline_nearest(
    const struct cn_outline *outline, cn_vec2 point, double tie);

/*
 * Picks one of `count` faces by the largest value.  Among equals (up to tie) the face whose normal
 * is steepest, then the first: y is up, and piles stand on their horizontal faces.
 */
int cn_outline_pick_face(const cn_vec2 *normal, const double *value, int count, double tie);

#endif
