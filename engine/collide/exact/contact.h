/*
 * contact.h: a contact, and its position at any pose.
 *
 * A contact is a pair of features, one of each body, that touch or nearly touch.  The features are
 * given by constants of the two bodies.  So gap, normal and their time derivatives can be evaluated
 * at any pose without a new search.  This makes the right-hand side of the equations of motion
 * smooth within a step.
 *
 *     FACE_A   normal and face fixed in A; point of B:  gap = n . (pB - pA) - radius
 *     FACE_B   normal and face fixed in B; point of A:  gap = n . (pB - pA) - radius
 *     POINTS   two core points: n = (pB - pA) / |pB - pA|, gap = |pB - pA| - radius
 *     HOLLOW   the same within a hollow arc: n = -(pB - pA) / |pB - pA|, gap = -|pB - pA| - radius,
 *              where the rounding of the hollow side is minus its radius
 *     EDGES    two lines that cross: n = eA x eB / |eA x eB|, gap = n . (pB - pA) - radius
 *     LINE_A   a line of A, a core point of B: u = (pB - pA) - eA eA . (pB - pA),
 *              n = u / |u|, gap = |u| - radius
 *     LINE_B   the same with a line of B and a core point of A
 *
 * with pA, pB the world positions of anchor_a, anchor_b, eA, eB the unit directions of the lines,
 * and radius the sum of both roundings.  The normal always points from A to B; gap > 0 is apart.
 * EDGES, LINE_A and LINE_B exist only in space, HOLLOW only in the plane.
 *
 * Source: Baraff 1989, section 4 and appendix A: vertex on face, and edge on edge, whose normal is
 * the cross product of the edges.  Departure: POINTS, LINE_A and LINE_B are added for round shapes.
 */
#ifndef ENGINE_COLLIDE_EXACT_CONTACT_H
#define ENGINE_COLLIDE_EXACT_CONTACT_H

#include "engine/shape/shape.h"

#include <stdint.h>

enum cn_contact_kind {
    CN_CONTACT_FACE_A,
    CN_CONTACT_FACE_B,
    CN_CONTACT_POINTS,
    CN_CONTACT_HOLLOW,
    CN_CONTACT_EDGES,
    CN_CONTACT_LINE_A,
    CN_CONTACT_LINE_B,
};

struct cn_contact {
    int32_t shape_a, shape_b; /* indices into the model's shapes, shape_a < shape_b */
    int32_t body_a, body_b;
    uint32_t feature; /* names the two features; stays the same between searches while they do */
    enum cn_contact_kind kind;
    cn_vec3 anchor_a, anchor_b; /* core points, frame of each body's centre of mass */
    cn_vec3 face_normal;        /* FACE_*: unit, from A to B, in the frame of the face's owner */
    double radius;              /* sum of both roundings, < 0 for HOLLOW [m] */
    double radius_a;            /* A's part of it */
    double face_length;         /* FACE_* in the plane: from its anchor [m]; 0: it is unbounded */
    const struct cn_polytope *face_core; /* FACE_* in space: gives the face's ends; NULL: it has
                                            none */
    int32_t face_index;
    bool is_crossing;           /* FACE_* in space: two edges cross at a small angle, so the
                                   contact is at the end of the face, and moves along it */
    /* EDGES, LINE_*: unit, in each body's frame; for EDGES eA x eB points from A to B. */
    cn_vec3 edge_a, edge_b;
    double edge_length_a, edge_length_b; /* of the edges from their anchors [m]; 0: unbounded */
    /* At the poses of the search or of the last cn_contact_place: */
    cn_vec3 point;   /* world, on the surface, halfway between the bodies */
    cn_vec3 normal;  /* world, unit, from A to B */
    double gap;      /* [m] */
    double overhang; /* of the point beyond the nearer end of the face or edge, < 0 within [m] */
};

/* Updates point, normal, gap and overhang of a contact to other poses; the features stay. */
void cn_contact_place(struct cn_contact *contact, const cn_pose *pose_a, const cn_pose *pose_b);

/*
 * The core points of A and B between which the gap is measured, each from its body's centre of mass
 * [m, world axes]: where the line of the contact force meets the two cores.  For EDGES and LINE_*.
 */
void cn_contact_feet(const struct cn_contact *contact, const cn_pose *pose_a, const cn_pose *pose_b,
    cn_vec3 *foot_a, cn_vec3 *foot_b);

#endif
