#include "server/net/lws/lws_guard.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* ---- pausing ---- */

static uint64_t
now_of_server(const struct sv_lws *server)
{
    return sv_clock_now_ns(&server->options.clock);
}

static void on_accept_timer(uv_timer_t *handle);

static void
start_accept_timer(struct sv_lws *server, uint64_t pause_ns)
{
    uv_timer_start(&server->accept_timer, on_accept_timer, pause_ns / SV_NS_PER_MS + 1, 0);
}

/* The loop's time does not advance while it works, so a timer may fire too early. */
static void
on_accept_timer(uv_timer_t *handle)
{
    struct sv_lws *server = handle->data;
    uint64_t pause_ns = sv_guard_pause_ns(&server->guard, now_of_server(server));
    if (pause_ns > 0) {
        start_accept_timer(server, pause_ns);
        return;
    }
    for (int i = 0; i < server->listener_count; i++) {
        struct sv_listener *listener = server->listeners[i];
        if (listener->is_paused && listener->fd >= 0) {
            listener->is_paused = false;
            (void)uv_poll_start(&listener->poll, UV_READABLE, listener->accept);
        }
    }
}

/*
 * Waiting connections stay in the kernel's queue: better than a refusal, which clients would retry.
 */
void
sv_lws_guard_pause(struct sv_listener *listener, uint64_t pause_ns)
{
    if (listener->is_paused || listener->fd < 0) {
        return;
    }
    listener->is_paused = true;
    SV_COUNT(listener->server->options.metrics, accept_pauses, 1);
    uv_poll_stop(&listener->poll);
    start_accept_timer(listener->server, pause_ns);
}

/* ---- strangers ---- */

static void
add_stranger(struct sv_connection *connection)
{
    CN_ASSERT(!connection->is_stranger);
    struct sv_lws *server = connection->server;
    CN_ASSERT((server->strangers == NULL) == (server->oldest_stranger == NULL));
    connection->is_stranger = true;
    connection->stranger_previous = NULL;
    connection->stranger_next = server->strangers;
    if (server->strangers != NULL) {
        server->strangers->stranger_previous = connection;
    } else {
        server->oldest_stranger = connection;
    }
    server->strangers = connection;
    server->stranger_count++;
}

static void
drop_stranger(struct sv_connection *connection)
{
    struct sv_lws *server = connection->server;
    if (!connection->is_stranger) {
        return;
    }
    CN_ASSERT(server->stranger_count > 0);
    CN_ASSERT((connection->stranger_next != NULL ? connection->stranger_next->stranger_previous :
              server->oldest_stranger) == connection);
    connection->is_stranger = false;
    server->stranger_count--;
    if (connection->stranger_previous != NULL) {
        connection->stranger_previous->stranger_next = connection->stranger_next;
    } else {
        server->strangers = connection->stranger_next;
    }
    if (connection->stranger_next != NULL) {
        connection->stranger_next->stranger_previous = connection->stranger_previous;
    } else {
        server->oldest_stranger = connection->stranger_previous;
    }
}

static int
strangers_max(const struct sv_lws *server)
{
    int share = server->options.connections_max * SV_STRANGERS_PERCENT / 100;
    return share > SV_STRANGERS_MIN ? share : SV_STRANGERS_MIN;
}

/* Makes room for one more stranger.  False: all of them wait for an answer of the daemon. */
static bool
close_oldest_stranger(struct sv_lws *server)
{
    struct sv_connection *c = server->oldest_stranger;
    while (c != NULL && c->http != NULL && c->http->is_dispatched && !c->http->is_answered) {
        c = c->stranger_previous;
    }
    if (c == NULL) {
        return false;
    }
    CN_ASSERT(c->is_stranger);
    SV_COUNT(server->options.metrics, strangers_closed, 1);
    drop_stranger(c);
    c->is_closing = c->is_socket;
    sv_lws_set_close(c, LWS_CLOSE_STATUS_POLICY_VIOLATION, "newer ones come");
    sv_lws_kill(c);
    return true;
}

/* ---- a connection ---- */

static bool
count_refusal(struct sv_lws *server, enum sv_guard_verdict verdict)
{
    struct sv_metrics *metrics = server->options.metrics;
    switch (verdict) {
    case SV_GUARD_LET_IN:
        return true;
    case SV_GUARD_BLOCKED:
        SV_COUNT(metrics, refused_blocked, 1);
        return false;
    case SV_GUARD_MANY:
        SV_COUNT(metrics, refused_many, 1);
        return false;
    case SV_GUARD_OFTEN:
        SV_COUNT(metrics, refused_often, 1);
        return false;
    case SV_GUARD_NO_ROOM:
        SV_COUNT(metrics, refused_table, 1);
        return false;
    }
    return false;
}

/* Counts one more connection of that network, a stranger; false: it is refused. */
static bool
enter_network(struct sv_lws *server, const struct sv_network *network)
{
    uint64_t now_ns = now_of_server(server);
    if (!count_refusal(server, sv_guard_enter(&server->guard, network, now_ns))) {
        return false;
    }
    bool is_room = network->bytes[0] == 0 || server->stranger_count < strangers_max(server) ||
        close_oldest_stranger(server);
    if (!is_room) {
        sv_guard_leave(&server->guard, network, now_ns);
        SV_COUNT(server->options.metrics, connections_refused, 1);
    }
    return is_room;
}

