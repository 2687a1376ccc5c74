/*
 * fast_base.h: contacts that persist: a manifold is kept while its bodies stand to each other
 * nearly as they did when it was found.
 *
 *     c          from A's centre of mass to B's [m]
 *     r_a, r_b   anchors of a point, world axes; n: the normal
 *     Q_a, Q_b   how far a body has turned since
 *     m          how far B's anchor has gone from A's: (c - c_base) + (Q_b - 1) r_b - (Q_a - 1) r_a
 *
 * The base of a manifold is how the two bodies stood when the narrowphase found it.  While they
 * stand nearly so, the narrowphase is not asked again: normal and anchors are what they were, in
 * world axes, and the separations follow the bodies, s = s_base + n . m.
 *
 * Why stacks need it: a soft contact gives way under a load, so a tower of N bodies is a column on
 * springs.  A lean moves the weight sideways, the joints bend under it, and from a height on the
 * lean grows.  That is Greenhill's column, which buckles under its own weight where
 *
 *     N^3 > 7.84 K / (g m a),   K = k a^2 / 2 the stiffness of a joint against tilting,
 *
 * for bodies of mass m and edge a, and k the stiffness of a point.  For contacts of 40 Hz and cubes
 * of 1 m it is 17, and from 18 on towers fell.  Anchors that stand while bodies lean within a
 * tolerance leave that growth out, as contacts that are stiff would, and the lean dies away.  A
 * lean beyond the tolerance is seen, as the narrowphase is asked again.
 *
 * A base holds while, with the smaller reach R of the two shapes,
 *
 *     |m| of the first point + R |turn of B against A| <= CN_BASE_PART margin,
 *
 * neither body has turned by more than CN_BASE_TURN, and a point is within the margin.  Points that
 * were further apart than the margin when the base was made come by the next one, so the part is
 * below 1.
 *
 * Departures: Box2D keeps a manifold for 10 slops and 11 degrees.  Here it is 2 slops and 3
 * degrees, so that rocking and sliding are seen.  Discs, balls and capsules roll and cost little:
 * the narrowphase always finds them.
 *
 * Source: contact recycling, Catto, Box2D 3.2; Greenhill, Determination of the greatest height
 * consistent with stability, Proc. Cambridge Phil. Soc. 4, 1881.
 */
#ifndef ENGINE_COLLIDE_FAST_BASE_H
#define ENGINE_COLLIDE_FAST_BASE_H

#include "engine/collide/fast.h"
#include "engine/math/quat.h"

#include <stdbool.h>

#define CN_BASE_PART 0.5F
#define CN_BASE_TURN 0.05F /* rad */

/* Notes how the bodies stand for which *manifold was just found. */
void cn_base2_make(
    const struct cn_place2 *a, const struct cn_place2 *b, struct cn_manifold2 *manifold);

/*
 * Fills *now with what `last` is by now, where its base holds; else *now is undefined.  `margin` is
 * that within which contacts are made and `reach` is R [m].
 */
bool cn_base2_follow(const struct cn_place2 *a, const struct cn_place2 *b, float margin,
    float reach, const struct cn_manifold2 *last, struct cn_manifold2 *now);

/*
 * The same in space; the orientations of the bodies come beside their places, NULL of one that
 * never moves.  A base is kept in few bits: c_base is r_a - r_b of the first point, orientations
 * have 16 bits a number, and what is rounded so is taken out of s_base.
 */
void cn_base3_make(const struct cn_place3 *a, const cn_quat *turn_a, const struct cn_place3 *b,
    const cn_quat *turn_b, struct cn_manifold3 *manifold);
bool cn_base3_follow(const struct cn_place3 *a, const cn_quat *turn_a, const struct cn_place3 *b,
    const cn_quat *turn_b, float margin, float reach, const struct cn_manifold3 *last,
    struct cn_manifold3 *now);

#endif
