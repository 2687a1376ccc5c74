/*
 * lease.h: leases: the session that alone may push a body or an actuator, and the queue for it.
 *
 * A table of entries in ascending order of (kind, index).  The first entry of a target is the
 * holder's; the others wait in the order of their requests.  When the holder's entry ends, the next
 * session holds the lease from that tick on.  A session has at most one entry per target.
 *
 * A lease lasts for the requested ticks, counted from when it was granted or last renewed, or until
 * it is released.  Time is the world's tick, which the caller passes, so the same calls give the
 * same table.
 *
 * Bounds: SV_LEASES_MAX entries, SV_LEASES_SESSION_MAX of one session, SV_LEASE_QUEUE_MAX that wait
 * for one target; at each bound the answer is FULL.
 *
 * Ownership: init and finish; the table grows up to its bound.
 * Threads: its world's.
 */
#ifndef SERVER_WORLD_DATA_LEASE_H
#define SERVER_WORLD_DATA_LEASE_H

#include "deed/lease.h"

struct sv_lease {
    struct dd_lease_target target;
    uint64_t session;
    uint32_t ticks;      /* as requested; 0: until it is released */
    /* of a holder: the first tick without the lease; 0: until it is released */
    uint64_t until_tick;
    bool is_taken;       /* of a holder: an instructor took the lease from another session */
};

/* All zero is an empty table. */
struct sv_leases {
    struct sv_lease *entries;
    int count, capacity;
};

enum sv_lease_answer {
    SV_LEASE_GRANTED, /* the session holds the target */
    SV_LEASE_WAITS,   /* it is in the queue */
    SV_LEASE_HELD,    /* another session holds it; nothing has changed */
    SV_LEASE_FULL,    /* a bound is reached, or there is no memory; nothing has changed */
};

void sv_leases_finish(struct sv_leases *leases);

/* The first entry of the target, and how many entries it has. */
int sv_leases_find(
    const struct sv_leases *leases, struct dd_lease_target target, int *count);

/* The session that holds the target; 0: none. */
uint64_t sv_leases_holder(const struct sv_leases *leases, struct dd_lease_target target);

/*
 * Requests a target.  A holder that asks again has it for `ticks` from now.  A session that waits
 * already keeps its place, with the new `ticks`.
 */
enum sv_lease_answer sv_leases_acquire(struct sv_leases *leases, struct dd_lease_target target,
    uint64_t session, uint32_t ticks, bool queue, uint64_t tick);

/*
 * Gives the target to this session even if another one holds it; the queue stays.  GRANTED or FULL.
 */
enum sv_lease_answer sv_leases_override(struct sv_leases *leases, struct dd_lease_target target,
    uint64_t session, uint32_t ticks, uint64_t tick);

/* Releases a target, or leaves the queue for it.  False: the session did neither. */
bool sv_leases_release(struct sv_leases *leases, struct dd_lease_target target, uint64_t session,
    uint64_t tick);

/* Whether a lease ends at `tick` because its time is over. */
bool sv_leases_is_due(const struct sv_leases *leases, uint64_t tick);

/*
 * Appends an entry behind all others, for reading a stored table.  False: no room, or the table
 * would not be one: its order, or two entries of a session for one target.
 */
bool sv_leases_append(struct sv_leases *leases, const struct sv_lease *lease);

/*
 * Removes one entry: a holder's whose time is over at `tick`; a session's, holding or waiting; or a
 * target's, waiting or holding.  False: no such entry exists (any more).  *lost is the removed
 * entry.
 */
bool sv_leases_expire_one(struct sv_leases *leases, uint64_t tick, struct sv_lease *lost);
bool sv_leases_drop_one(
    struct sv_leases *leases, uint64_t session, uint64_t tick, struct sv_lease *lost);
void sv_leases_forget(struct sv_leases *leases, struct dd_lease_target target);

#endif
