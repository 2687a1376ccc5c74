#include "server/net/lws/lws_socket.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/net/lws/lws_request.h"
#include "server/net/lws/lws_stream.h"
#include "server/net/lws/lws_wsi.h"

#include <stdlib.h>
#include <string.h>

#define CLOSE_POLICY 1008
#define CLOSE_TRY_AGAIN 1013

/* ---- handshake ---- */

static int
filter_upgrade(struct lws *wsi)
{
    return sv_lws_check_handshake(wsi, lws_context_user(lws_get_context(wsi))) == 0 ? 0 : 1;
}

void
sv_lws_established(struct sv_connection *connection)
{
    CN_ASSERT(!connection->is_socket && connection->user == NULL);
    struct sv_transport_events *events = &connection->server->options.events;
    connection->deadline_ns = 0;
    connection->is_socket = true;
    sv_lws_promote(connection);
    connection->user = events->opened(events->context, connection);
    if (connection->user == NULL) {
        connection->is_closing = true;
        connection->close_code = CLOSE_TRY_AGAIN;
        sv_lws_kill(connection);
    }
}

/* ---- receiving ---- */

static void
refuse_message(struct sv_connection *connection, uint16_t code, const char *reason)
{
    connection->is_closing = true;
    sv_lws_set_close(connection, code, reason);
}

static bool
keep_fragment(struct sv_connection *connection, const void *bytes, size_t size)
{
    if (connection->message_size + size > connection->message_capacity) {
        size_t capacity = (connection->message_size + size) * 2;
        uint8_t *message = realloc(connection->message, capacity);
        if (message == NULL) {
            return false;
        }
        connection->message = message;
        connection->message_capacity = capacity;
    }
    CN_ASSERT(connection->message_size + size <= connection->message_capacity);
    memcpy(connection->message + connection->message_size, bytes, size);
    connection->message_size += size;
    return true;
}

/* Frees the buffer of a message in parts after use: most messages come in one piece. */
static void
hand_on(struct sv_connection *connection, const void *bytes, size_t size)
{
    CN_ASSERT(!connection->is_receiving);
    struct sv_transport_events *events = &connection->server->options.events;
    uint8_t *kept = connection->message;
    connection->message = NULL;
    connection->message_size = connection->message_capacity = 0;
    connection->fragment_count = 0;
    connection->is_receiving = true;
    events->message(connection->user, bytes, size);
    connection->is_receiving = false;
    free(kept);
}

static void
set_unread(struct sv_connection *connection, bool is_unread)
{
    struct sv_lws *server = connection->server;
    if (is_unread != connection->is_unread) {
        server->unread_count += is_unread ? 1 : -1;
        CN_ASSERT(server->unread_count >= 0);
        connection->is_unread = is_unread;
        if (connection->wsi != NULL) {
            lws_rx_flow_control(connection->wsi, !is_unread);
        } else {
            sv_stream_watch_again(connection);
        }
    }
}

/*
 * Counts the bytes received; a client that sends too much is not read for a while, without a
 * message.
 */
static void
count_received(struct sv_connection *connection, size_t size)
{
    const uint64_t kib = connection->server->options.receive_rate / 1024;
    CN_ASSERT(kib > 0);
    const uint64_t kib_ns = SV_NS_PER_S / kib;
    uint64_t now_ns = sv_clock_now_ns(&connection->server->options.clock);
    struct sv_rate *received = &connection->received;
    if (received->arrival_ns < now_ns) {
        received->arrival_ns = now_ns;
    }
    received->arrival_ns += kib_ns * size / 1024;
    uint64_t wait_ns = sv_rate_wait_ns(received, now_ns, kib_ns, 2 * kib);
    if (wait_ns > 0) {
        connection->unread_ns = now_ns + wait_ns;
        set_unread(connection, true);
    }
}

