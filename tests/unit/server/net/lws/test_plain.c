/*
 * test_plain.c: WebSockets that the daemon serves without libwebsockets.
 *
 * A client is one end of a socket pair; the clock is simulated.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/base/limits.h"
#include "server/net/lws/lws_connection.h"
#include "server/net/lws/lws_end.h"
#include "server/net/lws/lws_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#define HOST "cairn.test"
#define HEAD_FIELDS                                                                               \
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"                  \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
#define HEAD "GET /v1/ws HTTP/1.1\r\nHost: " HOST "\r\n" HEAD_FIELDS
#define OURS "Sec-WebSocket-Protocol: cairn.v1\r\n"

struct rig {
    uint64_t now_ns;
    uv_loop_t loop;
    struct sv_log log;
    struct sv_metrics metrics;
    struct sv_lws lws;
    struct sv_connection *connection;
    uint8_t message[256];
    size_t message_size;
    int opened, messages, writable, closed;
    bool is_refusing, is_closing_at_message;
    enum sv_door door; /* of the last request */
};

static void *
on_opened(void *context, struct sv_connection *connection)
{
    struct rig *rig = context;
    rig->opened++;
    rig->connection = connection;
    return rig->is_refusing ? NULL : rig;
}

static void
on_message(void *user, const uint8_t *bytes, size_t size)
{
    struct rig *rig = user;
    rig->messages++;
    rig->message_size = size < sizeof(rig->message) ? size : sizeof(rig->message);
    memcpy(rig->message, bytes, rig->message_size);
    if (rig->is_closing_at_message) {
        sv_lws_close(&rig->lws, rig->connection, 1008, "enough");
    }
}

static void
on_writable(void *user)
{
    ((struct rig *)user)->writable++;
}

static void
on_closed(void *user)
{
    ((struct rig *)user)->closed++;
}

static bool
handle_request(void *context, const struct sv_http_request *request,
    struct sv_http_response *response)
{
    struct rig *rig = context;
    rig->door = request->door;
    *response = (struct sv_http_response){.status = 204};
    return true;
}

static void
drop_line(void *context, const char *line, size_t size)
{
    (void)context;
    (void)line;
    (void)size;
}

static int
start(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    char error[SV_TLS_ERROR_SIZE];
    assert_non_null(rig);
    rig->now_ns = 1000 * SV_NS_PER_S;
    sv_log_init(&rig->log, SV_LOG_ERROR, sv_clock_simulated(&rig->now_ns));
    rig->log.write = drop_line;
    uv_loop_init(&rig->loop);
    struct sv_lws_options options = {
        .loop = &rig->loop,
        .clock = sv_clock_simulated(&rig->now_ns),
        .log = &rig->log,
        .metrics = &rig->metrics,
        .events = {rig, on_opened, on_message, on_writable, on_closed},
        .handler = {.context = rig, .handle = handle_request},
        .connections_max = 8,
        .receive_rate = SV_RECEIVE_RATE,
        .guard = sv_guard_limits_make(64, 64, 1000, 64, false),
    };
    assert_true(sv_lws_init(&rig->lws, &options));
    assert_true(sv_lws_listen(&rig->lws, "127.0.0.1", 0, SV_DOOR_WHOLE, error) > 0);
    assert_true(sv_lws_listen(&rig->lws, "127.0.0.1", 0, SV_DOOR_ADMIN, error) > 0);
    sv_hosts_add_host(&rig->lws.hosts, HOST);
    *state = rig;
    return 0;
}

static int
stop(void **state)
{
    struct rig *rig = *state;
    sv_lws_stop(&rig->lws);
    rig->now_ns += 2 * SV_NS_PER_S; /* a failed test leaves connections */
    uv_run(&rig->loop, UV_RUN_DEFAULT);
    assert_int_equal(rig->metrics.connections, 0);
    assert_int_equal(rig->opened - (rig->is_refusing ? rig->opened : 0), rig->closed);
    sv_lws_finish(&rig->lws);
    uv_loop_close(&rig->loop);
    free(rig);
    return 0;
}

