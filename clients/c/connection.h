/*
 * connection.h: WebSockets of the subprotocol cairn.v1 to a daemon, thousands in one process.
 *
 * It uses libwebsockets' client on the caller's libuv loop.  A connection is started and later
 * either opens or fails.  While open it passes on whole messages; one that comes in parts
 * (proto/chunk.h) is passed on when it is complete.
 *
 * Lifetime: `ended` is called exactly once for each connection that cnc_connect returned, even if
 * it never opened, and never from within cnc_connect.  After it the connection no longer exists.
 * Memory: an open connection costs about 12 KiB besides the kernel's (docs/bench has the
 * measurement).  CNC_QUEUE_SIZE_MAX limits the bytes that wait to be sent, and CNC_MESSAGE_SIZE_MAX
 * the size of a received message.
 * Threads: everything runs on the loop's thread.
 */
#ifndef CLIENTS_C_CONNECTION_H
#define CLIENTS_C_CONNECTION_H

#include "clients/c/address.h"

#include <stdint.h>
#include <uv.h>

/* A longer message from the daemon ends the connection.  A Joined of 10,000 bodies has 2 MiB. */
#define CNC_MESSAGE_SIZE_MAX ((size_t)16 * 1024 * 1024)

/* Bytes that may wait to be sent.  Above this limit cnc_send refuses a message. */
#define CNC_QUEUE_SIZE_MAX ((size_t)256 * 1024)

/* Time to open the WebSocket, from the first packet.  After it the connection has failed. */
#define CNC_CONNECT_DURATION_S 20

#define CNC_REASON_SIZE 256

enum cnc_end_kind {
    CNC_END_REFUSED, /* the connection never opened */
    CNC_END_CLOSED,  /* by the daemon: `code` is the WebSocket's close code, 1006 without one */
    CNC_END_OWN,     /* by cnc_close */
};

struct cnc_end {
    enum cnc_end_kind kind;
    int code;   /* CLOSED: close code; REFUSED: HTTP status, or 0 */
    char reason[CNC_REASON_SIZE]; /* in words */
};

struct cnc_connection;

struct cnc_events {
    void (*opened)(void *user);
    void (*message)(void *user, const uint8_t *bytes, size_t size);
    void (*text)(void *user, const char *text, size_t size); /* no NUL; NULL: texts are refused */
    void (*ended)(void *user, const struct cnc_end *end);
};

struct cnc_client;

/*
 * NULL with a reason if memory runs out, libwebsockets cannot start, or the certificates in
 * `ca_file` (NULL: the system's) cannot be read.  Callbacks get the connection's user.
 */
struct cnc_client *cnc_client_create(uv_loop_t *loop, const struct cnc_address *address,
    const char *ca_file, const struct cnc_events *events, char *error, size_t error_size);

/* Closes all connections without further callbacks; run the loop until it returns true. */
void cnc_client_stop(struct cnc_client *client);
void cnc_client_destroy(struct cnc_client *client); /* takes NULL */

/* NULL if the system has no more sockets or memory. */
struct cnc_connection *cnc_connect(struct cnc_client *client, void *user);

/* Sends a copy.  False if too many bytes wait already. */
bool cnc_send(struct cnc_connection *connection, const uint8_t *bytes, size_t size);

/* Stops reading while held.  The socket then fills up, which the daemon sees as a slow client. */
void cnc_hold(struct cnc_connection *connection, bool is_held);

/* Closes with code 1000; `ended` follows. */
void cnc_close(struct cnc_connection *connection);

/* Bytes that wait to be sent. */
size_t cnc_queue_size(const struct cnc_connection *connection);

#endif
