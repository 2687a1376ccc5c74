/*
 * world_reach.h: promises up to which tick a world may be shown.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_STATE_WORLD_REACH_H
#define SERVER_WORLD_STATE_WORLD_REACH_H

#include "server/world/data/world.h"

/* Adds a REACH to the record that is being made, if the next ticks need one. */
void sv_world_write_reach(struct sv_world *world);

/* The same for a record that is made for a hash, so that REACH needs no record of its own. */
void sv_world_write_reach_with_mark(struct sv_world *world);

/*
 * The next publications are of that tick, and wait for the REACH that covers it.  False: no REACH
 * covers it, and with durability TICK the tick must not be made.
 */
bool sv_world_cover(struct sv_world *world, uint64_t tick);

#endif
