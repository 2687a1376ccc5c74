/*
 * lws_data.h: the data of the network's server, which all files lws_*.c share.
 *
 * Callers fill the options and own the struct sv_lws; its members belong to these files.
 */
#ifndef SERVER_NET_LWS_LWS_DATA_H
#define SERVER_NET_LWS_LWS_DATA_H

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
#define SV_LISTENER_ADDRESS_SIZE 108 /* of a Unix socket's path */

/* Bytes that are read at once: a head that was held back, and a TLS record after it. */
#define SV_LWS_READ_SIZE_MAX (32 * 1024)

/* Lists of connections by the time of their next check, which is at most 25 s away. */
#define SV_LWS_CHECKS 128

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

struct sv_listener {
    uv_poll_t poll;
    struct sv_lws *server;
    struct lws_vhost *vhost; /* of the connections that libwebsockets serves */
    int fd;                  /* -1: closed */
    enum sv_door door;
    bool is_tls;
    bool is_path;   /* `address` is a Unix socket's */
    bool is_paused; /* it accepts nothing for a while */
    uv_poll_cb accept;
    char address[SV_LISTENER_ADDRESS_SIZE];
    char name[16]; /* of its vhost, which no other has; lws keeps a pointer to it */
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
    struct sv_connection *adopted; /* by lws at this moment; NULL: none */
    struct lws *adopted_wsi;       /* NULL: none yet, or no longer */
    /* Connections from other machines without an accepted Hello, newest first. */
    struct sv_connection *strangers, *oldest_stranger;
    int stranger_count;
    struct sv_listener *listeners[SV_LISTENERS_MAX];
    int listener_count;
    uint32_t token_count;
    /* WebSockets without lws; see lws_plain.h. */
    int epoll; /* -1: none */
    uv_poll_t epoll_poll;
    bool is_epoll_polled;
    uint8_t *bytes; /* of one read */
    struct sv_connection *checks[SV_LWS_CHECKS];
    uint64_t check_step; /* the next one */
    struct ssl_ctx_st *tls_contexts[SV_LISTENERS_MAX]; /* of the listeners, lws' own */
    int tls_context_count;
    uv_timer_t tend_timer, stop_timer, accept_timer;
    uv_async_t close_async; /* connections wait to be closed from a loop callback */
    uint8_t *scratch;       /* the spans of one send, behind each other */
    size_t scratch_size;
    uint64_t stop_ns; /* when waiting for Close answers ends */
    bool is_stopping, is_destroying;
};

#endif
