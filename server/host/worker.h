/*
 * worker.h: steps the worlds that it owns, one slice of one world at a time.
 *
 * sv_worker_run does a bounded piece of the due work and returns when it wants to be called again.
 * A thread (worker_thread.h) or a simulation calls it.  A piece is the next batch of worlds, at
 * most SV_BATCH_WORLDS or about SV_BATCH_NS.  First the messages of all of them act.  Then one
 * commit for their records is requested, and meanwhile each world steps by one slice.  A world that
 * is not due and has no message is skipped.  Between the network thread and a worker there are two
 * rings and the mailboxes, and no lock.  A message is only opened while the outgoing ring has room
 * for every report that it can cause, so no answer is ever lost.
 */
#ifndef SERVER_HOST_WORKER_H
#define SERVER_HOST_WORKER_H

#include "server/host/load.h"
#include "server/mail/ring.h"
#include "server/world/data/world.h"

struct sv_worker {
    struct sv_ring messages; /* from the network thread */
    struct sv_ring reports; /* to it */
    struct sv_env env;      /* of its worlds */
    struct sv_load load;
    struct sv_world **worlds;
    uint64_t *wanted_ns; /* per world: when it wants to run again */
    int world_count, world_capacity;
    struct sv_world *halves; /* half-made worlds whose charters are still to be removed */
    int turn;            /* the world with which the next batch begins */
    int phase_count[SV_PHASES]; /* per phase: worlds whose clock has it */
};

/* False without memory. */
bool sv_worker_init(struct sv_worker *worker, struct sv_clock clock, struct sv_log *log,
    struct sv_metrics *metrics, bool keep_running);

/* Destroys its worlds and what is left in the rings; no other thread may use them any more. */
void sv_worker_finish(struct sv_worker *worker);

/* Returns when it wants to be called again: a time, or UINT64_MAX for when a message comes. */
uint64_t sv_worker_run(struct sv_worker *worker);

/* Whether one more message may be acted on: each causes less than SV_MAIL_RESERVE reports. */
bool sv_worker_has_room(struct sv_worker *worker);

/* Puts a report into the ring; takes what it owns.  There is room, see above. */
void sv_worker_send(struct sv_worker *worker, struct sv_report *report);

/* Adds a world that was recovered; false without memory. */
bool sv_worker_add(struct sv_worker *worker, struct sv_world *world);

/* Sets how much memory all worlds together may take, and one of them [MiB]. */
void sv_worker_bound(struct sv_worker *worker, struct cn_account *whole, unsigned world_mib);

/* Commits everything and takes a checkpoint of every world.  After that the worker does not run. */
void sv_worker_settle(struct sv_worker *worker);

#endif
