/*
 * world_life.h: makes and destroys a world.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_ACT_WORLD_LIFE_H
#define SERVER_WORLD_ACT_WORLD_LIFE_H

#include "server/world/data/world.h"

/* NULL with *error filled when the scene can not be made or there is no memory. */
struct sv_world *sv_world_create(struct sv_env *env, struct sv_mailbox *mailbox,
    struct sv_scene *scene_take, struct wire_error *error);
void sv_world_destroy(struct sv_world *world);

#endif
