/*
 * guard.h: who may connect, by where from: how many at once, how often, and after how many bad
 * tokens.
 *
 * What is counted is a network: an IPv4 address, or the /64 of an IPv6 address, which is what one
 * household or one machine is given.  The counts stand in a table of fixed size with open
 * addressing: a network's home is SipHash-2-4 of it under a key of this process, so that nobody can
 * choose networks that collide, and its entry is one of the SV_GUARD_WINDOW from there on.  All of
 * them are looked at, so entries may go without a trace.  A new network takes a free entry, else
 * that of the network without connections that was seen longest ago, else of the one whose block
 * ends first; where all of the window have connections it is refused.
 *
 * Each bucket is one number (server/base/rate.h), and the time is the caller's: the same calls give
 * the same answers under the simulated clock.
 *
 * Loopback and Unix sockets have no network here, and nothing is counted of them, unless the limits
 * say so: whoever is on this machine has other ways, and a proxy on it speaks for everybody.
 *
 * Source: J.-P. Aumasson, D. J. Bernstein, SipHash: a fast short-input PRF, Indocrypt 2012.
 * Threads: the network thread only.
 */
#ifndef SERVER_NET_GUARD_H
#define SERVER_NET_GUARD_H

#include "server/base/random.h"
#include "server/base/rate.h"

#include <stdint.h>

struct sockaddr;

#define SV_NETWORK_SIZE 9

/* Family (0: none, nothing is counted; 4 or 6), then the address or its upper half, then zeros. */
struct sv_network {
    uint8_t bytes[SV_NETWORK_SIZE];
};

/* An IPv4 address within IPv6 is the IPv4 address. */
struct sv_network sv_network_of(const struct sockaddr *address, bool is_loopback_counted);

struct sv_guard_limits {
    unsigned connections;   /* of one network */
    unsigned rate;          /* new ones of one network [1/s]; */
    unsigned burst;         /* and at once */
    unsigned process_rate;  /* new ones of all networks [1/s] */
    unsigned process_burst;
    unsigned failures;      /* bad tokens of one network [1/min] */
    unsigned failure_burst;
    bool is_loopback_counted;
};

/* Bursts are those of server/base/limits.h. */
struct sv_guard_limits sv_guard_limits_make(unsigned connections, unsigned rate,
    unsigned process_rate, unsigned failures, bool is_loopback_counted);

struct sv_guard_entry {
    struct sv_network network;
    uint8_t block_count; /* blocks one after the other: the next one lasts twice as long */
    uint32_t connection_count;
    struct sv_rate rate, failures;
    uint64_t seen_ns, blocked_ns; /* last sign of it; until when it is blocked */
};

struct sv_guard {
    struct sv_guard_limits limits;
    struct sv_guard_entry *entries;
    uint32_t entry_count; /* a power of two */
    uint8_t key[16];
    struct sv_rate all;
};

/* `entry_count` is a power of two. False when there is no memory or no chance. */
bool sv_guard_init(struct sv_guard *guard, const struct sv_guard_limits *limits,
    uint32_t entry_count, const struct sv_random *random);
void sv_guard_finish(struct sv_guard *guard);

enum sv_guard_verdict {
    SV_GUARD_LET_IN,
    SV_GUARD_BLOCKED, /* too many bad tokens */
    SV_GUARD_MANY,    /* too many connections at once */
    SV_GUARD_OFTEN,   /* too many new ones */
    SV_GUARD_NO_ROOM, /* in the table */
};

/*
 * A connection has come from that network: whether it may stay.  LET_IN counts it until
 * sv_guard_leave; another answer counts nothing but the attempt.
 */
enum sv_guard_verdict sv_guard_enter(
    struct sv_guard *guard, const struct sv_network *network, uint64_t now_ns);
void sv_guard_leave(
    struct sv_guard *guard, const struct sv_network *network, uint64_t now_ns);

/* A bad token has come from there. True when the network is blocked by it, from now on. */
bool sv_guard_blame(struct sv_guard *guard, const struct sv_network *network, uint64_t now_ns);

/* How long nobody should be accepted, for all networks together come too often; 0: go on [ns]. */
uint64_t sv_guard_pause_ns(const struct sv_guard *guard, uint64_t now_ns);

#endif
