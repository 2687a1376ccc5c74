/*
 * test_request_head.c: request heads that all readers understand equally, and those that they do
 * not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/base/limits.h"
#include "server/inspect/request_head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST "Host: cairn.test\r\n"
#define WEBSOCKET                                                                              \
    "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"                                    \
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

/* The verdict on bytes that come in pieces of this size. */
static enum sv_head_verdict
scan(const char *bytes, size_t size, size_t step, struct sv_head *head)
{
    enum sv_head_verdict verdict = SV_HEAD_MORE;
    memset(head, 0, sizeof(*head));
    for (size_t n = 0; n < size && verdict == SV_HEAD_MORE;) {
        n = n + step < size ? n + step : size;
        char *copy = malloc(n); /* the sanitizer sees a read beyond it */
        assert_non_null(copy);
        memcpy(copy, bytes, n);
        verdict = sv_head_scan(head, copy, n);
        free(copy);
    }
    return verdict;
}

/* The status of the refusal, 0 of a good head, -1 of one that is not whole; however it is cut. */
static int
judge(const char *text)
{
    static const size_t steps[] = {1, 2, 7, SIZE_MAX / 2};
    int status = -2;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        struct sv_head head;
        enum sv_head_verdict verdict = scan(text, strlen(text), steps[i], &head);
        int found = verdict == SV_HEAD_BAD ? head.status : verdict == SV_HEAD_MORE ? -1 : 0;
        assert_true(verdict != SV_HEAD_GOOD || head.scanned == strlen(text));
        assert_true(verdict != SV_HEAD_BAD || head.reason != NULL);
        assert_true(status == -2 || found == status);
        status = found;
    }
    return status;
}

static void
test_good_heads(void **state)
{
    (void)state;
    static const char *const heads[] = {
        "GET / HTTP/1.1\r\n" HOST "\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "HEAD /v1/worlds?a=1&b=%2f;c HTTP/1.1\r\nhOST:\t x \t\r\nX: \xc3\xa9\tb\r\n\r\n",
        "DELETE /v1/worlds/a HTTP/1.1\r\n" HOST "\r\n",
        "POST /v1/worlds HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n",
        "PATCH /x HTTP/1.1\r\n" HOST "Content-Length: 999999999999999999\r\n\r\n",
        "GET /v1/ws HTTP/1.1\r\n" HOST WEBSOCKET "\r\n",
        "GET / HTTP/1.1\r\n" HOST "Empty:\r\nAccept: a\r\nAccept: b\r\n\r\n",
    };
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        assert_int_equal(judge(heads[i]), 0);
    }
}

static void
test_what_a_good_head_says(void **state)
{
    (void)state;
    struct sv_head head;
    static const char post[] =
        "POST /a HTTP/1.1\r\n" HOST "Content-Length: 0042\r\n\r\nGET / HTTP/1.1\r\n\r\n";
    assert_int_equal(scan(post, strlen(post), SIZE_MAX / 2, &head), SV_HEAD_GOOD);
    assert_int_equal(head.body_size, 42);
    assert_string_equal(post + head.scanned, "GET / HTTP/1.1\r\n\r\n");
    assert_false(head.is_upgrade);
    static const char ws[] = "GET /v1/ws HTTP/1.1\r\n" HOST WEBSOCKET "\r\n\x82";
    assert_int_equal(scan(ws, strlen(ws), SIZE_MAX / 2, &head), SV_HEAD_GOOD);
    assert_true(head.is_upgrade);
    assert_int_equal(head.body_size, 0);
    assert_int_equal(head.scanned, strlen(ws) - 1);
}

static void
test_request_lines(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int status;
    } lines[] = {
        {"get / HTTP/1.1", 400},
        {"GEt / HTTP/1.1", 400},
        {"G\"T / HTTP/1.1", 400},
        {" GET / HTTP/1.1", 400},
        {"", 400},
        {"GET", 400},
        {"GET /", 400},
        {"GET  / HTTP/1.1", 400},
        {"GET /  HTTP/1.1", 400},
        {"GET / HTTP/1.1 ", 400},
        {"GET / HTTP/11", 400},
        {"GET / http/1.1", 400},
        {"GET / HTTP/1.x", 400},
        {"GET / HTTP/2.0", 505},
        {"GET / HTTP/1.2", 505},
        {"GET / HTTP/0.9", 505},
        {"PRI * HTTP/2.0", 400},
        {"FOO / HTTP/1.1", 501},
        {"TRACE / HTTP/1.1", 501},
        {"CONNECT a:80 HTTP/1.1", 501},
        {"GET * HTTP/1.1", 400},
        {"GET http://cairn.test/ HTTP/1.1", 400},
        {"GET /a#b HTTP/1.1", 400},
        {"GET /%zz HTTP/1.1", 400},
        {"GET /%0 HTTP/1.1", 400},
        {"GET /% HTTP/1.1", 400},
        {"GET /%00 HTTP/1.1", 400},
        {"GET /\xc3\xa9 HTTP/1.1", 400},
        {"GET /\x7f HTTP/1.1", 400},
        {"GET /\ta HTTP/1.1", 400},
        {"PROXY TCP4 1.2.3.4 5.6.7.8 1 2", 400},
        {"\x16\x03\x01", 400},
        {"SSH-2.0-x", 400},
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        char text[256];
        snprintf(text, sizeof(text), "%s\r\n" HOST "\r\n", lines[i].line);
        if (judge(text) != lines[i].status) {
            print_error("%s: %d\n", lines[i].line, judge(text));
        }
        assert_int_equal(judge(text), lines[i].status);
    }
}

