/*
 * deep.h: bodies that are deep in one another, as a mistake in a scene leaves them.
 *
 * Steppers push such bodies apart at a bounded speed, but what they do meanwhile is nothing that
 * anybody meant.  So who takes scenes from others asks here first and refuses them by name.
 *
 *     depth   the shortest way on which two shapes part [m], by the exact narrowphase
 *     deep    depth > CN_DEEP_FRACTION of the smaller of the two shapes' smallest extents
 *
 * Looked at are pairs that may touch, one of them DYNAMIC: not shapes whose filters pass each other
 * by, sensors, jointed bodies.  Meshes and chains are left out: a chain has no inside.
 *
 * The work is bounded: after CN_DEEP_LOOKS_MAX pairs of boxes or CN_DEEP_PAIRS_MAX pairs of shapes
 * the rest is not looked at.  Only a world that is too dense to be simulated has so many.
 */
#ifndef ENGINE_WORLD_DEEP_H
#define ENGINE_WORLD_DEEP_H

#include "engine/base/defect.h"

#include <stdint.h>

#define CN_DEEP_FRACTION 0.2
#define CN_DEEP_LOOKS_MAX 20000000
#define CN_DEEP_PAIRS_MAX 200000
#define CN_DEEP_NAMED_MAX 10 /* pairs that a defect names */

struct cn_world;

struct cn_deep {
    int32_t body_a, body_b; /* body_a < body_b */
    double depth;           /* of the first deep pair of their shapes that was met [m] */
    double extent;          /* of which it is more than CN_DEEP_FRACTION [m] */
};

/*
 * Finds up to pair_max pairs of bodies, in an order that does not depend on anything but the world;
 * returns how many, -1 without memory.
 */
int cn_world_deep(const struct cn_world *world, struct cn_deep *pairs, int pair_max);

/*
 * The same as a refusal: OVERLAP, with the path of the first body and up to CN_DEEP_NAMED_MAX
 * pairs in the text.
 */
CN_MUST_USE enum cn_status cn_world_deep_check(
    const struct cn_world *world, struct cn_defect *defect);

#endif
