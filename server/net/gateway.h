/*
 * gateway.h: brings connections, sessions and worlds together, on the network thread.
 *
 * Clients send messages (gateway_messages.c), and worlds send reports (gateway_reports.c).
 *
 *     gateway --> away --> seating --> transfer --> seat
 *        |------> fanout -----------------^          ^
 *        '------> hello -----------------------------'
 */
#ifndef SERVER_NET_GATEWAY_H
#define SERVER_NET_GATEWAY_H

#include "server/base/config.h"
#include "server/net/seat.h"

/* Registers for the host's events.  False without memory. */
bool sv_gateway_init(struct sv_gateway *gateway, struct sv_host *host, struct sv_clock clock,
    struct sv_log *log, struct sv_metrics *metrics, const char *server_name, int clients_max);
void sv_gateway_finish(struct sv_gateway *gateway);

/* Sets the rates of sessions that are opened from now on. */
void sv_gateway_bound(struct sv_gateway *gateway, const struct sv_config *config);

/* The callbacks for the transport. */
struct sv_transport_events sv_gateway_events(struct sv_gateway *gateway);

/* Fetches publications and reports from the workers and sends them; call after a worker's wake. */
void sv_gateway_poll(struct sv_gateway *gateway);

/*
 * Closes sessions whose time is over, and retries messages that were not sent; call a few times a
 * second.
 */
void sv_gateway_tend(struct sv_gateway *gateway);

/*
 * Other keys and another policy hold from now on, both borrowed.  Ends at once the sessions,
 * including those away, whose tokens none of the keys has signed or that have been revoked.
 */
void sv_gateway_rekey(struct sv_gateway *gateway, const struct ac_keys *keys,
    const struct ac_policy *policy);

/* Closes every session with 1001 and refuses new ones. */
void sv_gateway_stop(struct sv_gateway *gateway);

/* ---- for the files gateway_*.c ---- */

/* Handles a message of the seat's client. */
void sv_seat_receive(struct sv_seat *seat, const uint8_t *bytes, size_t size);

/* Sends a Say, LogicStart or LogicDone to the seat's world, and takes its parts. */
void sv_seat_pass_on(struct sv_seat *seat, struct wire_client_message *message);

/* Tells a client that is back of the world that was made for it meanwhile. */
void sv_seat_tell_given(struct sv_seat *seat);

/*
 * The members of the world, and sessions that are joining, that are below the role instructor. All
 * are counted; the first SV_FORK_EACH_MAX are listed.
 */
struct sv_crowd;
void sv_gateway_gather(const struct sv_host_world *world, struct sv_crowd *crowd);

/*
 * Handles a worker's report: for the session that asked, for all members of the world, or for HTTP.
 */
void sv_gateway_reported(
    void *context, struct sv_host_world *world, const struct sv_report *report);

#endif
