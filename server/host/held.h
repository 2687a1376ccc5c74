/*
 * held.h: publications that wait for the disk, on the network thread.
 *
 * What a publication shows could still be lost until its ticket is durable; so it is held.  Of
 * those that are durable the newest is shown.
 */
#ifndef SERVER_HOST_HELD_H
#define SERVER_HOST_HELD_H

#include "server/host/host.h"

/* Takes what the world has published since. */
void sv_held_fetch(struct sv_host_world *world);

/* Makes the newest that may be shown `fresh`, now that the lane is durable up to that ticket. */
void sv_held_release(struct sv_host_world *world, uint64_t durable);

#endif
