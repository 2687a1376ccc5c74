#include "server/inspect/request_head.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"

#include <string.h>
#include <strings.h>

/* Fields that may occur only once in a head. */
enum field {
    FIELD_HOST,
    FIELD_CONTENT_LENGTH,
    FIELD_CONTENT_TYPE,
    FIELD_AUTHORIZATION,
    FIELD_ORIGIN,
    FIELD_KEY,
    FIELD_VERSION,
    FIELD_SINGLE_COUNT,
    FIELD_TRANSFER_ENCODING = FIELD_SINGLE_COUNT,
    FIELD_UPGRADE,
    FIELD_CONNECTION,
    FIELD_COUNT,
};

#define NAME(text) {text, sizeof(text) - 1}
static const struct {
    const char *text;
    size_t size;
} names[FIELD_COUNT] = {
    [FIELD_HOST] = NAME("host"),
    [FIELD_CONTENT_LENGTH] = NAME("content-length"),
    [FIELD_CONTENT_TYPE] = NAME("content-type"),
    [FIELD_AUTHORIZATION] = NAME("authorization"),
    [FIELD_ORIGIN] = NAME("origin"),
    [FIELD_KEY] = NAME("sec-websocket-key"),
    [FIELD_VERSION] = NAME("sec-websocket-version"),
    [FIELD_TRANSFER_ENCODING] = NAME("transfer-encoding"),
    [FIELD_UPGRADE] = NAME("upgrade"),
    [FIELD_CONNECTION] = NAME("connection"),
};

static const struct {
    const char *name;
    bool wants_length;
} methods[] = {
    {"GET", false},
    {"HEAD", false},
    {"POST", true},
    {"PATCH", true},
    {"DELETE", false},
    {"PUT", true},
    {"OPTIONS", false},
};

static enum sv_head_verdict
refuse_head(struct sv_head *head, int status, const char *reason)
{
    head->status = status;
    head->reason = reason;
    return SV_HEAD_BAD;
}

static bool
is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool
is_alphanumeric(char c)
{
    return (c >= '0' && c <= '9') || is_upper(c) || (c >= 'a' && c <= 'z');
}

/* A letter, a digit, or one of !#$%&'*+-.^_`|~ */
static bool
is_token_char(char c)
{
    static const uint64_t chars[2] = {UINT64_C(0x3ff6cfa00000000), UINT64_C(0x57ffffffc7fffffe)};
    unsigned char byte = (unsigned char)c;
    return byte < 128 && (chars[byte / 64] >> byte % 64 & 1) != 0;
}

static size_t
token_size(const char *text, size_t size)
{
    size_t n = 0;
    while (n < size && is_token_char(text[n])) {
        n++;
    }
    return n;
}

static bool
is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* ---- the request line ---- */

static enum sv_head_verdict
check_method(struct sv_head *head, const char *text, size_t size)
{
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        if (strlen(methods[i].name) == size && memcmp(methods[i].name, text, size) == 0) {
            head->wants_length = methods[i].wants_length;
            head->is_get = i == 0;
            head->is_head = i == 1;
            return SV_HEAD_GOOD;
        }
    }
    bool is_plausible = size > 0 && size <= 32;
    for (size_t i = 0; i < size; i++) {
        is_plausible &= is_upper(text[i]) || text[i] == '-';
    }
    bool is_http2 = size == 3 && memcmp(text, "PRI", 3) == 0;
    if (is_http2) {
        return refuse_head(head, 400, "HTTP/2 is not spoken here");
    }
    if (size == 5 && memcmp(text, "PROXY", 5) == 0) {
        return refuse_head(
            head, 400, "a header of the PROXY protocol is taken of named proxies alone");
    }
    return is_plausible ? refuse_head(head, 501, "there is no such method here")
                        : refuse_head(head, 400, "the request does not begin with a method");
}

