#include "server/net/lws/lws_read.h"

#include "engine/base/assert.h"
#include "proto/codec_json.h"
#include "server/net/lws/lws_guard.h"
#include "server/net/lws/lws_stream.h"

#include <errno.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define REFUSAL_SIZE_MAX 1024
#define DROPPED_SIZE ((size_t)16 * 1024)

/* Connections by their sockets.  recv() is given no context, and a process has one daemon. */
static struct sv_connection **connections;
static size_t connection_capacity;

/* The thread that owns them.  Other threads read by recv() and SSL_read(), too (the webhook's). */
static _Thread_local bool is_owner;

bool
sv_lws_read_begin(struct sv_connection *connection)
{
    CN_ASSERT(connection->fd >= 0);
    size_t fd = (size_t)connection->fd;
    is_owner = true;
    if (fd >= connection_capacity) {
        size_t capacity = fd * 2 + 64;
        struct sv_connection **grown =
            realloc(connections, capacity * sizeof(connections[0]));
        if (grown == NULL) {
            return false;
        }
        memset(grown + connection_capacity, 0,
            (capacity - connection_capacity) * sizeof(grown[0]));
        connections = grown;
        connection_capacity = capacity;
    }
    connections[fd] = connection;
    return true;
}

void
sv_lws_read_end(struct sv_connection *connection)
{
    size_t fd = (size_t)connection->fd;
    if (connection->fd >= 0 && fd < connection_capacity && connections[fd] == connection) {
        connections[fd] = NULL;
    }
    free(connection->intake.held);
    connection->intake.held = NULL;
}

void
sv_lws_read_finish(void)
{
    free(connections);
    connections = NULL;
    connection_capacity = 0;
}

struct sv_connection *
sv_lws_read_find(int fd)
{
    bool is_known = is_owner && fd >= 0 && (size_t)fd < connection_capacity;
    return is_known ? connections[fd] : NULL;
}

bool
sv_lws_read_head(struct sv_connection *connection)
{
    struct sv_intake *intake = &connection->intake;
    bool is_judged = intake->head_count > 0;
    intake->head_count -= is_judged;
    return is_judged;
}

/* ---- refusals ---- */

/* `status`: of the HTTP answer, or the code of the Close. */
static void
refuse_bytes(struct sv_connection *connection, int status, const char *reason)
{
    CN_ASSERT(status != 0 && reason != NULL);
    struct sv_intake *intake = &connection->intake;
    intake->stage = SV_INTAKE_NOTHING;
    intake->is_due = true;
    intake->status = status;
    intake->reason = reason;
    sv_lws_kill(connection);
}

static void
refuse_head(struct sv_connection *connection, int status, const char *reason)
{
    SV_COUNT(connection->server->options.metrics, heads_refused, 1);
    refuse_bytes(connection, status, reason);
}

static void
refuse_frames(struct sv_connection *connection, uint16_t code, const char *reason)
{
    SV_COUNT(connection->server->options.metrics, frames_refused, 1);
    refuse_bytes(connection, code, reason);
}

static const char *
name_status(int status)
{
    switch (status) {
    case 400:
        return "Bad Request";
    case 411:
        return "Length Required";
    case 414:
        return "URI Too Long";
    case 426:
        return "Upgrade Required\r\nsec-websocket-version: 13\r\nupgrade: websocket";
    case 429:
        return "Too Many Requests\r\nretry-after: 10";
    case 431:
        return "Request Header Fields Too Large";
    case 501:
        return "Not Implemented";
    default:
        return "HTTP Version Not Supported";
    }
}

static size_t
print_answer(const struct sv_intake *intake, char *out, size_t size)
{
    struct wire_error error;
    const char *code = intake->status == 429 ? "RATE" : "FIELD";
    wire_error_set(&error, code, "", "%s", intake->reason);
    char *body = wire_error_print(&error);
    int length = snprintf(out, size,
        "HTTP/1.1 %d %s\r\ncontent-type: application/json; charset=utf-8\r\n"
        "content-length: %zu\r\nx-content-type-options: nosniff\r\ncache-control: no-store\r\n"
        "content-security-policy: default-src 'none'\r\nconnection: close\r\n\r\n%s",
        intake->status, name_status(intake->status), body != NULL ? strlen(body) : 0,
        body != NULL && !intake->head.is_head ? body : "");
    free(body);
    return length > 0 && (size_t)length < size ? (size_t)length : 0;
}

