/*
 * manifold.h: the narrowphase, which finds the contacts of two shapes.
 *
 * Source: contact geometry as in Baraff 1989, section 4: of a contact region only the end points
 * matter (4.2).  So a pair of edges gives the two end points of the interval where they overlap.
 *
 * Two sharp corners that meet tip to tip have no normal of their own.  As in 4.1, the average of
 * the adjacent face normals is used, and A is imagined extended by the line across it: FACE_A at
 * A's corner.  The corners of bricks, whose layers are parallel and within 37 degrees of level,
 * take the normal of the layers instead.  Sharp corners that are near but apart, each beyond the
 * other's faces, give no contact.  The motion decides which face will be met, and a wrong guess
 * would stop a block at the seam of two others.
 *
 * In space the same is done by faces, edges and corners: collide/exact/region.h,
 * collide/exact/degenerate.h.
 */
#ifndef ENGINE_COLLIDE_EXACT_MANIFOLD_H
#define ENGINE_COLLIDE_EXACT_MANIFOLD_H

#include "engine/collide/exact/contact.h"

/* In the plane at most 4; in space a region with more corners is reduced (region.h). */
#define CN_MANIFOLD_CONTACTS_MAX 16
#define CN_MANIFOLD_PLANAR_MAX 4

struct cn_manifold {
    int contact_count;
    double separation; /* of the shapes [m]; a lower bound where they are apart; exact sign */
    struct cn_contact contact[CN_MANIFOLD_CONTACTS_MAX];
};

/*
 * Fills *manifold with the contacts of two shapes whose gap is at most `margin` [m].  Shapes whose
 * separation is above the margin have none.  The caller sets body_a, body_b, shape_a and shape_b.
 * All pairs of kinds are handled, by one table (pair_table.c), except plane against plane.
 */
void cn_collide(const struct cn_shape *a, const cn_pose *pose_a, const struct cn_shape *b,
    const cn_pose *pose_b, double margin, struct cn_manifold *manifold);

#endif