static enum sv_head_verdict
check_target(struct sv_head *head, const char *text, size_t size)
{
    bool is_query = false;
    if (size == 0 || text[0] != '/') {
        return refuse_head(head, 400, "the request target is not a path");
    }
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if (c == '#') {
            return refuse_head(head, 400, "the request target has a #, which is never sent");
        }
        if (c == '%') {
            bool is_encoded = i + 2 < size && is_hex(text[i + 1]) && is_hex(text[i + 2]);
            bool is_nul = is_encoded && text[i + 1] == '0' && text[i + 2] == '0';
            if (!is_encoded || is_nul) {
                return refuse_head(
                    head, 400, "the request target has a % that encodes no character");
            }
        }
        is_query |= c == '?';
        head->field_count += is_query && (c == '?' || c == '&' || c == ';');
    }
    if (head->field_count > SV_HEAD_FIELDS_MAX) {
        return refuse_head(head, 414, "the query has too many arguments");
    }
    return SV_HEAD_GOOD;
}

/* Checks that a request line, or the received part of it, consists of text characters. */
static enum sv_head_verdict
check_text(struct sv_head *head, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] < ' ' || text[i] > '~') {
            return refuse_head(head, 400, "these bytes are not a request of HTTP");
        }
    }
    return SV_HEAD_GOOD;
}

static enum sv_head_verdict
check_request_line(struct sv_head *head, const char *line, size_t size)
{
    static const char http[] = "HTTP/";
    const char *first = memchr(line, ' ', size), *second = NULL;
    size_t method_size = first != NULL ? (size_t)(first - line) : size;
    if (check_text(head, line, size) == SV_HEAD_BAD ||
        check_method(head, line, method_size) == SV_HEAD_BAD) {
        return SV_HEAD_BAD;
    }
    if (first != NULL) {
        first++;
        second = memchr(first, ' ', size - method_size - 1);
    }
    if (second == NULL) {
        return refuse_head(head, 400, "the request line wants a method, a path and HTTP/1.1");
    }
    const char *version = second + 1;
    size_t version_size = size - (size_t)(version - line);
    bool is_http = version_size == sizeof(http) - 1 + 3 &&
        memcmp(version, http, sizeof(http) - 1) == 0 && version[6] == '.' &&
        version[5] >= '0' && version[5] <= '9' && version[7] >= '0' && version[7] <= '9';
    if (!is_http) {
        return refuse_head(head, 400, "the request line does not end with HTTP/1.1");
    }
    if (version[5] != '1' || version[7] > '1') {
        return refuse_head(head, 505, "HTTP/1.1 is spoken here, and HTTP/1.0");
    }
    head->is_10 = version[7] == '0';
    return check_target(head, first, (size_t)(second - first));
}

/* ---- fields ---- */

static enum sv_head_verdict
check_length(struct sv_head *head, const char *value, size_t size)
{
    uint64_t length = 0;
    bool is_number = size > 0 && size <= 18;
    for (size_t i = 0; is_number && i < size; i++) {
        is_number = value[i] >= '0' && value[i] <= '9';
        length = length * 10 + (uint64_t)(value[i] - '0');
    }
    head->body_size = length;
    return is_number ? SV_HEAD_GOOD
                     : refuse_head(head, 400, "the Content-Length is not one number");
}

/*
 * Whether the value is 16 bytes in base64: 22 characters, four unused bits of 0, two for padding.
 */
static bool
is_key(const char *value, size_t size)
{
    if (size != 24 || value[22] != '=' || value[23] != '=') {
        return false;
    }
    for (size_t i = 0; i < 22; i++) {
        if (!is_alphanumeric(value[i]) && value[i] != '+' && value[i] != '/') {
            return false;
        }
    }
    return strchr("AQgw", value[21]) != NULL;
}