bool
sv_lws_read_is_refused(struct sv_connection *connection)
{
    struct sv_intake *intake = &connection->intake;
    if (intake->status == 0 || intake->is_refused || intake->head_count > 0) {
        return false;
    }
    intake->is_due = true;
    return sv_lws_read_refuse(connection);
}

/* Whether an earlier request is still being answered, or a ping is about to be. */
static bool
has_to_wait(const struct sv_connection *connection)
{
    const struct sv_intake *intake = &connection->intake;
    return connection->is_socket ? intake->is_pong_due
                                 : intake->head_count > 0 || connection->http != NULL;
}

static bool
has_said_close(const struct sv_connection *connection)
{
    return connection->wsi != NULL ? lws_get_close_length(connection->wsi) > 0
                                   : connection->is_close_sent;
}

/* False: nothing can be sent.  *is_sent: all of it has been. */
static bool
put_refusal(struct sv_connection *connection, uint8_t *bytes, size_t size, bool *is_sent)
{
    if (connection->wsi == NULL) {
        bool is_good = sv_stream_put(connection, bytes, size);
        *is_sent = connection->rest == NULL;
        return is_good;
    }
    bool is_good = lws_write(connection->wsi, bytes, size, LWS_WRITE_HTTP) >= 0;
    *is_sent = is_good && !lws_partial_buffered(connection->wsi);
    return is_good;
}

bool
sv_lws_read_refuse(struct sv_connection *connection)
{
    struct sv_intake *intake = &connection->intake;
    struct sv_lws *server = connection->server;
    unsigned char bytes[LWS_PRE + REFUSAL_SIZE_MAX], *text = bytes + LWS_PRE;
    bool is_sent = false;
    if (!intake->is_due) {
        return false;
    }
    intake->is_due = false;
    if (connection->is_socket && has_said_close(connection)) {
        return true; /* a Close will be sent, or has been: one is enough */
    }
    if (connection->is_socket && connection->is_closing) {
        return false; /* a Close will be sent for another reason */
    }
    if (!intake->is_lingering) {
        intake->is_lingering = true;
        CN_ASSERT(server->lingering_count >= 0);
        server->lingering_count++;
    }
    if (connection->http == NULL) { /* else the answer has its own time limit */
        connection->deadline_ns =
            sv_clock_now_ns(&server->options.clock) + SV_REFUSAL_DURATION_NS;
    }
    if (has_to_wait(connection)) {
        intake->is_due = connection->is_socket; /* the next check of sockets writes it */
        intake->is_pong_due = false;
        return true;
    }
    size_t size = connection->is_socket
        ? sv_lws_print_close((unsigned)intake->status, intake->reason, text)
        : print_answer(intake, (char *)text, REFUSAL_SIZE_MAX);
    intake->is_refused = true;
    connection->is_closing = connection->is_socket;
    if (!put_refusal(connection, text, size, &is_sent)) {
        return false;
    }
    if (is_sent) {
        SSL *ssl = connection->is_direct ? NULL : lws_get_ssl(connection->wsi);
        if (ssl != NULL) {
            (void)SSL_shutdown(ssl);
        }
        (void)shutdown(connection->fd, SHUT_WR);
    }
    return true;
}

/* ---- heads ---- */

/* Finds the client for which a proxy sends this request: 0, or the status of the refusal. */
static int
look_for_client(struct sv_connection *connection, const struct sv_head *head, const char *bytes,
    const char **reason)
{
    const struct sv_intake *intake = &connection->intake;
    const char *name = intake->proxy == SV_PROXY_FORWARDED ? "forwarded" : "x-forwarded-for";
    char list[SV_HEAD_SIZE_MAX];
    size_t at = 0, size = 0, value_size = 0;
    const char *value;
    while ((value = sv_head_field(head, bytes, name, &at, &value_size)) != NULL) {
        CN_ASSERT(value_size < sizeof(list) - size);
        memcpy(list + size, value, value_size); /* with its comma shorter than the head */
        size += value_size;
        list[size++] = ',';
    }
    struct sv_forwarded client;
    switch (sv_forwarded_read(
        &connection->server->proxies, intake->proxy, list, size, &client)) {
    case SV_FORWARDED_NONE:
        (void)sv_lws_guard_move(connection, NULL);
        return 0;
    case SV_FORWARDED_GOOD:
        *reason = "too many connections come from there, or too many bad tokens have";
        return sv_lws_guard_move(connection, &client) ? 0 : 429;
    default:
        *reason = "what the proxy has added says not from whom the request comes";
        return 400;
    }
}

