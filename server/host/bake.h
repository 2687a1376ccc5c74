/*
 * bake.h: worlds of scenes that come over the network.
 *
 * Reading a large scene, and baking its meshes, takes from milliseconds to seconds.  So a scene
 * that has meshes or is larger than SV_SCENE_AT_ONCE_SIZE is read on the host's pool; the request
 * waits, everything else goes on.  Any other scene, and all of them where the host has no pool, is
 * read within the call, so that such requests keep their order.
 *
 * What is asked for is done also when the asker has left meanwhile, as every letter is.  Once the
 * host is stopping, what has not begun is not read, and nothing reaches a world.
 *
 * Threads: the network thread calls these and sees what comes of them; between them the pool's
 * thread owns the scene.
 */
#ifndef SERVER_HOST_BAKE_H
#define SERVER_HOST_BAKE_H

#include "server/host/host.h"

/*
 * Asks for a world of what the source names or holds, under the source's id; may take its bytes.
 * False with *error filled; else CREATED or REFUSED is reported, the latter without a world when
 * the scene is at fault.
 */
bool sv_bake_create(struct sv_host *host, struct wire_source *source,
    const struct sv_asker *asker, struct wire_error *error);

/* The same for another scene in a world that exists. */
bool sv_bake_load(struct sv_host *host, struct sv_host_world *world, struct wire_source *source,
    const struct sv_asker *asker, struct wire_error *error);

#endif
