/*
 * lws_socket.c: WebSockets of the subprotocol cairn.v1.
 */
#include "server/net/lws_inside.h"

#include "server/base/limits.h"

#include <stdlib.h>
#include <string.h>

#define CLOSE_TEXT 1003
#define CLOSE_POLICY 1008
#define CLOSE_SIZE 1009
#define CLOSE_TRY_AGAIN 1013

/* ---- handshake ---- */

/*
 * 0, or the status that the handshake is refused with.  Asked twice: before the upgrade, where an
 * answer can still be given, and when lws is about to accept, which is too late for more than
 * hanging up.
 */
int
sv_lws_check_handshake(struct lws *wsi, const struct sv_lws *server)
{
    char path[SV_PATH_SIZE], version[8], protocol[64];
    struct wire_error error;
    sv_lws_header(wsi, WSI_TOKEN_GET_URI, path, sizeof(path));
    sv_lws_header(wsi, WSI_TOKEN_VERSION, version, sizeof(version));
    sv_lws_header(wsi, WSI_TOKEN_PROTOCOL, protocol, sizeof(protocol));
    if (!sv_lws_check_origin(wsi, server, &error)) {
        return 403;
    }
    if (sv_lws_has_token_in_address(wsi)) {
        return 400;
    }
    enum sv_door door = sv_lws_door(wsi);
    bool is_for_sockets = door == SV_DOOR_WHOLE || door == SV_DOOR_PUBLIC;
    if (strcmp(path, "/v1/ws") != 0 || !is_for_sockets) {
        return 404;
    }
    if (strcmp(version, "13") != 0) {
        return 426;
    }
    if (strstr(protocol, "cairn.v1") == NULL) {
        return 400;
    }
    return server->is_stopping ? 503 : 0;
}

static int
filter(struct lws *wsi)
{
    return sv_lws_check_handshake(wsi, lws_context_user(lws_get_context(wsi))) == 0 ? 0 : 1;
}

static int
established(struct sv_connection *connection)
{
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
    return 0;
}

/* ---- receiving ---- */

static int
close_from_receive(struct sv_connection *connection, uint16_t code, const char *reason)
{
    char text[64];
    strncpy(text, reason, sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    connection->is_closing = true;
    lws_close_reason(connection->wsi, (enum lws_close_status)code, (unsigned char *)text,
        strlen(text));
    return -1;
}

static bool
keep(struct sv_connection *connection, const void *bytes, size_t size)
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
    memcpy(connection->message + connection->message_size, bytes, size);
    connection->message_size += size;
    return true;
}

/* What was kept of a message is not held beyond it: most messages come in one piece. */
static void
hand_on(struct sv_connection *connection, const void *bytes, size_t size)
{
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

static int
receive(struct sv_connection *connection, const void *bytes, size_t size)
{
    struct lws *wsi = connection->wsi;
    if (connection->is_closing) {
        return 0;
    }
    if (!lws_frame_is_binary(wsi)) {
        return close_from_receive(connection, CLOSE_TEXT, "binary messages only");
    }
    /* What the frame announces counts, not what has come of it. */
    size_t announced = connection->message_size + size + lws_remaining_packet_payload(wsi);
    if (announced > SV_MESSAGE_SIZE_MAX) {
        return close_from_receive(connection, CLOSE_SIZE, "message too large");
    }
    bool is_frame_done = lws_remaining_packet_payload(wsi) == 0;
    if (is_frame_done && ++connection->fragment_count > SV_MESSAGE_FRAGMENTS_MAX) {
        return close_from_receive(connection, CLOSE_POLICY, "too many fragments");
    }
    bool is_done = is_frame_done && lws_is_final_fragment(wsi);
    bool is_whole = is_done && connection->message_size == 0;
    if (!is_whole && size > 0 && !keep(connection, bytes, size)) {
        return close_from_receive(connection, CLOSE_TRY_AGAIN, "no memory");
    }
    if (is_done) {
        hand_on(connection, is_whole ? bytes : connection->message,
            is_whole ? size : connection->message_size);
        if (connection->is_closing) {
            return close_from_receive(
                connection, connection->close_code, connection->close_reason);
        }
    }
    return 0;
}

/* ---- the callback ---- */

static void
closed(struct sv_connection *connection)
{
    struct sv_transport_events *events = &connection->server->options.events;
    connection->is_closing = true;
    connection->is_socket = false;
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
        return filter(wsi);
    case LWS_CALLBACK_WSI_DESTROY:
        sv_lws_forget(wsi);
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
        return established(connection);
    case LWS_CALLBACK_RECEIVE:
        return receive(connection, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        if (!connection->is_closing && connection->user != NULL) {
            connection->server->options.events.writable(connection->user);
        }
        return 0;
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        connection->is_closing = true;
        return 0;
    default:
        closed(connection);
        return 0;
    }
}
