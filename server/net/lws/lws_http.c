#include "server/net/lws/lws_http.h"

#include "access/limits.h"
#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/net/lws/lws_guard.h"
#include "server/net/lws/lws_read.h"
#include "server/net/lws/lws_request.h"
#include "server/net/lws/lws_server.h"
#include "server/net/lws/lws_wsi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HEAD_SIZE_MAX 2048
#define BEARER_SIZE_MAX (AC_TOKEN_SIZE_MAX + 64)
#define CHUNK_SIZE ((size_t)64 * 1024)
#define DROPPED_SIZE_MAX (64L * 1024 * 1024) /* a larger refused body is not read at all */
#define RESPONSE_DURATION_NS (60 * SV_NS_PER_S) /* for a client that reads a large file slowly */

/* The page may load its own files, and nothing from other origins. */
static const char content_security_policy[] =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self' blob:; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/* ---- requests ---- */

static enum sv_http_method
read_method(struct lws *wsi, char *path, size_t path_size)
{
    static const struct {
        enum lws_token_indexes token;
        enum sv_http_method method;
    } methods[] = {
        {WSI_TOKEN_GET_URI, SV_HTTP_GET},
        {WSI_TOKEN_HEAD_URI, SV_HTTP_HEAD},
        {WSI_TOKEN_POST_URI, SV_HTTP_POST},
        {WSI_TOKEN_PATCH_URI, SV_HTTP_PATCH},
        {WSI_TOKEN_DELETE_URI, SV_HTTP_DELETE},
        {WSI_TOKEN_PUT_URI, SV_HTTP_OTHER},
        {WSI_TOKEN_OPTIONS_URI, SV_HTTP_OTHER},
    };
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        if (lws_hdr_total_length(wsi, methods[i].token) > 0) {
            sv_lws_header(wsi, methods[i].token, path, path_size);
            return methods[i].method;
        }
    }
    path[0] = '\0';
    return SV_HTTP_OTHER;
}

static void
answer_request(struct sv_connection *connection, const struct sv_http_response *response_take)
{
    struct sv_http_exchange *http = connection->http;
    CN_ASSERT(!http->is_answered && !http->is_head_sent && http->sent == 0);
    if (response_take->status == 401 && http->bearer != NULL && !response_take->is_expired) {
        sv_lws_judge(connection->server, connection, false);
    }
    struct sv_http_response response = *response_take; /* it may belong to the exchange */
    http->response = response;
    http->is_answered = true;
    connection->deadline_ns =
        sv_clock_now_ns(&connection->server->options.clock) + RESPONSE_DURATION_NS;
    SV_COUNT(connection->server->options.metrics, requests, 1);
    lws_callback_on_writable(connection->wsi);
}

/* First reads and drops the body of a refused request, or the client may not see the answer. */
static void
refuse_request(struct sv_connection *connection, long size, const char *code, const char *text)
{
    struct wire_error error;
    struct sv_http_response response;
    wire_error_set(&error, code, "", "%s", text);
    if (connection->is_excess) {
        error.retry_ms = sv_random_retry_ms(&connection->server->random, SV_RETRY_MS);
    }
    sv_http_refuse(&response, &error);
    if (size > 0 && size <= DROPPED_SIZE_MAX) {
        connection->http->response = response;
        connection->http->is_refused = true;
        return;
    }
    connection->http->is_last = true;
    answer_request(connection, &response);
}

static int
dispatch_request(struct sv_connection *connection)
{
    struct sv_http_exchange *http = connection->http;
    struct sv_lws *server = connection->server;
    if (http == NULL || http->is_answered || http->is_dispatched) {
        return 0;
    }
    if (http->is_refused) {
        answer_request(connection, &http->response);
        return 0;
    }
    http->is_dispatched = true;
    struct sv_http_request request = {
        .method = http->method,
        .door = sv_lws_door(connection->wsi),
        .from = connection->from,
        .bearer = http->bearer != NULL ? http->bearer : "",
        .path = http->path,
        .query = http->query,
        .content_type = http->content_type,
        .if_none_match = http->if_none_match,
        .accept_encoding = http->accept_encoding,
        .body = http->body != NULL ? http->body : "",
        .body_size = http->body_size,
        .token = http->token,
    };
    struct sv_http_response response;
    lws_set_timeout(connection->wsi, NO_PENDING_TIMEOUT, 0);
    connection->deadline_ns = 0; /* no deadline for the client, which waits for the daemon */
    if (server->options.handler.handle(server->options.handler.context, &request, &response)) {
        answer_request(connection, &response);
    }
    return 0;
}

