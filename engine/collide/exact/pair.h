/*
 * pair.h: declarations shared by the pair functions of the narrowphase.
 *
 * A pair function handles one pair of forms, in one order; pair_table.c mirrors the other order.  A
 * new form is an enumerator, its case of form_of, its row in the table and its pair_*.c.
 *
 * All geometry of one call is in world axes with the origin at A's centre of mass, so that accuracy
 * does not depend on the distance from the world's origin.
 *
 * Invariants:
 *
 *     1  a manifold holds at most CN_MANIFOLD_CONTACTS_MAX contacts
 *     2  a vertex, edge or face that a contact names is one of its shape
 *     3  an index of a feature fits into the 8 bits of its name
 */
#ifndef ENGINE_COLLIDE_EXACT_PAIR_H
#define ENGINE_COLLIDE_EXACT_PAIR_H

#include "engine/base/assert.h"
#include "engine/collide/exact/manifold.h"

#include <stdbool.h>

/* The forms that the narrowphase distinguishes. */
enum cn_form {
    CN_FORM_PLANE,
    CN_FORM_POINT,   /* a core of one vertex: circles */
    CN_FORM_OUTLINE, /* a core of two or more: capsules, boxes, polygons */
    CN_FORM_BORDER,  /* edges that may be arcs: outlines, chains */
    /* and in space */
    CN_FORM_HALF_SPACE,
    CN_FORM_BALL,     /* a core of one vertex */
    CN_FORM_SEGMENT,  /* of two: capsules */
    CN_FORM_POLYTOPE, /* of more: boxes, hulls */
    CN_FORM_COUNT,
};

struct cn_pair_input {
    const struct cn_shape *a, *b;
    const cn_pose *pose_a, *pose_b;
    double margin; /* contacts with a larger gap are left out [m] */
    double radius; /* sum of both roundings [m] */
    double tie;    /* lengths that differ by less are equal up to rounding [m] */
};

/* Sets separation, and adds contacts to an empty manifold. */
typedef void cn_pair_function(const struct cn_pair_input *in, struct cn_manifold *manifold);

cn_pair_function cn_pair_plane;         /* plane, anything with a core */
cn_pair_function cn_pair_points;        /* point, point */
cn_pair_function cn_pair_point_outline; /* point, outline */
cn_pair_function cn_pair_outlines;      /* outline, outline */
cn_pair_function cn_pair_borders;       /* anything planar, where one has edges that may be arcs */
cn_pair_function cn_pair_half_space;    /* half space, anything with a core */
cn_pair_function cn_pair_round;         /* ball or segment, anything with a core */
cn_pair_function cn_pair_polytopes;     /* polytope, polytope */

/*
 * A feature's name is 4 bits of kind, 8 bits of A's vertex, edge or face, and 8 bits of B's.  The
 * kind says what the indices are, so the name does not depend on how the pair was found.
 */
enum cn_feature_kind {
    CN_FEATURE_FACE_A,
    CN_FEATURE_FACE_B,
    CN_FEATURE_POINTS,
    CN_FEATURE_CORNERS,
    CN_FEATURE_EDGES,
    CN_FEATURE_LINE_A,
    CN_FEATURE_LINE_B,
};

static inline uint32_t
cn_feature_pack(enum cn_feature_kind kind, int index_a, int index_b)
{
    CN_ASSERT((((unsigned)index_a | (unsigned)index_b) & ~0xffU) == 0); /* invariant 3 */
    return (uint32_t)kind << 16 | (uint32_t)index_a << 8 | (uint32_t)index_b;
}

/* Sets a contact's radii and places it at the poses of the call. */
struct cn_contact cn_pair_place(const struct cn_pair_input *in, struct cn_contact contact);

/* Adds a placed contact, unless its gap is above the margin. */
void cn_pair_keep(const struct cn_pair_input *in, struct cn_manifold *manifold,
    struct cn_contact contact);

/*
 * Contacts by their features.  Each is placed at the poses of the call, and left out when its gap
 * is above the margin.  Edge i of a shape leads from vertex i to vertex i + 1.
 */
void cn_pair_add_face_a(
    const struct cn_pair_input *in, struct cn_manifold *manifold, int edge_a, int vertex_b);
void cn_pair_add_face_b(
    const struct cn_pair_input *in, struct cn_manifold *manifold, int vertex_a, int edge_b);
void cn_pair_add_points(
    const struct cn_pair_input *in, struct cn_manifold *manifold, int vertex_a, int vertex_b);

/* Two sharp corners that meet, with a chosen unit normal (world axes). */
void cn_pair_add_corners(const struct cn_pair_input *in, struct cn_manifold *manifold, int vertex_a,
    int vertex_b, cn_vec2 normal);

/* Plane against a vertex. */
void cn_pair_add_plane(const struct cn_pair_input *in, struct cn_manifold *manifold, int vertex_b);

/*
 * Placed contacts in space, by their features.  Faces and lines are A's (of_a) or B's, and the
 * vertex is the other's.  Normals and points are in world axes from A's centre of mass.
 */
struct cn_contact cn_pair_on_face(
    const struct cn_pair_input *in, bool of_a, int face, int vertex);
struct cn_contact cn_pair_on_line(
    const struct cn_pair_input *in, bool of_a, int edge, int vertex);
struct cn_contact cn_pair_vertices(const struct cn_pair_input *in, int vertex_a, int vertex_b);

/* Two edges that cross; their normal is turned to point along `from_a`. */
struct cn_contact cn_pair_edges(
    const struct cn_pair_input *in, int edge_a, int edge_b, cn_vec3 from_a);

/* Two edges that cross at a point, with the normal of a face of one. */
struct cn_contact cn_pair_crossing_on_face(const struct cn_pair_input *in, bool of_a, int face,
    int edge_a, int edge_b, cn_vec3 place);

/*
 * A vertex against a plane through a point of A (of_a) or B, with a chosen unit normal from A to B;
 * `feature` names the features that meet.
 */
struct cn_contact cn_pair_on_plane(const struct cn_pair_input *in, bool of_a, cn_vec3 place,
    cn_vec3 normal, int vertex, uint32_t feature);

/* Exchanges A and B; the poses are those of the new A and B. */
void cn_manifold_mirror(
    struct cn_manifold *manifold, const cn_pose *pose_a, const cn_pose *pose_b);

#endif
