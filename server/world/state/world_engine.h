/*
 * world_engine.h: makes the engine's world of a scene.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_STATE_WORLD_ENGINE_H
#define SERVER_WORLD_STATE_WORLD_ENGINE_H

#include "server/world/data/world.h"

/* The engine's world of a scene; NULL with *error filled. */
struct cn_world *sv_world_engine(
    struct sv_env *env, const struct sv_scene *scene, struct wire_error *error);

/*
 * Whether no bodies overlap deeply (engine/world/deep.h); else *error is filled.  Checked when a
 * world is made or loaded by a client; stored worlds are taken as they are.
 */
bool sv_world_is_apart(const struct cn_world *engine, struct wire_error *error);
bool sv_world_scene_is_apart(
    struct sv_env *env, const struct sv_scene *scene, struct wire_error *error);

#endif
