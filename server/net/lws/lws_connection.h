/*
 * lws_connection.h: one connection: its data, and how it is marked to be closed.
 *
 * A connection is closed from a loop callback only (lws_server.c), so the other files mark it.
 */
#ifndef SERVER_NET_LWS_LWS_CONNECTION_H
#define SERVER_NET_LWS_LWS_CONNECTION_H

#include "server/inspect/frame_head.h"
#include "server/inspect/request_head.h"
#include "server/net/lws/lws_data.h"

#include <libwebsockets.h>

struct sv_http_exchange {
    enum sv_http_method method;
    char path[SV_PATH_SIZE], query[SV_QUERY_SIZE];
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
    union {
        struct sv_head head;
        struct sv_frames frames; /* in the stage FRAMES */
    };
    uint8_t *held; /* bytes of an incomplete head; NULL: none */
    size_t held_size;
    uint64_t body_left;
    unsigned ping_count, message_count; /* of `frames`, at the last look */
    int status; /* of the refusal: an HTTP status, or a Close's code; 0: none */
    const char *reason;
};

struct sv_rest;
struct sv_control;

/* The members that a send reads come first. */
struct sv_connection {
    struct sv_lws *server;
    struct lws *wsi;      /* NULL: it is not of libwebsockets; see lws_plain.h */
    struct sv_rest *rest; /* bytes that wait to be sent, without a wsi; NULL: none */
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
    /* Without a wsi: */
    bool is_writable_due; /* `writable` is to be called */
    bool is_close_sent;
    bool is_ending;       /* it is over when `rest` has been sent */
    bool is_pong_kept;    /* `rest` has a pong */
    bool is_checked;      /* it is in server->checks */
    uint32_t events;      /* that its epoll waits for */
    struct sv_network network; /* the network of the client */
    struct sv_connection *previous, *next;           /* of server->waiting or ->sockets */
    struct sv_connection *kill_previous, *kill_next; /* of server->kills, when is_kill_due */
    struct sv_connection *stranger_previous, *stranger_next;
    struct sv_connection *check_previous, *check_next;
    uint64_t check_ns, heard_ns; /* the next check; when the peer last sent something */
    struct sv_control *control;  /* a control frame that is incomplete; NULL: none */
    const struct sv_listener *listener;
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
    char *close_reason; /* NULL: none */
    struct sv_intake intake;
    char *from; /* the peer's address as text; NULL: not known */
};

extern const lws_retry_bo_t sv_lws_ping_policy;

/* Marks the connection to be closed from a loop callback, and takes the mark away. */
void sv_lws_kill(struct sv_connection *connection);
void sv_lws_unkill(struct sv_connection *connection);

/* transport->close */
void sv_lws_close(
    void *context, struct sv_connection *connection, uint16_t code, const char *reason);

/* Sets code and reason of the Close that is due. */
#define SV_CLOSE_REASON_SIZE 64
void sv_lws_set_close(struct sv_connection *connection, uint16_t code, const char *reason);
const char *sv_lws_close_reason(const struct sv_connection *connection); /* "" for none */

/* Writes a Close frame; returns its size, at most 4 + SV_CLOSE_REASON_SIZE. */
size_t sv_lws_print_close(unsigned code, const char *reason, uint8_t *out);

/* transport->from */
const char *sv_lws_from(const struct sv_connection *connection);

/* Whether a message is incomplete. */
void sv_lws_set_open(struct sv_connection *connection, bool is_open);

/* Ends the request in progress, if any. */
void sv_lws_end_exchange(struct sv_connection *connection);

#endif
