/*
 * recover.h: recovers the stored worlds before the workers run.
 *
 * Every stored world is recovered on its future worker: from its checkpoint and all later log
 * entries, comparing the exact hash wherever one is stored.  A world whose recovery fails twice is
 * not run, and its stored data stays; the other worlds run.  It is listed as FAILED, with the
 * reason:
 *
 *     DIVERGED     the replay gives another result, or the records cannot be trusted
 *     PHYSICS      another version of the physics has written it, and it cannot be carried over
 *                  (portable.h)
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

/*
 * The workers have their lanes.  False, with *error filled: there is no memory for a world, or a
 * newer version of the physics has written one.  Then nothing may be written to the store.
 */
bool sv_recover_worlds(struct sv_host *host, struct sv_store *store, struct sv_log *log,
    struct sv_recovered *recovered, struct wire_error *error);

#endif
