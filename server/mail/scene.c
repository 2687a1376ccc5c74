#include "server/mail/scene.h"

#include "engine/base/assert.h"

#include <stdlib.h>

struct sv_scene *
sv_scene_create(struct wire_scene *scene_take)
{
    CN_ASSERT(scene_take != NULL);
    struct sv_scene *scene = malloc(sizeof(*scene));
    if (scene == NULL) {
        wire_scene_destroy(scene_take);
        return NULL;
    }
    static atomic_uint_fast64_t created_count;
    atomic_init(&scene->ref_count, 1);
    scene->origin = 1 + atomic_fetch_add_explicit(&created_count, 1, memory_order_relaxed);
    scene->scene = scene_take;
    return scene;
}

struct sv_scene *
sv_scene_ref(struct sv_scene *scene)
{
    unsigned before = atomic_fetch_add_explicit(&scene->ref_count, 1, memory_order_relaxed);
    CN_ASSERT(before > 0); /* a reference that is copied exists */
    return scene;
}

void
sv_scene_unref(struct sv_scene *scene)
{
    if (scene != NULL &&
        atomic_fetch_sub_explicit(&scene->ref_count, 1, memory_order_acq_rel) == 1) {
        wire_scene_destroy(scene->scene);
        free(scene);
    }
}
