/*
 * polytope.h: the core of a spatial shape: a convex polyhedron, a segment or a point.
 *
 *     sphere    1 vertex                            capsule  2 vertices, 1 edge
 *     box, hull vertices, edges and faces           plane    1 face without corners: endless
 *
 * Faces list their corners counter-clockwise as seen from outside.  Corner k of a face stands for
 * its vertex, for the edge from there to the next corner, and for the half space beyond that edge:
 * a point p of the face's plane lies within the face where side . p <= side_offset for all its
 * corners.
 *
 * Everything is in one frame, once baked in that of the body's centre of mass.
 */
#ifndef ENGINE_SHAPE_POLYTOPE_H
#define ENGINE_SHAPE_POLYTOPE_H

#include "engine/base/limits.h"
#include "engine/math/pose.h"

#include <stdint.h>

/* By Euler's formula, for CN_HULL_VERTICES_MAX corners. */
#define CN_HULL_FACES_MAX (2 * CN_HULL_VERTICES_MAX - 4)
#define CN_HULL_EDGES_MAX (3 * CN_HULL_VERTICES_MAX - 6)

struct cn_face {
    cn_vec3 normal;       /* unit, outward */
    double offset;        /* the face lies where normal . p = offset [m] */
    int32_t corner_first; /* into corner[] */
    int32_t corner_count; /* 0: the face is unbounded */
};

struct cn_corner {
    cn_vec3 side;       /* unit, in the face's plane, outward of the edge that begins here */
    double side_offset; /* [m] */
    uint8_t vertex, edge;
};

struct cn_edge {
    uint8_t tail, head;  /* vertices */
    uint8_t left, right; /* faces: the left one runs from tail to head; segments have none */
};

struct cn_polytope {
    int vertex_count, edge_count, face_count, corner_count;
    const cn_vec3 *vertex;
    const struct cn_edge *edge;
    const struct cn_face *face;
    const struct cn_corner *corner;
};

/* The input of a polytope: vertices, and for each face its vertices, counter-clockwise. */
struct cn_hull {
    int vertex_count, face_count;
    cn_vec3 vertex[CN_HULL_VERTICES_MAX];
    uint8_t face_size[CN_HULL_FACES_MAX];
    uint8_t loop[2 * CN_HULL_EDGES_MAX]; /* of all faces, one after the other */
};

/* The arrays that a polytope borrows; making one advances each pointer past what it used. */
struct cn_polytope_store {
    cn_vec3 *vertex;
    struct cn_edge *edge;
    struct cn_face *face;
    struct cn_corner *corner;
};

/* The number of corners of all faces, twice the number of edges. */
int cn_hull_corner_count(const struct cn_hull *hull);

/*
 * Moves a hull by a pose and makes the polytope from it; normals are computed in the hull's frame.
 */
void cn_polytope_make(const struct cn_hull *hull, const cn_pose *placement,
    struct cn_polytope_store *store, struct cn_polytope *polytope);

/* The least extent along the normal of a face [m]. */
double cn_polytope_thickness(const struct cn_polytope *polytope);

/*
 * How far a point near a face's plane is beyond the nearest edge of the face [m].  Negative within
 * the face.  Beyond a corner it is the larger of the corner's two sides. -HUGE_VAL for an unbounded
 * face.
 */
double cn_polytope_beyond(const struct cn_polytope *polytope, int face, cn_vec3 point);

#endif