/* The size that the request announces; the head was checked, so it is a number. */
static long
announced_size(struct lws *wsi)
{
    char text[32];
    sv_lws_header(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, text, sizeof(text));
    return strtol(text, NULL, 10);
}

/*
 * The token of "Bearer TOKEN" (RFC 6750), from malloc; NULL if the request has none, or it is too
 * long.
 */
static char *
read_bearer(struct lws *wsi)
{
    static const char scheme[] = "bearer ";
    int length = lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_AUTHORIZATION);
    size_t size = (size_t)length + 1, skipped = sizeof(scheme) - 1;
    char *text = length > 0 && length <= BEARER_SIZE_MAX ? malloc(size) : NULL;
    if (text == NULL) {
        return NULL;
    }
    sv_lws_header(wsi, WSI_TOKEN_HTTP_AUTHORIZATION, text, size);
    if (strncasecmp(text, scheme, skipped) != 0) {
        free(text);
        return NULL;
    }
    memmove(text, text + skipped, size - skipped);
    return text;
}

static int
begin_request(struct sv_connection *connection)
{
    struct lws *wsi = connection->wsi;
    struct sv_lws *server = connection->server;
    struct wire_error error;
    sv_lws_end_exchange(connection);
    CN_ASSERT(connection->http == NULL);
    bool is_judged = sv_lws_read_head(connection);
    struct sv_http_exchange *http = connection->http = calloc(1, sizeof(*http));
    if (http == NULL || !is_judged) {
        return -1;
    }
    http->token = ++server->token_count == 0 ? ++server->token_count : server->token_count;
    http->method = read_method(wsi, http->path, sizeof(http->path));
    sv_lws_header(
        wsi, WSI_TOKEN_HTTP_CONTENT_TYPE, http->content_type, sizeof(http->content_type));
    sv_lws_header(
        wsi, WSI_TOKEN_HTTP_IF_NONE_MATCH, http->if_none_match, sizeof(http->if_none_match));
    sv_lws_header(wsi, WSI_TOKEN_HTTP_ACCEPT_ENCODING, http->accept_encoding,
        sizeof(http->accept_encoding));
    sv_lws_query(wsi, http->query, sizeof(http->query));
    http->bearer = read_bearer(wsi);
    long size = announced_size(wsi);
    bool has_length = lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH) > 0;
    bool takes_body = http->method != SV_HTTP_GET && http->method != SV_HTTP_HEAD;
    http->is_last = takes_body && !has_length; /* else lws waits for a body that never comes */
    if (connection->is_excess) {
        refuse_request(
            connection, size, "CAPACITY", "the daemon has all the connections it can hold");
    } else if (!sv_lws_check_origin(wsi, server, &error)) {
        refuse_request(connection, size, error.code, error.text);
    } else if (sv_lws_has_token_in_address(wsi)) {
        refuse_request(connection, size, "FIELD",
            "a token has no place in an address, which many keep; see the Authorization header");
    } else if (http->path[0] != '/') {
        refuse_request(connection, size, "PATH", "the path is missing or too long");
    } else if (size > SV_BODY_SIZE_MAX) {
        refuse_request(connection, size, "SIZE", "the body is larger than 4 MiB");
    } else if (size > 0 && !takes_body) {
        refuse_request(connection, size, "FIELD", "this method takes no body");
    } else if (size > 0) {
        connection->deadline_ns =
            sv_clock_now_ns(&server->options.clock) + SV_UPLOAD_DURATION_NS;
        http->body = malloc((size_t)size + 1);
        http->body_capacity = (size_t)size;
        if (http->body == NULL) {
            refuse_request(connection, size, "MEMORY", "no memory");
        }
    } else {
        return dispatch_request(connection);
    }
    return 0;
}

