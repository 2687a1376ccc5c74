/*
 * lws_shake.h: accepts the handshake of a WebSocket over a plain socket.
 *
 * A handshake is accepted here only if everything about it is as usual: the path without a query,
 * each field once, and Host, Origin and subprotocol accepted.  lws_request.c has the same checks
 * for those that libwebsockets reads, and the statuses of refusals.
 */
#ifndef SERVER_NET_LWS_LWS_SHAKE_H
#define SERVER_NET_LWS_LWS_SHAKE_H

#include "server/net/lws/lws_connection.h"

/* Looks at the first bytes of a connection: it becomes a WebSocket, goes to lws, or ends. */
void sv_shake_read(struct sv_connection *connection);

#endif
