#include "clients/c/connection.h"

#include "proto/chunk.h"

#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADERS_SIZE_MAX 4096
#define RX_SIZE 4096
#define WRITE_SIZE_MAX (1024 * 1024) /* bytes of a send, so that lws does not split a message */
#define KEPT_SIZE_MAX (64 * 1024)    /* a buffer that became longer is freed after the message */
#define CODE_NONE 1006

/* A message that waits to be sent, after room for lws' header. */
struct waiting {
    struct waiting *next;
    size_t size;
    uint8_t room[];
};

struct cnc_connection {
    struct cnc_client *client;
    struct lws *wsi;
    void *user;
    struct cnc_connection *next, *previous; /* in the list of all, then in that of ended ones */
    uint8_t *message;                       /* the received pieces of a message */
    size_t message_size, message_capacity;
    struct wire_chunks chunks;              /* of a message that comes in parts */
    struct waiting *first, **last;
    size_t queue_size;
    struct cnc_end end;
    bool is_connecting; /* within lws' call that begins the connection */
    bool is_open, is_closing, is_ended;
};

struct cnc_client {
    struct lws_context *context;
    struct lws_vhost *vhost;
    struct cnc_address address;
    char host[CNC_HOST_SIZE + 16]; /* value of the Host header */
    struct cnc_events events;
    struct cnc_connection *connections;
    struct cnc_connection *failed; /* connections that failed while they were begun */
    uv_timer_t failed_timer;
    uint8_t scratch[LWS_PRE + RX_SIZE];
    bool is_stopping;
};

/* ---- ends ---- */

static void
unlink_connection(struct cnc_connection *connection)
{
    if (connection->previous != NULL) {
        connection->previous->next = connection->next;
    } else {
        connection->client->connections = connection->next;
    }
    if (connection->next != NULL) {
        connection->next->previous = connection->previous;
    }
}

static void
destroy_connection(struct cnc_connection *connection)
{
    while (connection->first != NULL) {
        struct waiting *waiting = connection->first;
        connection->first = waiting->next;
        free(waiting);
    }
    free(connection->message);
    wire_chunks_finish(&connection->chunks);
    free(connection);
}

static void
tell_end(struct cnc_connection *connection)
{
    struct cnc_client *client = connection->client;
    if (!client->is_stopping) {
        client->events.ended(connection->user, &connection->end);
    }
    destroy_connection(connection);
}

static void
on_failed_timer(uv_timer_t *timer)
{
    struct cnc_client *client = timer->data;
    while (client->failed != NULL) {
        struct cnc_connection *connection = client->failed;
        client->failed = connection->next;
        tell_end(connection);
    }
}

/* Called when the wsi is closed, or is being closed. */
static void
end_connection(struct cnc_connection *connection)
{
    if (connection->is_ended) {
        return;
    }
    connection->is_ended = true;
    if (connection->wsi != NULL) {
        lws_set_opaque_user_data(connection->wsi, NULL);
    }
    unlink_connection(connection);
    if (connection->is_connecting) {
        connection->next = connection->client->failed;
        connection->client->failed = connection;
        uv_timer_start(&connection->client->failed_timer, on_failed_timer, 0, 0);
    } else {
        tell_end(connection);
    }
}

static void
on_refused(struct cnc_connection *connection, struct lws *wsi, const char *text, size_t size)
{
    struct cnc_end *out = &connection->end;
    char address[CNC_HOST_SIZE + 16];
    cnc_address_print(&connection->client->address, address, sizeof(address));
    unsigned status = wsi != NULL ? lws_http_client_http_response(wsi) : 0;
    out->kind = CNC_END_REFUSED;
    out->code = (int)status;
    if (connection->is_closing) {
        out->kind = CNC_END_OWN;
    } else if (status != 0 && status != 101) {
        snprintf(out->reason, sizeof(out->reason),
            "%.100s refuses the WebSocket with HTTP status %u%s", address, status,
            status == 403   ? ": this host name or origin is not let in"
            : status == 404 ? ": is it a cairnd?"
            : status == 503 ? ": it is stopping"
                            : "");
    } else {
        /* lws reports the most common cause in few words, so a better text is used here. */
        bool is_silent = size == 0 || memmem(text, size, "before established", 18) != NULL;
        out->code = 0;
        snprintf(out->reason, sizeof(out->reason), "can not connect to %.100s: %.*s", address,
            is_silent ? 26 : (int)size, is_silent ? "nobody who speaks it there" : text);
    }
    end_connection(connection);
}

