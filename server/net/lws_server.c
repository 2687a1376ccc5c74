#include "server/net/lws_inside.h"

#include "server/base/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEND_PERIOD_MS 200
#define STOP_DURATION_MS 1000
#define WRITE_SIZE_MAX (16 * 1024 * 1024) /* for one send, so that lws never cuts a message */
#define RX_SIZE 256 /* each connection has a buffer of this; messages may be longer */

const struct lws_protocols sv_lws_protocols[] = {
    {.name = "http", .callback = sv_lws_http_callback, .tx_packet_size = WRITE_SIZE_MAX},
    {.name = "cairn.v1",
        .callback = sv_lws_socket_callback,
        .rx_buffer_size = RX_SIZE,
        .tx_packet_size = WRITE_SIZE_MAX},
    {0},
};

const lws_retry_bo_t sv_lws_ping_policy = {
    .secs_since_valid_ping = SV_PING_PERIOD_S,
    .secs_since_valid_hangup = SV_PING_WAIT_S,
};

/* ---- connections ---- */

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
    delist_connection(&connection->server->waiting, connection);
    enlist_connection(&connection->server->sockets, connection);
    connection->is_promoted = true;
}

struct sv_connection *
sv_lws_connection(struct lws *wsi)
{
    struct sv_connection *connection = lws_get_opaque_user_data(wsi);
    if (connection != NULL) {
        return connection;
    }
    struct sv_lws *server = lws_context_user(lws_get_context(wsi));
    connection = calloc(1, sizeof(*connection));
    if (connection == NULL) {
        return NULL;
    }
    connection->server = server;
    connection->wsi = wsi;
    connection->deadline_ns =
        sv_clock_now_ns(&server->options.clock) + SV_HANDSHAKE_DURATION_NS;
    enlist_connection(&server->waiting, connection);
    server->connection_count++;
    SV_COUNT(server->options.metrics, connections, 1);
    lws_set_opaque_user_data(wsi, connection);
    sv_lws_guard_made(connection);
    sv_lws_prepare(connection);
    if (!sv_lws_read_begin(connection)) {
        sv_lws_forget(wsi);
        return NULL;
    }
    return connection;
}

static void
forget_kill(struct sv_connection *connection)
{
    if (!connection->is_kill_due) {
        return;
    }
    connection->is_kill_due = false;
    if (connection->kill_previous != NULL) {
        connection->kill_previous->kill_next = connection->kill_next;
    } else {
        connection->server->kills = connection->kill_next;
    }
    if (connection->kill_next != NULL) {
        connection->kill_next->kill_previous = connection->kill_previous;
    }
}

void
sv_lws_forget(struct lws *wsi)
{
    struct sv_connection *connection = lws_get_opaque_user_data(wsi);
    if (connection == NULL) {
        return;
    }
    struct sv_lws *server = connection->server;
    delist_connection(connection->is_promoted ? &server->sockets : &server->waiting, connection);
    forget_kill(connection);
    sv_lws_read_end(connection);
    if (connection->intake.is_lingering) {
        server->lingering_count--;
    }
    sv_lws_guard_gone(connection);
    server->connection_count--;
    SV_UNCOUNT(server->options.metrics, connections, 1);
    lws_set_opaque_user_data(wsi, NULL);
    sv_lws_end_exchange(connection);
    free(connection->message);
    free(connection);
}

void
sv_lws_header(struct lws *wsi, enum lws_token_indexes token, char *out, size_t out_size)
{
    if (lws_hdr_copy(wsi, out, (int)out_size, token) < 0) {
        out[0] = '\0';
    }
}

bool
sv_lws_check_origin(struct lws *wsi, const struct sv_lws *server, struct wire_error *error)
{
    char text[SV_HOST_SIZE], quoted[64];
    if (sv_lws_door(wsi) == SV_DOOR_UNIX) {
        return true; /* browsers and other machines cannot connect here */
    }
    sv_lws_header(wsi, WSI_TOKEN_HOST, text, sizeof(text));
    if (!sv_hosts_has_host(&server->hosts, text)) {
        wire_error_set(error, "HOST", "",
            "the Host header is \"%s\", which is not this daemon's; see --allow-host",
            sv_log_quote(quoted, sizeof(quoted), text));
        return false;
    }
    int length = lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN);
    sv_lws_header(wsi, WSI_TOKEN_ORIGIN, text, sizeof(text));
    bool is_readable = length == 0 || text[0] != '\0';
    if (!is_readable || !sv_hosts_has_origin(&server->hosts, text)) {
        wire_error_set(error, "ORIGIN", "",
            "pages of \"%s\" are not let in; see --allow-origin",
            sv_log_quote(quoted, sizeof(quoted), text));
        return false;
    }
    return true;
}

/* ---- closing ---- */

void
sv_lws_kill(struct sv_connection *connection)
{
    struct sv_lws *server = connection->server;
    if (connection->is_kill_due) {
        return;
    }
    connection->is_kill_due = true;
    connection->kill_previous = NULL;
    connection->kill_next = server->kills;
    if (connection->kill_next != NULL) {
        connection->kill_next->kill_previous = connection;
    }
    server->kills = connection;
    uv_async_send(&server->close_async);
}

/* From a loop callback: lws then sends the Close frame and waits for the peer's. */
static void
kill_now(struct sv_connection *connection)
{
    struct lws *wsi = connection->wsi;
    forget_kill(connection);
    if (sv_lws_read_refuse(connection)) {
        return;
    }
    if (connection->is_socket && connection->close_code != 0 && !connection->intake.is_refused) {
        lws_close_reason(wsi, (enum lws_close_status)connection->close_code,
            (unsigned char *)connection->close_reason, strlen(connection->close_reason));
    }
    lws_set_timeout(wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_SYNC);
}

