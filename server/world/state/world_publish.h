/*
 * world_publish.h: publishes the state of a world.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_STATE_WORLD_PUBLISH_H
#define SERVER_WORLD_STATE_WORLD_PUBLISH_H

#include "server/world/data/world.h"

/*
 * Publishes the world.  Without memory nothing is shown for this tick; the world itself is not
 * changed.
 */
void sv_world_publish(struct sv_world *world, uint64_t now_ns);

/* Whether the last tick is to be shown. */
bool sv_world_is_to_be_shown(const struct sv_world *world, uint64_t now_ns);

/*
 * Collects the data to show of the present state, up to one slice of work; false: not finished.
 */
bool sv_world_look(struct sv_world *world);

#endif
