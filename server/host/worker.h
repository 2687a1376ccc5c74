/*
 * worker.h: steps the worlds that it owns, one slice of one world at a time.
 *
 * sv_worker_run does a bounded piece of everything that is due and says when it wants to be called
 * again; a thread (worker_thread.h) or a simulation calls it.  Between network thread and worker
 * are two rings and the posts; no lock.  A letter is only opened while the outgoing ring has room
 * for every report that it can cause, so no answer is ever lost.
 */
#ifndef SERVER_HOST_WORKER_H
#define SERVER_HOST_WORKER_H

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/base/metrics.h"
#include "server/host/world.h"
#include "server/mail/ring.h"
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
    struct cn_scratch scratch; /* of all of its worlds: they are stepped one after the other */
    bool has_news;     /* reports or publications since the last wake */
    struct sv_world **worlds;
    int world_count, world_capacity;
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

/* Puts a report into the ring; takes what hangs on it. There is room, see above. */
void sv_worker_report(struct sv_worker *worker, struct sv_report *report);

#endif
