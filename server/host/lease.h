/*
 * lease.h: who alone may push a body or an actuator of a world, and who waits for it.
 *
 * A table of entries in ascending order of (kind, index).  Of the entries of one target the first
 * is its holder's and the others wait, in the order in which they asked; when the holder's goes,
 * the next one holds, from that tick on.  A session has at most one entry of a target.
 *
 * A lease lasts for the ticks that were asked for, counted from when it is granted or asked for
 * again, or until it is let go.  Time is the world's tick, which the caller brings: the same calls
 * give the same table.
 *
 * Bounds: SV_LEASES_MAX entries, SV_LEASES_SESSION_MAX of one session, SV_LEASE_QUEUE_MAX who wait
 * for one target; at each the answer is FULL.
 *
 * Ownership: init and finish; the table grows up to its bound.  Threads: its world's.
 */
#ifndef SERVER_HOST_LEASE_H
#define SERVER_HOST_LEASE_H

#include <stdbool.h>
#include <stdint.h>

enum sv_lease_kind { SV_LEASE_BODY, SV_LEASE_ACTUATOR };

struct sv_lease_target {
    enum sv_lease_kind kind;
    int32_t index; /* of the body, or of the actuator */
};

struct sv_lease {
    struct sv_lease_target target;
    uint64_t session;
    uint32_t ticks;      /* that were asked for; 0: until it is let go */
    uint64_t until_tick; /* of a holder: the first tick without it; 0: until it is let go */
    bool is_taken;       /* of a holder: an instructor took it from somebody */
};

/* All zero is an empty table. */
struct sv_leases {
    struct sv_lease *entries;
    int count, capacity;
};

enum sv_lease_answer {
    SV_LEASE_GRANTED, /* the session holds the target */
    SV_LEASE_WAITS,   /* it is in the queue */
    SV_LEASE_HELD,    /* somebody else holds it; nothing has changed */
    SV_LEASE_FULL,    /* a bound is reached, or there is no memory; nothing has changed */
};

void sv_leases_finish(struct sv_leases *leases);

/* Of the target: the first entry, and how many there are. */
int sv_leases_find(
    const struct sv_leases *leases, struct sv_lease_target target, int *count);

/* The session that holds the target; 0: nobody does. */
uint64_t sv_leases_holder(const struct sv_leases *leases, struct sv_lease_target target);

/*
 * Asks for a target.  A holder who asks again has it for `ticks` from now; who waits already stays
 * in place, with the new `ticks`.
 */
enum sv_lease_answer sv_leases_acquire(struct sv_leases *leases, struct sv_lease_target target,
    uint64_t session, uint32_t ticks, bool queue, uint64_t tick);

/* Takes a target from whoever holds it; those who wait go on waiting.  GRANTED or FULL. */
enum sv_lease_answer sv_leases_override(struct sv_leases *leases, struct sv_lease_target target,
    uint64_t session, uint32_t ticks, uint64_t tick);

/* Lets go of a target, or no longer waits for it; false: the session did neither. */
bool sv_leases_release(struct sv_leases *leases, struct sv_lease_target target, uint64_t session,
    uint64_t tick);

/*
 * Takes away one entry: of a holder whose time is over at `tick`; of a session, holding or waiting;
 * of a target, waiting or holding.  False: there is none (any more).  *lost is what it was.
 */
bool sv_leases_expire_one(struct sv_leases *leases, uint64_t tick, struct sv_lease *lost);
bool sv_leases_drop_one(
    struct sv_leases *leases, uint64_t session, uint64_t tick, struct sv_lease *lost);
void sv_leases_forget(struct sv_leases *leases, struct sv_lease_target target);

#endif
