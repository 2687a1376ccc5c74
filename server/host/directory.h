/*
 * directory.h: the network thread's directory of worlds.
 *
 * It holds the ids that exist, the worker on which each world lives, and each world's newest
 * publication.  The host's data stands here; the modules above it fetch publications (held.h), make
 * several worlds at once (round.h), and make and poll worlds (host.h).
 *
 * Threads: the network thread only.
 */
#ifndef SERVER_HOST_DIRECTORY_H
#define SERVER_HOST_DIRECTORY_H

#include "engine/base/account.h"
#include "server/base/pool.h"
#include "server/base/random.h"
#include "server/host/worker.h"

#define SV_BUNDLED_MAX 256

struct sv_seat; /* the gateway's */
struct sv_bake; /* of bake.c */
struct sv_dig;  /* of fork.c */
struct sv_round; /* of round.c */

/* A world that has waited this long for the disk is reported as stalled. */
#define SV_STALL_TOLD_NS UINT64_C(100000000)
#define SV_DURABLE_TOLD_NS UINT64_C(100000000) /* by then a next tick would have reported it */

/* publications of a world that wait for the disk; further ones replace the newest */
#define SV_HELD_MAX 8

#define SV_SAFE_TICKS_MAX 16 /* tickets that a world of durability SECOND waits for at a time */

#define SV_SHOWN_COUNT 64 /* ticks whose Ack is still timed: one second at 60 Hz */

struct sv_shown {
    uint64_t tick, time_ns;
};

/*
 * Ticks that a world of durability SECOND has shown, the oldest first, and the ticket that makes
 * each durable.  When the list is full, a new tick replaces the newest one.
 */
struct sv_safe_ticks {
    uint64_t tick;   /* no crash can undo this tick ... */
    uint32_t series; /* ... of this series of ticks */
    int count;
    struct {
        uint64_t ticket, tick;
        uint32_t series;
    } next[SV_SAFE_TICKS_MAX];
};

/* How a world was made. */
enum sv_made {
    SV_MADE_WORLD, /* from a scene or a recording */
    SV_MADE_FORK,
    SV_MADE_REPLAY,
};

struct sv_host_world {
    struct sv_mailbox mailbox;
    /* members and sessions that are joining, newest first; owned by the gateway */
    struct sv_seat *seats;
    int worker;
    unsigned serial;  /* unique among this host's worlds; never 0 */
    bool is_ready;    /* created, and not being removed */
    bool is_removing;
    struct wire_status status;
    struct sv_scene *scene;
    struct sv_publication *publication; /* the newest one shown, or NULL */
    struct sv_publication *fresh;       /* within sv_host_poll */
    struct sv_buffer *said[SV_SAID_MAX]; /* messages to all members that go out with `fresh` */
    int said_count;                      /* owned by the gateway, with `said` */
    struct sv_publication *held[SV_HELD_MAX]; /* not durable yet, oldest first */
    int held_count;
    uint64_t durable; /* the lane's durable ticket at the last poll; UINT64_MAX: nothing waits */
    /* `publication` was shown before it was durable, and members wait to hear that it is */
    bool is_untold;
    struct sv_safe_ticks safe; /* ticks of SECOND that were shown and may not be durable yet */
    bool is_failed;   /* the world could not be recovered: it is listed, and nothing else */
    struct sv_round *round; /* the round of worlds that this one is made with; NULL: none */
    unsigned origin; /* a replay's: the serial of the world that it shows; 0: this is no replay */
    enum sv_made made;
    struct sv_asker maker; /* the asker that had it made; all zero: none, or one before a restart */
    uint64_t room;       /* the room whose world it is (server/room/room.h); 0: none */
    uint64_t end_tick;   /* of a replay: the last tick that has been fetched */
    uint64_t watched_ns; /* of a replay: when it last had a member */
    bool is_digging, has_next_seek; /* of a replay: a seek is in progress, and another one waits */
    struct wire_seek next_seek;
    struct sv_asker next_asker;
    /* index: tick modulo the count; when the tick was published */
    struct sv_shown shown[SV_SHOWN_COUNT];
};

struct sv_host_events {
    void *context;

    /* The world has a new publication. */
    void (*published)(void *context, struct sv_host_world *world);

