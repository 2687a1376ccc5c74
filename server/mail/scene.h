/*
 * scene.h: an immutable scene with a reference count.
 *
 * Threads: any thread may ref and unref; the last unref destroys it.
 */
#ifndef SERVER_MAIL_SCENE_H
#define SERVER_MAIL_SCENE_H

#include "proto/scene.h"

#include <stdatomic.h>

struct sv_scene {
    atomic_uint ref_count;
    struct wire_scene *scene;
    uint64_t origin; /* equal for a scene and later versions of it, and for no other scene */
};

/* Takes the scene.  Without memory the scene is destroyed, and the result is NULL. */
struct sv_scene *sv_scene_create(struct wire_scene *scene_take);
struct sv_scene *sv_scene_ref(struct sv_scene *scene); /* returns its argument */
void sv_scene_unref(struct sv_scene *scene);           /* takes NULL */

#endif
