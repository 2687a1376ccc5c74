/*
 * rim.h: any planar shape as edges and corners, in world axes, for contacts with outlines and
 * chains.
 *
 * An edge has a core and a rounding.  A straight edge is the chord of its core moved out by
 * `radius`; an arc is its centre with the radius of the arc.  So the edges of a capsule are two
 * chords and two arcs, a disc is one arc that faces everywhere, and a half plane is one edge
 * without ends.
 */
#ifndef ENGINE_COLLIDE_EXACT_RIM_H
#define ENGINE_COLLIDE_EXACT_RIM_H

#include "engine/shape/border.h"
#include "engine/shape/shape.h"

#define CN_RIM_EDGES_MAX (CN_POLYGON_VERTICES_MAX + 1)

struct cn_rim_edge {
    struct cn_border edge; /* core; for an arc the arc itself */
    bool is_arc, is_endless, is_round; /* round: a full circle; endless: a line */
    bool is_corner_only; /* the last point of an open chain */
    cn_vec2 center;      /* arcs */
    double radius;       /* arcs: of the arc, < 0 where it is hollow; straight: of the rounding */
    cn_vec2 normal;      /* straight: unit, outward */
    double length;       /* straight */
    bool has_corner;     /* the start is a corner that can touch, with normals between these: */
    cn_vec2 corner_first, corner_last;
    bool is_smooth;      /* joins an arc: it touches only where the arc does not face */
    cn_vec2 low, high;   /* bounds */
};

struct cn_rim {
    int count;
    bool is_solid; /* of outlines, boxes and polygons: the edges enclose a solid */
    struct cn_rim_edge edge[CN_RIM_EDGES_MAX];
};

/* Loads the rim of a planar shape with world axes, relative to `origin` (world). */
void cn_rim_load(
    struct cn_rim *rim, const struct cn_shape *shape, const cn_pose *pose, cn_vec3 origin);

/* Whether a unit direction lies between the normals of a corner, within the sine `slack`. */
bool cn_rim_corner_faces(const struct cn_rim_edge *corner, cn_vec2 direction, double slack);

/*
 * Whether the edges enclose a point: in the polygon of the chords, plus the bulging segments, minus
 * the hollow ones.  True for rims that are not solid.
 */
bool cn_rim_holds(const struct cn_rim *rim, cn_vec2 point);

/* Whether a direction from an arc's centre points at it. */
bool cn_rim_arc_faces(const struct cn_rim_edge *arc, cn_vec2 direction, double slack);

#endif
