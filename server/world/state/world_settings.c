/* world_settings.c: changes settings of a world; loads and resets its scene. */
#include "server/world/state/world_settings.h"

#include "deed/apply.h"
#include "deed/settings.h"
#include "engine/base/assert.h"
#include "server/world/data/env.h"
#include "server/world/state/world_deeds.h"
#include "server/world/state/world_engine.h"
#include "server/world/state/world_lease_rules.h"

#include <string.h>

/* All or nothing. */
static bool
apply_settings(
    struct sv_world *world, const struct wire_settings *settings, struct wire_error *error)
{
    if (!dd_settings_apply(settings, world->engine, error)) {
        return false;
    }
    if (settings->solver[0] != '\0' || settings->stepper[0] != '\0') {
        sv_env_give_back(world->env);
    }
    world->is_dirty = true;
    return true;
}

/* ---- scenes ---- */

/* Makes a new engine from the scene; on failure the old one stays. */
static bool
renew_engine(struct sv_world *world, struct sv_scene *scene, struct wire_error *error)
{
    struct cn_world *engine = sv_world_engine(world->env, scene, error);
    if (engine == NULL) {
        return false;
    }
    cn_world_destroy(world->engine);
    sv_env_give_back(world->env);
    CN_ASSERT(engine != world->engine && world->generation > 0);
    world->engine = engine;
    world->is_look_due = false;
    world->next_tick_ns = 0; /* the tick rate may be another one */
    sv_scene_ref(scene);
    sv_scene_unref(world->shown);
    world->shown = scene;
    world->generation++;
    world->series = world->generation;
    sv_world_renew_images(world);
    sv_world_leases_clear(world, scene != world->scene);
    world->watch = (struct sv_watch){0};
    world->early.count = 0;
    world->step_until_tick = 0;
    world->is_dirty = true;
    return true;
}

bool
sv_world_load(struct sv_world *world, struct sv_scene **scene_take, struct wire_error *error)
{
    CN_ASSERT(*scene_take != NULL);
    if (!renew_engine(world, *scene_take, error)) {
        return false;
    }
    sv_scene_unref(world->scene);
    world->scene = *scene_take;
    *scene_take = NULL;
    memset(&world->changed, 0, sizeof(world->changed));
    return true;
}

bool
sv_world_reset(struct sv_world *world, struct wire_error *error)
{
    struct wire_error ignored; /* these settings have been accepted before */
    if (!renew_engine(world, world->scene, error)) {
        return false;
    }
    apply_settings(world, &world->changed, &ignored);
    return true;
}

bool
sv_world_set(
    struct sv_world *world, const struct wire_settings *settings, struct wire_error *error)
{
    if (!apply_settings(world, settings, error)) {
        return false;
    }
    dd_settings_remember(&world->changed, settings);
    return true;
}
