#include "server/net/lws/lws_guard.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

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
    for (int i = 0; i < server->paused_count && !server->is_stopping; i++) {
        lws_rx_flow_control(server->paused[i], 1);
    }
    server->paused_count = 0;
}

/*
 * Waiting connections stay in the kernel's queue: better than a refusal, which clients would retry.
 */
static void
pause_listener(struct sv_lws *server, struct lws *listener, uint64_t pause_ns)
{
    for (int i = 0; i < server->paused_count; i++) {
        if (server->paused[i] == listener) {
            return;
        }
    }
    if (server->paused_count == SV_LISTENERS_MAX) {
        return;
    }
    CN_ASSERT(server->paused_count < SV_LISTENERS_MAX);
    server->paused[server->paused_count++] = listener;
    SV_COUNT(server->options.metrics, accept_pauses, 1);
    lws_rx_flow_control(listener, 0);
    start_accept_timer(server, pause_ns);
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
    c->close_code = LWS_CLOSE_STATUS_POLICY_VIOLATION;
    strcpy(c->close_reason, "newer ones come");
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

/* The inode of an open socket, which no other has; 0: it is not a socket. */
static uint64_t
inode_of(int fd)
{
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISSOCK(about.st_mode) ? (uint64_t)about.st_ino : 0;
}

/* lws drops a socket that it can not make non-blocking, or for which it has no memory. */
void
sv_lws_guard_settle(struct sv_lws *server)
{
    struct sv_entered *entered = &server->entered;
    if (entered->inode != 0 && inode_of(entered->fd) == entered->inode) {
        SV_COUNT(server->options.metrics, connections_refused, 1);
        shutdown(entered->fd, SHUT_RDWR);
        if (entered->wsi == NULL) {
            close(entered->fd);
        }
    }
    sv_guard_leave(&server->guard, &entered->network, now_of_server(server));
    memset(entered, 0, sizeof(*entered));
}

void
sv_lws_guard_created(struct lws *wsi)
{
    struct sv_lws *server = lws_context_user(lws_get_context(wsi));
    if (server->entered.inode != 0 && server->entered.wsi == NULL) {
        server->entered.wsi = wsi;
    }
}

void
sv_lws_guard_destroyed(struct lws *wsi)
{
    struct sv_lws *server = lws_context_user(lws_get_context(wsi));
    if (server->entered.wsi == wsi) {
        server->entered.wsi = NULL;
    }
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
sv_lws_guard_enter(struct sv_lws *server, struct lws *listener, int fd,
    const struct sv_network *network, const struct sockaddr *from)
{
    sv_lws_guard_settle(server);
    uint64_t inode = inode_of(fd);
    bool is_let_in = inode != 0 && !server->is_stopping && enter_network(server, network);
    uint64_t pause_ns = sv_guard_pause_ns(&server->guard, now_of_server(server));
    if (pause_ns > 0 && network->bytes[0] != 0) {
        pause_listener(server, listener, pause_ns);
    }
    if (is_let_in) {
        server->entered = (struct sv_entered){.network = *network, .fd = fd, .inode = inode};
        print_address(from, server->entered.from);
    }
    return is_let_in;
}

/* How the peer names its clients, found by its address, or by the Unix socket that it used. */
static enum sv_proxy_kind
find_proxy(const struct sv_lws *server, struct lws *listener, const struct sockaddr *address)
{
    return address->sa_family == AF_UNIX
        ? sv_proxies_find_path(&server->proxies, lws_get_vhost_iface(lws_get_vhost(listener)))
        : sv_proxies_find(&server->proxies, address);
}

enum sv_admission
sv_lws_guard_admit(struct lws *listener, int fd)
{
    struct sv_lws *server = lws_context_user(lws_get_context(listener));
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof(address);
    const struct sockaddr *from = (const struct sockaddr *)&address;
    int room = server->options.connections_max + SV_CLIENTS_EXCESS;
    if (server->is_stopping || server->connection_count + server->awaited_count >= room ||
        getpeername(fd, (struct sockaddr *)&address, &size) != 0) {
        SV_COUNT(server->options.metrics, connections_refused, 1);
        return SV_ADMISSION_REFUSED;
    }
    enum sv_proxy_kind proxy = find_proxy(server, listener, from);
    if (proxy == SV_PROXY_V2) {
        return SV_ADMISSION_AWAITED;
    }
    struct sv_network network = {{0}}; /* a proxy's own connection is not counted: its clients
                                          are */
    if (proxy == SV_PROXY_NONE) {
        network = sv_network_of(from, server->guard.limits.is_loopback_counted);
    }
    bool is_let_in = sv_lws_guard_enter(server, listener, fd, &network, from);
    server->entered.proxy = proxy;
    return is_let_in ? SV_ADMISSION_LET_IN : SV_ADMISSION_REFUSED;
}

static void
find_address(struct sv_connection *connection)
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof(address);
    if (getpeername(lws_get_socket_fd(connection->wsi), (struct sockaddr *)&address, &size) == 0) {
        print_address((const struct sockaddr *)&address, connection->from);
    }
}

bool
sv_lws_guard_move(struct sv_connection *connection, const struct sv_forwarded *client)
{
    struct sv_lws *server = connection->server;
    if (client == NULL) {
        sv_lws_guard_gone(connection);
        find_address(connection);
        return true;
    }
    const struct sockaddr *from = (const struct sockaddr *)&client->address;
    struct sv_network network = from->sa_family == AF_UNSPEC
        ? sv_network_of_name(client->name)
        : sv_network_of(from, true); /* a client on the proxy's loopback is not local to us */
    memcpy(connection->from, client->name, sizeof(client->name));
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

void
sv_lws_guard_made(struct sv_connection *connection)
{
    CN_ASSERT(!connection->is_guarded && !connection->is_stranger);
    find_address(connection);
    struct sv_lws *server = connection->server;
    connection->is_excess = server->connection_count > server->options.connections_max;
    if (server->entered.inode == 0 ||
        server->entered.fd != lws_get_socket_fd(connection->wsi)) {
        return;
    }
    connection->intake.proxy = server->entered.proxy;
    if (server->entered.from[0] != '\0') {
        memcpy(connection->from, server->entered.from, sizeof(connection->from));
    }
    if (server->entered.network.bytes[0] != 0) {
        connection->network = server->entered.network;
        connection->is_guarded = true;
        add_stranger(connection);
    }
    memset(&server->entered, 0, sizeof(server->entered));
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
