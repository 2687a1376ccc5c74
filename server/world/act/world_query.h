/*
 * world_query.h: answers queries about a world, and remembers its past for them.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_ACT_WORLD_QUERY_H
#define SERVER_WORLD_ACT_WORLD_QUERY_H

#include "server/world/data/world.h"

/*
 * Makes the engine remember the past (engine/world/history.h) while a query may ask for it.
 * is_looked_at: a member or a query is there.
 */
void sv_world_remember(struct sv_world *world, uint64_t now_ns, bool is_looked_at);

/* Answers a query. */
void sv_world_ask(
    struct sv_world *world, const struct sv_asker *asker, const struct wire_query *query);

#endif