static int
take_body(struct sv_connection *connection, const void *bytes, size_t size)
{
    struct sv_http_exchange *http = connection->http;
    if (http == NULL || http->body == NULL || http->is_answered) {
        return 0; /* the request was refused */
    }
    CN_ASSERT(http->body_size <= http->body_capacity);
    if (size > http->body_capacity - http->body_size) {
        return -1;
    }
    memcpy(http->body + http->body_size, bytes, size);
    http->body_size += size;
    http->body[http->body_size] = '\0';
    return 0;
}

/* ---- responses ---- */

static int
add_header(struct lws *wsi, const char *name, const char *value, unsigned char **at,
    unsigned char *end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name,
        (const unsigned char *)value, (int)strlen(value), at, end);
}

static int
write_head(struct sv_connection *connection)
{
    struct lws *wsi = connection->wsi;
    struct sv_http_exchange *http = connection->http;
    CN_ASSERT(http->is_answered && !http->is_head_sent);
    const struct sv_http_response *response = &http->response;
    unsigned char head[LWS_PRE + HEAD_SIZE_MAX];
    unsigned char *start = head + LWS_PRE, *at = start, *end = head + sizeof(head) - 1;
    bool has_body = response->status != 304 && response->status != 204;
    size_t size = response->body != NULL && has_body ? response->body->size : 0;
    bool is_bad = lws_add_http_header_status(wsi, (unsigned)response->status, &at, end) != 0;
    if (has_body) {
        is_bad |= add_header(wsi, "content-type:", response->type, &at, end) != 0;
        is_bad |= lws_add_http_header_content_length(wsi, size, &at, end) != 0;
    }
    is_bad |= add_header(wsi, "x-content-type-options:", "nosniff", &at, end) != 0;
    is_bad |= add_header(wsi, "referrer-policy:", "no-referrer", &at, end) != 0;
    is_bad |= add_header(wsi, "cross-origin-resource-policy:", "same-origin", &at, end) != 0;
    is_bad |=
        add_header(wsi, "content-security-policy:", content_security_policy, &at, end) != 0;
    is_bad |= add_header(wsi, "cache-control:", response->is_page ? "no-cache" : "no-store", &at,
                  end) != 0;
    if (response->is_page || response->is_packed) {
        is_bad |= add_header(wsi, "vary:", "accept-encoding", &at, end) != 0;
    }
    if (response->is_packed && has_body) {
        is_bad |= add_header(wsi, "content-encoding:", "gzip", &at, end) != 0;
    }
    if (response->etag[0] != '\0') {
        is_bad |= add_header(wsi, "etag:", response->etag, &at, end) != 0;
    }
    if (response->allow != NULL) {
        is_bad |= add_header(wsi, "allow:", response->allow, &at, end) != 0;
    }
    if (response->retry_s > 0) {
        char text[16];
        snprintf(text, sizeof(text), "%u", response->retry_s);
        is_bad |= add_header(wsi, "retry-after:", text, &at, end) != 0;
    }
    if (response->wants_token) {
        is_bad |= add_header(wsi, "www-authenticate:", "Bearer", &at, end) != 0;
    }
    if (response->is_page && lws_is_ssl(wsi)) {
        is_bad |= add_header(
                      wsi, "strict-transport-security:", "max-age=31536000", &at, end) != 0;
    }
    if (http->is_last) {
        is_bad |= add_header(wsi, "connection:", "close", &at, end) != 0;
    }
    if (is_bad || lws_finalize_write_http_header(wsi, start, &at, end) != 0) {
        return -1;
    }
    http->is_head_sent = true;
    return 0;
}

static int
finish_response(struct sv_connection *connection)
{
    CN_ASSERT(connection->http->is_head_sent);
    bool is_last = connection->http->is_last;
    sv_lws_end_exchange(connection);
    if (sv_lws_read_is_refused(connection)) {
        is_last = false; /* the client still has to read the refusal, so wait for its close */
    } else {
        connection->deadline_ns =
            sv_clock_now_ns(&connection->server->options.clock) + SV_HANDSHAKE_DURATION_NS;
    }
    /* Without this call the library would stop reading, and not notice that the peer closes. */
    return is_last || lws_http_transaction_completed(connection->wsi) ? -1 : 0;
}

