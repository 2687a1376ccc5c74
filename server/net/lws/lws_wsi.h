/*
 * lws_wsi.h: makes the connection of a wsi, and frees it.
 */
#ifndef SERVER_NET_LWS_LWS_WSI_H
#define SERVER_NET_LWS_LWS_WSI_H

#include "server/net/lws/lws_connection.h"

/* The connection of a wsi, made at its first callback.  NULL without memory. */
struct sv_connection *sv_lws_connection(struct lws *wsi);

/* It has become a WebSocket: moves it from the list of waiting connections to that of sockets. */
void sv_lws_promote(struct sv_connection *connection);

/* The wsi ends: frees its connection. */
void sv_lws_forget(struct lws *wsi);

#endif
