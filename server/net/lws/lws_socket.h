/*
 * lws_socket.h: WebSockets of the subprotocol cairn.v1.
 */
#ifndef SERVER_NET_LWS_LWS_SOCKET_H
#define SERVER_NET_LWS_LWS_SOCKET_H

#include "server/net/lws/lws_connection.h"

#include <libwebsockets.h>

int sv_lws_socket_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user,
    void *in, size_t size);

/* The handshake has been accepted. */
void sv_lws_established(struct sv_connection *connection);

/*
 * Takes bytes of a message, unmasked.  `is_end`: a frame ends with them; `is_final`: this frame is
 * the last of its message.  Afterwards is_closing and close_code say whether a Close is due.
 */
void sv_lws_take_bytes(struct sv_connection *connection, const void *bytes, size_t size,
    bool is_end, bool is_final);

/* The connection has ended. */
void sv_lws_closed(struct sv_connection *connection);

/* Resumes reading of paused connections, and closes those whose message stays incomplete. */
void sv_lws_tend_sockets(struct sv_lws *server, uint64_t now_ns);

#endif
