/*
 * lws_stream.h: a plain socket without a wsi: when it is read, its bytes that wait, its checks.
 *
 * The socket is watched by server->epoll, level-triggered.  Bytes that the kernel does not take
 * wait in connection->rest.  server->checks has a list of connections for each fifth of a second
 * of the next 25 s, in which they are to be checked (lws_end.h).
 */
#ifndef SERVER_NET_LWS_LWS_STREAM_H
#define SERVER_NET_LWS_LWS_STREAM_H

#include "server/net/lws/lws_connection.h"

/* Watches a new connection; false: the system has no room for it. */
bool sv_stream_watch(struct sv_connection *connection);

/* The connection reads, or waits until it can write, as its members say now. */
void sv_stream_watch_again(struct sv_connection *connection);

/* The connection is not watched any more. */
void sv_stream_release(struct sv_connection *connection);

/* Sends bytes after those that wait; false: the connection is dead, or there is no memory. */
bool sv_stream_put(struct sv_connection *connection, const void *bytes, size_t size);

/* Keeps the spans without their first `skip` bytes until they can be sent; false without memory. */
bool sv_stream_keep(
    struct sv_connection *connection, const struct sv_span *spans, int count, size_t skip);

/* Sends the bytes that wait.  False: the connection is dead. */
bool sv_stream_flush(struct sv_connection *connection);

/* Plans the next check of the connection, at most 25 s from now, or none. */
#define SV_STREAM_CHECK_STEP_NS (200 * SV_NS_PER_MS)
void sv_stream_check_at(struct sv_connection *connection, uint64_t time_ns);
void sv_stream_forget_check(struct sv_connection *connection);

#endif
