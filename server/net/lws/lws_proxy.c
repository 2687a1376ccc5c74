#include "server/net/lws/lws_proxy.h"

#include "engine/base/assert.h"
#include "server/inspect/proxy_header.h"
#include "server/net/lws/lws_guard.h"
#include "server/net/lws/lws_wsi.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct sv_awaited {
    uv_poll_t poll;
    struct sv_lws *server;
    struct sv_listener *listener;
    int fd;
    uint64_t deadline_ns;
    struct sv_awaited *previous, *next;
    size_t size; /* of the bytes received */
    uint8_t bytes[SV_PROXY_HEADER_SIZE_MAX];
};

static void
on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

/* Removes the socket from the loop; the descriptor belongs to the caller again. */
static int
release_awaited(struct sv_awaited *awaited)
{
    struct sv_lws *server = awaited->server;
    CN_ASSERT((awaited->previous != NULL ? awaited->previous->next : server->awaited) == awaited);
    CN_ASSERT(server->awaited_count > 0);
    if (awaited->previous != NULL) {
        awaited->previous->next = awaited->next;
    } else {
        server->awaited = awaited->next;
    }
    if (awaited->next != NULL) {
        awaited->next->previous = awaited->previous;
    }
    server->awaited_count--;
    int fd = awaited->fd;
    uv_close((uv_handle_t *)&awaited->poll, on_closed);
    return fd;
}

static void
refuse_awaited(struct sv_awaited *awaited, const char *reason)
{
    struct sv_lws *server = awaited->server;
    SV_COUNT(server->options.metrics, proxies_refused, 1);
    sv_log(server->options.log, SV_LOG_WARN,
        "a proxy's connection is closed for its header of the PROXY protocol: %s", reason);
    close(release_awaited(awaited));
}

/* Connections by the proxy itself are not counted, as its own address is not. */
static void
let_in(struct sv_awaited *awaited, const struct sv_proxy_header *header)
{
    struct sv_listener *listener = awaited->listener;
    struct sockaddr_storage own = {0};
    socklen_t size = sizeof(own);
    int fd = release_awaited(awaited);
    struct sv_arrival arrival = {.from = (const struct sockaddr *)&header->client};
    if (arrival.from->sa_family != AF_UNSPEC) {
        /* A client on the proxy's loopback is not local to us. */
        arrival.network = sv_network_of(arrival.from, true);
    } else {
        (void)getpeername(fd, (struct sockaddr *)&own, &size);
        arrival.from = (const struct sockaddr *)&own;
    }
    if (!sv_lws_guard_enter(listener, &arrival.network)) {
        close(fd);
        return;
    }
    sv_lws_begin(listener, fd, &arrival);
}

static void
on_readable(uv_poll_t *handle, int status, int events)
{
    struct sv_awaited *awaited = handle->data;
    (void)events;
    for (;;) {
        struct sv_proxy_header header = {0};
        enum sv_proxy_verdict verdict = awaited->size == 0
            ? SV_PROXY_MORE
            : sv_proxy_header_read(awaited->bytes, awaited->size, &header);
        if (verdict == SV_PROXY_GOOD) {
            let_in(awaited, &header);
            return;
        }
        if (verdict == SV_PROXY_BAD || status < 0) {
            refuse_awaited(awaited, verdict == SV_PROXY_BAD ? header.reason : "it can not be read");
            return;
        }
        size_t wanted = header.size > 0 ? header.size : SV_PROXY_PREFIX_SIZE;
        CN_ASSERT(awaited->size <= wanted && wanted <= sizeof(awaited->bytes));
        ssize_t got = recvfrom(awaited->fd, awaited->bytes + awaited->size,
            wanted - awaited->size, MSG_DONTWAIT, NULL, NULL);
        if (got == 0) {
            refuse_awaited(awaited, "the connection ends before it is whole");
            return;
        }
        if (got < 0) {
            return; /* until more bytes come, or its time is over */
        }
        awaited->size += (size_t)got;
    }
}

void
sv_lws_proxy_hold(struct sv_listener *listener, int fd_take)
{
    struct sv_lws *server = listener->server;
    struct sv_awaited *awaited = calloc(1, sizeof(*awaited));
    if (awaited == NULL) {
        SV_COUNT(server->options.metrics, connections_refused, 1);
        close(fd_take);
        return;
    }
    *awaited = (struct sv_awaited){
        .server = server,
        .listener = listener,
        .fd = fd_take,
        .deadline_ns = sv_clock_now_ns(&server->options.clock) + SV_PROXY_DURATION_NS,
        .next = server->awaited,
    };
    awaited->poll.data = awaited;
    if (uv_poll_init(server->options.loop, &awaited->poll, fd_take) != 0) {
        SV_COUNT(server->options.metrics, connections_refused, 1);
        close(fd_take);
        free(awaited);
        return;
    }
    if (awaited->next != NULL) {
        awaited->next->previous = awaited;
    }
    server->awaited = awaited;
    server->awaited_count++;
    (void)uv_poll_start(&awaited->poll, UV_READABLE, on_readable);
}

void
sv_lws_proxy_tend(struct sv_lws *server, uint64_t now_ns)
{
    struct sv_awaited *next;
    for (struct sv_awaited *a = server->awaited; a != NULL; a = next) {
        next = a->next;
        if (now_ns > a->deadline_ns) {
            SV_COUNT(server->options.metrics, deadlines, 1);
            refuse_awaited(a, "it has not come within 5 s");
        }
    }
}

void
sv_lws_proxy_stop(struct sv_lws *server)
{
    while (server->awaited != NULL) {
        close(release_awaited(server->awaited));
    }
}
