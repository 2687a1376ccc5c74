/* world_engine.c: makes the engine's world of a scene, within the memory available for it. */
#include "server/world/state/world_engine.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"

struct cn_world *
sv_world_engine(
    struct sv_env *env, const struct sv_scene *scene, struct wire_error *error)
{
    struct cn_defect defect = {.status = CN_MEMORY};
    struct cn_world *engine = NULL;
    const struct cn_world_def *def = wire_scene_world_def(scene->scene);
    if (env->world_memory > 0 && def->memory_max > env->world_memory) {
        wire_error_set(error, "LIMIT", "world.memoryMib",
            "is %zu; this daemon lets a world have at most %zu MiB (--world-memory)",
            def->memory_max >> 20, env->world_memory >> 20);
        return NULL;
    }
    struct cn_world_tools tools = {.simd = env->simd,
        .scratch = &env->scratch,
        .memory_max = env->world_memory,
        .account = env->memory};
    bool is_made = cn_world_create(def, &defect, &engine) == CN_OK;
    enum cn_status used = is_made ? cn_world_use(engine, &tools, &defect) : CN_OK;
    if (!is_made || used != CN_OK ||
        cn_world_remember(engine, wire_scene_rewind_ticks(scene->scene), &defect) != CN_OK) {
        wire_error_from_defect(error, &defect);
        if (used == CN_MEMORY) { /* there is memory, but other worlds use it */
            wire_error_set(error, "CAPACITY", "", "%s", defect.text);
            error->retry_ms = SV_RETRY_MS;
        }
        cn_world_destroy(engine);
        return NULL;
    }
    return engine;
}

bool
sv_world_is_apart(const struct cn_world *engine, struct wire_error *error)
{
    CN_ASSERT(!cn_world_is_mid_tick(engine));
    struct cn_defect defect;
    bool is_apart = cn_world_deep_check(engine, &defect) == CN_OK;
    if (!is_apart) {
        wire_error_from_defect(error, &defect);
    }
    return is_apart;
}

bool
sv_world_scene_is_apart(
    struct sv_env *env, const struct sv_scene *scene, struct wire_error *error)
{
    struct cn_world *engine = sv_world_engine(env, scene, error);
    bool is_apart = engine != NULL && sv_world_is_apart(engine, error);
    cn_world_destroy(engine);
    return is_apart;
}
