#include "server/net/lws/lws_connection.h"
#include "engine/base/assert.h"

#include <stdlib.h>
#include <string.h>

const lws_retry_bo_t sv_lws_ping_policy = {
    .secs_since_valid_ping = SV_PING_PERIOD_S,
    .secs_since_valid_hangup = SV_PING_WAIT_S,
};

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

void
sv_lws_unkill(struct sv_connection *connection)
{
    if (!connection->is_kill_due) {
        return;
    }
    CN_ASSERT((connection->kill_previous != NULL ? connection->kill_previous->kill_next :
              connection->server->kills) == connection);
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
sv_lws_set_close(struct sv_connection *connection, uint16_t code, const char *reason)
{
    free(connection->close_reason);
    connection->close_code = code;
    connection->close_reason = strndup(reason, SV_CLOSE_REASON_SIZE - 1);
}

const char *
sv_lws_close_reason(const struct sv_connection *connection)
{
    return connection->close_reason != NULL ? connection->close_reason : "";
}

size_t
sv_lws_print_close(unsigned code, const char *reason, uint8_t *out)
{
    size_t size = strlen(reason);
    CN_ASSERT(size + 2 <= 125); /* a control frame of one length byte */
    out[0] = 0x88;
    out[1] = (uint8_t)(size + 2);
    out[2] = (uint8_t)(code >> 8);
    out[3] = (uint8_t)code;
    memcpy(out + 4, reason, size);
    return size + 4;
}

void
sv_lws_close(void *context, struct sv_connection *connection, uint16_t code, const char *reason)
{
    (void)context;
    if (connection->is_closing) {
        return;
    }
    CN_ASSERT(code >= 1000 && code < 5000); /* of a Close, RFC 6455, 7.4 */
    connection->is_closing = true;
    sv_lws_set_close(connection, code, reason);
    if (!connection->is_receiving) {
        sv_lws_kill(connection);
    }
}

const char *
sv_lws_from(const struct sv_connection *connection)
{
    return connection->from != NULL ? connection->from : "";
}

void
sv_lws_set_open(struct sv_connection *connection, bool is_open)
{
    struct sv_lws *server = connection->server;
    if (is_open != (connection->message_ns != 0)) {
        server->open_count += is_open ? 1 : -1;
        CN_ASSERT(server->open_count >= 0 && server->open_count <= server->connection_count);
        connection->message_ns = is_open ? sv_clock_now_ns(&server->options.clock) : 0;
    }
}

void
sv_lws_end_exchange(struct sv_connection *connection)
{
    struct sv_http_exchange *http = connection->http;
    connection->http = NULL;
    if (http != NULL) {
        sv_buffer_unref(http->response.body);
        free(http->body);
        free(http->bearer);
        free(http);
    }
}