    /*
     * The publication that was shown before it was durable is durable now, and no newer one exists.
     */
    void (*durable)(void *context, struct sv_host_world *world);

    /*
     * A recovered world has a session from before the restart, which has settled inputs up to
     * `applied_seq`; it waits for its client.  *seat receives the index of its seat.  False: no
     * seat is free.  A NULL pointer acts as if it returned false.  Called before anything runs.
     */
    bool (*returned)(void *context, struct sv_host_world *world, const struct dd_kept *kept,
        uint64_t applied_seq, uint32_t *seat);

    /*
     * A worker's report; what it points to is borrowed.  After REMOVED the world no longer exists.
     * The world is NULL where bake.h reports REFUSED.
     */
    void (*reported)(
        void *context, struct sv_host_world *world, const struct sv_report *report);
};

struct sv_host {
    struct sv_worker **workers; /* borrowed */
    int worker_count;
    /* called after a message was put into a worker's ring */
    void (*wake)(void *context, int worker);
    void *wake_context;
    struct sv_host_events events;
    int worlds_max;
    struct cn_account memory; /* of all worlds */
    uint32_t load_max_permille; /* a world is not placed on a worker that is busier; 0: no limit */
    /* for the moments of retries; without `fill` it always gives the same numbers */
    struct sv_random random;
    struct sv_metrics *metrics; /* or NULL */
    struct sv_host_world **worlds; /* in order of creation */
    int world_count, world_capacity;
    unsigned created_count;
    struct sv_scene *bundled[SV_BUNDLED_MAX];
    int bundled_count;
    struct as_library *meshes; /* shared by all scenes; NULL: each scene has its own */
    /* for scenes that are slow to read; without `start` they are read at once */
    struct sv_pool pool;
    struct sv_bake *bakes;     /* scenes that are being read on the pool, newest first */
    int bake_count;
    /* forks and seeks that are being made on the pool (fork.h), newest first */
    struct sv_dig *digs;
    int dig_count;
    struct sv_round *rounds; /* forks that make several worlds at once (round.h) */
    /* the last session's number; stored worlds know numbers of earlier lives */
    uint64_t session_last;
    uint64_t number_next; /* number of the next world in the store; 0: there is no store */
    struct sv_waiting {
        struct sv_report first, *later; /* in the order of their tickets; `later` is heap memory */
        int count, later_capacity;
    } waiting[SV_WORKERS_MAX]; /* reports of each worker that are not durable yet */
    /* scenes that are being read are dropped */
    atomic_bool is_stopping;
};

/* Whether a world has that id, ready or not. */
bool sv_host_has(const struct sv_host *host, const char *id);

/* NULL when no such world exists (yet, or any more). */
struct sv_host_world *sv_host_find(const struct sv_host *host, const char *id);

/* Fills *error with CAPACITY and a random time after which to try again. */
void sv_host_refuse_load(const struct sv_host *host, const char *text, struct wire_error *error);

/* Whether a world that has members has been too slow for long. */
bool sv_host_is_overrun(const struct sv_host_world *world);

/*
 * Adds a world that is being recovered; clients do not see it before it is ready.  NULL with
 * *error.
 */
struct sv_host_world *sv_host_add(
    struct sv_host *host, const char *id, uint64_t number, struct wire_error *error);

/* Whether the world is in lists and can be removed: it is ready, or has failed for good. */
bool sv_host_is_listed(const struct sv_host_world *world);
struct sv_host_world *sv_host_find_listed(const struct sv_host *host, const char *id);

/* Requests the removal of a world; REMOVED is reported.  False with *error filled. */
bool sv_host_remove_world(struct sv_host *host, struct sv_host_world *world,
    const struct sv_asker *asker, struct wire_error *error);

/*
 * Sends a message to a world.  Takes what the message owns, also on failure: false with *error
 * filled.
 */
bool sv_host_send(struct sv_host *host, struct sv_host_world *world, struct sv_message *message,
    struct wire_error *error);

/* When that tick of the world was published; 0 when it is not known (any more). */
uint64_t sv_host_shown_ns(const struct sv_host_world *world, uint64_t tick);

/* The world has ended, and no message names it: removes it from the directory, and frees it. */
void sv_host_forget(struct sv_host *host, struct sv_host_world *world);

#endif
