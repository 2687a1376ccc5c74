/*
 * recover.h: stored worlds come back before the workers run.
 *
 * Every world that is stored is made again on the worker that it will live on: its checkpoint, and
 * all that was done since, with the exact hash compared wherever one was kept.  A world that does
 * not come back as it was, twice in a row, is listed as FAILED, with the reason; it is not run,
 * what is stored of it stays, and the others go on:
 *
 *     DIVERGED     doing it again gives something else, or the records can not be trusted
 *     QUARANTINED  the process has died SV_CRASHES_MAX times in a row at the same tick of it
 *
 * Threads: the network thread, before any worker has one.
 */
#ifndef SERVER_HOST_RECOVER_H
#define SERVER_HOST_RECOVER_H

#include "server/host/host.h"
#include "server/store/store.h"

/* Deaths of the process at one tick of a world after which it is not run any more. */
#define SV_CRASHES_MAX 3

struct sv_recovered {
    int world_count, failed_count;
};

/* The workers have their lanes. False, with *error filled, when there is no memory for a world. */
bool sv_recover_worlds(struct sv_host *host, struct sv_store *store, struct sv_log *log,
    struct sv_recovered *recovered, struct wire_error *error);

#endif
