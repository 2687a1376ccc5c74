/*
 * world_member_table.h: the members of a world, in ascending order of seats.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_STATE_WORLD_MEMBER_TABLE_H
#define SERVER_WORLD_STATE_WORLD_MEMBER_TABLE_H

#include "server/world/data/world.h"

/* The member with that session number; NULL: none. */
struct sv_member *sv_world_member(struct sv_world *world, uint64_t session);

/* The member that asks; NULL when that session is not (or no longer) in the world. */
struct sv_member *sv_world_member_of(struct sv_world *world, const struct sv_asker *asker);

/* Adds a member of that seat, with nothing else set; NULL without memory. */
struct sv_member *sv_world_add_member(struct sv_world *world, uint32_t seat);

/* The name that the session gave; "a guest" if it gave none or is not a member. */
const char *sv_world_member_name(struct sv_world *world, uint64_t session);

#endif
