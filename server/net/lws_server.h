/*
 * lws_server.h: sockets, HTTP and WebSockets by libwebsockets on a libuv loop.
 *
 * The one place (with the other files lws_*.c) that knows libwebsockets.  Built for its 4.1 on a
 * foreign loop; work around the limits of that version:
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
#ifndef SERVER_NET_LWS_SERVER_H
#define SERVER_NET_LWS_SERVER_H

#include "server/base/clock.h"
#include "server/base/limits.h"
#include "server/base/log.h"
#include "server/base/metrics.h"
#include "server/inspect/forwarded.h"
#include "server/net/guard.h"
#include "server/net/hosts.h"
#include "server/net/http.h"
#include "server/net/tls.h"
#include "server/net/transport.h"

#include <uv.h>

struct lws;
struct lws_context;

#define SV_FROM_SIZE 72 /* an address with its port, or a name given by a proxy */

#define SV_LISTENERS_MAX (SV_OPTION_VALUES_MAX + 2)

struct sv_lws_options {
    uv_loop_t *loop;
    struct sv_clock clock;
    struct sv_log *log;
    struct sv_metrics *metrics;
    struct sv_transport_events events;
    struct sv_http_handler handler;
    const struct sv_tls *tls; /* NULL: plain */
    int connections_max;
    /* bytes of messages of one connection [1/s]; a burst may be twice that */
    unsigned receive_rate;
    struct sv_guard_limits guard;
    void (*tend)(void *context); /* called a few times a second */
    void *tend_context;
};

/* An accepted socket that has no connection yet. */
struct sv_entered {
    struct sv_network network;
    int fd;
    uint64_t inode;  /* 0: none */
    struct lws *wsi; /* NULL: none yet, or no longer */
    enum sv_proxy_kind proxy;
    char from[SV_FROM_SIZE];
};

struct sv_lws {
    struct sv_lws_options options;
    struct sv_hosts hosts;
    struct lws_context *context; /* lws sets it to NULL at the end of its teardown */
    /* All connections, newest first: those with a deadline, and WebSockets. */
    struct sv_connection *waiting, *sockets;
    struct sv_connection *kills; /* to be closed from a loop callback */
    int connection_count;
    /* Sockets with an incomplete message, paused ones, and those that are being refused. */
    int open_count, unread_count, lingering_count;
    struct sv_proxies proxies;
    struct sv_awaited *awaited; /* of proxies, whose PROXY header has not come yet */
    int awaited_count;
    struct sv_random random;
    struct sv_guard guard;
    struct sv_entered entered;
    /* Connections from other machines without an accepted Hello, newest first. */
    struct sv_connection *strangers, *oldest_stranger;
    int stranger_count;
    struct lws *paused[SV_LISTENERS_MAX]; /* listeners that accept nothing for a while */
    int paused_count;
    uint32_t token_count;
    char addresses[SV_LISTENERS_MAX][108]; /* lws keeps pointers to them */
    int address_count;
    struct ssl_ctx_st *tls_contexts[SV_LISTENERS_MAX]; /* of the listeners, lws' own */
    int tls_context_count;
    uv_timer_t tend_timer, stop_timer, accept_timer;
    uv_async_t close_async; /* connections wait to be closed from a loop callback */
    uint8_t *scratch;       /* the spans of one send, behind each other */
    size_t scratch_size;
    uint64_t stop_ns; /* when waiting for Close answers ends */
    bool is_stopping, is_destroying;
};

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
