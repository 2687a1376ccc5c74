/*
 * world_orphans.h: held inputs of sessions from before the daemon's restart.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_ACT_WORLD_ORPHANS_H
#define SERVER_WORLD_ACT_WORLD_ORPHANS_H

#include "server/world/data/world.h"

/*
 * The world was recovered from the log: sessions from before the restart may hold inputs in it.
 */
void sv_world_begin_orphans(struct sv_world *world);

/* Ends those inputs when their time has come.  Only between two ticks. */
void sv_world_end_orphans(struct sv_world *world);

#endif
