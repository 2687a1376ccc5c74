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
#include "server/base/random.h"
#include "server/host/worker.h"

#define SV_BUNDLED_MAX 256

struct sv_seat; /* the gateway's */
struct sv_bake; /* of bake.c */
struct sv_dig;  /* of fork.c */
struct sv_round; /* of round.c */

/* A world that has waited so long for the disk is said to be stalled. */
#define SV_STALL_TOLD_NS UINT64_C(100000000)
#define SV_DURABLE_TOLD_NS UINT64_C(100000000) /* a next tick would have told by then */

#define SV_HELD_MAX 8 /* publications of a world that wait for the disk; beyond, the newest waits */

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
    struct sv_buffer *said[SV_SAID_MAX]; /* as well: said to all, to go out with `fresh`; kept by */
    int said_count;                      /* the gateway */
    struct sv_publication *held[SV_HELD_MAX]; /* not durable yet, oldest first */
    int held_count;
    uint64_t durable; /* the lane's ticket at the last poll; UINT64_MAX: nothing waits */
    bool is_untold;   /* `publication` was shown before it was durable, and its members wait */
    bool is_failed;   /* it could not be brought back at all: listed, and nothing else */
    struct sv_round *round; /* that it is made for, with others; NULL: none */
    unsigned origin;     /* of a replay: the serial of the world that it shows; 0: it is none */
    uint64_t end_tick;   /* as well: what has been fetched of it */
    uint64_t watched_ns; /* as well: when somebody was seen in it last */
    bool is_digging, has_next_seek; /* as well: a seek is being made, and another one waits */
    struct wire_seek next_seek;
    struct sv_asker next_asker;
    struct sv_shown shown[SV_SHOWN_COUNT]; /* at tick modulo their count: when it was published */
};

struct sv_host_events {
    void *context;

    /* The world has a new publication. */
    void (*published)(void *context, struct sv_host_world *world);

    /* Its publication, shown before it was durable, is durable now; nothing has followed it. */
    void (*durable)(void *context, struct sv_host_world *world);

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
    uint32_t load_max_permille; /* no world is made on a worker that is busier; 0: never mind */
    struct sv_random random;    /* of when to try again; without `fill` it is always the same */
    struct sv_metrics *metrics; /* or NULL */
    struct sv_host_world **worlds; /* in order of creation */
    int world_count, world_capacity;
    unsigned created_count;
    struct sv_scene *bundled[SV_BUNDLED_MAX];
    int bundled_count;
    struct as_library *meshes; /* of all scenes; NULL: each has its own */
    struct sv_pool pool;       /* where slow scenes are read; without `start`: at once */
    struct sv_bake *bakes;     /* those that are being read there, newest first */
    int bake_count;
    struct sv_dig *digs; /* what is sought in pasts there (fork.h), newest first */
    int dig_count;
    struct sv_round *rounds; /* of worlds that are made for several at once (round.h) */
    uint64_t number_next; /* of the next world in the store; 0: there is no store */
    struct sv_report waiting[SV_WORKERS_MAX]; /* one of each worker that is not durable yet */
    bool has_waiting[SV_WORKERS_MAX];
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

/* Whether some world has that id, ready or not. */
bool sv_host_has(const struct sv_host *host, const char *id);

/* NULL when there is no such world (yet, or any more). */
struct sv_host_world *sv_host_find(const struct sv_host *host, const char *id);

/*
 * Asks for a world; takes the scene.  `id` empty: the scene's name, with a number when it is taken.
 * It gets the next worker in turn that is not busy with what it has; CAPACITY when all are.
 * False with *error filled; else CREATED or REFUSED is reported.
 */
bool sv_host_create_world(struct sv_host *host, const char *id, struct sv_scene *scene_take,
    const struct sv_asker *asker, struct wire_error *error);

/* The same of one that grows from a seed, or plays it. */
bool sv_host_grow_world(struct sv_host *host, const char *id, const struct sv_growth *how,
    const struct sv_asker *asker, struct wire_error *error);

/* CAPACITY with a time to try again, by chance. */
void sv_host_refuse_load(const struct sv_host *host, const char *text, struct wire_error *error);

/* Whether a world has been too slow for long, and is before somebody's eyes. */
bool sv_host_is_overrun(const struct sv_host_world *world);
/* A place for a world that comes back, which nobody sees before it is ready. NULL: *error. */
struct sv_host_world *sv_host_add(
    struct sv_host *host, const char *id, uint64_t number, struct wire_error *error);

/* One that can be seen in lists and removed: ready, or failed for good. */
bool sv_host_is_listed(const struct sv_host_world *world);
struct sv_host_world *sv_host_find_listed(const struct sv_host *host, const char *id);

/*
 * Notes in their statuses how long worlds have waited for the disk, tells what has become durable
 * of those that show nothing new, and renews what the store holds of those that rest; call a few
 * times a second.
 */
void sv_host_tend(struct sv_host *host, uint64_t now_ns);

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
