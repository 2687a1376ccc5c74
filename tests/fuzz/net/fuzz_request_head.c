/*
 * fuzz_request_head.c: heads of HTTP requests, made from valid lines, some corrupted.
 *
 * The verdict does not depend on how a head is cut.  An intact head is accepted.  An accepted head
 * is checked by a second, simple reader that only knows lines and colons.  It must have one Host,
 * no Transfer-Encoding, at most one Content-Length, no control byte and no folded line, and must
 * end with its first empty line.
 */
#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/inspect/request_head.h"
#include "tests/fuzz/take.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TEXT_SIZE (SV_HEAD_SIZE_MAX + 2048)

static const char *const first_lines[] = {"GET / HTTP/1.1", "GET /v1/worlds?a=1&b HTTP/1.1",
    "HEAD /%41 HTTP/1.1", "DELETE /v1/worlds/a HTTP/1.1", "OPTIONS / HTTP/1.1"};
static const char *const more_lines[] = {"Accept: */*", "X:", "Cookie: a=b; c", "X-Y-Z: \xc3\xa9",
    "Content-Length: 17", "Connection: keep-alive", "Forwarded: for=192.0.2.1",
    "Authorization: Bearer x", "Origin: http://a", "Content-Type: application/json"};
static const char *const handshake[] = {"Upgrade: websocket", "Connection: Upgrade",
    "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="};

static char text[TEXT_SIZE];
static size_t text_size;

static void
add(const char *line)
{
    text_size += (size_t)snprintf(text + text_size, TEXT_SIZE - text_size, "%s\r\n", line);
}

/* A good head: lines that may stand once do. */
static void
make(struct take *in)
{
    unsigned how = take_byte(in), taken = 0;
    text_size = 0;
    if (how >= 192) {
        add("GET /v1/ws HTTP/1.1");
        for (unsigned i = 0; i < 4; i++) {
            add(handshake[(i + how) % 4]);
        }
        taken = 1U << 4;
    } else if (how >= 160) {
        add(how % 2 == 0 ? "POST /v1/worlds HTTP/1.1" : "PATCH /x HTTP/1.1");
        add("Content-Length: 0");
        taken = 1U << 4;
    } else {
        add(first_lines[how % 5]);
    }
    add("Host: cairn.test");
    for (unsigned count = take_byte(in) % 12; count > 0; count--) {
        unsigned i = take_byte(in) % 10;
        if ((taken & 1U << i) == 0) {
            add(more_lines[i]);
            taken |= i < 4 ? 0 : 1U << i;
        }
    }
    add("");
}

/* Some bytes changed, left out, put in or repeated. */
static bool
spoil(struct take *in)
{
    unsigned count = take_byte(in);
    count = count < 96 ? 0 : count % 4 + 1;
    for (unsigned i = 0; i < count; i++) {
        unsigned how = take_byte(in);
        size_t at = (take_byte(in) * 256U + take_byte(in)) % text_size;
        size_t length = how % 8 == 7 ? take_byte(in) : 1;
        length = length < text_size - at ? length : text_size - at;
        if (how % 4 == 0 && text_size > 1) {
            memmove(text + at, text + at + 1, text_size - at - 1);
            text_size--;
        } else if (how % 4 == 1) {
            text[at] = (char)take_byte(in);
        } else if (text_size + length < TEXT_SIZE) {
            memmove(text + at + length, text + at, text_size - at);
            text_size += length;
            text[at] = how % 4 == 2 ? (char)take_byte(in) : text[at];
        }
    }
    return count > 0;
}

static enum sv_head_verdict
scan_in_pieces(struct take *in, struct sv_head *head)
{
    enum sv_head_verdict verdict = SV_HEAD_MORE;
    memset(head, 0, sizeof(*head));
    for (size_t n = 0; n < text_size && verdict == SV_HEAD_MORE;) {
        size_t step = 1 + take_byte(in) % 64;
        n = n + step < text_size ? n + step : text_size;
        char *copy = malloc(n);
        CN_ASSERT(copy != NULL);
        memcpy(copy, text, n);
        verdict = sv_head_scan(head, copy, n);
        free(copy);
    }
    return verdict;
}

static void
check_good(const struct sv_head *head)
{
    unsigned hosts = 0, lengths = 0, lines = 0;
    CN_ASSERT(head->scanned >= 4 && head->scanned <= SV_HEAD_SIZE_MAX);
    CN_ASSERT(memcmp(text + head->scanned - 4, "\r\n\r\n", 4) == 0);
    for (size_t at = 0; at + 2 < head->scanned; lines++) {
        const char *line = text + at;
        const char *end = memchr(line, '\r', head->scanned - at);
        CN_ASSERT(end != NULL && end[1] == '\n' && end > line && line[0] != ' ' && line[0] != '\t');
        for (const char *c = line; c < end; c++) {
            CN_ASSERT((unsigned char)*c >= ' ' || (*c == '\t' && lines > 0));
        }
        hosts += lines > 0 && strncasecmp(line, "host:", 5) == 0;
        lengths += lines > 0 && strncasecmp(line, "content-length:", 15) == 0;
        CN_ASSERT(lines == 0 || strncasecmp(line, "transfer-encoding", 17) != 0);
        at = (size_t)(end - text) + 2;
    }
    CN_ASSERT((hosts == 1 || head->is_10) && hosts <= 1 && lengths <= 1);
    CN_ASSERT(lines <= SV_HEAD_FIELDS_MAX + 1 && head->field_count <= SV_HEAD_FIELDS_MAX);
    CN_ASSERT(lengths == 1 || head->body_size == 0);
    CN_ASSERT(!head->is_upgrade || (head->is_get && !head->is_10 && head->body_size == 0));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct take in = {data, data + size};
    struct sv_head head = {0}, pieces;
    make(&in);
    bool is_spoilt = spoil(&in);
    enum sv_head_verdict verdict = sv_head_scan(&head, text, text_size);
    CN_ASSERT(is_spoilt || (verdict == SV_HEAD_GOOD && head.scanned == text_size));
    CN_ASSERT(scan_in_pieces(&in, &pieces) == verdict);
    /* Which of two mistakes is found first can depend on the cut where one of them is the size. */
    CN_ASSERT(verdict != SV_HEAD_BAD || pieces.status == head.status || head.status == 414 ||
        head.status == 431 || pieces.status == 414 || pieces.status == 431);
    CN_ASSERT(verdict == SV_HEAD_BAD || pieces.scanned == head.scanned);
    if (verdict == SV_HEAD_GOOD) {
        check_good(&head);
    } else if (verdict == SV_HEAD_BAD) {
        CN_ASSERT(head.status >= 400 && head.status <= 505);
    }
    return 0;
}
