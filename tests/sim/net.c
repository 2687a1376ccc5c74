/* The network: connections keep the order, as TCP does, and lose data only when they die. */
#include "tests/sim/sim.h"

#include "server/base/frame.h"

#include <stdlib.h>
#include <string.h>

struct packet {
    uint8_t *bytes; /* one message, without its frame's header */
    size_t size;
    uint64_t at_ns;
};

struct pipe {
    struct packet *packets;
    int first, count, capacity;
    size_t size;
    uint64_t last_ns, clog_until_ns;
};

struct sv_connection {
    struct sim_net *net;
    void *user; /* the gateway's; NULL: it has released this */
    int client; /* -1: the client has released this */
    uint64_t epoch;
    struct pipe up, down;
    bool is_refused; /* a send was */
    uint16_t close_code;
    uint64_t delay_ns, jitter_ns;
    uint64_t server_end_ns, client_end_ns; /* when each side notices its death; 0: it lives */
    uint64_t read_ns, read_period_ns;      /* of a slow client */
};

static void
pipe_put(struct pipe *pipe, const uint8_t *bytes, size_t size, uint64_t at_ns)
{
    if (pipe->first + pipe->count == pipe->capacity) {
        if (pipe->first > 0) {
            memmove(pipe->packets, pipe->packets + pipe->first,
                (size_t)pipe->count * sizeof(*pipe->packets));
            pipe->first = 0;
        } else {
            pipe->capacity = 2 * pipe->capacity + 16;
            pipe->packets =
                realloc(pipe->packets, (size_t)pipe->capacity * sizeof(*pipe->packets));
            CN_ASSERT(pipe->packets != NULL);
        }
    }
    at_ns = at_ns > pipe->last_ns ? at_ns : pipe->last_ns;
    struct packet *packet = &pipe->packets[pipe->first + pipe->count++];
    *packet = (struct packet){.bytes = malloc(size + 1), .size = size, .at_ns = at_ns};
    CN_ASSERT(packet->bytes != NULL);
    memcpy(packet->bytes, bytes, size);
    pipe->last_ns = at_ns;
    pipe->size += size;
}

static struct packet
pipe_take(struct pipe *pipe)
{
    struct packet packet = pipe->packets[pipe->first++];
    pipe->count--;
    pipe->size -= packet.size;
    return packet;
}

static void
pipe_finish(struct pipe *pipe)
{
    while (pipe->count > 0) {
        free(pipe_take(pipe).bytes);
    }
    free(pipe->packets);
    *pipe = (struct pipe){0};
}

static uint64_t
arrival_ns(struct sv_connection *connection)
{
    struct sim_net *net = connection->net;
    bool is_calm = sim_is_calm(net->sim);
    uint64_t delay_ns = is_calm ? SV_NS_PER_MS : connection->delay_ns;
    uint64_t jitter_ns = is_calm || connection->jitter_ns == 0
        ? 0
        : sim_random_below(&net->random, connection->jitter_ns);
    return net->sim->now_ns + delay_ns + jitter_ns;
}

/* ---- the gateway's side ---- */

static size_t
frame_size(const uint8_t *bytes, size_t *header)
{
    *header = sv_frame_header_size_of(bytes);
    size_t size = *header == 2 ? bytes[1] & 0x7Fu : 0;
    for (size_t i = 2; i < *header; i++) {
        size = size << 8 | bytes[i];
    }
    return size;
}

static bool
send_spans(
    void *context, struct sv_connection *connection, const struct sv_span *spans, int count)
{
    struct sim_net *net = context;
    size_t size = 0, used = 0;
    if (connection->close_code != 0) {
        return true;
    }
    if (connection->down.size > net->sim->plan.buffer_size) {
        connection->is_refused = true;
        return false;
    }
    for (int i = 0; i < count; i++) {
        size += spans[i].size;
    }
    uint8_t *bytes = malloc(size + 1);
    CN_ASSERT(bytes != NULL);
    for (int i = 0; i < count; i++) {
        memcpy(bytes + used, spans[i].bytes, spans[i].size);
        used += spans[i].size;
    }
    uint64_t at_ns = arrival_ns(connection);
    for (used = 0; used < size;) {
        size_t header, message = frame_size(bytes + used, &header);
        CN_ASSERT(used + header + message <= size);
        pipe_put(&connection->down, bytes + used + header, message, at_ns);
        used += header + message;
    }
    free(bytes);
    return true;
}

