/*
 * lws_wsi.h: makes connections, gives them to libwebsockets, and frees them.
 */
#ifndef SERVER_NET_LWS_LWS_WSI_H
#define SERVER_NET_LWS_LWS_WSI_H

#include "server/net/lws/lws_guard.h"

/* Takes an accepted socket that may stay; without memory it is closed. */
void sv_lws_begin(
    const struct sv_listener *listener, int fd_take, const struct sv_arrival *arrival);

/* From now on libwebsockets serves the connection; or it has ended. */
void sv_lws_adopt(struct sv_connection *connection);

/* A wsi is made, or ends; the network thread calls these for every wsi. */
void sv_lws_wsi_created(struct lws *wsi);
void sv_lws_wsi_destroyed(struct lws *wsi);

/* The connection of a wsi; NULL: it has none. */
struct sv_connection *sv_lws_connection(struct lws *wsi);

/* It has become a WebSocket: moves it from the list of waiting connections to that of sockets. */
void sv_lws_promote(struct sv_connection *connection);

/* Frees a connection that has no wsi, or whose wsi ends. */
void sv_lws_free(struct sv_connection *connection);

#endif
