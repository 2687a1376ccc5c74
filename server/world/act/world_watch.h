/*
 * world_watch.h: stops bodies that explode.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_ACT_WORLD_WATCH_H
#define SERVER_WORLD_ACT_WORLD_WATCH_H

#include "server/world/data/world.h"

/* Freezes bodies that have exploded, if any have.  Only between two ticks. */
void sv_world_watch_act(struct sv_world *world);

#endif
