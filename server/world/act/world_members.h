/*
 * world_members.h: how sessions join, leave, lose their connection and resume.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_ACT_WORLD_MEMBERS_H
#define SERVER_WORLD_ACT_WORLD_MEMBERS_H

#include "server/world/data/world.h"

/* A session joins, leaves, loses its connection, resumes, or changes its subscription. */
void sv_world_join(struct sv_world *world, struct sv_message *message);
void sv_world_leave(struct sv_world *world, const struct sv_message *message);
void sv_world_go_away(struct sv_world *world, const struct sv_asker *asker);
void sv_world_resume(struct sv_world *world, struct sv_message *message);
void sv_world_subscribe(struct sv_world *world, const struct sv_message *message);

/*
 * While nothing can be stored: a session that leaves is removed at once, and its record is written
 * later.  False: it needs none, because the session was never recorded as a member.
 */
bool sv_world_leave_unkept(struct sv_world *world, struct sv_message *message);

/* Makes a session from before the restart a member again, away.  False without memory. */
bool sv_world_return(struct sv_world *world, const struct dd_kept *kept, uint32_t seat);

#endif
