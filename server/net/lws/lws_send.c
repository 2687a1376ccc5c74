#include "server/net/lws/lws_send.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/net/lws/lws_stream.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define SPANS_MAX 32
#define SMALL_SIZE 2048

void
sv_lws_prepare(int fd)
{
    int size = SV_SOCKET_SEND_SIZE, unsent_size = SV_SOCKET_UNSENT_SIZE, at_once = 1;
    unsigned timeout_ms = SV_SOCKET_TIMEOUT_MS;
    /* Where a kernel lacks an option, only memory or time is lost. */
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof(at_once));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof(timeout_ms));
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_size, sizeof(unsent_size));
}

static bool
grow_scratch(struct sv_lws *server, size_t size)
{
    if (size <= server->scratch_size) {
        return true;
    }
    uint8_t *scratch = realloc(server->scratch, size);
    if (scratch == NULL) {
        return false;
    }
    server->scratch = scratch;
    server->scratch_size = size;
    return true;
}

static void
give_up(struct sv_connection *connection)
{
    connection->is_closing = true;
    sv_lws_kill(connection);
}

/* Sends all spans without their first `skip` bytes, through lws or when the kernel has room. */
static void
send_later(struct sv_lws *server, struct sv_connection *connection,
    const struct sv_span *spans, int count, size_t skip)
{
    size_t used = 0;
    if (connection->wsi == NULL) {
        if (!sv_stream_keep(connection, spans, count, skip)) {
            give_up(connection); /* half a message was sent */
        }
        return;
    }
    for (int i = 0; i < count; i++) {
        size_t cut = skip < spans[i].size ? skip : spans[i].size;
        memcpy(server->scratch + used, spans[i].bytes + cut, spans[i].size - cut);
        used += spans[i].size - cut;
        skip -= cut;
    }
    /* The messages are framed already: LWS_WRITE_HTTP on a WebSocket is raw. */
    CN_ASSERT(skip == 0 && used <= server->scratch_size);
    if (lws_write(connection->wsi, server->scratch, used, LWS_WRITE_HTTP) < 0) {
        give_up(connection);
    }
}

/*
 * Up to SMALL_SIZE bytes are copied into one piece first.  The kernel takes one piece faster by a
 * fortieth, which is more than the time to copy a kibibyte that is in the cache.
 */
static ssize_t
send_in_one(const struct sv_connection *connection, const struct sv_span *spans, int count)
{
    uint8_t bytes[SMALL_SIZE];
    size_t size = 0;
    for (int i = 0; i < count; i++) {
        CN_ASSERT(spans[i].size <= sizeof(bytes) - size);
        memcpy(bytes + size, spans[i].bytes, spans[i].size);
        size += spans[i].size;
    }
    return send(connection->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static ssize_t
send_spans(const struct sv_connection *connection, const struct sv_span *spans, int count)
{
    struct iovec parts[SPANS_MAX];
    CN_ASSERT(count <= SPANS_MAX);
    for (int i = 0; i < count; i++) {
        /* sendmsg only reads these bytes, although its type is not const. */
        memcpy(&parts[i].iov_base, &spans[i].bytes, sizeof(parts[i].iov_base));
        parts[i].iov_len = spans[i].size;
    }
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = (size_t)count};
    return sendmsg(connection->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Returns the bytes that the kernel took; 0 if its buffer is full, -1 if the connection is dead. */
static ssize_t
send_directly(
    const struct sv_connection *connection, const struct sv_span *spans, int count, size_t size)
{
    ssize_t taken = size <= SMALL_SIZE ? send_in_one(connection, spans, count)
                                       : send_spans(connection, spans, count);
    if (taken < 0) {
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
    }
    return taken;
}

/*
 * Reads the data that sv_lws_send will read from lws.  Each read waits for memory, but without a
 * system call between them a processor waits for several connections at once.
 */
void
sv_lws_expect(const struct sv_connection *connection)
{
    if (!connection->is_closing && connection->wsi != NULL) {
        (void)lws_get_close_length(connection->wsi);
        bool is_kept = lws_partial_buffered(connection->wsi);
        (void)is_kept;
    }
}

static void
want_writable(struct sv_connection *connection)
{
    if (connection->wsi != NULL) {
        lws_callback_on_writable(connection->wsi);
    } else {
        connection->is_writable_due = true;
        sv_stream_watch_again(connection);
    }
}

bool
sv_lws_send(
    void *context, struct sv_connection *connection, const struct sv_span *spans, int count)
{
    struct sv_lws *server = context;
    CN_ASSERT(connection->server == server && count > 0);
    size_t size = 0;
    for (int i = 0; i < count; i++) {
        size += spans[i].size;
    }
    /* lws has closed by itself when the peer broke the protocol: nothing may follow its Close. */
    bool is_lws = connection->wsi != NULL;
    connection->is_closing |= is_lws && lws_get_close_length(connection->wsi) > 0;
    if (connection->is_closing) {
        return true;
    }
    bool is_kept = is_lws ? lws_partial_buffered(connection->wsi) : connection->rest != NULL;
    bool is_direct = connection->is_direct && count <= SPANS_MAX;
    ssize_t taken = 0;
    if (!is_kept && is_direct) {
        taken = send_directly(connection, spans, count, size);
    }
    if (taken == (ssize_t)size) {
        return true;
    }
    if (taken < 0) {
        give_up(connection);
        return true;
    }
    bool has_room = !is_kept && (!is_direct || taken > 0) &&
        (!is_lws || grow_scratch(server, size));
    if (!has_room && taken > 0) {
        give_up(connection); /* half a message was sent, and there is no memory for the rest */
        return true;
    }
    if (!has_room) {
        want_writable(connection);
        return false;
    }
    send_later(server, connection, spans, count, (size_t)taken);
    return true;
}
