/*
 * cubes.h: 901 cubes that are pushed about: the scene of which the wire's figures are.
 *
 * 30 x 30 cubes of 0.4 m, half a metre apart, and the player's of 1.5 m, all on a floor.  The
 * player is pushed towards one place after the other of a fixed sequence; around him a field pulls
 * the cubes for 160 ticks and blows them away for 80, and again.  After the scene of G. Fiedler's
 * "Snapshot Compression"; the motion is our own engine's.
 */
#ifndef TESTS_BENCH_CUBES_H
#define TESTS_BENCH_CUBES_H

#include "engine/base/rng.h"
#include "engine/cairn.h"

#define CUBES_COUNT 901

struct cubes {
    struct cn_world *world;
    struct cn_rng rng;
    cn_vec3 target; /* where the player is pushed to */
};

/* False with a line on stderr. */
bool cubes_init(struct cubes *cubes);
void cubes_finish(struct cubes *cubes);

/* Pushes, and takes the world one tick on. */
void cubes_step(struct cubes *cubes);

#endif
