/*
 * scene.h: a scene that many hold and nobody changes.
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
    uint64_t origin; /* the same of a scene and of those that follow it, and of no other */
};

/* Takes the scene; NULL, with the scene destroyed, when there is no memory. */
struct sv_scene *sv_scene_create(struct wire_scene *scene_take);
struct sv_scene *sv_scene_ref(struct sv_scene *scene); /* returns its argument */
void sv_scene_unref(struct sv_scene *scene);           /* takes NULL */

#endif
