/*
 * fast_planar.h: the quick narrowphase of the plane; fast.h says what a manifold is.
 *
 * Pieces (fast_planar_piece.h) collide with pieces.  So one normal is enough for a manifold, and
 * the cost of level geometry depends only on the pieces that are near.  All results are computed
 * relative to the middle of A's piece; the difference of the two middles is taken in double.
 *
 * Method: separating axes (the edges of both).  Then the edge of the other piece that faces the
 * best axis is clipped to it.  Where the nearest features are two corners, the normal points from
 * one corner to the other.  So rounded shapes are smooth, and sharp corners that approach each
 * other get contacts.
 *
 * Pieces of outlines collide by edges of the outline, and by normals that a corner of the outline
 * has.  Their inner edges only show that two pieces are apart.  So nothing catches at the seams of
 * pieces or at the joints of a chain.  A shape that crosses the line of an edge touches the edge,
 * unless the next edge at an outward corner is a shorter way out.  A chain is one-sided: a shape
 * whose middle is behind a piece of it does not touch that piece.  A shape wholly within an outline
 * does not touch it either.
 *
 * An edge stays the reference while it is as good as any other up to a tolerance; the same holds
 * for the edge that faces it.  `hint` names these edges.  A point's feature is the pair of corners
 * at that end of the line of contact, so it does not depend on whose edge was the reference.
 */
#ifndef ENGINE_COLLIDE_FAST_FAST_PLANAR_H
#define ENGINE_COLLIDE_FAST_FAST_PLANAR_H

#include "engine/collide/fast/fast_planar_piece.h"

/*
 * Fills *manifold with the points whose separation is at most `margin` [m]; without any,
 * point_count is 0.  `last` is the pair's manifold of the last tick, or NULL.  A point gets the
 * impulses of the last point with the same feature, or zeros.  Two planes are never a pair.
 */
void cn_fast_planar_meet(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b,
    float margin, const struct cn_manifold2 *last, struct cn_manifold2 *manifold);

/*
 * The kernel of an instruction set, by the name of its cn_impulse_kernel (NULL: it was not built),
 * and whether this processor can run it.
 */
struct cn_fast_kernel2;
const struct cn_fast_kernel2 *cn_fast_planar_kernel(const char *name);
bool cn_fast_planar_runs(const struct cn_fast_kernel2 *kernel);

/*
 * Fills `now` of many pairs, with the same bits as cn_fast_planar_meet.  Boxes are computed in
 * lanes.
 */
void cn_fast_planar_meet_many(const struct cn_fast_kernel2 *kernel,
    const struct cn_fast_task2 *tasks, int count, float margin);

/* The same for one pair, whose pieces are placed for this call only. */
void cn_fast_planar_collide(const struct cn_fast_shape2 *a, const struct cn_place2 *place_a,
    const struct cn_fast_shape2 *b, const struct cn_place2 *place_b, float margin,
    const struct cn_manifold2 *last, struct cn_manifold2 *manifold);

#endif