/* Whether a list with commas has this name. */
static bool
has_name(const char *value, size_t size, const char *name)
{
    size_t at = 0;
    while (at < size) {
        size_t length = token_size(value + at, size - at);
        if (length == strlen(name) && strncasecmp(value + at, name, length) == 0) {
            return true;
        }
        at += length > 0 ? length : 1;
    }
    return false;
}

static enum sv_head_verdict
check_value(struct sv_head *head, enum field field, const char *value, size_t size)
{
    switch (field) {
    case FIELD_HOST:
        return size > 0 ? SV_HEAD_GOOD : refuse_head(head, 400, "the Host is empty");
    case FIELD_CONTENT_LENGTH:
        return check_length(head, value, size);
    case FIELD_TRANSFER_ENCODING:
        return refuse_head(head, 400, "a body needs a Content-Length; chunks are not accepted");
    case FIELD_UPGRADE:
        head->is_upgrade = true;
        return SV_HEAD_GOOD;
    case FIELD_CONNECTION:
        head->is_connection_upgrade |= has_name(value, size, "upgrade");
        return SV_HEAD_GOOD;
    case FIELD_KEY:
        return is_key(value, size)
            ? SV_HEAD_GOOD
            : refuse_head(head, 400, "the Sec-WebSocket-Key is not 16 bytes in base64");
    case FIELD_VERSION:
        head->is_version_13 = size == 2 && memcmp(value, "13", 2) == 0;
        return SV_HEAD_GOOD;
    default:
        return SV_HEAD_GOOD;
    }
}

static void
trim_value(const char **value, size_t *size)
{
    while (*size > 0 && (**value == ' ' || **value == '\t')) {
        (*value)++;
        (*size)--;
    }
    while (*size > 0 && ((*value)[*size - 1] == ' ' || (*value)[*size - 1] == '\t')) {
        (*size)--;
    }
}

static enum sv_head_verdict
check_field_line(struct sv_head *head, const char *line, size_t size)
{
    size_t name_size = token_size(line, size);
    if (line[0] == ' ' || line[0] == '\t') {
        return refuse_head(head, 400, "a header line is folded");
    }
    if (name_size == 0 || name_size == size || line[name_size] != ':') {
        return refuse_head(head, 400, "a header line does not begin with a name and its colon");
    }
    const char *value = line + name_size + 1;
    size_t value_size = size - name_size - 1;
    for (size_t i = 0; i < value_size; i++) {
        unsigned char c = (unsigned char)value[i];
        if ((c < ' ' && c != '\t') || c == 0x7f) {
            return refuse_head(head, 400, "a header has a control character");
        }
    }
    if (++head->field_count > SV_HEAD_FIELDS_MAX) {
        return refuse_head(head, 431, "the head has too many lines");
    }
    trim_value(&value, &value_size);
    for (unsigned i = 0; i < FIELD_COUNT; i++) {
        if (names[i].size != name_size || strncasecmp(names[i].text, line, name_size) != 0) {
            continue;
        }
        if (i < FIELD_SINGLE_COUNT && (head->seen & 1U << i) != 0) {
            return refuse_head(head, 400, "a header that may stand once stands twice");
        }
        head->seen |= 1U << i;
        return check_value(head, (enum field)i, value, value_size);
    }
    return SV_HEAD_GOOD;
}

/* ---- the whole ---- */

static bool
has_field(const struct sv_head *head, enum field field)
{
    return (head->seen & 1U << field) != 0;
}

static enum sv_head_verdict
check_upgrade(struct sv_head *head)
{
    if (!head->is_get || head->is_10 || head->body_size > 0) {
        return refuse_head(
            head, 400, "an upgrade is asked for by GET, in HTTP/1.1, without a body");
    }
    if (!head->is_connection_upgrade) {
        return refuse_head(head, 400, "an Upgrade wants Connection: Upgrade beside it");
    }
    if (!head->is_version_13) {
        return refuse_head(head, 426, "Sec-WebSocket-Version: 13 is spoken here");
    }
    if (!has_field(head, FIELD_KEY)) {
        return refuse_head(head, 400, "the Sec-WebSocket-Key is missing");
    }
    return SV_HEAD_GOOD;
}

