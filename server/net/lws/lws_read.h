/*
 * lws_read.h: checks the bytes that come from sockets before libwebsockets sees them.
 *
 * libwebsockets reads a plain socket by recv() and one with TLS by SSL_read(), and has no hook
 * before its parsers.  This file therefore defines these two functions: in this program the library
 * calls them here, and every byte of a connection passes the checks of server/inspect/ once,
 * without another system call.  Other sockets are read as usual (none use recv).
 *
 * Bytes that are not valid do not reach the library.  A head is held back until it is complete and
 * valid.  Of frames, only the bytes before the first bad one are passed on.  The refusal is an HTTP
 * answer or a Close and is written from the loop.  After it the daemon reads and ignores the peer's
 * bytes for a while, so that the peer can read the refusal (unread bytes would reset the
 * connection).
 *
 * If a build ever bypasses these two functions, no request is served: the library's callbacks ask
 * sv_lws_read_head for each request whether its head was checked.
 */
#ifndef SERVER_NET_LWS_LWS_READ_H
#define SERVER_NET_LWS_LWS_READ_H

#include "server/net/lws/lws_connection.h"

/* The connection's bytes are checked from now on; false without memory. */
bool sv_lws_read_begin(struct sv_connection *connection);
void sv_lws_read_end(struct sv_connection *connection);

/* The connection of a socket; NULL: it has none. */
struct sv_connection *sv_lws_read_find(int fd);

/* For a proxy's connection: finds the client of a request.  False: the request is refused. */
bool sv_lws_read_client(
    struct sv_connection *connection, const struct sv_head *head, const char *bytes);

/* Counts a ping; too many close the connection. */
void sv_lws_read_ping(struct sv_connection *connection);

/* Notes what the last frames were: a refusal, a Close, an incomplete message. */
void sv_lws_read_note(struct sv_connection *connection);

/* Stops reading. */
void sv_lws_read_finish(void);

/* Whether the request that lws reports had its head checked; asked once per request. */
bool sv_lws_read_head(struct sv_connection *connection);

/*
 * Writes the refusal that is due, or delays it until earlier requests are answered.  Call from a
 * loop callback.  False: no refusal is due, and the connection may be closed.
 */
bool sv_lws_read_refuse(struct sv_connection *connection);

/*
 * After the last accepted request was answered: writes the refusal of the bytes after it, if any.
 */
bool sv_lws_read_is_refused(struct sv_connection *connection);

#endif
