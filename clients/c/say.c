#include "clients/c/say.h"

#include "engine/base/assert.h"

#include <stdio.h>

bool
cnc_say(struct cnc_connection *connection, const struct wire_client_message *message)
{
    uint8_t bytes[CNC_SAID_SIZE_MAX];
    size_t size = wire_client_encode(message, bytes, sizeof(bytes));
    CN_ASSERT(size > 0 && size <= sizeof(bytes));
    return cnc_send(connection, bytes, size);
}

bool
cnc_say_hello(
    struct cnc_connection *connection, const char *name, const char *client, const char *token)
{
    struct wire_client_message message = {.kind = WIRE_CLIENT_HELLO};
    char copy[CNC_TOKEN_SIZE];
    if (token != NULL) {
        snprintf(copy, sizeof(copy), "%s", token);
        message.hello.token = copy;
    }
    message.hello.version = WIRE_VERSION;
    snprintf(message.hello.name, sizeof(message.hello.name), "%s", name);
    snprintf(message.hello.client, sizeof(message.hello.client), "%s", client);
    return cnc_say(connection, &message);
}

bool
cnc_say_join(struct cnc_connection *connection, const char *world)
{
    struct wire_client_message message = {.kind = WIRE_CLIENT_JOIN};
    snprintf(message.join_world, sizeof(message.join_world), "%s", world);
    return cnc_say(connection, &message);
}

bool
cnc_say_subscribe(struct cnc_connection *connection, bool contacts, bool energy,
    enum wire_mode mode, uint32_t rate_hz)
{
    struct wire_client_message message = {.kind = WIRE_CLIENT_SUBSCRIBE};
    message.subscribe.contacts = contacts;
    message.subscribe.energy = energy;
    message.subscribe.mode = mode;
    message.subscribe.rate_hz = rate_hz;
    return cnc_say(connection, &message);
}

bool
cnc_say_ping(struct cnc_connection *connection, uint64_t client_time_us)
{
    struct wire_client_message message = {
        .kind = WIRE_CLIENT_PING, .ping_client_time_us = client_time_us};
    return cnc_say(connection, &message);
}

bool
cnc_say_ack(struct cnc_connection *connection, uint64_t tick)
{
    struct wire_client_message message = {.kind = WIRE_CLIENT_ACK, .ack_tick = tick};
    return cnc_say(connection, &message);
}
