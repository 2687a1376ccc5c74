/*
 * lws_socket.h: WebSockets of the subprotocol cairn.v1.
 */
#ifndef SERVER_NET_LWS_LWS_SOCKET_H
#define SERVER_NET_LWS_LWS_SOCKET_H

#include "server/net/lws/lws_data.h"

#include <libwebsockets.h>

int sv_lws_socket_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user,
    void *in, size_t size);

/* Resumes reading of paused connections, and closes those whose message stays incomplete. */
void sv_lws_tend_sockets(struct sv_lws *server, uint64_t now_ns);

#endif