void
sv_lws_tend_sockets(struct sv_lws *server, uint64_t now_ns)
{
    if (server->open_count == 0 && server->unread_count == 0 && server->lingering_count == 0) {
        return;
    }
    for (struct sv_connection *c = server->sockets; c != NULL; c = c->next) {
        if (c->is_unread && now_ns >= c->unread_ns) {
            set_unread(c, false);
        }
        if (c->message_ns != 0 && now_ns - c->message_ns > SV_MESSAGE_DURATION_NS) {
            SV_COUNT(server->options.metrics, deadlines, 1);
            sv_lws_close(server, c, CLOSE_POLICY, "half a message");
            sv_lws_set_open(c, false);
        }
        bool is_due = !c->intake.is_refused || now_ns > c->deadline_ns;
        if (c->intake.is_lingering && is_due) { /* the refusal was delayed, or has been sent */
            sv_lws_kill(c);
        }
    }
}

void
sv_lws_take_bytes(struct sv_connection *connection, const void *bytes, size_t size, bool is_end,
    bool is_final)
{
    count_received(connection, size);
    if (connection->is_closing) {
        return;
    }
    if (is_end && ++connection->fragment_count > SV_MESSAGE_FRAGMENTS_MAX) {
        refuse_message(connection, CLOSE_POLICY, "too many fragments");
        return;
    }
    bool is_done = is_end && is_final;
    bool is_whole = is_done && connection->message_size == 0;
    if (!is_whole && size > 0 && !keep_fragment(connection, bytes, size)) {
        refuse_message(connection, CLOSE_TRY_AGAIN, "no memory");
        return;
    }
    if (is_done) {
        hand_on(connection, is_whole ? bytes : connection->message,
            is_whole ? size : connection->message_size);
    }
}

/* lws sends the Close itself. */
static int
receive_bytes(struct sv_connection *connection, const void *bytes, size_t size)
{
    struct lws *wsi = connection->wsi;
    bool was_closing = connection->is_closing;
    sv_lws_take_bytes(connection, bytes, size, lws_remaining_packet_payload(wsi) == 0,
        lws_is_final_fragment(wsi) != 0);
    if (was_closing || !connection->is_closing) {
        return 0;
    }
    char text[SV_CLOSE_REASON_SIZE];
    size_t length = strlen(sv_lws_close_reason(connection));
    CN_ASSERT(length < sizeof(text));
    memcpy(text, sv_lws_close_reason(connection), length);
    lws_close_reason(wsi, (enum lws_close_status)connection->close_code,
        (unsigned char *)text, length);
    return -1;
}

/* ---- the callback ---- */

static void
on_writeable(struct sv_connection *connection)
{
    if (!connection->is_closing && connection->user != NULL) {
        connection->server->options.events.writable(connection->user);
    }
}

void
sv_lws_closed(struct sv_connection *connection)
{
    struct sv_transport_events *events = &connection->server->options.events;
    connection->is_closing = true;
    connection->is_socket = false;
    sv_lws_set_open(connection, false);
    if (connection->is_unread) { /* lws no longer calls back for its wsi */
        connection->is_unread = false;
        CN_ASSERT(connection->server->unread_count > 0);
        connection->server->unread_count--;
    }
    if (connection->user != NULL) {
        events->closed(connection->user);
        connection->user = NULL;
    }
}

int
sv_lws_socket_callback(
    struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    (void)user;
    struct sv_connection *connection = NULL;
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return filter_upgrade(wsi);
    case LWS_CALLBACK_WSI_DESTROY:
        sv_lws_wsi_destroyed(wsi);
        return 0;
    case LWS_CALLBACK_ESTABLISHED:
    case LWS_CALLBACK_RECEIVE:
    case LWS_CALLBACK_SERVER_WRITEABLE:
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
    case LWS_CALLBACK_CLOSED:
        connection = sv_lws_connection(wsi);
        break;
    default:
        return 0;
    }
    if (connection == NULL) {
        return -1;
    }
    switch (reason) {
    case LWS_CALLBACK_ESTABLISHED:
        sv_lws_established(connection);
        return 0;
    case LWS_CALLBACK_RECEIVE:
        return receive_bytes(connection, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        on_writeable(connection);
        return 0;
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        connection->is_closing = true;
        return 0;
    default:
        sv_lws_closed(connection);
        return 0;
    }
}