static void
close_connection(
    void *context, struct sv_connection *connection, uint16_t code, const char *reason)
{
    struct sim_net *net = context;
    (void)reason;
    if (connection->close_code == 0) {
        connection->close_code = code;
        connection->server_end_ns = net->sim->now_ns + SV_NS_PER_MS;
        connection->client_end_ns = arrival_ns(connection) + SV_NS_PER_MS;
    }
}

static void
judge_connection(void *context, struct sv_connection *connection, bool is_good)
{
    (void)context;
    (void)connection;
    (void)is_good;
}

struct sv_transport
sim_net_transport(struct sim_net *net)
{
    return (struct sv_transport){
        .send = send_spans, .close = close_connection, .judge = judge_connection, .context = net};
}

/* ---- the clients' side ---- */

struct sv_connection *
sim_net_connect(struct sim_net *net, int client)
{
    struct sim *sim = net->sim;
    const struct sim_plan *plan = &sim->plan;
    int place = 0;
    while (place < SIM_CONNECTIONS_MAX && net->connections[place] != NULL) {
        place++;
    }
    if (!sim->server.is_up || place == SIM_CONNECTIONS_MAX ||
        sim->now_ns < net->partition_until_ns) {
        return NULL;
    }
    struct sv_connection *connection = calloc(1, sizeof(*connection));
    CN_ASSERT(connection != NULL);
    connection->net = net;
    connection->client = client;
    connection->epoch = sim->server.epoch;
    connection->delay_ns = 200 * SV_NS_PER_US;
    if (plan->has[SIM_DELAY]) {
        double ms = sim_random_scale(&net->random, 0.2, plan->delay_ms);
        connection->delay_ns = (uint64_t)(ms * 1e6);
        connection->jitter_ns = connection->delay_ns / 2;
    }
    if (plan->has[SIM_SLOW] && sim_random_is(&net->random, 0.5)) {
        connection->read_period_ns =
            (uint64_t)(sim_random_scale(&net->random, 1.0, 1000.0) * 1e6);
    }
    connection->user = net->events.opened(net->events.context, connection);
    if (connection->user == NULL) {
        free(connection);
        return NULL;
    }
    net->connections[place] = connection;
    return connection;
}

void
sim_net_send(struct sv_connection *connection, const uint8_t *bytes, size_t size)
{
    if (connection->server_end_ns == 0 && connection->client_end_ns == 0) {
        pipe_put(&connection->up, bytes, size, arrival_ns(connection));
    }
}

uint64_t
sim_net_epoch(const struct sv_connection *connection)
{
    return connection->epoch;
}

/* The connection dies.  Each side notices it by itself, the daemon up to some seconds later. */
static void
cut_connection(struct sv_connection *connection)
{
    struct sim_net *net = connection->net;
    if (connection->server_end_ns != 0 || connection->client_end_ns != 0) {
        return;
    }
    double ms = sim_random_scale(&net->random, 1.0, 4000.0);
    connection->server_end_ns = net->sim->now_ns + 1 + (uint64_t)(ms * 1e6);
    connection->client_end_ns = net->sim->now_ns + 1 + sim_random_below(&net->random, 500000000);
}

void
sim_net_drop(struct sv_connection *connection)
{
    connection->client = -1;
    cut_connection(connection);
}

/* ---- time ---- */

static void
inject_fault(struct sim_net *net, struct sv_connection *connection)
{
    struct sim *sim = net->sim;
    const struct sim_plan *plan = &sim->plan;
    if (sim_is_calm(sim)) {
        connection->up.clog_until_ns = connection->down.clog_until_ns = 0;
        connection->read_period_ns = 0;
        return;
    }
    if (plan->has[SIM_CUT] && sim_random_is(&net->random, plan->cut_rate * 1e-3)) {
        sim_note(sim, "cut", (uint64_t)connection->client);
        cut_connection(connection);
    }
    if (plan->has[SIM_CLOG] && sim_random_is(&net->random, plan->clog_rate * 1e-3)) {
        struct pipe *pipe =
            sim_random_is(&net->random, 0.5) ? &connection->up : &connection->down;
        double ms = sim_random_scale(&net->random, 10.0, 5000.0);
        pipe->clog_until_ns = sim->now_ns + (uint64_t)(ms * 1e6);
    }
}

