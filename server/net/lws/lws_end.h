/*
 * lws_end.h: how WebSockets over plain sockets end: by a Close, at an error, by silence.
 *
 * The last three functions are called from the loop, never while the connection's message is
 * handled.
 */
#ifndef SERVER_NET_LWS_LWS_END_H
#define SERVER_NET_LWS_LWS_END_H

#include "server/net/lws/lws_connection.h"

/* Closes the connection and frees it. */
void sv_end_now(struct sv_connection *connection);

/* Sends the Close that is due and waits for its answer; without one it ends the connection. */
void sv_end_kill(struct sv_connection *connection);

/* Pings silent peers, and ends those that do not answer, or no Close. */
void sv_end_tend(struct sv_lws *server, uint64_t now_ns);

#endif
