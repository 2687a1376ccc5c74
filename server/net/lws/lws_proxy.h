/*
 * lws_proxy.h: connections that begin with a header of the PROXY protocol.
 *
 * A proxy that is named with v2 sends the header before everything else, also before TLS.  Exactly
 * the header is read from such a connection.  Then the connection is taken as if it had just been
 * accepted from the address in the header.
 *
 * A header that is missing, late, malformed or too long closes the connection, and the log says
 * why.
 */
#ifndef SERVER_NET_LWS_LWS_PROXY_H
#define SERVER_NET_LWS_LWS_PROXY_H

#include "server/net/lws/lws_data.h"

/* Holds the connection until its PROXY header has come. */
void sv_lws_proxy_hold(struct sv_listener *listener, int fd_take);

/* Closes those whose header is late, or all of them. */
void sv_lws_proxy_tend(struct sv_lws *server, uint64_t now_ns);
void sv_lws_proxy_stop(struct sv_lws *server);

#endif
