/*
 * say.h: the messages that every client says, sent in one call.
 *
 * Each returns false when the connection takes no more (cnc_send).
 */
#ifndef CLIENTS_C_SAY_H
#define CLIENTS_C_SAY_H

#include "clients/c/connection.h"
#include "proto/peer.h"

/* Of one message that is said: scenes are named, not sent. */
#define CNC_SAID_SIZE_MAX 8192

bool cnc_say(struct cnc_connection *connection, const struct wire_client_message *message);

bool cnc_say_hello(struct cnc_connection *connection, const char *name, const char *client);
bool cnc_say_join(struct cnc_connection *connection, const char *world);
bool cnc_say_subscribe(struct cnc_connection *connection, bool contacts, bool energy);
bool cnc_say_ping(struct cnc_connection *connection, uint64_t client_time_us);

#endif
