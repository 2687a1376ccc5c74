/*
 * lws_listener.h: ends of the listeners that lws_listen.c opens.
 *
 * They accept sockets both for libwebsockets and for lws_plain.h.  The library's own listeners
 * would be stopped and started again, by three system calls, for every socket that it closes.
 */
#ifndef SERVER_NET_LWS_LWS_LISTENER_H
#define SERVER_NET_LWS_LWS_LISTENER_H

#include "server/net/lws/lws_data.h"

/* Closes all listeners. */
void sv_listeners_stop(struct sv_lws *server);

/* Frees them, after the loop has ended. */
void sv_listeners_free(struct sv_lws *server);

#endif
