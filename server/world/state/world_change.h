/*
 * world_change.h: makes and removes bodies and joints, for clients and for the scene's rules.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_STATE_WORLD_CHANGE_H
#define SERVER_WORLD_STATE_WORLD_CHANGE_H

#include "server/world/data/world.h"

/*
 * Makes and removes bodies and joints.  False with *error filled; then only free slots have
 * changed.
 */
bool sv_world_change(struct sv_world *world, struct wire_change *change, bool *is_touched,
    struct wire_error *error);

/*
 * Steps like cn_world_step, and runs the rules of the scene, which may make and remove bodies, too.
 */
enum cn_step_result sv_world_step(struct sv_world *world, int64_t work);

#endif
