/*
 * world_lease.h: how members ask for leases, and how leases end.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_ACT_WORLD_LEASE_H
#define SERVER_WORLD_ACT_WORLD_LEASE_H

#include "server/world/data/world.h"

/* Carries out a Lease message, and answers its asker. */
void sv_world_lease(
    struct sv_world *world, const struct sv_asker *asker, const struct wire_lease *lease);

/* Ends leases whose time is over. */
void sv_world_leases_expire(struct sv_world *world);

/*
 * Leases or caps have changed: ends held inputs that they no longer allow, and tells the members.
 */
void sv_world_leases_changed(struct sv_world *world);

/* Sends the holders of leases to all members or, if there are any, to one asker. */
void sv_world_say_leases(struct sv_world *world, const struct sv_asker *asker);

#endif
