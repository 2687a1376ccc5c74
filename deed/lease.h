/*
 * lease.h: a change of the table of leases, as it is written to the log.
 *
 * A lease is the sole right of a session to push a body or an actuator
 * (server/world/data/lease.h).
 *
 * Threads: values.
 */
#ifndef DEED_LEASE_H
#define DEED_LEASE_H

#include <stdbool.h>
#include <stdint.h>

enum dd_lease_kind { DD_LEASE_BODY, DD_LEASE_ACTUATOR };

struct dd_lease_target {
    enum dd_lease_kind kind;
    int32_t index; /* of the body, or of the actuator */
};

enum dd_lease_what {
    DD_LEASE_ACQUIRE,
    DD_LEASE_OVERRIDE,
    DD_LEASE_RELEASE,
    DD_LEASE_EXPIRE, /* ends all leases whose time is over; the other members are zero */
    DD_LEASE_CHANGE_COUNT,
};

struct dd_lease_change {
    enum dd_lease_what what;
    struct dd_lease_target target;
    uint64_t session;
    uint32_t ticks;
    bool queue;
};

#endif