static void
partition_net(struct sim_net *net)
{
    struct sim *sim = net->sim;
    if (!sim->plan.has[SIM_PARTITION] || sim_is_calm(sim)) {
        net->partition_until_ns = 0;
        return;
    }
    if (!sim_random_is(&net->random, sim->plan.partition_rate * 1e-3)) {
        return;
    }
    double ms = sim_random_scale(&net->random, 50.0, 8000.0);
    net->partition_until_ns = sim->now_ns + (uint64_t)(ms * 1e6);
    sim_note(sim, "partition", 0);
    for (int i = 0; i < SIM_CONNECTIONS_MAX; i++) {
        struct sv_connection *connection = net->connections[i];
        if (connection != NULL && sim_random_is(&net->random, 0.7)) {
            connection->up.clog_until_ns = net->partition_until_ns;
            connection->down.clog_until_ns = net->partition_until_ns;
        }
    }
}

static void
deliver_up(struct sim_net *net, struct sv_connection *connection)
{
    struct pipe *pipe = &connection->up;
    uint64_t now_ns = net->sim->now_ns;
    while (connection->user != NULL && pipe->count > 0 && now_ns >= pipe->clog_until_ns &&
        pipe->packets[pipe->first].at_ns <= now_ns && connection->server_end_ns == 0) {
        struct packet packet = pipe_take(pipe);
        net->events.message(connection->user, packet.bytes, packet.size);
        free(packet.bytes);
    }
}

static void
deliver_down(struct sim_net *net, struct sv_connection *connection)
{
    struct pipe *pipe = &connection->down;
    uint64_t now_ns = net->sim->now_ns;
    bool is_cut = connection->client_end_ns != 0 && connection->close_code == 0;
    while (connection->client >= 0 && pipe->count > 0 && now_ns >= pipe->clog_until_ns &&
        !is_cut && pipe->packets[pipe->first].at_ns <= now_ns &&
        now_ns >= connection->read_ns) {
        struct packet packet = pipe_take(pipe);
        connection->read_ns =
            connection->read_period_ns > 0 ? now_ns + connection->read_period_ns : 0;
        sim_client_take(net->sim, connection->client, packet.bytes, packet.size);
        free(packet.bytes);
    }
    if (connection->is_refused && pipe->size <= net->sim->plan.buffer_size / 2 &&
        connection->user != NULL && connection->server_end_ns == 0) {
        connection->is_refused = false;
        net->events.writable(connection->user);
    }
}

/*
 * Each side releases the connection when it notices the end.  The connection is freed after both
 * have released it.
 */
static void
end_connection(struct sim_net *net, int place)
{
    struct sv_connection *connection = net->connections[place];
    uint64_t now_ns = net->sim->now_ns;
    if (connection->server_end_ns != 0 && now_ns >= connection->server_end_ns &&
        connection->user != NULL) {
        void *user = connection->user;
        connection->user = NULL;
        net->events.closed(user);
    }
    if (connection->client_end_ns != 0 && now_ns >= connection->client_end_ns &&
        connection->client >= 0) {
        int client = connection->client;
        connection->client = -1;
        sim_client_lost(net->sim, client);
    }
    if (connection->user == NULL && connection->client < 0) {
        net->connections[place] = NULL;
        pipe_finish(&connection->up);
        pipe_finish(&connection->down);
        free(connection);
    }
}

void
sim_net_step(struct sim_net *net)
{
    partition_net(net);
    for (int i = 0; i < SIM_CONNECTIONS_MAX; i++) {
        if (net->connections[i] != NULL) {
            inject_fault(net, net->connections[i]);
            deliver_up(net, net->connections[i]);
            deliver_down(net, net->connections[i]);
            end_connection(net, i);
        }
    }
}

/* A random part of the messages on their way still arrives; then each connection is dead. */
void
sim_net_server_died(struct sim_net *net)
{
    for (int i = 0; i < SIM_CONNECTIONS_MAX; i++) {
        struct sv_connection *connection = net->connections[i];
        if (connection == NULL) {
            continue;
        }
        struct pipe *pipe = &connection->down;
        uint64_t count = sim_random_below(&net->random, (uint64_t)pipe->count + 1);
        connection->user = NULL;
        for (uint64_t k = 0; k < count; k++) {
            struct packet packet = pipe_take(pipe);
            if (connection->client >= 0) {
                sim_client_take(net->sim, connection->client, packet.bytes, packet.size);
            }
            free(packet.bytes);
        }
        connection->client_end_ns = net->sim->now_ns;
        end_connection(net, i);
    }
}

void
sim_net_finish(struct sim_net *net)
{
    for (int i = 0; i < SIM_CONNECTIONS_MAX; i++) {
        if (net->connections[i] != NULL) {
            pipe_finish(&net->connections[i]->up);
            pipe_finish(&net->connections[i]->down);
            free(net->connections[i]);
            net->connections[i] = NULL;
        }
    }
}
