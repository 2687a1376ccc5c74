/*
 * bake.h: worlds of scenes that come over the network.
 *
 * Reading a large scene, and baking its meshes, takes from milliseconds to seconds.  A scene that
 * has meshes or is larger than SV_SCENE_AT_ONCE_SIZE is therefore read on the host's pool, and only
 * its request waits.  Any other scene, and all of them where the host has no pool, is read within
 * the call, so that such requests keep their order.
 *
 * A request is carried out even if its client has left meanwhile, like any other message.  Once the
 * host is stopping, no further scene is read, and nothing reaches a world.
 *
 * Threads: the network thread calls these functions and gets the results; in between the pool's
 * thread owns the scene.
 */
#ifndef SERVER_HOST_BAKE_H
#define SERVER_HOST_BAKE_H

#include "server/host/host.h"

/*
 * Requests a world from the scene that the source names or holds, under the source's id; may take
 * its bytes.  False with *error filled.  Else CREATED or REFUSED is reported; REFUSED comes without
 * a world when the scene is at fault.
 */
bool sv_bake_create(struct sv_host *host, struct wire_source *source,
    const struct sv_asker *asker, struct wire_error *error);

/* Requests that the scene is loaded into an existing world; otherwise as above. */
bool sv_bake_load(struct sv_host *host, struct sv_host_world *world, struct wire_source *source,
    const struct sv_asker *asker, struct wire_error *error);

/* Worlds whose scenes are being read for the asker's session, token or tenant. */
int sv_bake_count(
    const struct sv_host *host, const struct sv_asker *asker, enum sv_principal principal);

#endif