/* Writes one chunk for each call, so that lws never stores a large remainder. */
static int
write_response(struct sv_connection *connection)
{
    struct sv_http_exchange *http = connection->http;
    if (http == NULL || !http->is_answered) {
        return 0;
    }
    if (!http->is_head_sent && write_head(connection) != 0) {
        return -1;
    }
    const struct sv_buffer *body = http->response.body;
    bool has_body = body != NULL && http->method != SV_HTTP_HEAD &&
        http->response.status != 304 && http->response.status != 204;
    CN_ASSERT(!has_body || http->sent <= body->size);
    size_t left = has_body ? body->size - http->sent : 0;
    if (left > 0) {
        size_t size = left < CHUNK_SIZE ? left : CHUNK_SIZE;
        unsigned char chunk[LWS_PRE + CHUNK_SIZE];
        memcpy(chunk + LWS_PRE, body->bytes + http->sent, size);
        http->sent += size;
        bool is_final = http->sent == body->size;
        if (lws_write(connection->wsi, chunk + LWS_PRE, size,
                is_final ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0) {
            return -1;
        }
        if (!is_final) {
            lws_callback_on_writable(connection->wsi);
            return 0;
        }
    }
    return finish_response(connection);
}

void
sv_lws_reply(
    struct sv_lws *server, uint32_t token, const struct sv_http_response *response_take)
{
    for (struct sv_connection *c = server->waiting; c != NULL; c = c->next) {
        if (c->http != NULL && c->http->token == token && !c->http->is_answered) {
            answer_request(c, response_take);
            return;
        }
    }
    sv_buffer_unref(response_take->body);
}

/* ---- the callback ---- */

/*
 * Confirms only websocket upgrades, because h2c is on by default. `in` may dangle and is not read.
 */
static int
confirm_upgrade(struct lws *wsi)
{
    char text[32];
    const struct sv_lws *server = lws_context_user(lws_get_context(wsi));
    sv_lws_header(wsi, WSI_TOKEN_UPGRADE, text, sizeof(text));
    struct sv_connection *connection = lws_get_opaque_user_data(wsi);
    if (connection == NULL || !sv_lws_read_head(connection)) {
        return -1;
    }
    int status = strcasecmp(text, "websocket") != 0 ? 400 : sv_lws_check_handshake(wsi, server);
    text[0] = '\0';
    if (status == 503) {
        unsigned retry_ms = sv_random_retry_ms(&server->random, SV_RETRY_MS);
        snprintf(text, sizeof(text), "retry-after: %u\r\n", (retry_ms + 999) / 1000);
    }
    if (status == 0) {
        return 0;
    }
    /* Written by hand: at this point lws treats every client as HTTP/1.0. */
    unsigned char head[LWS_PRE + 128];
    int size = snprintf((char *)head + LWS_PRE, sizeof(head) - LWS_PRE,
        "HTTP/1.1 %d refused\r\nconnection: close\r\ncontent-length: 0\r\n%s\r\n", status, text);
    SV_COUNT(server->options.metrics, handshakes_refused, 1);
    lws_write(wsi, head + LWS_PRE, (size_t)size, LWS_WRITE_HTTP);
    return -1;
}

/* Notes a TLS listener's context. */
static void
add_tls_context(struct sv_lws *server, void *context)
{
    CN_ASSERT(server->tls_context_count < SV_LISTENERS_MAX);
    sv_tls_configure(server->options.tls, context);
    server->tls_contexts[server->tls_context_count++] = context;
}

int
sv_lws_http_callback(
    struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    struct sv_connection *connection = NULL;
    switch (reason) {
    case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS:
        add_tls_context(lws_context_user(lws_get_context(wsi)), user);
        return 0;
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
        return sv_lws_connection(wsi) != NULL ? 0 : -1;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return confirm_upgrade(wsi);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return 1; /* a handshake without a subprotocol */
    case LWS_CALLBACK_WSI_CREATE:
        sv_lws_wsi_created(wsi);
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        sv_lws_wsi_destroyed(wsi);
        return 0;
    case LWS_CALLBACK_HTTP:
    case LWS_CALLBACK_HTTP_BODY:
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
    case LWS_CALLBACK_HTTP_WRITEABLE:
        connection = sv_lws_connection(wsi);
        break;
    default:
        return 0;
    }
    if (connection == NULL) {
        return -1;
    }
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return begin_request(connection);
    case LWS_CALLBACK_HTTP_BODY:
        return take_body(connection, in, size);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        return dispatch_request(connection);
    default:
        return write_response(connection);
    }
}
