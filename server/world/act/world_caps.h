/*
 * world_caps.h: limits on how hard one person may push one body.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_ACT_WORLD_CAPS_H
#define SERVER_WORLD_ACT_WORLD_CAPS_H

#include "server/world/data/world.h"

/*
 * Whether the caps allow this command, which names its holder; a drag is limited to the remaining
 * force.  Else *error is RANGE.
 */
bool sv_world_cap(
    struct sv_world *world, struct cn_command *command, struct wire_error *error);

/*
 * Sets an instructor's caps of a body.  Forces and drags that are held there end if their force is
 * capped now, and torques if theirs is, because they were accepted under other caps.  False with
 * LIMIT.
 */
bool sv_world_caps_set(struct sv_world *world, int32_t body, const struct wire_caps *caps,
    struct wire_error *error);

#endif
