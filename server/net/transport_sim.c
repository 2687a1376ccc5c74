#include "server/net/transport_sim.h"

#include "engine/base/assert.h"
#include "server/base/frame.h"

#include <stdlib.h>
#include <string.h>

struct sv_connection {
    void *user;
    struct sv_sim_message messages[SV_SIM_MESSAGES_MAX];
    int message_count;
    bool is_blocked, is_refused_once;
    int close_code;
};

void
sv_sim_transport_init(
    struct sv_sim_transport *sim, const struct sv_transport_events *events)
{
    memset(sim, 0, sizeof(*sim));
    sim->events = *events;
}

static void
destroy_connection(struct sv_connection *connection)
{
    for (int i = 0; i < connection->message_count; i++) {
        free(connection->messages[i].bytes);
    }
    free(connection);
}

void
sv_sim_transport_finish(struct sv_sim_transport *sim)
{
    for (int i = 0; i < SV_SIM_CONNECTIONS_MAX; i++) {
        if (sim->connections[i] != NULL) {
            sv_sim_disconnect(sim, i);
        }
    }
}

/* Takes one framed message off the span and stores its contents. */
static size_t
keep_message(struct sv_connection *connection, const uint8_t *bytes, size_t size)
{
    CN_ASSERT(size >= 2 && (bytes[0] == SV_FRAME_BINARY || bytes[0] == SV_FRAME_TEXT));
    size_t header_size = bytes[1] == 127 ? 10 : bytes[1] == 126 ? 4 : 2;
    size_t message_size = bytes[1];
    if (header_size > 2) {
        message_size = 0;
        for (size_t i = 2; i < header_size; i++) {
            message_size = message_size << 8 | bytes[i];
        }
    }
    CN_ASSERT(header_size + message_size <= size);
    CN_ASSERT(connection->message_count < SV_SIM_MESSAGES_MAX);
    struct sv_sim_message *message = &connection->messages[connection->message_count++];
    message->size = message_size;
    message->is_text = bytes[0] == SV_FRAME_TEXT;
    message->bytes = malloc(message_size + 1);
    CN_ASSERT(message->bytes != NULL);
    memcpy(message->bytes, bytes + header_size, message_size);
    message->bytes[message_size] = '\0';
    return header_size + message_size;
}

static bool
send_spans(
    void *context, struct sv_connection *connection, const struct sv_span *spans, int count)
{
    struct sv_sim_transport *sim = context;
    if (connection->close_code != 0) {
        return true;
    }
    if (connection->is_blocked) {
        connection->is_refused_once = true;
        return false;
    }
    size_t size = 0, used = 0;
    for (int i = 0; i < count; i++) {
        size += spans[i].size;
    }
    /* A frame may continue in the next span. */
    uint8_t *bytes = malloc(size + 1);
    CN_ASSERT(bytes != NULL);
    for (int i = 0; i < count; i++) {
        memcpy(bytes + used, spans[i].bytes, spans[i].size);
        used += spans[i].size;
    }
    for (used = 0; used < size;) {
        used += keep_message(connection, bytes + used, size - used);
    }
    free(bytes);
    sim->write_count++;
    return true;
}

static void
close_connection(
    void *context, struct sv_connection *connection, uint16_t code, const char *reason)
{
    (void)context;
    (void)reason;
    if (connection->close_code == 0) {
        connection->close_code = code;
    }
}

static void
judge_connection(void *context, struct sv_connection *connection, bool is_good)
{
    struct sv_sim_transport *sim = context;
    (void)connection;
    if (is_good) {
        sim->good_count++;
    } else {
        sim->bad_count++;
    }
}

struct sv_transport
sv_sim_transport(struct sv_sim_transport *sim)
{
    return (struct sv_transport){
        .send = send_spans, .close = close_connection, .judge = judge_connection, .context = sim};
}

int
sv_sim_connect(struct sv_sim_transport *sim)
{
    int client = 0;
    while (client < SV_SIM_CONNECTIONS_MAX && sim->connections[client] != NULL) {
        client++;
    }
    CN_ASSERT(client < SV_SIM_CONNECTIONS_MAX);
    struct sv_connection *connection = calloc(1, sizeof(*connection));
    CN_ASSERT(connection != NULL);
    connection->user = sim->events.opened(sim->events.context, connection);
    if (connection->user == NULL) {
        destroy_connection(connection);
        return -1;
    }
    sim->connections[client] = connection;
    return client;
}

void
sv_sim_send(struct sv_sim_transport *sim, int client, const uint8_t *bytes, size_t size)
{
    struct sv_connection *connection = sim->connections[client];
    CN_ASSERT(connection != NULL);
    if (connection->close_code == 0) {
        sim->events.message(connection->user, bytes, size);
    }
}

bool
sv_sim_take(struct sv_sim_transport *sim, int client, struct sv_sim_message *message)
{
    struct sv_connection *connection = sim->connections[client];
    CN_ASSERT(connection != NULL);
    if (connection->message_count == 0) {
        return false;
    }
    *message = connection->messages[0];
    connection->message_count--;
    memmove(connection->messages, connection->messages + 1,
        (size_t)connection->message_count * sizeof(connection->messages[0]));
    return true;
}

void
sv_sim_block(struct sv_sim_transport *sim, int client, bool is_blocked)
{
    struct sv_connection *connection = sim->connections[client];
    connection->is_blocked = is_blocked;
    if (!is_blocked && connection->is_refused_once && connection->close_code == 0) {
        connection->is_refused_once = false;
        sim->events.writable(connection->user);
    }
}

void
sv_sim_disconnect(struct sv_sim_transport *sim, int client)
{
    struct sv_connection *connection = sim->connections[client];
    CN_ASSERT(connection != NULL);
    sim->connections[client] = NULL;
    sim->events.closed(connection->user);
    destroy_connection(connection);
}

int
sv_sim_close_code(const struct sv_sim_transport *sim, int client)
{
    return sim->connections[client]->close_code;
}
