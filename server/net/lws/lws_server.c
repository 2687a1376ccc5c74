#include "server/net/lws/lws_server.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/net/lws/lws_end.h"
#include "server/net/lws/lws_guard.h"
#include "server/net/lws/lws_listener.h"
#include "server/net/lws/lws_plain.h"
#include "server/net/lws/lws_proxy.h"
#include "server/net/lws/lws_read.h"
#include "server/net/lws/lws_request.h"
#include "server/net/lws/lws_send.h"
#include "server/net/lws/lws_socket.h"

#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

#define TEND_PERIOD_MS 200
#define STOP_DURATION_MS 1000

/* ---- closing ---- */

/* From a loop callback: lws then sends the Close frame and waits for the peer's. */
static void
kill_now(struct sv_connection *connection)
{
    CN_ASSERT(connection->is_kill_due);
    struct lws *wsi = connection->wsi;
    sv_lws_unkill(connection);
    if (sv_lws_read_refuse(connection)) {
        return;
    }
    if (wsi == NULL) {
        sv_end_kill(connection);
        return;
    }
    if (connection->is_socket && connection->close_code != 0 && !connection->intake.is_refused) {
        char text[SV_CLOSE_REASON_SIZE] = "";
        strncpy(text, sv_lws_close_reason(connection), sizeof(text) - 1);
        lws_close_reason(wsi, (enum lws_close_status)connection->close_code,
            (unsigned char *)text, strlen(text));
    }
    lws_set_timeout(wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_SYNC);
}

/* Closes the connections that are marked for closing; called from a loop callback. */
static void
kill_all_due(struct sv_lws *server)
{
    while (server->kills != NULL) {
        kill_now(server->kills);
    }
}

static void
on_close_async(uv_async_t *handle)
{
    kill_all_due(handle->data);
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
    sv_lws_proxy_tend(server, now_ns);
    sv_lws_tend_sockets(server, now_ns);
    sv_end_tend(server, now_ns);
    kill_all_due(server);
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
    server->epoll = -1;
    lws_log = options->log;
    lws_set_log_level(LLL_ERR | LLL_WARN, emit_log);
    server->random = sv_random_real();
    /* OpenSSL finds an algorithm when it is first used, and does not try again if that fails. */
    unsigned char hash[SHA_DIGEST_LENGTH];
    if (SHA1(hash, 0, hash) == NULL || !sv_hosts_init(&server->hosts) ||
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
        .max_http_header_data = SV_LWS_HEADERS_SIZE_MAX,
        .pt_serv_buf_size = SV_LWS_READ_SIZE_MAX,
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
    if (!sv_plain_init(server)) {
        sv_log(options->log, SV_LOG_ERROR, "no memory or no file for the network");
        return false;
    }
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
    sv_plain_stop(server);
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
    CN_ASSERT(!server->is_stopping);
    server->is_stopping = true;
    sv_lws_proxy_stop(server);
    sv_listeners_stop(server);
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
    sv_listeners_free(server);
    sv_plain_finish(server);
    sv_lws_read_finish();
    free(server->scratch);
    server->scratch = NULL;
}
