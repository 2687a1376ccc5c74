/*
 * world_recover.h: recovers a stored world.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_PAST_WORLD_RECOVER_H
#define SERVER_PAST_WORLD_RECOVER_H

#include "server/world/data/world.h"

/*
 * Recovers a stored world from its charter's scene or its checkpoint, and all later records.  If
 * the result is not exact, the world is FAILED: nothing more is stored for it, and its stored data
 * stays.  NULL with *error filled if there is nothing to show.
 */
struct sv_world *sv_world_recover(
    struct sv_env *env, struct sv_mailbox *mailbox, struct wire_error *error);

#endif
