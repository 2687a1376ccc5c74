#include "server/net/lws/lws_end.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/net/lws/lws_socket.h"
#include "server/net/lws/lws_stream.h"
#include "server/net/lws/lws_wsi.h"

#include <stdlib.h>
#include <unistd.h>

#define CLOSE_WAIT_NS (5 * SV_NS_PER_S) /* for the answer to a Close */

void
sv_end_now(struct sv_connection *connection)
{
    CN_ASSERT(connection->wsi == NULL && !connection->is_receiving);
    int fd = connection->fd;
    sv_stream_forget_check(connection);
    sv_lws_closed(connection);
    free(connection->rest);
    free(connection->control);
    sv_lws_free(connection);
    close(fd); /* which ends its watch, too */
}

void
sv_end_kill(struct sv_connection *connection)
{
    uint8_t frame[4 + SV_CLOSE_REASON_SIZE];
    bool is_due = connection->is_socket && connection->close_code != 0 &&
        !connection->intake.is_refused && !connection->is_close_sent;
    if (is_due) {
        size_t size = sv_lws_print_close(
            connection->close_code, sv_lws_close_reason(connection), frame);
        connection->is_closing = connection->is_close_sent = true;
        if (sv_stream_put(connection, frame, size)) {
            connection->deadline_ns =
                sv_clock_now_ns(&connection->server->options.clock) + CLOSE_WAIT_NS;
            sv_stream_check_at(connection, connection->deadline_ns);
            return;
        }
    }
    sv_end_now(connection);
}

/* ---- silent peers ---- */

/* A peer that sends anything within SV_PING_WAIT_S is alive, also without a pong. */
static void
check_peer(struct sv_connection *connection, uint64_t now_ns)
{
    static const uint8_t ping[] = {0x89, 0};
    uint64_t ping_ns = connection->heard_ns + SV_PING_PERIOD_S * SV_NS_PER_S;
    uint64_t end_ns = connection->heard_ns + SV_PING_WAIT_S * SV_NS_PER_S;
    bool is_closing = connection->is_close_sent || connection->is_ending ||
        connection->intake.is_lingering;
    if (is_closing ? now_ns >= connection->deadline_ns : now_ns >= end_ns) {
        sv_end_now(connection);
    } else if (is_closing) {
        sv_stream_check_at(connection, connection->deadline_ns);
    } else if (now_ns < ping_ns) {
        sv_stream_check_at(connection, ping_ns);
    } else if (connection->rest != NULL || sv_stream_put(connection, ping, sizeof(ping))) {
        sv_stream_check_at(connection, end_ns); /* bytes that wait ask as well as a ping */
    } else {
        sv_end_now(connection);
    }
}

void
sv_end_tend(struct sv_lws *server, uint64_t now_ns)
{
    uint64_t last = now_ns / SV_STREAM_CHECK_STEP_NS;
    if (last - server->check_step > SV_LWS_CHECKS) {
        server->check_step = last - SV_LWS_CHECKS;
    }
    while (server->check_step < last) {
        struct sv_connection *next;
        struct sv_connection *c = server->checks[server->check_step++ % SV_LWS_CHECKS];
        for (; c != NULL; c = next) {
            next = c->check_next;
            if (c->check_ns / SV_STREAM_CHECK_STEP_NS < server->check_step) {
                check_peer(c, now_ns);
            }
        }
    }
}