static void
test_header_lines(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        int status;
    } heads[] = {
        {"X: a\n", 400},          /* without CR */
        {"X: a\rb\r\n", 400},     /* CR within */
        {"X: \x01\r\n", 400},
        {"X: \x7f\r\n", 400},
        {"X : a\r\n", 400},       /* a blank before the colon */
        {"X\t: a\r\n", 400},
        {"X: a\r\n b\r\n", 400},  /* folded */
        {"X: a\r\n\tb\r\n", 400},
        {"X\r\n", 400},
        {": a\r\n", 400},
        {"X(: a\r\n", 400},
        {"\xc3\xa9: a\r\n", 400},
        {"Host: b\r\n", 400},     /* the second one */
        {"Content-Length: 1\r\nContent-Length: 1\r\n", 400},
        {"Content-Length: 1, 1\r\n", 400},
        {"Content-Length: -1\r\n", 400},
        {"Content-Length: +1\r\n", 400},
        {"Content-Length: 0x1\r\n", 400},
        {"Content-Length: 1 1\r\n", 400},
        {"Content-Length:\r\n", 400},
        {"Content-Length: 9999999999999999999\r\n", 400},
        {"Transfer-Encoding: chunked\r\n", 400},
        {"Transfer-Encoding: identity\r\nContent-Length: 1\r\n", 400},
        {"Content-Length: 1\r\ntransfer-encoding:\tchunked\r\n", 400},
        {"Authorization: a\r\nAuthorization: b\r\n", 400},
        {"Content-Type: a\r\nContent-Type: b\r\n", 400},
        {"Origin: a\r\nOrigin: a\r\n", 400},
    };
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        char text[256];
        snprintf(text, sizeof(text), "GET / HTTP/1.1\r\n" HOST "%s\r\n", heads[i].lines);
        if (judge(text) != heads[i].status) {
            print_error("%s: %d\n", heads[i].lines, judge(text));
        }
        assert_int_equal(judge(text), heads[i].status);
    }
    static const char folded[] = "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n";
    struct sv_head bad;
    assert_int_equal(scan(folded, strlen(folded), 1, &bad), SV_HEAD_BAD);
    assert_non_null(strstr(bad.reason, "folded"));
    assert_int_equal(judge("GET / HTTP/1.1\r\n\r\n"), 400);
    assert_int_equal(judge("GET / HTTP/1.1\r\nHost:\r\n\r\n"), 400);
    assert_int_equal(judge("POST / HTTP/1.1\r\n" HOST "\r\n"), 411);
    assert_int_equal(judge("PUT / HTTP/1.1\r\n" HOST "\r\n"), 411);
    assert_int_equal(judge("PATCH / HTTP/1.1\r\n" HOST "\r\n"), 411);
    static const char nul[] = "GET / HTTP/1.1\r\nHost: a\r\nX: \0b\r\n\r\n";
    struct sv_head head;
    assert_int_equal(scan(nul, sizeof(nul) - 1, 3, &head), SV_HEAD_BAD);
    assert_int_equal(head.status, 400);
}

