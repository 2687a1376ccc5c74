/*
 * lws_inside.h: declarations that the files lws_*.c share.
 */
#ifndef SERVER_NET_LWS_INSIDE_H
#define SERVER_NET_LWS_INSIDE_H

#include "server/inspect/frame_head.h"
#include "server/inspect/request_head.h"
#include "server/net/lws_server.h"

#include <libwebsockets.h>

/*
 * Bytes for one head in libwebsockets, which needs eight more for each unknown line.  Bytes that it
 * reads at once: a head that was held back, and a TLS record after it.
 */
#define HEADERS_SIZE_MAX (SV_HEAD_SIZE_MAX + 16 * SV_HEAD_FIELDS_MAX)
#define READ_SIZE_MAX (32 * 1024)

struct sv_http_exchange {
    enum sv_http_method method;
    char path[SV_PATH_SIZE];
    char content_type[SV_HEADER_SIZE], if_none_match[SV_HEADER_SIZE];
    char accept_encoding[SV_HEADER_SIZE];
    char *bearer; /* of the Authorization header; NULL: none */
    char *body;
    size_t body_size, body_capacity;
    uint32_t token;      /* never 0 */
    bool is_dispatched;  /* the handler has it; lws may report twice that a body is complete */
    bool is_refused;     /* `response` is filled, and is sent when the body has been read */
    bool is_answered;    /* `response` is filled */
    bool is_head_sent;
    bool is_last;        /* close the connection after this response */
    struct sv_http_response response;
    size_t sent;
};

/* The state of checking the bytes that a connection sends (lws_read.c). */
struct sv_intake {
    enum {
        SV_INTAKE_HEAD,
        SV_INTAKE_BODY,
        SV_INTAKE_FRAMES,
        SV_INTAKE_NOTHING, /* the rest is dropped */
    } stage;
    bool is_due;      /* the refusal is still to be written */
    bool is_refused;  /* it has been written */
    bool is_pong_due; /* the last bytes that were passed on had a ping */
    bool is_lingering; /* it counts in server->lingering_count */
    enum sv_proxy_kind proxy; /* how its peer names its clients, if it is a proxy */
    unsigned head_count;      /* accepted heads that lws has not reported yet */
    struct sv_head head;
    uint8_t *held; /* bytes of an incomplete head; NULL: none */
    size_t held_size;
    uint64_t body_left;
    struct sv_frames frames;
    unsigned ping_count, message_count; /* of `frames`, at the last look */
    int status; /* of the refusal: an HTTP status, or a Close's code; 0: none */
    const char *reason;
};

/* The members that a send reads come first. */
struct sv_connection {
    struct sv_lws *server;
    struct lws *wsi;
    void *user; /* of a WebSocket: the gateway's */
    int fd;
    bool is_direct;       /* plain TCP: written to without lws */
    bool is_closing;      /* a Close was sent, received or is due */
    bool is_receiving;    /* within its RECEIVE callback */
    bool is_socket;       /* a WebSocket, open */
    bool is_promoted;     /* in server->sockets */
    bool is_kill_due;     /* close from the loop */
    bool is_guarded;      /* it is counted in `network` */
    bool is_stranger;     /* it is in server->strangers */
    bool is_excess;       /* there is no room for it: it is answered with 503 */
    bool is_unread;       /* it is not read until unread_ns */
    struct sv_network network; /* the network of the client */
    struct sv_connection *previous, *next;           /* of server->waiting or ->sockets */
    struct sv_connection *kill_previous, *kill_next; /* of server->kills, when is_kill_due */
    struct sv_connection *stranger_previous, *stranger_next;
    uint64_t deadline_ns; /* 0: none */
    struct sv_http_exchange *http; /* NULL: no request in progress */
    /* WebSocket */
    uint8_t *message;
    size_t message_size, message_capacity;
    int fragment_count;
    uint64_t message_ns;       /* when the incomplete message began; 0: no such message */
    struct sv_rate received;   /* bytes */
    struct sv_rate pings;
    uint64_t unread_ns;
    uint16_t close_code;
    char close_reason[64];
    struct sv_intake intake;
    char from[SV_FROM_SIZE]; /* the peer's address as text */
};

extern const struct lws_protocols sv_lws_protocols[];
extern const lws_retry_bo_t sv_lws_ping_policy;