static void
on_closed(struct cnc_connection *connection)
{
    struct cnc_end *out = &connection->end;
    if (connection->is_closing) {
        out->kind = CNC_END_OWN;
    } else if (out->code == 0) {
        out->kind = CNC_END_CLOSED;
        out->code = CODE_NONE;
        snprintf(out->reason, sizeof(out->reason), "the connection broke");
    }
    end_connection(connection);
}

/* Handles a Close frame; its body has two bytes of code, the high one first, and a text. */
static void
peer_closes(struct cnc_connection *connection, const uint8_t *body, size_t size)
{
    struct cnc_end *out = &connection->end;
    out->kind = CNC_END_CLOSED;
    out->code = size >= 2 ? body[0] << 8 | body[1] : 1005;
    size_t length = size >= 2 ? size - 2 : 0;
    length = length < sizeof(out->reason) - 1 ? length : sizeof(out->reason) - 1;
    if (length > 0) {
        memcpy(out->reason, body + 2, length);
    }
    out->reason[length] = '\0';
}

/* ---- sending ---- */

/* `room` has LWS_PRE bytes and then the message, which lws masks in place. */
static bool
write_message(struct cnc_connection *connection, uint8_t *room, size_t size)
{
    return lws_write(connection->wsi, room + LWS_PRE, size, LWS_WRITE_BINARY) >= 0;
}

static bool
enqueue_bytes(struct cnc_connection *connection, const uint8_t *bytes, size_t size)
{
    if (connection->queue_size + size > CNC_QUEUE_SIZE_MAX) {
        return false;
    }
    struct waiting *waiting = malloc(sizeof(*waiting) + LWS_PRE + size);
    if (waiting == NULL) {
        return false;
    }
    waiting->next = NULL;
    waiting->size = size;
    memcpy(waiting->room + LWS_PRE, bytes, size);
    *connection->last = waiting;
    connection->last = &waiting->next;
    connection->queue_size += size;
    lws_callback_on_writable(connection->wsi);
    return true;
}

bool
cnc_send(struct cnc_connection *connection, const uint8_t *bytes, size_t size)
{
    struct cnc_client *client = connection->client;
    if (!connection->is_open || connection->is_closing) {
        return false;
    }
    bool is_direct = connection->first == NULL && size <= sizeof(client->scratch) - LWS_PRE &&
        !lws_partial_buffered(connection->wsi);
    if (!is_direct) {
        return enqueue_bytes(connection, bytes, size);
    }
    memcpy(client->scratch + LWS_PRE, bytes, size);
    if (!write_message(connection, client->scratch, size)) {
        lws_set_timeout(connection->wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_ASYNC);
    }
    return true;
}

static int
on_writable(struct cnc_connection *connection)
{
    if (connection->is_closing) {
        lws_close_reason(connection->wsi, LWS_CLOSE_STATUS_NORMAL, NULL, 0);
        return -1;
    }
    while (connection->first != NULL && !lws_partial_buffered(connection->wsi)) {
        struct waiting *waiting = connection->first;
        connection->first = waiting->next;
        if (connection->first == NULL) {
            connection->last = &connection->first;
        }
        connection->queue_size -= waiting->size;
        bool is_written = write_message(connection, waiting->room, waiting->size);
        free(waiting);
        if (!is_written) {
            return -1;
        }
    }
    if (connection->first != NULL) {
        lws_callback_on_writable(connection->wsi);
    }
    return 0;
}

size_t
cnc_queue_size(const struct cnc_connection *connection)
{
    return connection->queue_size;
}

void
cnc_hold(struct cnc_connection *connection, bool is_held)
{
    if (connection->is_open && !connection->is_closing) {
        lws_rx_flow_control(connection->wsi, is_held ? 0 : 1);
    }
}