bool
sv_lws_read_client(
    struct sv_connection *connection, const struct sv_head *head, const char *bytes)
{
    const char *reason = "";
    enum sv_proxy_kind proxy = connection->intake.proxy;
    bool is_forwarded = proxy == SV_PROXY_FORWARDED || proxy == SV_PROXY_X_FORWARDED_FOR;
    int status = is_forwarded ? look_for_client(connection, head, bytes, &reason) : 0;
    if (status != 0) {
        refuse_head(connection, status, reason);
    }
    return status == 0;
}

static bool
hold_bytes(struct sv_connection *connection, const uint8_t *bytes, size_t size)
{
    struct sv_intake *intake = &connection->intake;
    if (intake->held == NULL) {
        intake->held = malloc(SV_HEAD_SIZE_MAX + 1);
    }
    if (intake->held == NULL) {
        return false;
    }
    CN_ASSERT(size <= SV_HEAD_SIZE_MAX);
    memcpy(intake->held, bytes, size);
    intake->held_size = size;
    return true;
}

/* Sets what follows a good head: frames, a body, or the next head. */
static void
begin_after_head(struct sv_intake *intake)
{
    CN_ASSERT(intake->stage == SV_INTAKE_HEAD && intake->held_size == 0);
    bool is_upgrade = intake->head.is_upgrade;
    intake->head_count++;
    intake->body_left = intake->head.body_size;
    memset(&intake->head, 0, sizeof(intake->head));
    intake->stage = is_upgrade      ? SV_INTAKE_FRAMES
        : intake->body_left > 0 ? SV_INTAKE_BODY
                                : SV_INTAKE_HEAD;
    if (is_upgrade) {
        memset(&intake->frames, 0, sizeof(intake->frames));
    }
}

/* Returns how many of the bytes may be passed on. */
static size_t
take_head(struct sv_connection *connection, const uint8_t *bytes, size_t size)
{
    struct sv_intake *intake = &connection->intake;
    struct sv_head *head = &intake->head;
    const char *text = (const char *)bytes;
    enum sv_head_verdict verdict = sv_head_scan(head, text, size);
    if (verdict == SV_HEAD_MORE && hold_bytes(connection, bytes, size)) {
        return 0;
    }
    if (verdict != SV_HEAD_GOOD) {
        bool is_bad = verdict == SV_HEAD_BAD;
        refuse_head(connection, is_bad ? head->status : 431, is_bad ? head->reason : "no memory");
        return 0;
    }
    if (!sv_lws_read_client(connection, head, text)) {
        return 0;
    }
    size_t used = head->scanned;
    CN_ASSERT(used > 0 && used <= size);
    begin_after_head(intake);
    return used;
}

/* ---- frames ---- */

void
sv_lws_read_ping(struct sv_connection *connection)
{
    struct sv_lws *server = connection->server;
    uint64_t now_ns = sv_clock_now_ns(&server->options.clock);
    if (!connection->is_closing &&
        !sv_rate_take(&connection->pings, now_ns, SV_NS_PER_S / SV_PING_RATE, SV_PING_BURST)) {
        SV_COUNT(server->options.metrics, ping_floods, 1);
        sv_lws_close(server, connection, 1008, "too many pings");
    }
}

static void
count_pings(struct sv_connection *connection)
{
    struct sv_intake *intake = &connection->intake;
    unsigned count = intake->frames.ping_count - intake->ping_count;
    if (count == 0) {
        return;
    }
    intake->ping_count = intake->frames.ping_count;
    intake->is_pong_due = true;
    for (unsigned i = 0; i < count; i++) {
        sv_lws_read_ping(connection);
    }
}

static size_t
take_frames(struct sv_connection *connection, const uint8_t *bytes, size_t size)
{
    struct sv_intake *intake = &connection->intake;
    struct sv_frames *frames = &intake->frames;
    intake->is_pong_due = false;
    size_t used = sv_frames_check(frames, bytes, size);
    CN_ASSERT(used <= size);
    count_pings(connection);
    sv_lws_read_note(connection);
    return used;
}

