#include "server/net/lws/lws_plain.h"

#include "server/base/limits.h"
#include "server/net/lws/lws_end.h"
#include "server/net/lws/lws_frames.h"
#include "server/net/lws/lws_read.h"
#include "server/net/lws/lws_shake.h"
#include "server/net/lws/lws_stream.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#define EVENTS_MAX 256

static void
write_again(struct sv_connection *connection)
{
    if (!sv_stream_flush(connection) || (connection->is_ending && connection->rest == NULL)) {
        sv_end_now(connection);
        return;
    }
    bool is_told = connection->rest == NULL && connection->is_writable_due;
    if (is_told) {
        connection->is_writable_due = false;
        if (!connection->is_closing && connection->user != NULL) {
            connection->server->options.events.writable(connection->user);
        }
    }
    sv_stream_watch_again(connection);
}

/* Nothing ends a connection but its own event here, so the others of `events` stay valid. */
static void
handle_event(const struct epoll_event *event)
{
    struct sv_connection *connection = sv_lws_read_find(event->data.fd);
    if (connection == NULL || connection->wsi != NULL) {
        return; /* another connection has the descriptor, and is not watched here */
    }
    if ((event->events & EPOLLOUT) != 0) {
        write_again(connection);
        connection = sv_lws_read_find(event->data.fd);
    }
    if (connection == NULL) {
        return;
    }
    bool is_dead = (event->events & (EPOLLERR | EPOLLHUP)) != 0;
    if (is_dead && (event->events & EPOLLIN) == 0) {
        sv_end_now(connection);
    } else if ((event->events & EPOLLIN) != 0 && !connection->is_unread) {
        if (connection->is_socket || connection->intake.stage == SV_INTAKE_NOTHING) {
            sv_frames_read(connection);
        } else {
            sv_shake_read(connection);
        }
    }
}

static void
on_epoll(uv_poll_t *handle, int status, int what)
{
    const struct sv_lws *server = handle->data;
    struct epoll_event events[EVENTS_MAX];
    (void)status;
    (void)what;
    int count = epoll_wait(server->epoll, events, EVENTS_MAX, 0);
    for (int i = 0; i < count; i++) {
        handle_event(&events[i]);
    }
}

/* ---- life ---- */

bool
sv_plain_init(struct sv_lws *server)
{
    server->bytes = malloc(SV_LWS_READ_SIZE_MAX);
    server->epoll = epoll_create1(EPOLL_CLOEXEC);
    server->check_step = sv_clock_now_ns(&server->options.clock) / SV_STREAM_CHECK_STEP_NS;
    server->epoll_poll.data = server;
    server->is_epoll_polled = server->bytes != NULL && server->epoll >= 0 &&
        uv_poll_init(server->options.loop, &server->epoll_poll, server->epoll) == 0;
    return server->is_epoll_polled &&
        uv_poll_start(&server->epoll_poll, UV_READABLE, on_epoll) == 0;
}

static void
end_all(struct sv_connection *connection)
{
    while (connection != NULL) {
        struct sv_connection *next = connection->next;
        if (connection->wsi == NULL) {
            sv_end_now(connection);
        }
        connection = next;
    }
}

void
sv_plain_stop(struct sv_lws *server)
{
    end_all(server->waiting);
    end_all(server->sockets);
    if (server->is_epoll_polled) {
        uv_close((uv_handle_t *)&server->epoll_poll, NULL);
    }
}

void
sv_plain_finish(struct sv_lws *server)
{
    if (server->epoll >= 0) {
        close(server->epoll);
    }
    server->epoll = -1;
    free(server->bytes);
    server->bytes = NULL;
}
