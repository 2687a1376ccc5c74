/*
 * manifold.h: contacts, and the narrowphase that finds them.
 *
 * A contact is a pair of features, one of each body, that touch or nearly touch: a core vertex of
 * one shape against an edge of the other, or two core vertices (round shapes).  The features are
 * given by constants of the two bodies, so that gap, normal and their time derivatives can be
 * evaluated at any pose without searching again; that makes the right-hand side of the equations of
 * motion smooth within a step.
 *
 *     FACE_A   normal and line fixed in A; point of B:  gap = n . (pB - pA) - radius
 *     FACE_B   normal and line fixed in B; point of A:  gap = n . (pB - pA) - radius
 *     POINTS   two core points: n = (pB - pA) / |pB - pA|, gap = |pB - pA| - radius
 *
 * with pA, pB the world positions of anchor_a, anchor_b, and radius the sum of both roundings.  The
 * normal always points from A to B; gap > 0 is apart.
 *
 * Source: contact geometry as in Baraff 1989, section 4: of a contact region only the end points
 * count (4.2), so a pair of edges gives the two end points of the interval where they overlap.
 *
 * Two sharp corners that meet tip to tip have no normal of their own.  As in 4.1, the average of
 * the adjacent face normals is chosen, and A is imagined extended by the line across it: FACE_A at
 * A's corner.  The corners of bricks, whose layers are parallel and lie within 37 degrees of level,
 * take the normal of the layers instead.  Sharp corners that are near but apart, each beyond the
 * other's faces, give no contact: which face will be met is up to the motion, and a wrong guess
 * would stop a block at the seam of two others.
 */
#ifndef ENGINE_COLLIDE_MANIFOLD_H
#define ENGINE_COLLIDE_MANIFOLD_H

#include "engine/shape/shape.h"

#include <stdint.h>

#define CN_MANIFOLD_CONTACTS_MAX 4

enum cn_contact_kind { CN_CONTACT_FACE_A, CN_CONTACT_FACE_B, CN_CONTACT_POINTS };

struct cn_contact {
    int32_t shape_a, shape_b; /* indices into the model's shapes, shape_a < shape_b */
    int32_t body_a, body_b;
    uint32_t feature; /* names the two features; equal between searches while they stay the same */
    enum cn_contact_kind kind;
    cn_vec3 anchor_a, anchor_b; /* core points, frame of each body's centre of mass */
    cn_vec3 face_normal;        /* FACE_*: unit, from A to B, in the frame of the face's owner */
    double radius;              /* sum of both roundings [m] */
    double radius_a;            /* of it, A's */
    double face_length;         /* FACE_*: of the face from its anchor [m]; 0: it has no ends */
    /* At the poses of the search or of the last cn_contact_place: */
    cn_vec3 point;  /* world, on the surface, halfway between the bodies */
    cn_vec3 normal; /* world, unit, from A to B */
    double gap;     /* [m] */
    double overhang; /* of the point beyond the nearer end of the face, < 0 over it [m] */
};

struct cn_manifold {
    int contact_count;
    double separation; /* of the two shapes [m], a lower bound where they are apart; exact sign */
    struct cn_contact contact[CN_MANIFOLD_CONTACTS_MAX];
};

/*
 * Fills *manifold with the contacts of two shapes whose gap is at most `margin` [m].  Shapes whose
 * separation is above the margin give none.  body_a, body_b, shape_a and shape_b are left to the
 * caller.  Every kind against every kind but plane against plane, by one table.
 */
void cn_collide(const struct cn_shape *a, const cn_pose *pose_a, const struct cn_shape *b,
    const cn_pose *pose_b, double margin, struct cn_manifold *manifold);

/* Evaluates point, normal and gap of a contact at other poses; the features stay. */
void cn_contact_place(struct cn_contact *contact, const cn_pose *pose_a, const cn_pose *pose_b);

#endif
