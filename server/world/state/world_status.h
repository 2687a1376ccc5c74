/*
 * world_status.h: the status of a world.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_STATE_WORLD_STATUS_H
#define SERVER_WORLD_STATE_WORLD_STATUS_H

#include "server/world/data/world.h"

/* The world's status as clients see it. */
void sv_world_status(const struct sv_world *world, struct wire_status *status);

/* The same without the hash, which is 0: the publisher has it already. */
void sv_world_fill_status(const struct sv_world *world, struct wire_status *status);

#endif
