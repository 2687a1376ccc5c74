/*
 * world_views.h: the views of the members of a world.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_STATE_WORLD_VIEWS_H
#define SERVER_WORLD_STATE_WORLD_VIEWS_H

#include "server/world/data/world.h"

/* Makes the scope of the whole world.  False without memory. */
bool sv_world_views_init(struct sv_world *world);
void sv_world_views_finish(struct sv_world *world);

/* From now on the member sees this.  False with *error filled: its view stays as it was. */
bool sv_world_views_enter(struct sv_world *world, struct sv_member *member,
    const struct wire_interest *interest, struct wire_error *error);
void sv_world_views_leave(struct sv_world *world, struct sv_member *member);

/*
 * Limits a member to this many bytes a second, 0: no limit.  False without memory, with *error
 * filled.
 */
bool sv_world_views_limit(struct sv_world *world, struct sv_member *member,
    uint32_t bytes_per_second, uint32_t rate_hz, uint32_t contact_rate_hz, uint32_t epoch,
    struct wire_error *error);

/*
 * Makes the publication of the world, in three steps.  First the views, with time_ns and without
 * members and status; takes the state; NULL without memory.  Then the parts for members with a byte
 * budget.  Last, the views are noted as shown.
 */
struct sv_publication *sv_world_views_show(
    struct sv_world *world, struct wire_state *whole_take, uint64_t now_ns);
void sv_world_views_ration(struct sv_world *world, struct sv_publication *publication);
void sv_world_views_showed(struct sv_world *world, const struct sv_publication *publication);

#endif