void
sv_lws_read_note(struct sv_connection *connection)
{
    struct sv_intake *intake = &connection->intake;
    const struct sv_frames *frames = &intake->frames;
    if (frames->code != 0) {
        refuse_frames(connection, frames->code, frames->text);
    } else if (frames->is_closed) {
        intake->stage = SV_INTAKE_NOTHING;
    }
    bool is_another = frames->message_count != intake->message_count;
    intake->message_count = frames->message_count;
    if (is_another) {
        sv_lws_set_open(connection, false);
    }
    sv_lws_set_open(connection, sv_frames_are_open(frames) && frames->code == 0);
}

/* ---- reading ---- */

/* Returns how many of the bytes may be passed on; held or dropped bytes come after them. */
static size_t
judge_bytes(struct sv_connection *connection, const uint8_t *bytes, size_t size)
{
    struct sv_intake *intake = &connection->intake;
    size_t at = 0;
    while (at < size) {
        size_t used = 0, left = size - at;
        switch (intake->stage) {
        case SV_INTAKE_HEAD:
            used = take_head(connection, bytes + at, left);
            break;
        case SV_INTAKE_BODY:
            used = intake->body_left < left ? (size_t)intake->body_left : left;
            intake->body_left -= used;
            intake->stage = intake->body_left > 0 ? SV_INTAKE_BODY : SV_INTAKE_HEAD;
            break;
        case SV_INTAKE_FRAMES:
            used = take_frames(connection, bytes + at, left);
            break;
        case SV_INTAKE_NOTHING:
            break;
        }
        if (used == 0) {
            return at;
        }
        at += used;
    }
    return at;
}

/* Returns how many of the `got` bytes, read after the held ones, may be passed on. */
static size_t
judge_read(struct sv_connection *connection, uint8_t *bytes, size_t got)
{
    struct sv_intake *intake = &connection->intake;
    size_t held_size = intake->held_size;
    if (held_size > 0) {
        memcpy(bytes, intake->held, held_size);
        intake->held_size = 0;
    }
    size_t used = judge_bytes(connection, bytes, held_size + got);
    if (intake->held_size == 0) {
        free(intake->held);
        intake->held = NULL;
    }
    return used;
}

/* Reads more at once than lws asks for: the bytes are ignored, and only their end matters. */
static ssize_t
drop_some(int fd)
{
    char dropped[DROPPED_SIZE];
    ssize_t got = recvfrom(fd, dropped, sizeof(dropped), 0, NULL, NULL);
    if (got > 0) {
        errno = EAGAIN;
        return -1;
    }
    return got;
}

/*
 * The library's recv() and SSL_read(), by these names for the linker alone.  The library asks for
 * READ_SIZE_MAX bytes of a request, so that the held bytes and the new ones fit.
 */
ssize_t sv_lws_recv(int fd, void *bytes, size_t size, int flags) __asm__("recv");
int sv_lws_ssl_read(SSL *ssl, void *bytes, int size) __asm__("SSL_read");

__attribute__((visibility("default"))) ssize_t
sv_lws_recv(int fd, void *bytes, size_t size, int flags)
{
    struct sv_connection *connection = sv_lws_read_find(fd);
    if (connection == NULL || flags != 0 || !connection->is_direct) {
        return recvfrom(fd, bytes, size, flags, NULL, NULL);
    }
    size_t held_size = connection->intake.held_size;
    if (size <= held_size) {
        errno = ENOBUFS;
        return -1;
    }
    if (connection->intake.stage == SV_INTAKE_NOTHING) {
        return drop_some(fd);
    }
    uint8_t *at = bytes;
    ssize_t got = recvfrom(fd, at + held_size, size - held_size, 0, NULL, NULL);
    if (got <= 0) {
        return got;
    }
    size_t used = judge_read(connection, at, (size_t)got);
    if (used == 0) {
        errno = EAGAIN;
        return -1;
    }
    return (ssize_t)used;
}

/* SSL_read_ex reads what SSL_read does; SSL_get_error then says why there is no more. */
__attribute__((visibility("default"))) int
sv_lws_ssl_read(SSL *ssl, void *bytes, int size)
{
    struct sv_connection *connection = sv_lws_read_find(SSL_get_fd(ssl));
    uint8_t *at = bytes;
    for (;;) {
        size_t held_size = connection != NULL ? connection->intake.held_size : 0, got = 0;
        bool has_room = size >= 0 && (size_t)size > held_size;
        if (!has_room || SSL_read_ex(ssl, at + held_size, (size_t)size - held_size, &got) != 1) {
            return -1;
        }
        size_t used = connection != NULL ? judge_read(connection, at, got) : got;
        if (used > 0) {
            return (int)used;
        }
    }
}
