/*
 * guard.h: limits on connections of a network: how many at once, how often, and how many
 * bad tokens.
 *
 * Counts are per network: an IPv4 address, or the /64 of an IPv6 address, which one household or
 * one machine usually has.  The counts are in a table of fixed size with open addressing.  A
 * network's entry is one of SV_GUARD_WINDOW entries from the position that SipHash-2-4 gives.  Its
 * key is of this process, so an attacker cannot choose networks that collide.  All entries of the
 * window are searched, so an entry can be removed without a marker.  A new network takes a free
 * entry.  Without one it takes that of the network without connections that was seen longest ago,
 * else that of the network whose block ends first.  If all entries of the window have connections,
 * the new network is refused.
 *
 * Each bucket is one number (server/base/rate.h), and the time is the caller's: the same calls give
 * the same answers under the simulated clock.
 *
 * Loopback and Unix sockets belong to no network and are not counted, unless the limits say so: a
 * local attacker has other ways.  A proxy that the configuration names belongs to no network
 * either: its clients are counted, by the addresses that the proxy gives
 * (server/inspect/forwarded.h).
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

/*
 * The family (0: none, not counted; 4 or 6), then the address or its upper half, then zeros; or 'n'
 * and the hash of a name.
 */
struct sv_network {
    uint8_t bytes[SV_NETWORK_SIZE];
};

/*
 * The network of an address.  An IPv4 address within IPv6 counts as IPv4; other families have none.
 */
struct sv_network sv_network_of(const struct sockaddr *address, bool is_loopback_counted);

/* The network of a client for which its proxy gives a name instead of an address. */
struct sv_network sv_network_of_name(const char *name);

/* The network as text; "" for none. */
#define SV_NETWORK_TEXT_SIZE 64
void sv_network_print(const struct sv_network *network, char out[SV_NETWORK_TEXT_SIZE]);

struct sv_guard_limits {
    unsigned connections;   /* at once, of one network */
    unsigned rate;          /* new ones of one network [1/s]; */
    unsigned burst;         /* and in a burst */
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
    uint8_t block_count; /* successive blocks: each lasts twice as long as the one before */
    uint32_t connection_count;
    struct sv_rate rate, failures;
    uint64_t seen_ns, blocked_ns; /* when it was last seen; until when it is blocked */
};

struct sv_guard {
    struct sv_guard_limits limits;
    struct sv_guard_entry *entries;
    uint32_t entry_count; /* a power of two */
    uint8_t key[16];
    struct sv_rate all;
};

/* `entry_count` is a power of two.  False without memory or random numbers. */
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
 * Whether a new connection from that network may stay.  LET_IN counts it until sv_guard_leave; any
 * other answer counts only the attempt.
 */
enum sv_guard_verdict sv_guard_enter(
    struct sv_guard *guard, const struct sv_network *network, uint64_t now_ns);
void sv_guard_leave(
    struct sv_guard *guard, const struct sv_network *network, uint64_t now_ns);

/* Counts a bad token.  True: it blocks the network from now on. */
bool sv_guard_blame(struct sv_guard *guard, const struct sv_network *network, uint64_t now_ns);

/*
 * How long to accept no connection, because all networks together connect too often [ns]; 0:
 * accept.
 */
uint64_t sv_guard_pause_ns(const struct sv_guard *guard, uint64_t now_ns);

#endif