void
cnc_close(struct cnc_connection *connection)
{
    if (connection->is_closing || connection->is_ended) {
        return;
    }
    connection->is_closing = true;
    if (connection->is_open) {
        lws_callback_on_writable(connection->wsi);
    } else {
        lws_set_timeout(connection->wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_ASYNC);
    }
}

/* ---- receiving ---- */

static bool
keep_bytes(struct cnc_connection *connection, const uint8_t *bytes, size_t size, size_t announced)
{
    if (announced > connection->message_capacity) {
        uint8_t *message = realloc(connection->message, announced);
        if (message == NULL) {
            return false;
        }
        connection->message = message;
        connection->message_capacity = announced;
    }
    memcpy(connection->message + connection->message_size, bytes, size);
    connection->message_size += size;
    return true;
}

static int
give_up(struct cnc_connection *connection, int code, const char *reason)
{
    connection->end = (struct cnc_end){.kind = CNC_END_CLOSED, .code = code};
    snprintf(connection->end.reason, sizeof(connection->end.reason), "%s", reason);
    lws_close_reason(connection->wsi, (enum lws_close_status)code, NULL, 0);
    return -1;
}

/* Takes a part of a message, and passes the message on when it is complete. */
static int
take_chunk(struct cnc_connection *connection, const uint8_t *bytes, size_t size)
{
    const struct cnc_events *events = &connection->client->events;
    struct wire_chunks *chunks = &connection->chunks;
    switch (wire_chunks_take(chunks, bytes, size, CNC_MESSAGE_SIZE_MAX)) {
    case WIRE_CHUNKS_MORE:
        return 0;
    case WIRE_CHUNKS_WHOLE:
        events->message(connection->user, chunks->bytes, chunks->size);
        wire_chunks_finish(chunks);
        return 0;
    case WIRE_CHUNKS_BAD:
        break;
    }
    return give_up(connection, 1007, "a message in parts does not fit together");
}

static int
tell_message(struct cnc_connection *connection, bool is_text, const uint8_t *bytes, size_t size)
{
    const struct cnc_events *events = &connection->client->events;
    if (is_text) {
        events->text(connection->user, (const char *)bytes, size);
    } else if (wire_is_chunk(bytes, size)) {
        return take_chunk(connection, bytes, size);
    } else {
        events->message(connection->user, bytes, size);
    }
    return 0;
}

static int
receive_bytes(struct cnc_connection *connection, const uint8_t *bytes, size_t size)
{
    struct lws *wsi = connection->wsi;
    const struct cnc_events *events = &connection->client->events;
    if (connection->is_closing) {
        return 0;
    }
    bool is_text = !lws_frame_is_binary(wsi);
    if (is_text && events->text == NULL) {
        return give_up(connection, 1003, "the daemon sent a text");
    }
    size_t announced = connection->message_size + size + lws_remaining_packet_payload(wsi);
    if (announced > CNC_MESSAGE_SIZE_MAX) {
        return give_up(connection, 1009, "the daemon sent a message that is too long");
    }
    bool is_last = lws_remaining_packet_payload(wsi) == 0 && lws_is_final_fragment(wsi);
    if (is_last && connection->message_size == 0) {
        return tell_message(connection, is_text, bytes, size);
    }
    if (!keep_bytes(connection, bytes, size, announced)) {
        return give_up(connection, 1013, "no memory for a message");
    }
    if (is_last) {
        size_t whole = connection->message_size;
        connection->message_size = 0;
        int result = tell_message(connection, is_text, connection->message, whole);
        if (connection->message_capacity > KEPT_SIZE_MAX) {
            free(connection->message);
            connection->message = NULL;
            connection->message_capacity = 0;
        }
        return result;
    }
    return 0;
}

/* ---- lws ---- */

static int
on_event(struct lws *wsi, enum lws_callback_reasons reason, void *ignored, void *in, size_t size)
{
    (void)ignored;
    struct cnc_connection *connection = lws_get_opaque_user_data(wsi);
    if (connection == NULL) {
        return 0;
    }
    switch (reason) {
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        on_refused(connection, wsi, in, in != NULL ? size : 0);
        return 0;
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        connection->wsi = wsi;
        connection->is_open = true;
        connection->client->events.opened(connection->user);
        return 0;
    case LWS_CALLBACK_CLIENT_RECEIVE:
        return receive_bytes(connection, in, size);
    case LWS_CALLBACK_CLIENT_WRITEABLE:
        return on_writable(connection);
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        peer_closes(connection, in, size);
        return 0;
    case LWS_CALLBACK_CLIENT_CLOSED:
        on_closed(connection);
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        connection->wsi = NULL;
        if (connection->is_open) {
            on_closed(connection);
        } else {
            on_refused(connection, NULL, NULL, 0);
        }
        return 0;
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "cairn.v1",
        .callback = on_event,
        .rx_buffer_size = RX_SIZE,
        .tx_packet_size = WRITE_SIZE_MAX},
    {0},
};

