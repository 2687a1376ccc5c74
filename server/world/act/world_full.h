/*
 * world_full.h: a world while the disk is full; and the records of its members.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_ACT_WORLD_FULL_H
#define SERVER_WORLD_ACT_WORLD_FULL_H

#include "server/world/data/world.h"

/* Whether nothing can be stored: the world can be watched, but not changed. */
bool sv_world_is_closed(const struct sv_world *world);

/* The last entries cannot be stored and wait for room: refuses further changes. */
void sv_world_refuse_changes(struct sv_world *world);

/* Whether a message would change the world: an input, an order, a lease. */
bool sv_message_is_change(const struct sv_message *message);

/*
 * In a closed world.  A message waits a moment when the last entries are not durable and may not be
 * shown yet.  It is refused when it changes the world or has waited SV_UNSHOWN_NS.
 */
bool sv_world_keeps_waiting(const struct sv_world *world, const struct sv_message *message);
bool sv_world_refuses(const struct sv_world *world, const struct sv_message *message);

/*
 * Refuses the message with the reason: FAILED, a REPLAY, or closed.  A refusal for a full disk is
 * sent at once and does not wait for the disk.
 */
void sv_world_refuse_message(struct sv_world *world, struct sv_message *message);

/* Records that the member has joined or resumed.  Without memory it joins all the same. */
void sv_world_record_join(struct sv_world *world, const struct sv_member *member);
void sv_world_record_back(struct sv_world *world, const struct sv_member *member);

/* The same for members that joined while the world was closed. */
void sv_world_record_late_joins(struct sv_world *world);

/* Records that the session has left: its held inputs end, which changes the world. */
void sv_world_record_leave(struct sv_world *world, uint64_t session);

#endif