/* The listener by which it came. */
enum sv_door sv_lws_door(struct lws *wsi);

/* Notes a TLS listener's context. */
void sv_lws_tls_ready(struct sv_lws *server, void *context);

int sv_lws_http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
    size_t size);
int sv_lws_socket_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user,
    void *in, size_t size);

/* The connection of a wsi, made at its first callback.  NULL without memory. */
struct sv_connection *sv_lws_connection(struct lws *wsi);

/* It has become a WebSocket: moves it from the list of waiting connections to that of sockets. */
void sv_lws_promote(struct sv_connection *connection);

/* Sets the socket's options and whether it may be written to directly. */
void sv_lws_prepare(struct sv_connection *connection);

/* transport->expect, ->send and ->close */
void sv_lws_expect(const struct sv_connection *connection);
bool sv_lws_send(
    void *context, struct sv_connection *connection, const struct sv_span *spans, int count);
void sv_lws_close(
    void *context, struct sv_connection *connection, uint16_t code, const char *reason);

/* ---- lws_read.c: checks of received bytes ---- */

/* The connection's bytes are checked from now on; false without memory. */
bool sv_lws_read_begin(struct sv_connection *connection);
void sv_lws_read_end(struct sv_connection *connection);

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

/* Whether a message is incomplete. */
void sv_lws_set_open(struct sv_connection *connection, bool is_open);

/* ---- lws_guard.c: limits of connections ---- */

/*
 * From now on a proxy's connection counts as this client's; NULL: as the proxy's own.  False: the
 * client is refused.
 */
bool sv_lws_guard_move(struct sv_connection *connection, const struct sv_forwarded *client);

/* As sv_lws_guard_admit, once the client's address is known. */
bool sv_lws_guard_enter(struct sv_lws *server, struct lws *listener, int fd,
    const struct sv_network *network, const struct sockaddr *from);


/* Whether a connection that was just accepted by `listener` may stay. */
bool sv_lws_guard_admit(struct lws *listener, int fd);

/* Its wsi has been made, or ends; the network thread calls these for every wsi. */
void sv_lws_guard_created(struct lws *wsi);
void sv_lws_guard_destroyed(struct lws *wsi);

/* Closes accepted sockets for which lws has made no wsi; not from within accepting. */
void sv_lws_guard_settle(struct sv_lws *server);

/* The connection has been made, or ends. */
void sv_lws_guard_made(struct sv_connection *connection);
void sv_lws_guard_gone(struct sv_connection *connection);

/* transport->from */
const char *sv_lws_from(const struct sv_connection *connection);

/* ---- lws_proxy.c: connections that begin with a header of the PROXY protocol ---- */

/* Holds the connection, by a descriptor of its own, until its PROXY header has come. */
void sv_lws_proxy_hold(struct sv_lws *server, struct lws *listener, int fd);

/* Closes those whose header is late, or all of them. */
void sv_lws_proxy_tend(struct sv_lws *server, uint64_t now_ns);
void sv_lws_proxy_stop(struct sv_lws *server);

/* transport->judge */
void sv_lws_judge(void *context, struct sv_connection *connection, bool is_good);

/* Closes the connections that are marked for closing; call from a loop callback. */
void sv_lws_kill_due(struct sv_lws *server);

/* Resumes reading of paused connections, and closes those whose message stays incomplete. */
void sv_lws_tend_sockets(struct sv_lws *server, uint64_t now_ns);

/* The wsi ends: frees its connection. */
void sv_lws_forget(struct lws *wsi);

/* Ends the request in progress, if any. */
void sv_lws_end_exchange(struct sv_connection *connection);

/* Headers, "" when absent or too long. */
void sv_lws_header(struct lws *wsi, enum lws_token_indexes token, char *out, size_t out_size);

/* Marks the connection to be closed from a loop callback. */
void sv_lws_kill(struct sv_connection *connection);

/* False with *error filled if Host or Origin is not accepted. */
bool sv_lws_check_origin(struct lws *wsi, const struct sv_lws *server, struct wire_error *error);

/* Whether the query contains a token. */
bool sv_lws_has_token_in_address(struct lws *wsi);

/* 0, or the HTTP status with which the WebSocket handshake is refused. */
int sv_lws_check_handshake(struct lws *wsi, const struct sv_lws *server);

#endif