static const lws_retry_bo_t validity = {.secs_since_valid_ping = 30, .secs_since_valid_hangup = 60};

static void
drop_log(int level, const char *line)
{
    (void)level;
    (void)line;
}

struct cnc_connection *
cnc_connect(struct cnc_client *client, void *user)
{
    struct cnc_connection *connection = calloc(1, sizeof(*connection));
    if (connection == NULL) {
        return NULL;
    }
    connection->client = client;
    connection->user = user;
    connection->last = &connection->first;
    connection->next = client->connections;
    if (connection->next != NULL) {
        connection->next->previous = connection;
    }
    client->connections = connection;
    struct lws_client_connect_info info = {
        .context = client->context,
        .vhost = client->vhost,
        .address = client->address.host,
        .port = client->address.port,
        .path = "/v1/ws",
        .host = client->host,
        .protocol = protocols[0].name,
        .local_protocol_name = protocols[0].name,
        .ietf_version_or_minus_one = -1,
        .ssl_connection = client->address.is_tls ? LCCSCF_USE_SSL : 0,
        .retry_and_idle_policy = &validity,
        .opaque_user_data = connection,
        .pwsi = &connection->wsi,
    };
    connection->is_connecting = true;
    lws_client_connect_via_info(&info);
    connection->is_connecting = false;
    if (connection->wsi == NULL && !connection->is_ended) {
        connection->is_connecting = true; /* reports a failure later, outside of this call */
        on_refused(connection, NULL, NULL, 0);
        connection->is_connecting = false;
    }
    return connection;
}

struct cnc_client *
cnc_client_create(uv_loop_t *loop, const struct cnc_address *address, const char *ca_file,
    const struct cnc_events *events, char *error, size_t error_size)
{
    struct cnc_client *client = calloc(1, sizeof(*client));
    if (client == NULL) {
        snprintf(error, error_size, "no memory");
        return NULL;
    }
    client->address = *address;
    client->events = *events;
    cnc_address_print(address, client->host, sizeof(client->host));
    lws_set_log_level(0, drop_log);
    void *loops[1] = {loop};
    struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN,
        .options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
            (address->is_tls ? LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT : 0),
        .foreign_loops = loops,
        .protocols = protocols,
        .client_ssl_ca_filepath = ca_file,
        .max_http_header_data = HEADERS_SIZE_MAX,
        .connect_timeout_secs = CNC_CONNECT_DURATION_S,
        .timeout_secs = CNC_CONNECT_DURATION_S,
        .vhost_name = "client",
    };
    client->context = lws_create_context(&info);
    client->vhost = client->context != NULL ? lws_create_vhost(client->context, &info) : NULL;
    if (client->vhost == NULL) {
        snprintf(error, error_size, client->context == NULL
                ? "libwebsockets can not start; is its libuv plugin installed "
                  "(package libwebsockets-evlib-uv)?"
                : "libwebsockets can not start its client%s", ca_file != NULL
                ? "; can the certificates be read?" : "");
        lws_context_destroy(client->context);
        free(client);
        return NULL;
    }
    uv_timer_init(loop, &client->failed_timer);
    client->failed_timer.data = client;
    return client;
}

void
cnc_client_stop(struct cnc_client *client)
{
    client->is_stopping = true;
    on_failed_timer(&client->failed_timer);
    uv_close((uv_handle_t *)&client->failed_timer, NULL);
    lws_context_destroy(client->context); /* only begins; the loop completes it */
}

void
cnc_client_destroy(struct cnc_client *client)
{
    if (client != NULL) {
        lws_context_destroy(client->context);
        free(client);
    }
}