/* A handshake with one line of it left out, or another in its place. */
static int
judge_handshake(const char *first, unsigned replaced, const char *by)
{
    static const char *const lines[] = {HOST, "Upgrade: websocket\r\n", "Connection: Upgrade\r\n",
        "Sec-WebSocket-Version: 13\r\n", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"};
    char text[512];
    size_t size = (size_t)snprintf(text, sizeof(text), "%s\r\n", first);
    for (unsigned i = 0; i < 5; i++) {
        size += (size_t)snprintf(
            text + size, sizeof(text) - size, "%s", i == replaced ? by : lines[i]);
    }
    snprintf(text + size, sizeof(text) - size, "\r\n");
    return judge(text);
}

static void
test_handshakes(void **state)
{
    (void)state;
    static const char get[] = "GET /v1/ws HTTP/1.1";
    assert_int_equal(judge_handshake(get, 9, ""), 0);
    assert_int_equal(judge_handshake("GET /v1/ws HTTP/1.0", 9, ""), 400);
    assert_int_equal(judge_handshake("GET /v1/ws HTTP/2.0", 9, ""), 505);
    assert_int_equal(judge_handshake("HEAD /v1/ws HTTP/1.1", 9, ""), 400);
    assert_int_equal(judge_handshake("POST /v1/ws HTTP/1.1", 9, ""), 400);
    assert_int_equal(judge_handshake(get, 2, ""), 400);
    assert_int_equal(judge_handshake(get, 2, "Connection: close\r\n"), 400);
    assert_int_equal(judge_handshake(get, 2, "Connection: notupgrade\r\n"), 400);
    assert_int_equal(judge_handshake(get, 2, "Connection: a\r\nConnection: b,upgrade\r\n"), 0);
    assert_int_equal(judge_handshake(get, 3, ""), 426);
    assert_int_equal(judge_handshake(get, 3, "Sec-WebSocket-Version: 8\r\n"), 426);
    assert_int_equal(judge_handshake(get, 3, "Sec-WebSocket-Version: 130\r\n"), 426);
    assert_int_equal(judge_handshake(get, 4, ""), 400);
    static const char *const keys[] = {"", "short", "dGhlIHNhbXBsZSBub25jZQ=",
        "dGhlIHNhbXBsZSBub25jZQ===", "dGhlIHNhbXBsZSBub25jZR==", "dGhlIHNhbXBsZSBub25j*Q==",
        "dGhlIHNhbXBsZSBub25jZQAA",
        ("dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Key: " /* two of them */
         "dGhlIHNhbXBsZSBub25jZQ==")};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        char line[128];
        snprintf(line, sizeof(line), "Sec-WebSocket-Key: %s\r\n", keys[i]);
        assert_int_equal(judge_handshake(get, 4, line), 400);
    }
    assert_int_equal(judge_handshake(get, 0, HOST "Content-Length: 5\r\n"), 400);
}

/* A line of that many bytes before CR LF. */
static char *
line_of(char *at, const char *begin, size_t size, const char *end)
{
    size_t used = strlen(begin), last = strlen(end);
    memcpy(at, begin, used);
    memset(at + used, 'a', size - used - last);
    memcpy(at + size - last, end, last);
    memcpy(at + size, "\r\n", 2);
    return at + size + 2;
}

static void
test_sizes(void **state)
{
    (void)state;
    static char text[3 * SV_HEAD_SIZE_MAX];
    for (int more = 0; more < 2; more++) {
        /* One CR more than the line itself may be. */
        char *at = line_of(text, "GET /", SV_REQUEST_LINE_SIZE_MAX - 1 + (size_t)more, " HTTP/1.1");
        strcpy(at, HOST "\r\n");
        assert_int_equal(judge(text), more == 0 ? 0 : 414);
        strcpy(text, "GET / HTTP/1.1\r\n" HOST);
        size_t used = strlen(text);
        at = line_of(text + used, "X: ", SV_HEAD_SIZE_MAX - used - 4 + (size_t)more, "");
        strcpy(at, "\r\n");
        assert_int_equal(judge(text), more == 0 ? 0 : 431);
        at = text + sprintf(text, "GET / HTTP/1.1\r\n" HOST);
        for (int i = 1; i < SV_HEAD_FIELDS_MAX + more; i++) {
            at += sprintf(at, "X-%d: y\r\n", i);
        }
        strcpy(at, "\r\n");
        assert_int_equal(judge(text), more == 0 ? 0 : 431);
        at = text + sprintf(text, "GET /?a");
        for (int i = 1; i < SV_HEAD_FIELDS_MAX - 1 + 2 * more; i++) {
            at += sprintf(at, "&a");
        }
        strcpy(at, " HTTP/1.1\r\n" HOST "\r\n");
        assert_int_equal(judge(text), more == 0 ? 0 : 414);
    }
    /* Without any end. */
    memset(text, 'A', sizeof(text) - 1);
    assert_int_equal(judge(text), 414);
    memcpy(text, "GET / HTTP/1.1\r\n", 16);
    assert_int_equal(judge(text), 431);
    assert_int_equal(judge("GET / HTTP/1.1\r\n" HOST), -1);
    assert_int_equal(judge("GE"), -1);
}

static void
test_fields(void **state)
{
    (void)state;
    static const char text[] = "GET / HTTP/1.1\r\n" HOST
                               "Forwarded: for=a\r\nForwardedX: no\r\nfORWARDED:\t for=b  \r\n"
                               "Forwarded:\r\n\r\nForwarded: body\r\n";
    struct sv_head head;
    size_t at = 0, size = 0;
    assert_int_equal(scan(text, strlen(text), SIZE_MAX / 2, &head), SV_HEAD_GOOD);
    const char *value = sv_head_field(&head, text, "forwarded", &at, &size);
    assert_int_equal(size, 5);
    assert_memory_equal(value, "for=a", size);
    value = sv_head_field(&head, text, "forwarded", &at, &size);
    assert_int_equal(size, 5);
    assert_memory_equal(value, "for=b", size);
    assert_non_null(sv_head_field(&head, text, "forwarded", &at, &size));
    assert_int_equal(size, 0);
    assert_null(sv_head_field(&head, text, "forwarded", &at, &size));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_heads),
        cmocka_unit_test(test_what_a_good_head_says),
        cmocka_unit_test(test_request_lines),
        cmocka_unit_test(test_header_lines),
        cmocka_unit_test(test_handshakes),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
