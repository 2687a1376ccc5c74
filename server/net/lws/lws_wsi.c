#include "server/net/lws/lws_wsi.h"

#include "engine/base/assert.h"
#include "server/net/lws/lws_read.h"
#include "server/net/lws/lws_stream.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void
enlist_connection(struct sv_connection **list, struct sv_connection *connection)
{
    connection->previous = NULL;
    connection->next = *list;
    if (connection->next != NULL) {
        connection->next->previous = connection;
    }
    *list = connection;
}

static void
delist_connection(struct sv_connection **list, struct sv_connection *connection)
{
    CN_ASSERT((connection->previous != NULL ? connection->previous->next : *list) == connection);
    if (connection->previous != NULL) {
        connection->previous->next = connection->next;
    } else {
        *list = connection->next;
    }
    if (connection->next != NULL) {
        connection->next->previous = connection->previous;
    }
}

void
sv_lws_promote(struct sv_connection *connection)
{
    CN_ASSERT(!connection->is_promoted);
    delist_connection(&connection->server->waiting, connection);
    enlist_connection(&connection->server->sockets, connection);
    connection->is_promoted = true;
}

/* Makes the connection of an accepted socket; NULL without memory. */
static struct sv_connection *
make_connection(
    const struct sv_listener *listener, int fd, const struct sv_arrival *arrival)
{
    struct sv_lws *server = listener->server;
    struct sv_connection *connection = calloc(1, sizeof(*connection));
    if (connection == NULL) {
        sv_guard_leave(
            &server->guard, &arrival->network, sv_clock_now_ns(&server->options.clock));
        return NULL;
    }
    connection->server = server;
    connection->listener = listener;
    connection->fd = fd;
    connection->is_direct = !listener->is_tls;
    connection->deadline_ns =
        sv_clock_now_ns(&server->options.clock) + SV_HANDSHAKE_DURATION_NS;
    enlist_connection(&server->waiting, connection);
    server->connection_count++;
    SV_COUNT(server->options.metrics, connections, 1);
    bool is_good = sv_lws_guard_made(connection, arrival);
    if (!sv_lws_read_begin(connection) || !is_good) {
        sv_lws_free(connection);
        return NULL;
    }
    return connection;
}

void
sv_lws_begin(const struct sv_listener *listener, int fd_take, const struct sv_arrival *arrival)
{
    struct sv_connection *connection = make_connection(listener, fd_take, arrival);
    if (connection == NULL) {
        SV_COUNT(listener->server->options.metrics, connections_refused, 1);
        close(fd_take);
    } else if (listener->is_tls || !sv_stream_watch(connection)) {
        sv_lws_adopt(connection);
    }
}

/* The inode of an open socket, which no other has; 0: it is not a socket. */
static uint64_t
inode_of(int fd)
{
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISSOCK(about.st_mode) ? (uint64_t)about.st_ino : 0;
}

/*
 * If lws refuses a socket it usually closes it, but not if it can not make it non-blocking or has
 * no memory for it.  Another thread may have opened a file of the same number meanwhile.
 */
void
sv_lws_adopt(struct sv_connection *connection)
{
    struct sv_lws *server = connection->server;
    int fd = connection->fd;
    uint64_t inode = inode_of(fd);
    CN_ASSERT(connection->wsi == NULL && server->adopted == NULL);
    server->adopted = connection;
    server->adopted_wsi = NULL;
    (void)lws_adopt_socket_vhost(connection->listener->vhost, fd);
    bool is_refused = server->adopted != NULL; /* no wsi has taken the connection */
    server->adopted = NULL;
    if (!is_refused) {
        return;
    }
    SV_COUNT(server->options.metrics, connections_refused, 1);
    if (inode != 0 && inode_of(fd) == inode) {
        shutdown(fd, SHUT_RDWR);
        if (server->adopted_wsi == NULL) {
            close(fd);
        }
    }
    sv_lws_free(connection);
}

void
sv_lws_wsi_created(struct lws *wsi)
{
    struct sv_lws *server = lws_context_user(lws_get_context(wsi));
    if (server->adopted != NULL && server->adopted_wsi == NULL) {
        server->adopted_wsi = wsi;
    }
}

void
sv_lws_wsi_destroyed(struct lws *wsi)
{
    struct sv_lws *server = lws_context_user(lws_get_context(wsi));
    struct sv_connection *connection = lws_get_opaque_user_data(wsi);
    if (server->adopted_wsi == wsi) {
        server->adopted_wsi = NULL;
    }
    if (connection != NULL) {
        CN_ASSERT(connection->wsi == wsi);
        lws_set_opaque_user_data(wsi, NULL);
        sv_lws_free(connection);
    }
}

struct sv_connection *
sv_lws_connection(struct lws *wsi)
{
    struct sv_connection *connection = lws_get_opaque_user_data(wsi);
    struct sv_lws *server = lws_context_user(lws_get_context(wsi));
    if (connection != NULL || server->adopted == NULL ||
        server->adopted->fd != lws_get_socket_fd(wsi)) {
        return connection;
    }
    connection = server->adopted;
    server->adopted = NULL;
    connection->wsi = wsi;
    lws_set_opaque_user_data(wsi, connection);
    return connection;
}

void
sv_lws_free(struct sv_connection *connection)
{
    struct sv_lws *server = connection->server;
    CN_ASSERT(server->connection_count > 0);
    delist_connection(connection->is_promoted ? &server->sockets : &server->waiting, connection);
    sv_lws_unkill(connection);
    sv_lws_read_end(connection);
    if (connection->intake.is_lingering) {
        CN_ASSERT(server->lingering_count > 0);
        server->lingering_count--;
    }
    sv_lws_guard_gone(connection);
    server->connection_count--;
    SV_UNCOUNT(server->options.metrics, connections, 1);
    sv_lws_end_exchange(connection);
    free(connection->message);
    free(connection->close_reason);
    free(connection->from);
    free(connection);
}