/* Prints "192.0.2.1:80" or "[2001:db8::1]:80". */
static void
print_address(const struct sockaddr *address, char out[SV_FROM_SIZE])
{
    char text[INET6_ADDRSTRLEN] = "";
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)address;
        inet_ntop(AF_INET, &v4->sin_addr, text, sizeof(text));
        snprintf(out, SV_FROM_SIZE, "%s:%u", text, ntohs(v4->sin_port));
    } else if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)address;
        inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof(text));
        snprintf(out, SV_FROM_SIZE, "[%s]:%u", text, ntohs(v6->sin6_port));
    } else {
        snprintf(out, SV_FROM_SIZE, "%s", address->sa_family == AF_UNIX ? "unix" : "");
    }
}

bool
sv_lws_guard_enter(struct sv_listener *listener, const struct sv_network *network)
{
    struct sv_lws *server = listener->server;
    bool is_let_in = !server->is_stopping && enter_network(server, network);
    uint64_t pause_ns = sv_guard_pause_ns(&server->guard, now_of_server(server));
    if (pause_ns > 0 && network->bytes[0] != 0) {
        sv_lws_guard_pause(listener, pause_ns);
    }
    return is_let_in;
}

/* How the peer names its clients, found by its address, or by the Unix socket that it used. */
static enum sv_proxy_kind
find_proxy(const struct sv_listener *listener, const struct sockaddr *address)
{
    const struct sv_proxies *proxies = &listener->server->proxies;
    return listener->is_path ? sv_proxies_find_path(proxies, listener->address)
                             : sv_proxies_find(proxies, address);
}

/* A proxy's own connection belongs to no network, because its clients are counted. */
enum sv_admission
sv_lws_guard_admit(struct sv_listener *listener, struct sv_arrival *arrival)
{
    struct sv_lws *server = listener->server;
    int room = server->options.connections_max + SV_CLIENTS_EXCESS;
    memset(&arrival->network, 0, sizeof(arrival->network));
    arrival->proxy = find_proxy(listener, arrival->from);
    if (server->is_stopping || server->connection_count + server->awaited_count >= room) {
        SV_COUNT(server->options.metrics, connections_refused, 1);
        return SV_ADMISSION_REFUSED;
    }
    if (arrival->proxy == SV_PROXY_V2) {
        return SV_ADMISSION_AWAITED;
    }
    if (arrival->proxy == SV_PROXY_NONE) {
        arrival->network =
            sv_network_of(arrival->from, server->guard.limits.is_loopback_counted);
    }
    return sv_lws_guard_enter(listener, &arrival->network) ? SV_ADMISSION_LET_IN
                                                           : SV_ADMISSION_REFUSED;
}

/* False without memory; the text before stays. */
static bool
set_from(struct sv_connection *connection, const char *text)
{
    char *from = strdup(text);
    if (from != NULL) {
        free(connection->from);
        connection->from = from;
    }
    return from != NULL;
}

static bool
set_address(struct sv_connection *connection, const struct sockaddr *address)
{
    char text[SV_FROM_SIZE] = "";
    print_address(address, text);
    return set_from(connection, text);
}

static bool
find_address(struct sv_connection *connection)
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof(address);
    return getpeername(connection->fd, (struct sockaddr *)&address, &size) != 0 ||
        set_address(connection, (const struct sockaddr *)&address);
}

bool
sv_lws_guard_move(struct sv_connection *connection, const struct sv_forwarded *client)
{
    struct sv_lws *server = connection->server;
    if (client == NULL) {
        sv_lws_guard_gone(connection);
        return find_address(connection);
    }
    const struct sockaddr *from = (const struct sockaddr *)&client->address;
    struct sv_network network = from->sa_family == AF_UNSPEC
        ? sv_network_of_name(client->name)
        : sv_network_of(from, true); /* a client on the proxy's loopback is not local to us */
    if (!set_from(connection, client->name)) {
        return false;
    }
    bool is_same = connection->is_guarded &&
        memcmp(&network, &connection->network, sizeof(network)) == 0;
    if (is_same) {
        return true;
    }
    sv_lws_guard_gone(connection);
    if (!enter_network(server, &network)) {
        return false;
    }
    CN_ASSERT(!connection->is_guarded); /* it is counted once */
    connection->network = network;
    connection->is_guarded = true;
    add_stranger(connection);
    return true;
}

bool
sv_lws_guard_made(struct sv_connection *connection, const struct sv_arrival *arrival)
{
    CN_ASSERT(!connection->is_guarded && !connection->is_stranger);
    const struct sv_lws *server = connection->server;
    connection->is_excess = server->connection_count > server->options.connections_max;
    connection->intake.proxy = arrival->proxy;
    if (arrival->network.bytes[0] != 0) {
        connection->network = arrival->network;
        connection->is_guarded = true;
        add_stranger(connection);
    }
    return set_address(connection, arrival->from);
}

void
sv_lws_guard_gone(struct sv_connection *connection)
{
    drop_stranger(connection);
    if (connection->is_guarded) {
        struct sv_lws *server = connection->server;
        sv_guard_leave(&server->guard, &connection->network, now_of_server(server));
        connection->is_guarded = false;
        memset(&connection->network, 0, sizeof(connection->network));
    }
}

void
sv_lws_judge(void *context, struct sv_connection *connection, bool is_good)
{
    struct sv_lws *server = context;
    if (is_good) {
        drop_stranger(connection);
        return;
    }
    if (sv_guard_blame(&server->guard, &connection->network, now_of_server(server))) {
        char text[SV_NETWORK_TEXT_SIZE];
        sv_network_print(&connection->network, text);
        SV_COUNT(server->options.metrics, networks_blocked, 1);
        sv_log(server->options.log, SV_LOG_WARN,
            "a network is blocked for a while: too many bad tokens have come from it: %s", text);
    }
}
