/*
 * deep.h: finds bodies that overlap deeply, which is usually a mistake in a scene.
 *
 * Steppers push such bodies apart at a bounded speed, but the motion meanwhile is not meaningful.
 * So a program that accepts scenes from others checks them here first and refuses such bodies by
 * name.
 *
 *     depth   the shortest shift that separates two shapes [m], by the exact narrowphase
 *     deep    depth > CN_DEEP_FRACTION of the smaller of the two shapes' smallest extents
 *
 * Checked are pairs that may touch, one of them DYNAMIC.  Pairs that their filters exclude, sensors
 * and jointed bodies are not checked.  Neither are meshes and chains: a chain has no inside.
 *
 * The work is bounded: after CN_DEEP_LOOKS_MAX pairs of boxes or CN_DEEP_PAIRS_MAX pairs of shapes
 * the search stops.  Only a world too dense to be simulated has so many.
 */
#ifndef ENGINE_WORLD_DEEP_H
#define ENGINE_WORLD_DEEP_H

#include "engine/base/defect.h"

#include <stdint.h>

#define CN_DEEP_FRACTION 0.2
#define CN_DEEP_LOOKS_MAX 20000000
#define CN_DEEP_PAIRS_MAX 200000
#define CN_DEEP_NAMED_MAX 10 /* pairs that an error text names */

struct cn_world;

struct cn_deep {
    int32_t body_a, body_b; /* body_a < body_b */
    double depth;           /* of the first deep pair of their shapes that was found [m] */
    double extent;          /* depth is more than CN_DEEP_FRACTION of this [m] */
};

/*
 * Finds up to pair_max pairs of bodies, in an order that depends only on the world.  Returns their
 * number, or -1 without memory.
 */
int cn_world_deep(const struct cn_world *world, struct cn_deep *pairs, int pair_max);

/*
 * The same as a check: refuses with OVERLAP, the path of the first body, and up to
 * CN_DEEP_NAMED_MAX pairs in the text.
 */
CN_MUST_USE enum cn_status cn_world_deep_check(
    const struct cn_world *world, struct cn_defect *defect);

#endif
