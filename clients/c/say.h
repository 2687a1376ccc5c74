/*
 * say.h: sends the messages that every client needs, one call each.
 *
 * Each returns false when the connection takes no more (cnc_send).
 */
#ifndef CLIENTS_C_SAY_H
#define CLIENTS_C_SAY_H

#include "clients/c/connection.h"
#include "proto/peer.h"

/* The largest message that these functions send: scenes go by name, a token has at most 4 KiB. */
#define CNC_SAID_SIZE_MAX 8192

#define CNC_TOKEN_SIZE 4097

bool cnc_say(struct cnc_connection *connection, const struct wire_client_message *message);

/* `token` NULL: none. */
bool cnc_say_hello(
    struct cnc_connection *connection, const char *name, const char *client, const char *token);
bool cnc_say_join(struct cnc_connection *connection, const char *world);
bool cnc_say_subscribe(struct cnc_connection *connection, bool contacts, bool energy,
    enum wire_mode mode, uint32_t rate_hz);
bool cnc_say_ping(struct cnc_connection *connection, uint64_t client_time_us);
bool cnc_say_ack(struct cnc_connection *connection, uint64_t tick);

#endif
