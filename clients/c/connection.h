/*
 * connection.h: WebSockets of the subprotocol cairn.v1 to a daemon, thousands in one process.
 *
 * libwebsockets' client side on the caller's libuv loop.  A connection is opened and later either
 * opens or fails; from opening to closing it hands on whole messages: also one that comes in parts
 * (proto/chunk.h) when it is whole.
 *
 * Lifetime: after `ended` the connection is gone and nothing of it is called again; `ended` comes
 * exactly once for each connection that cnc_connect returned, also when it never opened.  It never
 * comes from within cnc_connect.
 * Memory: an open connection costs about 12 KiB besides the kernel's (docs/bench tells the
 * measurement); what waits to be sent is bounded by CNC_QUEUE_SIZE_MAX, a message that is received
 * by CNC_MESSAGE_SIZE_MAX.
 * Threads: all on the loop's.
 */
#ifndef CLIENTS_C_CONNECTION_H
#define CLIENTS_C_CONNECTION_H

#include "clients/c/address.h"

#include <stdint.h>
#include <uv.h>

/* A message to us that is longer ends the connection: a Joined of 10,000 bodies is 2 MiB. */
#define CNC_MESSAGE_SIZE_MAX ((size_t)16 * 1024 * 1024)

/* Waiting to be sent; beyond it a message is refused to its sender. */
#define CNC_QUEUE_SIZE_MAX ((size_t)256 * 1024)

/* From the first packet to an open WebSocket; beyond it the connection has failed. */
#define CNC_CONNECT_DURATION_S 20

#define CNC_REASON_SIZE 256

enum cnc_end_kind {
    CNC_END_REFUSED, /* it never opened */
    CNC_END_CLOSED,  /* by the daemon: `code` is the WebSocket's close code, 1006 without one */
    CNC_END_OWN,     /* by cnc_close */
};

struct cnc_end {
    enum cnc_end_kind kind;
    int code;   /* CLOSED: close code; REFUSED: HTTP status, or 0 */
    char reason[CNC_REASON_SIZE]; /* for people */
};

struct cnc_connection;

struct cnc_events {
    void (*opened)(void *user);
    void (*message)(void *user, const uint8_t *bytes, size_t size);
    void (*text)(void *user, const char *text, size_t size); /* not terminated; NULL: refused */
    void (*ended)(void *user, const struct cnc_end *end);
};

struct cnc_client;

/*
 * NULL with a reason when there is no memory, libwebsockets can not start, or the certificates in
 * `ca_file` (NULL: the system's) can not be read.  Events are called with each connection's user.
 */
struct cnc_client *cnc_client_create(uv_loop_t *loop, const struct cnc_address *address,
    const char *ca_file, const struct cnc_events *events, char *error, size_t error_size);

/* Closes what is open, without further events; the loop must run until it returns true. */
void cnc_client_stop(struct cnc_client *client);
void cnc_client_destroy(struct cnc_client *client); /* takes NULL */

/* NULL when the system has no more sockets or memory. */
struct cnc_connection *cnc_connect(struct cnc_client *client, void *user);

/* Sends a copy; false when too much waits already. */
bool cnc_send(struct cnc_connection *connection, const uint8_t *bytes, size_t size);

/* Nothing is read while it is held: the daemon then sees a socket that fills up, a slow client. */
void cnc_hold(struct cnc_connection *connection, bool is_held);

/* With code 1000; `ended` follows. */
void cnc_close(struct cnc_connection *connection);

/* Bytes that wait to be sent. */
size_t cnc_queue_size(const struct cnc_connection *connection);

#endif
