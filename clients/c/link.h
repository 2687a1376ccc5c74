/*
 * link.h: simulates a slow line in both directions between a client and the daemon.
 *
 * A WebSocket is a stream: no message is lost or overtaken.  A bad line delays it: by a fixed time,
 * by a varying time, and, when a packet is lost, until the sender's timer has sent it again, which
 * stalls everything behind it.
 *
 *     out = max(out before, in + latency + jitter * u + stall),   u uniform in [0, 1)
 *     stall = RETRANSMIT_MS + 2 latency with the probability `loss` for each message, else 0
 *
 * **Source** of the 200 ms: RFC 6298 asks for at least 1 s, but Linux' smallest retransmission
 * timeout is 200 ms (TCP_RTO_MIN).
 */
#ifndef CLIENTS_C_LINK_H
#define CLIENTS_C_LINK_H

#include "engine/base/rng.h"

#include <stdbool.h>
#include <stdint.h>

#define CNC_RETRANSMIT_MS 200.0

/* The quality of one direction of a line. */
struct cnc_link_quality {
    double latency_ms, jitter_ms;
    double loss; /* of messages, 0 to 1 */
};

struct cnc_link {
    struct cn_rng rng;
    uint64_t out_us; /* when the message before comes out */
};

void cnc_link_init(struct cnc_link *link, uint64_t seed);

/* The time at which a message that enters now comes out; *is_stalled: a loss delayed it. */
uint64_t cnc_link_pass(struct cnc_link *link, const struct cnc_link_quality *quality,
    uint64_t now_us, bool *is_stalled);

#endif
