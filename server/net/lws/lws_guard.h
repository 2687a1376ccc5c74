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

/* Whether a connection that was just accepted by `listener` may stay. */
enum sv_admission sv_lws_guard_admit(struct lws *listener, int fd);

/* As sv_lws_guard_admit, once the client's address is known. */
bool sv_lws_guard_enter(struct sv_lws *server, struct lws *listener, int fd,
    const struct sv_network *network, const struct sockaddr *from);

/*
 * From now on a proxy's connection counts as this client's; NULL: as the proxy's own.  False: the
 * client is refused.
 */
bool sv_lws_guard_move(struct sv_connection *connection, const struct sv_forwarded *client);

/* Its wsi has been made, or ends; the network thread calls these for every wsi. */
void sv_lws_guard_created(struct lws *wsi);
void sv_lws_guard_destroyed(struct lws *wsi);

/* Closes accepted sockets for which lws has made no wsi; not from within accepting. */
void sv_lws_guard_settle(struct sv_lws *server);

/* The connection has been made, or ends. */
void sv_lws_guard_made(struct sv_connection *connection);
void sv_lws_guard_gone(struct sv_connection *connection);

/* transport->judge */
void sv_lws_judge(void *context, struct sv_connection *connection, bool is_good);

#endif
