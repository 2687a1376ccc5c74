/*
 * lws_guard.c: who may connect: room, networks, strangers, and a pause when all come at once.
 *
 * A stranger is a connection from elsewhere (not loopback, unless that is counted) whose Hello has
 * not been accepted; the page and other HTTP among them.  They may have a share of the room only,
 * so that who is inside keeps their place and others still get in: the oldest stranger that waits
 * for nothing of ours goes for the newest.
 */
#include "server/net/lws_inside.h"

#include "server/base/limits.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- pausing ---- */

static uint64_t
now(const struct sv_lws *server)
{
    return sv_clock_now_ns(&server->options.clock);
}

static void on_accept_timer(uv_timer_t *handle);

static void
start_accept_timer(struct sv_lws *server, uint64_t pause_ns)
{
    uv_timer_start(&server->accept_timer, on_accept_timer, pause_ns / SV_NS_PER_MS + 1, 0);
}

/* The loop's time stands still while it works, so that a timer may come too early. */
static void
on_accept_timer(uv_timer_t *handle)
{
    struct sv_lws *server = handle->data;
    uint64_t pause_ns = sv_guard_pause_ns(&server->guard, now(server));
    if (pause_ns > 0) {
        start_accept_timer(server, pause_ns);
        return;
    }
    for (int i = 0; i < server->paused_count && !server->is_stopping; i++) {
        lws_rx_flow_control(server->paused[i], 1);
    }
    server->paused_count = 0;
}

/* The kernel keeps who comes, and tells nobody to go: better than a refusal that tries again. */
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
    server->paused[server->paused_count++] = listener;
    SV_COUNT(server->options.metrics, accept_pauses, 1);
    lws_rx_flow_control(listener, 0);
    start_accept_timer(server, pause_ns);
}

/* ---- strangers ---- */

static void
add_stranger(struct sv_connection *connection)
{
    struct sv_lws *server = connection->server;
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

/* Makes room among strangers for one more; false: they all wait for an answer of ours. */
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

/* Of an open socket, which no other one has; 0: it is none. */
static uint64_t
inode_of(int fd)
{
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISSOCK(about.st_mode) ? (uint64_t)about.st_ino : 0;
}

/* lws forgets a socket that it can not make non-blocking, or for which it has no memory. */
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
    sv_guard_leave(&server->guard, &entered->network, now(server));
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

bool
sv_lws_guard_admit(struct lws *listener, int fd)
{
    struct sv_lws *server = lws_context_user(lws_get_context(listener));
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof(address);
    sv_lws_guard_settle(server);
    uint64_t inode = inode_of(fd);
    int room = server->options.connections_max + SV_CLIENTS_EXCESS;
    if (server->is_stopping || server->connection_count >= room || inode == 0 ||
        getpeername(fd, (struct sockaddr *)&address, &size) != 0) {
        SV_COUNT(server->options.metrics, connections_refused, 1);
        return false;
    }
    struct sv_network network = sv_network_of(
        (const struct sockaddr *)&address, server->guard.limits.is_loopback_counted);
    uint64_t now_ns = now(server);
    enum sv_guard_verdict verdict = sv_guard_enter(&server->guard, &network, now_ns);
    uint64_t pause_ns = sv_guard_pause_ns(&server->guard, now_ns);
    if (pause_ns > 0 && network.bytes[0] != 0) {
        pause_listener(server, listener, pause_ns);
    }
    if (!count_refusal(server, verdict)) {
        return false;
    }
    bool is_room = network.bytes[0] == 0 || server->stranger_count < strangers_max(server) ||
        close_oldest_stranger(server);
    if (!is_room) {
        sv_guard_leave(&server->guard, &network, now_ns);
        SV_COUNT(server->options.metrics, connections_refused, 1);
        return false;
    }
    server->entered = (struct sv_entered){.network = network, .fd = fd, .inode = inode};
    return true;
}

void
sv_lws_guard_made(struct sv_connection *connection)
{
    struct sv_lws *server = connection->server;
    connection->is_excess = server->connection_count > server->options.connections_max;
    if (server->entered.inode == 0 ||
        server->entered.fd != lws_get_socket_fd(connection->wsi)) {
        return;
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
        sv_guard_leave(&server->guard, &connection->network, now(server));
        connection->is_guarded = false;
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
    if (sv_guard_blame(&server->guard, &connection->network, now(server))) {
        SV_COUNT(server->options.metrics, networks_blocked, 1);
        sv_log(server->options.log, SV_LOG_WARN,
            "a network is blocked for a while: too many bad tokens have come from it");
    }
}