static enum sv_head_verdict
check_whole(struct sv_head *head)
{
    if (!head->is_10 && !has_field(head, FIELD_HOST)) {
        return refuse_head(head, 400, "the Host is missing");
    }
    if (head->is_upgrade) {
        return check_upgrade(head);
    }
    if (head->wants_length && !has_field(head, FIELD_CONTENT_LENGTH)) {
        return refuse_head(head, 411, "this method wants a Content-Length, if it is 0");
    }
    return SV_HEAD_GOOD;
}

/* Checks the received part of an incomplete line. */
static enum sv_head_verdict
check_rest(struct sv_head *head, const char *bytes, size_t size)
{
    CN_ASSERT(head->scanned <= size);
    bool is_first = head->scanned == 0;
    if (is_first && size > head->searched) { /* its CR may be the last byte */
        size_t text_size = size - (bytes[size - 1] == '\r');
        size_t from = head->searched < text_size ? head->searched : text_size;
        if (check_text(head, bytes + from, text_size - from) == SV_HEAD_BAD) {
            return SV_HEAD_BAD;
        }
    }
    head->searched = size;
    if (is_first && size > SV_REQUEST_LINE_SIZE_MAX) {
        return refuse_head(head, 414, "the request line is longer than 4096 bytes");
    }
    return size > SV_HEAD_SIZE_MAX ? refuse_head(head, 431, "the head is longer than 8192 bytes")
                                   : SV_HEAD_MORE;
}

enum sv_head_verdict
sv_head_scan(struct sv_head *head, const char *bytes, size_t size)
{
    for (;;) {
        const char *from = bytes + head->searched;
        CN_ASSERT(head->scanned <= head->searched && head->searched <= size);
        const char *end = memchr(from, '\n', size - head->searched);
        if (end == NULL) {
            return check_rest(head, bytes, size);
        }
        const char *line = bytes + head->scanned;
        size_t line_size = (size_t)(end - line);
        bool is_first = head->scanned == 0;
        if (is_first && line_size > SV_REQUEST_LINE_SIZE_MAX) {
            return refuse_head(head, 414, "the request line is longer than 4096 bytes");
        }
        if ((size_t)(end - bytes) >= SV_HEAD_SIZE_MAX) {
            return refuse_head(head, 431, "the head is longer than 8192 bytes");
        }
        if (line_size == 0 || line[line_size - 1] != '\r') {
            return refuse_head(head, 400, "a line does not end with CR LF");
        }
        line_size--;
        head->scanned = head->searched = (size_t)(end - bytes) + 1;
        if (is_first ? check_request_line(head, line, line_size) == SV_HEAD_BAD
                     : line_size > 0 && check_field_line(head, line, line_size) == SV_HEAD_BAD) {
            return SV_HEAD_BAD;
        }
        if (line_size == 0) { /* the end of the head; an empty first line was refused above */
            return check_whole(head);
        }
    }
}

const char *
sv_head_field(const struct sv_head *head, const char *bytes, const char *name, size_t *at,
    size_t *value_size)
{
    CN_ASSERT(*at <= head->scanned);
    size_t name_size = strlen(name);
    while (*at < head->scanned) {
        const char *line = bytes + *at;
        const char *end = memchr(line, '\n', head->scanned - *at);
        size_t size = (size_t)(end - line) - 1; /* every line of a valid head ends with CR LF */
        CN_ASSERT(*at + size + 2 <= head->scanned);
        *at += size + 2;
        if (size > name_size && line[name_size] == ':' &&
            strncasecmp(line, name, name_size) == 0) {
            const char *value = line + name_size + 1;
            *value_size = size - name_size - 1;
            trim_value(&value, value_size);
            return value;
        }
    }
    return NULL;
}
