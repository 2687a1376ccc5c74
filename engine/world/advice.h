/*
 * advice.h: which stepper and solver can keep up with a world, judged by its largest island.
 *
 * Two things matter: the number of contacts with friction in one island, and whether something
 * moves fast through it.  The forces of a settled island hardly change from tick to tick; those of
 * an island that is hit all change.  The numbers are measured (docs/bench/solvers.md, "One
 * island"): ticks of 1/60 s on one core.
 */
#ifndef ENGINE_WORLD_ADVICE_H
#define ENGINE_WORLD_ADVICE_H

#include "engine/world/world.h"
#include "engine/world/world_def.h"

/*
 * The largest number of contacts with friction in an island for which exact forces take less than a
 * tick.
 */
#define CN_ADVICE_MOVING_MAX 60
#define CN_ADVICE_SETTLED_MAX 1200

struct cn_advice {
    const char *stepper, *solver; /* methods that keep up; those of the world where they do */
    bool is_exact;                /* whether they solve the stated problem to its tolerance */
};

struct cn_advice cn_advice_find(
    const struct cn_settings *settings, int contact_count, bool has_friction, bool moves);

/*
 * The number of contacts of the largest island.  Two touching bodies of type DYNAMIC are in one
 * island.
 */
int cn_advice_island(const struct cn_world *world, const struct cn_world_def *def, int *parent);

/* Whether something is fast at the start (1 m/s), moves by itself, or is driven. */
bool cn_advice_moves(const struct cn_world_def *def);

#endif