void
sv_lws_kill_due(struct sv_lws *server)
{
    while (server->kills != NULL) {
        kill_now(server->kills);
    }
}

static void
on_close_async(uv_async_t *handle)
{
    sv_lws_kill_due(handle->data);
}

struct sv_transport
sv_lws_transport(struct sv_lws *server)
{
    return (struct sv_transport){
        .expect = sv_lws_expect,
        .send = sv_lws_send,
        .close = sv_lws_close,
        .judge = sv_lws_judge,
        .from = sv_lws_from,
        .context = server};
}

/* ---- life ---- */

static void
tend_server(struct sv_lws *server)
{
    uint64_t now_ns = sv_clock_now_ns(&server->options.clock);
    for (struct sv_connection *c = server->waiting; c != NULL; c = c->next) {
        if (c->deadline_ns != 0 && now_ns > c->deadline_ns) {
            SV_COUNT(server->options.metrics, deadlines, 1);
            c->deadline_ns = 0;
            sv_lws_kill(c);
        }
    }
    sv_lws_guard_settle(server);
    sv_lws_proxy_tend(server, now_ns);
    sv_lws_tend_sockets(server, now_ns);
    sv_lws_kill_due(server);
    if (server->options.tend != NULL) {
        server->options.tend(server->options.tend_context);
    }
}

static void
on_tend_timer(uv_timer_t *handle)
{
    tend_server(handle->data);
}

/* lws logs through a plain function; there is one daemon in a process. */
static struct sv_log *lws_log;

static void
emit_log(int level, const char *line)
{
    char quoted[256];
    size_t length = strcspn(line, "\n");
    if (length < sizeof(quoted)) {
        memcpy(quoted, line, length);
        quoted[length] = '\0';
        char text[256];
        sv_log(lws_log, level == LLL_ERR ? SV_LOG_WARN : SV_LOG_DEBUG, "lws: %s",
            sv_log_quote(text, sizeof(text), quoted));
    }
}

bool
sv_lws_init(struct sv_lws *server, const struct sv_lws_options *options)
{
    memset(server, 0, sizeof(*server));
    server->options = *options;
    lws_log = options->log;
    lws_set_log_level(LLL_ERR | LLL_WARN, emit_log);
    server->random = sv_random_real();
    if (!sv_hosts_init(&server->hosts) ||
        !sv_guard_init(&server->guard, &options->guard, SV_GUARD_ENTRIES, &server->random)) {
        sv_log(options->log, SV_LOG_ERROR, "no memory for the network");
        return false;
    }
    server->hosts.is_tls = options->tls != NULL;
    void *loops[1] = {options->loop};
    struct lws_context_creation_info info = {
        .options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
            LWS_SERVER_OPTION_VALIDATE_UTF8 |
            (options->tls != NULL ? LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT : 0),
        .foreign_loops = loops,
        .pcontext = &server->context,
        .user = server,
        .max_http_header_data = HEADERS_SIZE_MAX,
        .pt_serv_buf_size = READ_SIZE_MAX,
        .retry_and_idle_policy = &sv_lws_ping_policy,
    };
    server->context = lws_create_context(&info);
    if (server->context == NULL) {
        sv_log(options->log, SV_LOG_ERROR,
            "libwebsockets can not start; is its libuv plugin installed "
            "(package libwebsockets-evlib-uv)?");
        return false;
    }
    uv_async_init(options->loop, &server->close_async, on_close_async);
    uv_timer_init(options->loop, &server->tend_timer);
    uv_timer_init(options->loop, &server->stop_timer);
    uv_timer_init(options->loop, &server->accept_timer);
    server->close_async.data = server->tend_timer.data = server->stop_timer.data = server;
    server->accept_timer.data = server;
    uv_timer_start(&server->tend_timer, on_tend_timer, TEND_PERIOD_MS, TEND_PERIOD_MS);
    return true;
}

static void
destroy_context(struct sv_lws *server)
{
    if (server->is_destroying) {
        return;
    }
    server->is_destroying = true;
    uv_close((uv_handle_t *)&server->tend_timer, NULL);
    uv_close((uv_handle_t *)&server->stop_timer, NULL);
    uv_close((uv_handle_t *)&server->accept_timer, NULL);
    uv_close((uv_handle_t *)&server->close_async, NULL);
    lws_context_destroy(server->context); /* only begins; the loop completes it */
}

/* Fires when every peer has answered the Close, or after a second. */
static void
on_stop_timer(uv_timer_t *handle)
{
    struct sv_lws *server = handle->data;
    if (server->connection_count == 0 ||
        sv_clock_now_ns(&server->options.clock) > server->stop_ns) {
        destroy_context(server);
    }
}

void
sv_lws_stop(struct sv_lws *server)
{
    server->is_stopping = true;
    sv_lws_proxy_stop(server);
    server->stop_ns =
        sv_clock_now_ns(&server->options.clock) + STOP_DURATION_MS * SV_NS_PER_MS;
    for (struct sv_connection *c = server->waiting; c != NULL; c = c->next) {
        sv_lws_kill(c);
    }
    uv_timer_start(&server->stop_timer, on_stop_timer, 0, 10);
}

const char *
sv_lws_version(void)
{
    return "libwebsockets " LWS_LIBRARY_VERSION;
}

void
sv_lws_finish(struct sv_lws *server)
{
    if (server->context != NULL) {
        lws_context_destroy(server->context);
    }
    sv_hosts_finish(&server->hosts);
    sv_guard_finish(&server->guard);
    sv_lws_read_finish();
    free(server->scratch);
    server->scratch = NULL;
}
