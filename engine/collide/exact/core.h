/*
 * core.h: polytopes in world axes, and the axes that separate two of them.
 *
 * If two convex polytopes are apart, one of these axes separates them: a normal of a face of one,
 * or the normal to an edge of each.  If they overlap, the axis of least overlap is also one of
 * these.  An axis' side is the distance of B's part from A's along it, negative in an overlap.  Two
 * edges give an axis only where the arcs of their normals cross on the unit sphere: else the planes
 * through them do not support the two bodies.
 *
 * Source: Gottschalk, Lin and Manocha, SIGGRAPH 96, section 5; the arcs: Gregorius, The Separating
 * Axis Test Between Convex Polyhedra, GDC 2013.
 */
#ifndef ENGINE_COLLIDE_EXACT_CORE_H
#define ENGINE_COLLIDE_EXACT_CORE_H

#include "engine/shape/shape.h"

#include <stdbool.h>

struct cn_core {
    const struct cn_polytope *polytope;
    int vertex_count, edge_count, face_count;
    cn_vec3 vertex[CN_HULL_VERTICES_MAX];
    cn_vec3 along[CN_HULL_EDGES_MAX]; /* unit, from tail to head */
    double length[CN_HULL_EDGES_MAX];
    cn_vec3 normal[CN_HULL_FACES_MAX];
    double offset[CN_HULL_FACES_MAX];
};

/* Loads the core of a shape with world axes, relative to `origin` (world). */
void cn_core_load(
    struct cn_core *core, const struct cn_shape *shape, const cn_pose *pose, cn_vec3 origin);

static inline double
cn_core_side(const struct cn_core *core, int face, cn_vec3 point)
{
    return cn_vec3_dot(core->normal[face], point) - core->offset[face];
}

/* Like cn_polytope_beyond. */
double cn_core_beyond(const struct cn_core *core, int face, cn_vec3 point);

enum cn_axis_kind { CN_AXIS_FACE_A, CN_AXIS_FACE_B, CN_AXIS_EDGES };

struct cn_axis {
    enum cn_axis_kind kind;
    int face;           /* of the owner */
    int edge_a, edge_b; /* of EDGES */
    cn_vec3 normal;     /* unit, from A to B */
    double side;        /* [m] */
};

/*
 * Picks one of `count` faces by the largest value.  Among equals (up to tie) the face whose normal
 * is steepest, then the first: y is up, and piles stand on their horizontal faces.
 */
int cn_core_pick_face(const cn_vec3 *normal, const double *value, int count, double tie);

/*
 * Sides that differ by less are equal [m].  Then of two faces of one core the steeper one is taken,
 * of the two cores A's face, and of faces and edges a face.
 */
struct cn_axis_ties {
    double face, owner, edges;
};

/* The ties for two shapes whose smaller width is given; `tie` is the rounding error of lengths. */
struct cn_axis_ties cn_axis_ties_of(double width, double tie);

/*
 * The axis of the largest side.  *face is the best axis among faces; its side is the largest up to
 * the tie.  At least one of the cores has faces.
 */
struct cn_axis cn_core_best_axis(const struct cn_core *a, const struct cn_core *b,
    const struct cn_axis_ties *ties, struct cn_axis *face);

/*
 * The vertex of the other core that is deepest below the face of an axis; the first of equal ones.
 */
int cn_core_deepest(const struct cn_core *a, const struct cn_core *b, const struct cn_axis *face);

#endif
