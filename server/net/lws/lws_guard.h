/*
 * lws_guard.h: limits connections: room, networks, strangers, and a pause under a burst.
 *
 * A stranger is a connection from elsewhere (not loopback, unless that is counted) whose Hello has
 * not been accepted; the page and other HTTP requests are strangers too.  Strangers may use only a
 * share of the room, so that accepted clients keep their places and others can still get in.  The
 * oldest stranger that waits for no answer of ours is closed for the newest.
 */
#ifndef SERVER_NET_LWS_LWS_GUARD_H
#define SERVER_NET_LWS_LWS_GUARD_H

#include "server/net/lws/lws_connection.h"

enum sv_admission {
    SV_ADMISSION_REFUSED,
    SV_ADMISSION_LET_IN,
    SV_ADMISSION_AWAITED, /* its PROXY header has to be read first: see lws_proxy.h */
};

/* A connection that may stay, and its peer. */
struct sv_arrival {
    struct sv_network network;
    enum sv_proxy_kind proxy;
    const struct sockaddr *from;
};

/*
 * Whether a connection from arrival->from, that was just accepted, may stay.  Fills in the rest of
 * the arrival.
 */
enum sv_admission sv_lws_guard_admit(struct sv_listener *listener, struct sv_arrival *arrival);

/* Counts a new connection of that network; false: it is refused. */
bool sv_lws_guard_enter(struct sv_listener *listener, const struct sv_network *network);

/* Accepts nothing at that listener for a while. */
void sv_lws_guard_pause(struct sv_listener *listener, uint64_t pause_ns);

/*
 * From now on a proxy's connection counts as this client's; NULL: as the proxy's own.  False: the
 * client is refused.
 */
bool sv_lws_guard_move(struct sv_connection *connection, const struct sv_forwarded *client);

/* The connection has been made; false without memory.  It ends. */
bool sv_lws_guard_made(struct sv_connection *connection, const struct sv_arrival *arrival);
void sv_lws_guard_gone(struct sv_connection *connection);

/* transport->judge */
void sv_lws_judge(void *context, struct sv_connection *connection, bool is_good);

#endif
