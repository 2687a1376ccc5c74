/*
 * world_clock.h: whether a world runs, and the time between its ticks.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_STATE_WORLD_CLOCK_H
#define SERVER_WORLD_STATE_WORLD_CLOCK_H

#include "server/world/data/world.h"

/* Notes that a tick has been made, in that time. */
void sv_world_grow_older(struct sv_world *world, uint64_t stepped_ns);

/* Whether ticks are or will be due. */
bool sv_world_is_running(const struct sv_world *world);

/* Whether a tick has begun that has not been published yet: messages wait until it has. */
bool sv_world_is_mid_tick(const struct sv_world *world);

/* Whether single steps are due. */
bool sv_world_is_stepping(const struct sv_world *world);

/* The time between two ticks, on the wall clock. */
uint64_t sv_world_period_ns(const struct sv_world *world);

#endif
