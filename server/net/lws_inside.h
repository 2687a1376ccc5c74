/*
 * lws_inside.h: what lws_server.c, lws_listen.c, lws_send.c, lws_http.c and lws_socket.c share.
 */
#ifndef SERVER_NET_LWS_INSIDE_H
#define SERVER_NET_LWS_INSIDE_H

#include "server/net/lws_server.h"

#include <libwebsockets.h>

#define HEADERS_SIZE_MAX 8192 /* of one request */

struct sv_http_exchange {
    enum sv_http_method method;
    char path[SV_PATH_SIZE];
    char content_type[SV_HEADER_SIZE], if_none_match[SV_HEADER_SIZE];
    char accept_encoding[SV_HEADER_SIZE];
    char *bearer; /* of the Authorization header; NULL: none */
    char *body;
    size_t body_size, body_capacity;
    uint32_t token;      /* never 0 */
    bool is_dispatched;  /* the handler has it; lws may say twice that a body is complete */
    bool is_refused;     /* `response` is filled, and goes out when the body has been read */
    bool is_answered;    /* `response` is filled */
    bool is_head_sent;
    bool is_last;        /* close the connection after this response */
    struct sv_http_response response;
    size_t sent;
};

/* First what a send looks at. */
struct sv_connection {
    struct sv_lws *server;
    struct lws *wsi;
    void *user; /* a WebSocket's: the gateway's */
    int fd;
    bool is_direct;       /* plain TCP: written to without lws */
    bool is_closing;      /* a Close was sent, received or is due */
    bool is_asked;        /* for a WRITEABLE */
    bool is_receiving;    /* within its RECEIVE callback */
    bool is_socket;       /* a WebSocket, open */
    bool is_promoted;     /* in server->sockets */
    bool is_kill_due;     /* close from the loop */
    bool is_guarded;      /* it is counted in `network` */
    bool is_stranger;     /* in server->strangers */
    bool is_excess;       /* there is no room for it: it gets a 503 */
    bool is_unread;       /* nothing is read until unread_ns */
    struct sv_network network; /* where it comes from */
    struct sv_connection *previous, *next;           /* of server->waiting or ->sockets */
    struct sv_connection *kill_previous, *kill_next; /* of server->kills, when is_kill_due */
    struct sv_connection *stranger_previous, *stranger_next;
    uint64_t deadline_ns; /* 0: none */
    struct sv_http_exchange *http; /* NULL: no request is at work */
    /* WebSocket */
    uint8_t *message;
    size_t message_size, message_capacity;
    int fragment_count;
    uint64_t message_ns;       /* when the message began that is not whole yet; 0: there is none */
    struct sv_rate received;   /* bytes */
    struct sv_rate pings;
    uint64_t unread_ns;
    uint16_t close_code;
    char close_reason[64];
};

extern const struct lws_protocols sv_lws_protocols[];
extern const lws_retry_bo_t sv_lws_ping_policy;

/* Which listener it came in by. */
enum sv_door sv_lws_door(struct lws *wsi);

/* A listener with TLS has got its context. */
void sv_lws_tls_ready(struct sv_lws *server, void *context);

int sv_lws_http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
    size_t size);
int sv_lws_socket_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user,
    void *in, size_t size);

/* The connection of a wsi; made at its first sign of life. NULL when there is no memory. */
struct sv_connection *sv_lws_connection(struct lws *wsi);

/* It has become a WebSocket: from the list of those that wait to that of sockets. */
void sv_lws_promote(struct sv_connection *connection);

/* Sets the socket's options and whether it may be written to directly. */
void sv_lws_prepare(struct sv_connection *connection);

/* transport->expect, ->send and ->close */
void sv_lws_expect(const struct sv_connection *connection);
bool sv_lws_send(
    void *context, struct sv_connection *connection, const struct sv_span *spans, int count);
void sv_lws_close(
    void *context, struct sv_connection *connection, uint16_t code, const char *reason);

/* ---- lws_guard.c: who may connect ---- */

/* Whether a connection that has just been accepted may stay; `listener` is where it came in. */
bool sv_lws_guard_admit(struct lws *listener, int fd);

/* Its wsi has been made, and is going; the network thread calls these for every wsi. */
void sv_lws_guard_created(struct lws *wsi);
void sv_lws_guard_destroyed(struct lws *wsi);

/* Closes a socket that was let in and of which lws made nothing; not within accepting. */
void sv_lws_guard_settle(struct sv_lws *server);

/* The connection has been made, and is going. */
void sv_lws_guard_made(struct sv_connection *connection);
void sv_lws_guard_gone(struct sv_connection *connection);

/* transport->judge */
void sv_lws_judge(void *context, struct sv_connection *connection, bool is_good);

/* Closes the connections that are to be closed; from a loop callback. */
void sv_lws_kill_due(struct sv_lws *server);

/* Reads again of whom was not read, and closes who has left a message half said. */
void sv_lws_tend_sockets(struct sv_lws *server, uint64_t now_ns);

/* The wsi is going: frees its connection. */
void sv_lws_forget(struct lws *wsi);

/* The request that is at work, if any, is over. */
void sv_lws_end_exchange(struct sv_connection *connection);

/* Headers, "" when absent or too long. */
void sv_lws_header(struct lws *wsi, enum lws_token_indexes token, char *out, size_t out_size);

/* Asks for the connection to be closed from a loop callback. */
void sv_lws_kill(struct sv_connection *connection);

/* False with *error filled when the request is not for this daemon or from a foreign page. */
bool sv_lws_check_origin(struct lws *wsi, const struct sv_lws *server, struct wire_error *error);

/* Whether its query names a token. */
bool sv_lws_has_token_in_address(struct lws *wsi);

/* 0, or the HTTP status with which this WebSocket handshake is refused. */
int sv_lws_check_handshake(struct lws *wsi, const struct sv_lws *server);

#endif
