/*
 * lws_http.h: reads requests and writes responses.
 */
#ifndef SERVER_NET_LWS_LWS_HTTP_H
#define SERVER_NET_LWS_LWS_HTTP_H

#include <libwebsockets.h>

/* The callback of connections that are not WebSockets, or not yet, and of listeners. */
int sv_lws_http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
    size_t size);

#endif
