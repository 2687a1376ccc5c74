/*
 * lws_server.h: sockets, HTTP and WebSockets on a libuv loop, by libwebsockets and without it.
 *
 * Most WebSockets over plain sockets do not need the library (lws_plain.h); it serves HTTP, TLS and
 * handshakes that come in pieces.
 *
 * This folder is the one place that knows libwebsockets.  Built for its 4.1 on a foreign loop; work
 * around the limits of that version:
 *
 *   - no permessage-deflate, no HTTP/2, also not by h2c upgrade; only websocket upgrades
 *   - heads of requests and of frames are judged before it sees them (lws_read.c)
 *   - version, path, Host, Origin and subprotocol of a handshake are checked here
 *   - fragments of messages are counted here
 *   - frames are written raw from the loop, one system call a client and tick (lws_send.c); lws
 *     keeps the bytes that the kernel does not take, and gets no more until these are sent
 *   - a connection is closed from a loop callback, never from its own WRITEABLE, or the Close
 *     frame is lost
 *   - an absolute deadline for every unfinished handshake and request
 *
 * Teardown, in this order: sv_lws_stop; run the loop; when it has returned, sv_lws_finish.
 */
#ifndef SERVER_NET_LWS_LWS_SERVER_H
#define SERVER_NET_LWS_LWS_SERVER_H

#include "server/net/lws/lws_data.h"

/* False without memory or if lws cannot start; the reason is logged. */
bool sv_lws_init(struct sv_lws *server, const struct sv_lws_options *options);

/*
 * Listens on a numeric address; with port 0 the kernel chooses one.  With TLS if the options have
 * it, except for the listener for admins.  Returns the port, or -1 with *error filled.
 */
int sv_lws_listen(struct sv_lws *server, const char *address, int port, enum sv_door door,
    char error[SV_TLS_ERROR_SIZE]);

/*
 * Listens on a Unix socket, without TLS.  Only this user may open it; with a door other than
 * SV_DOOR_UNIX its group may, too.  False with *error filled.
 */
bool sv_lws_listen_unix(struct sv_lws *server, const char *path, enum sv_door door,
    char error[SV_TLS_ERROR_SIZE]);

/* Takes a socket as if the listener had accepted it from that address. */
struct sockaddr;
void sv_lws_take(struct sv_listener *listener, int fd_take, const struct sockaddr *from);

/* Uses the certificate's files, which have been checked, for new connections. */
bool sv_lws_renew_tls(struct sv_lws *server);

struct sv_transport sv_lws_transport(struct sv_lws *server);

/* Answers a request that the handler left open; takes the body.  Unknown tokens are ignored. */
void sv_lws_reply(
    struct sv_lws *server, uint32_t token, const struct sv_http_response *response_take);

/* Ends every connection, waiting for Close answers for at most a second; then ends lws. */
void sv_lws_stop(struct sv_lws *server);

/* The library's name and version. */
const char *sv_lws_version(void);

/* After the loop has ended. */
void sv_lws_finish(struct sv_lws *server);

#endif
