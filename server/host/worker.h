/*
 * worker.h: steps the worlds that it owns, one slice of one world at a time.
 *
 * sv_worker_run does a bounded piece of everything that is due and says when it wants to be called
 * again; a thread (worker_thread.h) or a simulation calls it.  A piece is a batch of worlds in
 * turn, at most SV_BATCH_WORLDS or about SV_BATCH_NS: the letters of all of them act, the store is
 * asked once to make their records durable, and while it does they step, each by one slice.  What
 * is not due, and has got no letter, is not looked at.  Between network thread and worker
 * are two rings and the posts; no lock.  A letter is only opened while the outgoing ring has room
 * for every report that it can cause, so no answer is ever lost.
 */
#ifndef SERVER_HOST_WORKER_H
#define SERVER_HOST_WORKER_H

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/metrics.h"
#include "server/host/load.h"
#include "server/host/world.h"
#include "server/mail/ring.h"
#include "server/snapshot/budget.h"
#include "server/snapshot/view.h"

struct sv_worker {
    struct sv_ring letters; /* from the network thread */
    struct sv_ring reports; /* to it */
    struct sv_clock clock;
    struct sv_log *log;
    struct sv_metrics *metrics;
    bool keep_running; /* step worlds also while nobody is joined */
    const char *simd;  /* of their solver, checked; NULL: the best. Borrowed */
    struct sv_view_tools tools; /* its worlds' messages are made with them */
    struct sv_weigher weigher; /* and those of members with a budget */
    struct cn_scratch scratch; /* of all of its worlds: they are stepped one after the other */
    struct sv_load load;
    struct sv_store *store;    /* borrowed; NULL: worlds go with the process */
    struct sv_lane *lane;      /* its way in */
    struct as_library *meshes; /* of scenes that come back; borrowed */
    enum wire_durability durability; /* of worlds whose scene does not say */
    bool has_past; /* and the store keeps more of them than recovery needs */
    unsigned outbox_count; /* reports that wait in worlds */
    bool has_news;     /* reports or publications since the last wake */
    bool is_flush_due; /* something appended to the lane is waited for */
    struct sv_world **worlds;
    uint64_t *wanted_ns; /* of each: when it wants to be run again */
    int world_count, world_capacity;
    struct sv_world *halves; /* that were not made, and whose charters have to go yet */
    int turn;            /* the world with which the next batch begins */
    int phase_count[SV_PHASES]; /* worlds whose clocks have that phase */
};

/* False when there is no memory. */
bool sv_worker_init(struct sv_worker *worker, struct sv_clock clock, struct sv_log *log,
    struct sv_metrics *metrics, bool keep_running);

/* Destroys its worlds and what is left in the rings; nobody else may use either any more. */
void sv_worker_finish(struct sv_worker *worker);

/* Returns when it wants to be called again: a time, or UINT64_MAX for when a letter comes. */
uint64_t sv_worker_run(struct sv_worker *worker);

/* Whether one more letter may be acted on: each causes less than SV_MAIL_RESERVE reports. */
bool sv_worker_has_room(struct sv_worker *worker);

/*
 * Takes a report and what hangs on it; there is room, see above.  That of a world that is kept
 * waits in it for what it reports; the other puts it into the ring.
 */
void sv_worker_report(struct sv_worker *worker, struct sv_report *report);
void sv_worker_send(struct sv_worker *worker, struct sv_report *report);

/* Adds a world that has come back; false without memory. */
bool sv_worker_add(struct sv_worker *worker, struct sv_world *world);

/* Commits everything and takes a checkpoint of every world: the worker runs no more. */
void sv_worker_settle(struct sv_worker *worker);

/* Whether the store takes nothing more, since there is no room for it. */
bool sv_worker_is_read_only(const struct sv_worker *worker);

#endif
