/*
 * host.h: makes worlds, and fetches what they publish and report, on the network thread.
 *
 * The worlds are in the host's directory (directory.h).  Every change of a world goes by message;
 * answers come back through sv_host_poll.
 *
 * Threads: the network thread only, except for sv_host_scene.
 */
#ifndef SERVER_HOST_HOST_H
#define SERVER_HOST_HOST_H

#include "server/host/directory.h"

void sv_host_init(struct sv_host *host, struct sv_worker **workers, int worker_count,
    int worlds_max);

/* After the workers are finished. */
void sv_host_finish(struct sv_host *host);

/*
 * Adds a scene that clients may ask for by name; takes it.  False: the name is taken, or no room.
 */
bool sv_host_bundle(struct sv_host *host, struct sv_scene *scene_take);

/*
 * The change that a source carries, checked against that world's scene.  NULL with *error filled.
 */
struct wire_change *sv_host_change(const struct sv_host_world *world,
    const struct wire_source *source, struct wire_error *error);

/*
 * The scene that a source names or holds, as a new reference.  NULL with *error filled.  May be
 * called on any thread once all bundled scenes are loaded: it reads these and the library, which
 * has its own lock.
 */
struct sv_scene *sv_host_scene(
    struct sv_host *host, const struct wire_source *source, struct wire_error *error);

/*
 * Requests a new world; takes the scene.  `id` empty: the scene's name is used, with a number
 * appended when it is taken.  The world goes to the next worker that is not overloaded; CAPACITY
 * when all are.  False with *error filled.  Else CREATED or REFUSED is reported.
 */
bool sv_host_create_world(struct sv_host *host, const char *id, struct sv_scene *scene_take,
    const struct sv_asker *asker, struct wire_error *error);

/* Requests a world that begins at a seed, or replays it; otherwise as above. */
bool sv_host_grow_world(struct sv_host *host, const char *id, const struct sv_growth *how,
    const struct sv_asker *asker, struct wire_error *error);

/*
 * Call it a few times a second.  It notes in the worlds' statuses how long they have waited for the
 * disk, and reports which ticks have become durable in worlds that publish nothing new.  It also
 * tells idle worlds to renew their checkpoints.
 */
void sv_host_tend(struct sv_host *host, uint64_t now_ns);

/* Fetches publications and reports, and calls the events. */
void sv_host_poll(struct sv_host *host);

#endif
