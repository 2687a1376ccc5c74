/*
 * world_settings.h: changes settings of a world; loads and resets its scene.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_STATE_WORLD_SETTINGS_H
#define SERVER_WORLD_STATE_WORLD_SETTINGS_H

#include "server/world/data/world.h"

/* The orders, called by sv_world_apply. */
bool sv_world_set(
    struct sv_world *world, const struct wire_settings *settings, struct wire_error *error);
bool sv_world_reset(struct sv_world *world, struct wire_error *error);
bool sv_world_load(
    struct sv_world *world, struct sv_scene **scene_take, struct wire_error *error);

#endif