static void
turn(struct rig *rig)
{
    for (int i = 0; i < 8; i++) {
        uv_run(&rig->loop, UV_RUN_NOWAIT);
    }
}

static int
come_by(struct rig *rig, int listener)
{
    const struct sockaddr from = {.sa_family = AF_UNIX};
    int ends[2];
    assert_int_equal(
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    sv_lws_take(rig->lws.listeners[listener], ends[1], &from);
    return ends[0];
}

static int
come(struct rig *rig)
{
    return come_by(rig, 0);
}

static void
say(struct rig *rig, int fd, const void *bytes, size_t size)
{
    assert_int_equal(send(fd, bytes, size, MSG_NOSIGNAL), size);
    turn(rig);
}

/* Returns the bytes since the last call, as text; *size is 0 at the end of the stream, too. */
static const uint8_t *
hear(int fd, size_t *size)
{
    static uint8_t bytes[4096];
    ssize_t got = recv(fd, bytes, sizeof(bytes) - 1, 0);
    *size = got > 0 ? (size_t)got : 0;
    bytes[*size] = '\0';
    return bytes;
}

static bool
is_ended(int fd)
{
    uint8_t byte;
    return recv(fd, &byte, 1, 0) == 0;
}

static int
open_socket(struct rig *rig)
{
    static const char head[] = HEAD OURS "\r\n";
    size_t size;
    int fd = come(rig);
    say(rig, fd, head, sizeof(head) - 1);
    assert_non_null(strstr((const char *)hear(fd, &size), "HTTP/1.1 101 "));
    assert_non_null(rig->connection);
    assert_null(rig->connection->wsi);
    return fd;
}

/* A mask of 1 2 3 4, and the payload under it. */
static size_t
print_frame(uint8_t *out, unsigned first, const char *payload, size_t size)
{
    static const uint8_t mask[4] = {1, 2, 3, 4};
    out[0] = (uint8_t)first;
    out[1] = (uint8_t)(0x80 | size);
    memcpy(out + 2, mask, 4);
    for (size_t i = 0; i < size; i++) {
        out[6 + i] = (uint8_t)payload[i] ^ mask[i % 4];
    }
    return size + 6;
}

static void
say_frame(struct rig *rig, int fd, unsigned first, const char *payload)
{
    uint8_t bytes[160];
    say(rig, fd, bytes, print_frame(bytes, first, payload, strlen(payload)));
}

static void
assert_heard(int fd, const char *wanted, size_t wanted_size)
{
    size_t size;
    const uint8_t *bytes = hear(fd, &size);
    assert_int_equal(size, wanted_size);
    assert_memory_equal(bytes, wanted, wanted_size);
}
#define ASSERT_HEARD(fd, text) assert_heard(fd, text, sizeof(text) - 1)

/* ---- handshakes ---- */

/* RFC 6455, 1.3, has this key and this answer. */
static void
test_handshake(void **state)
{
    struct rig *rig = *state;
    int fd = come(rig);
    static const char head[] = HEAD "Origin: https://" HOST "\r\n" OURS "\r\n";
    size_t size;
    say(rig, fd, head, sizeof(head) - 1);
    const char *answer = (const char *)hear(fd, &size);
    assert_non_null(strstr(answer, "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
    assert_non_null(strstr(answer, "Sec-WebSocket-Protocol: cairn.v1\r\n"));
    assert_string_equal(answer + size - 4, "\r\n\r\n");
    assert_int_equal(rig->opened, 1);
    assert_null(rig->connection->wsi);
    close(fd);
    turn(rig);
    assert_int_equal(rig->closed, 1);
}

/* libwebsockets serves it from the first byte on. */
static void
test_handshake_in_pieces(void **state)
{
    struct rig *rig = *state;
    static const char head[] = HEAD OURS "\r\n";
    size_t size;
    int fd = come(rig);
    say(rig, fd, head, 40);
    say(rig, fd, head + 40, sizeof(head) - 41);
    assert_non_null(strstr((const char *)hear(fd, &size), "HTTP/1.1 101 "));
    assert_int_equal(rig->opened, 1);
    assert_non_null(rig->connection->wsi);
    say_frame(rig, fd, 0x82, "hi");
    assert_int_equal(rig->messages, 1);
    close(fd);
    turn(rig);
}

static void
test_handshakes_that_are_refused(void **state)
{
    static const struct {
        const char *head;
        int status;
    } cases[] = {
        {"GET /v1/ws HTTP/1.1\r\nHost: elsewhere\r\n" HEAD_FIELDS OURS, 403},
        {HEAD "Origin: http://elsewhere\r\n" OURS, 403},
        {HEAD "Origin: null\r\n" OURS, 403},
        {"GET /v1/ws/ HTTP/1.1\r\nHost: " HOST "\r\n" HEAD_FIELDS OURS, 404},
        {"GET /v1/ws?token=x HTTP/1.1\r\nHost: " HOST "\r\n" HEAD_FIELDS OURS, 400},
        {HEAD, 400}, /* no subprotocol */
        {HEAD "Sec-WebSocket-Protocol: cairn.v2\r\n", 400},
        {HEAD "Upgrade: h2c\r\n" OURS, 400},
        {HEAD "Host: " HOST "\r\n" OURS, 400},
        {"GET /healthz HTTP/1.1\r\nHost: " HOST "\r\n", 204},
    };
    struct rig *rig = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char head[1024], wanted[32];
        size_t size;
        int fd = come(rig);
        snprintf(head, sizeof(head), "%s\r\n", cases[i].head);
        snprintf(wanted, sizeof(wanted), "HTTP/1.1 %d ", cases[i].status);
        say(rig, fd, head, strlen(head));
        turn(rig);
        const char *answer = (const char *)hear(fd, &size);
        if (strncmp(answer, wanted, strlen(wanted)) != 0) {
            fail_msg("%s is answered with %s", head, answer);
        }
        close(fd);
        turn(rig);
    }
    assert_int_equal(rig->opened, 0);
}

/* Both listeners have one address, so the Host header does not distinguish them. */
static void
test_doors(void **state)
{
    static const char request[] = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n";
    static const char head[] = HEAD OURS "\r\n";
    static const enum sv_door doors[2] = {SV_DOOR_WHOLE, SV_DOOR_ADMIN};
    struct rig *rig = *state;
    char text[128];
    size_t size;
    for (int i = 0; i < 2; i++) {
        struct sockaddr_in name;
        socklen_t name_size = sizeof(name);
        assert_int_equal(getsockname(rig->lws.listeners[i]->fd, (struct sockaddr *)&name,
                             &name_size), 0);
        snprintf(text, sizeof(text), request, ntohs(name.sin_port));
        int fd = come_by(rig, i);
        say(rig, fd, text, strlen(text));
        assert_non_null(strstr((const char *)hear(fd, &size), "HTTP/1.1 204 "));
        assert_int_equal(rig->door, doors[i]);
        close(fd);
        turn(rig);
    }
    int fd = come_by(rig, 1); /* there are no WebSockets by this door */
    say(rig, fd, head, sizeof(head) - 1);
    assert_non_null(strstr((const char *)hear(fd, &size), "HTTP/1.1 404 "));
    assert_int_equal(rig->opened, 0);
    close(fd);
    turn(rig);
}

/* The one that follows is read from the same bytes. */
static void
test_frames_behind_the_handshake(void **state)
{
    struct rig *rig = *state;
    static const char head[] = HEAD OURS "\r\n";
    uint8_t bytes[1024];
    size_t size = sizeof(head) - 1;
    memcpy(bytes, head, size);
    size += print_frame(bytes + size, 0x82, "hi", 2);
    int fd = come(rig);
    say(rig, fd, bytes, size);
    assert_int_equal(rig->messages, 1);
    assert_int_equal(rig->message_size, 2);
    close(fd);
    turn(rig);
}

static void
test_refused_by_the_gateway(void **state)
{
    struct rig *rig = *state;
    rig->is_refusing = true;
    static const char head[] = HEAD OURS "\r\n";
    size_t size;
    int fd = come(rig);
    say(rig, fd, head, sizeof(head) - 1);
    const uint8_t *answer = hear(fd, &size);
    assert_memory_equal(answer + size - 4, "\x88\x02\x03\xf5", 4); /* 1013 */
    close(fd);
    turn(rig);
}

/* ---- frames ---- */

static void
test_messages(void **state)
{
    struct rig *rig = *state;
    uint8_t bytes[64];
    int fd = open_socket(rig);
    say_frame(rig, fd, 0x82, "whole");
    assert_int_equal(rig->messages, 1);
    assert_memory_equal(rig->message, "whole", 5);
    size_t size = print_frame(bytes, 0x82, "byte by byte", 12);
    for (size_t i = 0; i < size; i++) {
        say(rig, fd, bytes + i, 1);
    }
    assert_int_equal(rig->messages, 2);
    assert_int_equal(rig->message_size, 12);
    assert_memory_equal(rig->message, "byte by byte", 12);
    say_frame(rig, fd, 0x02, "in ");
    say_frame(rig, fd, 0x00, "thr");
    say_frame(rig, fd, 0x80, "ee");
    assert_int_equal(rig->messages, 3);
    assert_memory_equal(rig->message, "in three", 8);
    say_frame(rig, fd, 0x82, "");
    assert_int_equal(rig->messages, 4);
    assert_int_equal(rig->message_size, 0);
    close(fd);
    turn(rig);
}

static void
test_pings(void **state)
{
    struct rig *rig = *state;
    uint8_t bytes[64];
    int fd = open_socket(rig);
    say_frame(rig, fd, 0x89, "one");
    ASSERT_HEARD(fd, "\x8a\x03one");
    size_t size = print_frame(bytes, 0x89, "two", 3);
    for (size_t i = 0; i < size; i++) {
        say(rig, fd, bytes + i, 1);
    }
    ASSERT_HEARD(fd, "\x8a\x03two");
    size = print_frame(bytes, 0x89, "a", 1);
    size += print_frame(bytes + size, 0x89, "b", 1);
    say(rig, fd, bytes, size);
    ASSERT_HEARD(fd, "\x8a\x01""b");
    for (int i = 0; i < SV_PING_BURST; i++) {
        say_frame(rig, fd, 0x89, "x");
    }
    const uint8_t *heard = hear(fd, &size); /* six are left of the burst, then the Close */
    assert_int_equal(size, 6 * 3 + 4 + strlen("too many pings"));
    assert_memory_equal(heard + 18, "\x88\x10\x03\xf0too many pings", 18);
    close(fd);
    turn(rig);
}

static void
test_bad_frames(void **state)
{
    struct rig *rig = *state;
    int fd = open_socket(rig);
    say(rig, fd, "\x82\x01x", 3); /* without a mask */
    size_t size;
    const uint8_t *heard = hear(fd, &size);
    assert_memory_equal(heard, "\x88\x18\x03\xea", 4); /* 1002 */
    assert_true(is_ended(fd));
    say_frame(rig, fd, 0x82, "ignored");
    assert_int_equal(rig->messages, 0);
    close(fd);
    turn(rig);
    assert_int_equal(rig->closed, 1);
}

/* ---- ends ---- */

static void
test_close_of_the_peer(void **state)
{
    struct rig *rig = *state;
    int fd = open_socket(rig);
    say_frame(rig, fd, 0x88, "\x03\xe8" "bye");
    ASSERT_HEARD(fd, "\x88\x05\x03\xe8" "bye");
    assert_true(is_ended(fd));
    assert_int_equal(rig->closed, 1);
    close(fd);
}

static void
test_close_of_ours(void **state)
{
    struct rig *rig = *state;
    int fd = open_socket(rig);
    rig->is_closing_at_message = true;
    say_frame(rig, fd, 0x82, "a");
    say_frame(rig, fd, 0x82, "b");
    assert_int_equal(rig->messages, 1); /* nothing is done after a Close */
    ASSERT_HEARD(fd, "\x88\x08\x03\xf0" "enough");
    assert_int_equal(rig->closed, 0);
    say_frame(rig, fd, 0x88, "\x03\xf0");
    assert_true(is_ended(fd)); /* it is not answered again */
    assert_int_equal(rig->closed, 1);
    close(fd);
}

static void
test_unanswered_close(void **state)
{
    struct rig *rig = *state;
    int fd = open_socket(rig);
    sv_lws_close(&rig->lws, rig->connection, 1001, "gone");
    turn(rig);
    ASSERT_HEARD(fd, "\x88\x06\x03\xe9gone");
    rig->now_ns += 4900 * SV_NS_PER_MS;
    sv_end_tend(&rig->lws, rig->now_ns);
    assert_int_equal(rig->closed, 0);
    rig->now_ns += 400 * SV_NS_PER_MS;
    sv_end_tend(&rig->lws, rig->now_ns);
    assert_int_equal(rig->closed, 1);
    close(fd);
}

/* In steps of a second. */
static void
wait_s(struct rig *rig, int seconds)
{
    for (int i = 0; i < seconds; i++) {
        rig->now_ns += SV_NS_PER_S;
        sv_end_tend(&rig->lws, rig->now_ns);
    }
}

static void
test_silence(void **state)
{
    struct rig *rig = *state;
    size_t size;
    int fd = open_socket(rig);
    wait_s(rig, 15);
    say_frame(rig, fd, 0x82, "here");
    wait_s(rig, 19);
    (void)hear(fd, &size);
    assert_int_equal(size, 0);
    wait_s(rig, 2);
    ASSERT_HEARD(fd, "\x89\x00");
    say_frame(rig, fd, 0x8a, "");
    wait_s(rig, 22);
    ASSERT_HEARD(fd, "\x89\x00");
    wait_s(rig, 17);
    assert_int_equal(rig->closed, 0);
    wait_s(rig, 3);
    assert_int_equal(rig->closed, 1);
    assert_true(is_ended(fd));
    close(fd);
}

/* ---- sending ---- */

/* A peer that does not read gets each message whole and once, as far as they were accepted. */
static void
test_full_socket(void **state)
{
    static uint8_t bytes[50000], read_back[50000];
    struct rig *rig = *state;
    struct sv_transport transport = sv_lws_transport(&rig->lws);
    int fd = open_socket(rig), sent = 0;
    size_t heard = 0, size;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)(i * 7 / 3);
    }
    const struct sv_span spans[2] = {{bytes, 3}, {bytes + 3, sizeof(bytes) - 3}};
    while (transport.send(&rig->lws, rig->connection, spans, 2)) {
        assert_true(++sent < 1000);
    }
    turn(rig);
    assert_int_equal(rig->writable, 0);
    say_frame(rig, fd, 0x89, "p"); /* its pong waits behind the message */
    say_frame(rig, fd, 0x89, "q"); /* and is the only one */
    while (heard < (size_t)sent * sizeof(bytes)) {
        ssize_t got = recv(fd, read_back, sizeof(read_back), 0);
        assert_true(got > 0);
        size_t left = (size_t)sent * sizeof(bytes) - heard;
        for (size_t i = 0; i < (size_t)got && i < left; i++, heard++) {
            assert_int_equal(read_back[i], bytes[heard % sizeof(bytes)]);
        }
        turn(rig);
        if ((size_t)got > left) { /* a part of the pong came with it */
            size = (size_t)got - left;
            assert_memory_equal(read_back + left, "\x8a\x01p", size < 3 ? size : 3);
            heard += size;
        }
    }
    (void)hear(fd, &size);
    assert_int_equal(heard + size, (size_t)sent * sizeof(bytes) + 3);
    assert_int_equal(rig->writable, 1);
    assert_null(rig->connection->rest);
    assert_true(transport.send(&rig->lws, rig->connection, spans, 1));
    close(fd);
    turn(rig);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(test_handshake),
        TEST(test_handshake_in_pieces),
        TEST(test_handshakes_that_are_refused),
        TEST(test_doors),
        TEST(test_frames_behind_the_handshake),
        TEST(test_refused_by_the_gateway),
        TEST(test_messages),
        TEST(test_pings),
        TEST(test_bad_frames),
        TEST(test_close_of_the_peer),
        TEST(test_close_of_ours),
        TEST(test_unanswered_close),
        TEST(test_silence),
        TEST(test_full_socket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
