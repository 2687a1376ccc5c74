/*
 * world_run.h: runs a world in slices.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_ACT_WORLD_RUN_H
#define SERVER_WORLD_ACT_WORLD_RUN_H

#include "server/world/data/world.h"

/*
 * Lets the messages act and appends their record, when the world is between two ticks.
 * sv_worker_run calls it for all due worlds before the first of them steps.
 */
void sv_world_prepare(struct sv_world *world, uint64_t now_ns);

/*
 * Does the work that is due now, at most one slice, in a world that has been prepared.  Returns
 * when it wants to be called again: `now_ns` or earlier for at once, UINT64_MAX for when a message
 * comes.
 */
uint64_t sv_world_run(struct sv_world *world, uint64_t now_ns);

#endif
