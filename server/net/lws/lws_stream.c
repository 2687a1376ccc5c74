#include "server/net/lws/lws_stream.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

struct sv_rest {
    size_t at, size;
    uint8_t bytes[];
};

/* ---- watching ---- */

static uint32_t
wanted_events(const struct sv_connection *connection)
{
    bool is_writing = connection->rest != NULL || connection->is_writable_due;
    return (connection->is_unread ? 0 : (uint32_t)EPOLLIN) |
        (is_writing ? (uint32_t)EPOLLOUT : 0);
}

static int
control_epoll(struct sv_connection *connection, int operation)
{
    struct epoll_event event = {
        .events = wanted_events(connection), .data.fd = connection->fd};
    connection->events = event.events;
    return epoll_ctl(connection->server->epoll, operation, connection->fd, &event);
}

bool
sv_stream_watch(struct sv_connection *connection)
{
    CN_ASSERT(connection->wsi == NULL && connection->fd >= 0);
    return control_epoll(connection, EPOLL_CTL_ADD) == 0;
}

void
sv_stream_watch_again(struct sv_connection *connection)
{
    if (connection->events != wanted_events(connection)) {
        (void)control_epoll(connection, EPOLL_CTL_MOD);
    }
}

void
sv_stream_release(struct sv_connection *connection)
{
    (void)control_epoll(connection, EPOLL_CTL_DEL);
}

/* ---- sending ---- */

bool
sv_stream_flush(struct sv_connection *connection)
{
    struct sv_rest *rest = connection->rest;
    if (rest == NULL) {
        return true;
    }
    ssize_t taken = send(connection->fd, rest->bytes + rest->at, rest->size - rest->at,
        MSG_NOSIGNAL | MSG_DONTWAIT);
    if (taken < 0) {
        return errno == EAGAIN || errno == EINTR;
    }
    rest->at += (size_t)taken;
    CN_ASSERT(rest->at <= rest->size);
    if (rest->at == rest->size) {
        connection->rest = NULL;
        connection->is_pong_kept = false;
        free(rest);
    }
    return true;
}

static struct sv_rest *
grow_rest(struct sv_connection *connection, size_t more)
{
    const struct sv_rest *old = connection->rest;
    size_t kept = old != NULL ? old->size - old->at : 0;
    struct sv_rest *rest = malloc(sizeof(*rest) + kept + more);
    if (rest == NULL) {
        return NULL;
    }
    rest->at = 0;
    rest->size = kept;
    if (kept > 0) {
        memcpy(rest->bytes, old->bytes + old->at, kept);
    }
    free(connection->rest);
    connection->rest = rest;
    return rest;
}

bool
sv_stream_keep(
    struct sv_connection *connection, const struct sv_span *spans, int count, size_t skip)
{
    size_t size = 0;
    for (int i = 0; i < count; i++) {
        size += spans[i].size;
    }
    CN_ASSERT(skip < size);
    struct sv_rest *rest = grow_rest(connection, size - skip);
    if (rest == NULL) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        size_t cut = skip < spans[i].size ? skip : spans[i].size;
        memcpy(rest->bytes + rest->size, spans[i].bytes + cut, spans[i].size - cut);
        rest->size += spans[i].size - cut;
        skip -= cut;
    }
    sv_stream_watch_again(connection);
    return true;
}

bool
sv_stream_put(struct sv_connection *connection, const void *bytes, size_t size)
{
    struct sv_span span = {.bytes = bytes, .size = size};
    size_t taken = 0;
    if (connection->rest == NULL) {
        ssize_t sent = send(connection->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN && errno != EINTR) {
            return false;
        }
        taken = sent > 0 ? (size_t)sent : 0;
    }
    return taken == size || sv_stream_keep(connection, &span, 1, taken);
}

/* ---- checks ---- */

void
sv_stream_forget_check(struct sv_connection *connection)
{
    struct sv_lws *server = connection->server;
    if (!connection->is_checked) {
        return;
    }
    struct sv_connection **first =
        &server->checks[connection->check_ns / SV_STREAM_CHECK_STEP_NS % SV_LWS_CHECKS];
    CN_ASSERT((connection->check_previous != NULL ? connection->check_previous->check_next
                                                  : *first) == connection);
    if (connection->check_previous != NULL) {
        connection->check_previous->check_next = connection->check_next;
    } else {
        *first = connection->check_next;
    }
    if (connection->check_next != NULL) {
        connection->check_next->check_previous = connection->check_previous;
    }
    connection->is_checked = false;
}

void
sv_stream_check_at(struct sv_connection *connection, uint64_t time_ns)
{
    sv_stream_forget_check(connection);
    struct sv_connection **first =
        &connection->server->checks[time_ns / SV_STREAM_CHECK_STEP_NS % SV_LWS_CHECKS];
    connection->check_ns = time_ns;
    connection->is_checked = true;
    connection->check_previous = NULL;
    connection->check_next = *first;
    if (*first != NULL) {
        (*first)->check_previous = connection;
    }
    *first = connection;
}
