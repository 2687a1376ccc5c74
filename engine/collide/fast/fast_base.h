/*
 * fast_base.h: contacts that persist: a manifold is reused while its bodies have nearly the
 * relative pose at which it was found.
 *
 *     c          from A's centre of mass to B's [m]
 *     r_a, r_b   anchors of a point, world axes; n: the normal
 *     Q_a, Q_b   the rotation of a body since then
 *     m          how B's anchor has moved from A's: (c - c_base) + (Q_b - 1) r_b - (Q_a - 1) r_a
 *
 * The base of a manifold is the relative pose of the two bodies when the narrowphase found it.
 * While the bodies are near that pose, the narrowphase is not called again.  Normal and anchors
 * keep their values in world axes, and the separations follow the bodies: s = s_base + n . m.
 *
 * Stacks need this.  A soft contact gives way under a load, so a tower of N bodies is a column on
 * springs.  If it leans, the weight moves sideways and the joints bend under it.  Above a certain
 * height the lean grows.  That is Greenhill's column, which buckles under its own weight where
 *
 *     N^3 > 7.84 K / (g m a),   K = k a^2 / 2 the stiffness of a joint against tilting,
 *
 * for bodies of mass m and edge a, and k the stiffness of a point.  For contacts of 40 Hz and cubes
 * of 1 m this N is 17, and towers of 18 or more fell.  If anchors stay in place while bodies lean
 * within a tolerance, as with stiff contacts, the lean does not grow but decays.  A lean beyond the
 * tolerance is not missed, because the narrowphase is called again.
 *
 * A base holds while, with the smaller reach R of the two shapes,
 *
 *     |m| of the first point + R |turn of B against A| <= CN_BASE_PART margin,
 *
 * neither body has turned by more than CN_BASE_TURN, and a point is within the margin.  Points
 * beyond the margin when the base was made are found with the next base, so the part is below 1.
 *
 * Departures: Box2D keeps a manifold for 10 slops and 11 degrees.  Here it is 2 slops and 3
 * degrees, so that rocking and sliding are seen.  Discs, balls and capsules roll, and their
 * contacts are cheap to find, so the narrowphase finds them in every tick.
 *
 * Source: contact recycling, Catto, Box2D 3.2; Greenhill, Determination of the greatest height
 * consistent with stability, Proc. Cambridge Phil. Soc. 4, 1881.
 */
#ifndef ENGINE_COLLIDE_FAST_FAST_BASE_H
#define ENGINE_COLLIDE_FAST_FAST_BASE_H

#include "engine/collide/fast/fast.h"
#include "engine/math/quat.h"

#include <stdbool.h>

#define CN_BASE_PART 0.5F
#define CN_BASE_TURN 0.05F /* rad */

/* Stores the relative pose of the bodies for which *manifold was just found. */
void cn_base2_make(
    const struct cn_place2 *a, const struct cn_place2 *b, struct cn_manifold2 *manifold);

/*
 * Whether the base of `last` still holds.  If so, fills *now with the same contacts at the present
 * poses; else *now is undefined.  Contacts are made within `margin`; `reach` is R [m].
 */
bool cn_base2_follow(const struct cn_place2 *a, const struct cn_place2 *b, float margin,
    float reach, const struct cn_manifold2 *last, struct cn_manifold2 *now);

/*
 * The same in space.  turn_a and turn_b are the orientations of the bodies; NULL: the body never
 * moves.  A base is stored in few bits: c_base is r_a - r_b of the first point, and orientations
 * have 16 bits a number.  s_base corrects for that rounding.
 */
void cn_base3_make(const struct cn_place3 *a, const cn_quat *turn_a, const struct cn_place3 *b,
    const cn_quat *turn_b, struct cn_manifold3 *manifold);
bool cn_base3_follow(const struct cn_place3 *a, const cn_quat *turn_a, const struct cn_place3 *b,
    const cn_quat *turn_b, float margin, float reach, const struct cn_manifold3 *last,
    struct cn_manifold3 *now);

#endif
