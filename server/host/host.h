/*
 * host.h: the worlds as the network thread knows them.
 *
 * The directory: which ids there are, on which worker each world lives, what it last published.
 * Everything that changes a world goes by letter; answers come back through sv_host_poll.
 *
 * Threads: the network thread only, but for sv_host_scene.
 */
#ifndef SERVER_HOST_HOST_H
#define SERVER_HOST_HOST_H

#include "server/base/pool.h"
#include "server/host/worker.h"

#define SV_BUNDLED_MAX 256

struct sv_seat; /* the gateway's */
struct sv_bake; /* of bake.c */

#define SV_SHOWN_COUNT 64 /* ticks whose Ack is still timed: a second of a world of 60 Hz */

struct sv_shown {
    uint64_t tick, time_ns;
};

struct sv_host_world {
    struct sv_post post;
    struct sv_seat *seats; /* who is in it or joining, newest first; kept by the gateway */
    int worker;
    unsigned serial;  /* no other world of this host has it; not 0 */
    bool is_ready;    /* made, and not asked to go */
    bool is_removing;
    struct wire_status status;
    struct sv_scene *scene;
    struct sv_publication *publication; /* the newest that was fetched, or NULL */
    struct sv_publication *fresh;       /* within sv_host_poll */
    struct sv_shown shown[SV_SHOWN_COUNT]; /* at tick modulo their count: when it was published */
};

struct sv_host_events {
    void *context;

    /* The world has a new publication. */
    void (*published)(void *context, struct sv_host_world *world);

    /*
     * A worker's report; what hangs on it is borrowed.  After REMOVED the world is gone.  World
     * NULL: REFUSED by bake.h.
     */
    void (*reported)(
        void *context, struct sv_host_world *world, const struct sv_report *report);
};

struct sv_host {
    struct sv_worker **workers; /* borrowed */
    int worker_count;
    void (*wake)(void *context, int worker); /* after a letter was put in */
    void *wake_context;
    struct sv_host_events events;
    int worlds_max;
    struct sv_host_world **worlds; /* in order of creation */
    int world_count, world_capacity;
    unsigned created_count;
    struct sv_scene *bundled[SV_BUNDLED_MAX];
    int bundled_count;
    struct as_library *meshes; /* of all scenes; NULL: each has its own */
    struct sv_pool pool;       /* where slow scenes are read; without `start`: at once */
    struct sv_bake *bakes;     /* those that are being read there, newest first */
    int bake_count;
    atomic_bool is_stopping; /* what is being read comes to nothing */
};

void sv_host_init(struct sv_host *host, struct sv_worker **workers, int worker_count,
    int worlds_max);

/* After the workers are finished. */
void sv_host_finish(struct sv_host *host);

/* Adds a scene that may be asked for by name; takes it. False: the name is taken or no room. */
bool sv_host_bundle(struct sv_host *host, struct sv_scene *scene_take);

/* The change that a source carries, read as one of that world's scene. NULL with *error filled. */
struct wire_change *sv_host_change(const struct sv_host_world *world,
    const struct wire_source *source, struct wire_error *error);

/*
 * The scene that a source names or holds, a new reference; NULL with *error filled.  On any thread
 * once all scenes are bundled: it touches these and the library, which has its own lock.
 */
struct sv_scene *sv_host_scene(
    struct sv_host *host, const struct wire_source *source, struct wire_error *error);

/* NULL when there is no such world (yet, or any more). */
struct sv_host_world *sv_host_find(const struct sv_host *host, const char *id);

/*
 * Asks for a world; takes the scene.  `id` empty: the scene's name, with a number when it is taken.
 * False with *error filled; else CREATED or REFUSED is reported.
 */
bool sv_host_create_world(struct sv_host *host, const char *id, struct sv_scene *scene_take,
    const struct sv_asker *asker, struct wire_error *error);

/* Asks for a world to go; REMOVED is reported. False with *error filled. */
bool sv_host_remove_world(struct sv_host *host, struct sv_host_world *world,
    const struct sv_asker *asker, struct wire_error *error);

/* Sends a letter to a world; takes what hangs on it, also on failure: false with *error filled. */
bool sv_host_send(struct sv_host *host, struct sv_host_world *world, struct sv_letter *letter,
    struct wire_error *error);

/* When that tick of the world was published; 0 when it is not known (any more). */
uint64_t sv_host_shown_ns(const struct sv_host_world *world, uint64_t tick);

/* Fetches publications and reports, and calls the events. */
void sv_host_poll(struct sv_host *host);

#endif
