/*
 * fuzz_http.c: HTTP requests through libwebsockets to the table of routes, over a socket pair.
 *
 * Requests are made from the table itself, with names that worlds and bodies have, the headers
 * that a route wants and bodies of its kind: scenes, settings, changes and queries as JSON.
 * Then they are corrupted: other methods, hosts and types, wrong or contradictory lengths, chunks,
 * endless headers, random bytes.  Several come over one connection, also at once.
 *
 * Every answer has a status that the daemon uses, the security headers and the right length.  If
 * its type is JSON, its body is valid JSON.
 */
#include "tests/fuzz/net/net_rig.h"
#include "tests/fuzz/take.h"

#include <stdarg.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUESTS_MAX 12
#define TEXT_SIZE_MAX ((size_t)24 * 1024)
#define HEARD_SIZE_MAX ((size_t)1024 * 1024)

struct text {
    char bytes[TEXT_SIZE_MAX];
    size_t size;
};

static struct rig rig;
static int fd;
static char heard[HEARD_SIZE_MAX + 1];
static size_t heard_size;
static bool is_lost; /* the stream is spoilt, and answers can not be matched to requests */
static bool is_last; /* an answer has ended the connection */

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void
add(struct text *text, const char *format, ...)
{
    va_list arguments;
    size_t left = sizeof(text->bytes) - text->size;
    va_start(arguments, format);
    int size = vsnprintf(text->bytes + text->size, left, format, arguments);
    va_end(arguments);
    CN_ASSERT(size >= 0);
    text->size += (size_t)size < left ? (size_t)size : left - 1;
}

/* ---- bodies ---- */

static void
add_vec3(struct text *text, struct take *in, const char *name)
{
    add(text, "\"%s\":{\"x\":%.17g,\"y\":%.17g", name, take_double(in), take_double(in));
    if (take_byte(in) % 4 == 0) {
        add(text, ",\"z\":%.17g", take_double(in));
    }
    add(text, "}");
}

static void
add_shape(struct text *text, struct take *in)
{
    unsigned kind = take_byte(in) % 6;
    if (kind < 3) {
        add(text, "{\"box\":{");
        add_vec3(text, in, "size");
        add(text, "}}");
    } else if (kind < 5) {
        add(text, "{\"%s\":{\"radius\":%.17g}}", kind == 3 ? "circle" : "sphere",
            take_double(in));
    } else {
        add(text, "{\"polygon\":{\"vertices\":[{},{\"x\":1},{\"x\":%.17g,\"y\":1}]}}",
            take_double(in));
    }
}

static void
add_bodies(struct text *text, struct take *in)
{
    static const char *const types[] = {"DYNAMIC", "STATIC", "KINEMATIC", "OTHER"};
    unsigned count = take_byte(in) % 5;
    add(text, "\"bodies\":[");
    for (unsigned i = 0; i < count; i++) {
        unsigned how = take_byte(in);
        add(text, "%s{\"name\":\"b%u\",", i > 0 ? "," : "", how < 240 ? i : 0);
        if (how % 4 == 0) {
            add(text, "\"type\":\"%s\",", types[how / 4 % 4]);
        }
        if (how % 3 == 0) {
            add(text, "\"mass\":%.17g,", take_double(in));
        }
        add_vec3(text, in, "position");
        add(text, ",\"shapes\":[");
        add_shape(text, in);
        add(text, "]}");
    }
    add(text, "]");
}

static void
add_scene(struct text *text, struct take *in)
{
    static const char *const worlds[] = {"{}", "{\"stepper\":\"time\",\"solver\":\"impulse\"}",
        "{\"gravity\":{\"y\":-3}}", "{\"stepper\":\"propagation\",\"solver\":\"guendelman03\"}",
        "{\"precision\":{\"position\":0.01}}"};
    unsigned how = take_byte(in);
    if (how < 64) {
        add(text, "\"sceneName\":\"%s\"", how % 3 == 0 ? "pair" : how % 3 == 1 ? "drop" : "none");
        return;
    }
    add(text, "\"scene\":{\"name\":\"s%u\",\"world\":%s,", how % 3, worlds[how % 5]);
    add_bodies(text, in);
    add(text, "}");
}

static void
add_settings(struct text *text, struct take *in)
{
    static const char *const members[] = {"restitution", "linearDamping", "angularDamping",
        "timeRate", "substeps", "unknown"};
    add(text, "{\"%s\":%.17g,", members[take_byte(in) % 6], take_double(in));
    add_vec3(text, in, "gravity");
    add(text, "}");
}

static void
add_query(struct text *text, struct take *in)
{
    static const char *const kinds[] = {"RAY", "CAST", "OVERLAP", "NONE"};
    add(text, "{\"kind\":\"%s\",", kinds[take_byte(in) % 4]);
    add_vec3(text, in, "position");
    add(text, ",");
    add_vec3(text, in, "along");
    if (take_byte(in) % 2 == 0) {
        add(text, ",\"shape\":");
        add_shape(text, in);
    }
    add(text, ",\"hitMax\":%u}", take_number(in));
}

/* The body of a request: mostly one of the kind that the route accepts. */
static void
make_body(struct text *text, struct take *in, const char *path)
{
    unsigned how = take_byte(in);
    text->size = 0;
    if (how >= 240) { /* bytes */
        for (unsigned i = take_byte(in); i > 0; i--) {
            text->bytes[text->size++] = (char)take_byte(in);
        }
    } else if (strstr(path, "/step") != NULL) {
        add(text, "{\"ticks\":%u}", take_number(in));
    } else if (strstr(path, "/settings") != NULL) {
        add_settings(text, in);
    } else if (strstr(path, "/query") != NULL) {
        add_query(text, in);
    } else if (strstr(path, "/bodies") != NULL) {
        add(text, "{\"remove\":[\"%s\"],", how % 2 == 0 ? "left" : "b0");
        add_bodies(text, in);
        add(text, "}");
    } else {
        add(text, "{%s", how % 8 == 0 ? "\"id\":\"w\"," : "");
        add_scene(text, in);
        add(text, "}");
    }
    if (how >= 224 && how < 240 && text->size > 0) { /* one byte is another */
        text->bytes[(take_byte(in) << 8 | take_byte(in)) % text->size] = (char)take_byte(in);
    }
}

/* ---- requests ---- */

static void
make_path(struct text *text, struct take *in, const struct sv_route *route)
{
    static const char *const names[] = {"pair", "pair", "drop", "w", "%70air", "..", ""};
    static const char *const bodies[] = {"left", "right", "b0", "a\"b", "%"};
    const char *form = route->path;
    text->size = 0;
    while (*form != '\0') {
        if (strncmp(form, "{name}", 6) == 0) {
            add(text, "%s", names[take_byte(in) % 7]);
            form += 6;
        } else if (strncmp(form, "{body}", 6) == 0) {
            add(text, "%s", bodies[take_byte(in) % 5]);
            form += 6;
        } else {
            add(text, "%c", *form++);
        }
    }
    unsigned how = take_byte(in);
    if (how >= 240) {
        static const char *const ends[] = {"?token=x", "?a=b&access_token=c", "/", "//", "/../",
            "#x", "?", "%00"};
        add(text, "%s", ends[how % 8]);
    } else if (how == 239) {
        for (int i = 0; i < 600; i++) {
            add(text, "a");
        }
    }
}

static void
add_odd_header(struct text *text, struct take *in, size_t body_size)
{
    unsigned how = take_byte(in);
    switch (how % 12) {
    case 0:
        add(text, "Transfer-Encoding: chunked\r\n");
        break;
    case 1:
        add(text, "Content-Length: %u\r\n", take_number(in));
        break;
    case 2:
        add(text, "Content-Length: %s%zu\r\n", how < 128 ? "+" : "-", body_size);
        break;
    case 3:
        add(text, "Content-Length: 5000000000\r\n");
        break;
    case 4:
        add(text, "Authorization: %s x.y.z\r\n", how < 128 ? "Bearer" : "Basic");
        break;
    case 5:
        add(text, "If-None-Match: \"x\", %s\r\n", how < 128 ? "*" : "\"");
        break;
    case 6:
        add(text, "Expect: 100-continue\r\n");
        break;
    case 7:
        add(text, "Connection: %s\r\n", how < 128 ? "close" : "Upgrade, HTTP2-Settings");
        break;
    case 8:
        add(text, "Upgrade: %s\r\n", how < 128 ? "h2c" : "websocket");
        break;
    case 9:
        add(text, "X-Long: ");
        for (unsigned i = take_byte(in) * 40; i > 0; i--) {
            add(text, "y");
        }
        add(text, "\r\n");
        break;
    case 10:
        add(text, "Origin: %s\r\n", how < 128 ? "http://elsewhere" : "null");
        break;
    default:
        for (unsigned i = take_byte(in) % 32; i > 0; i--) {
            text->bytes[text->size++] = (char)take_byte(in);
        }
        add(text, "\r\n");
    }
}

/* Returns whether the request is complete and correct. */
static bool
make_request(struct text *text, struct take *in, bool *is_head)
{
    static struct text path, body;
    static const char *const names[] = {"GET", "HEAD", "POST", "PATCH", "DELETE", "PUT"};
    const struct sv_route *route = &sv_routes[take_byte(in) % (unsigned)sv_route_count];
    unsigned how = take_byte(in), odd_count = how < 160 ? 0 : 1 + how % 3;
    enum sv_http_method method = route->method;
    if (how % 16 == 0) {
        method = (enum sv_http_method)(take_byte(in) % 6);
    } else if (how % 16 == 1 && method == SV_HTTP_GET) {
        method = SV_HTTP_HEAD;
    }
    make_path(&path, in, route);
    *is_head = method == SV_HTTP_HEAD;
    bool has_body = method != SV_HTTP_GET && method != SV_HTTP_HEAD;
    body.size = 0;
    if (has_body) {
        make_body(&body, in, route->path);
    }
    text->size = 0;
    add(text, "%s %.*s HTTP/1.%s\r\n", names[method], (int)path.size, path.bytes,
        how == 255 ? "0" : "1");
    add(text, "Host: %s\r\n", how % 32 == 2 ? "elsewhere" : RIG_HOST);
    if (has_body) {
        add(text, "Content-Type: %s\r\n",
            how % 32 == 3 ? "text/plain" : "application/json; charset=utf-8");
    }
    for (unsigned i = 0; i < odd_count; i++) {
        add_odd_header(text, in, body.size);
    }
    if (has_body && how % 32 != 4) {
        add(text, "Content-Length: %zu\r\n", body.size);
    }
    add(text, "\r\n");
    size_t room = sizeof(text->bytes) - text->size, taken = body.size < room ? body.size : room;
    memcpy(text->bytes + text->size, body.bytes, taken);
    text->size += taken;
    return odd_count == 0 && how % 32 != 4 && how != 255 && path.size < 500;
}

/* ---- answers ---- */

static const char *
find_header(const char *head, const char *end, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = head; at < end; at++) {
        if (*at == '\n' && strncasecmp(at + 1, name, length) == 0) {
            return at + 1 + length;
        }
    }
    return NULL;
}

static void
check_status(int status)
{
    static const int known[] = {200, 201, 204, 304, 400, 401, 403, 404, 405, 408, 409, 411, 413,
        414, 415, 422, 426, 429, 431, 500, 501, 503, 505};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (status == known[i]) {
            return;
        }
    }
    CN_ASSERT(false);
}

/* Checks the answer at the start of the received bytes.  Returns its size; 0: it is incomplete. */
static size_t
hear_answer(bool is_head)
{
    heard[heard_size] = '\0';
    const char *end = memmem(heard, heard_size, "\r\n\r\n", 4);
    if (end == NULL) {
        return 0;
    }
    CN_ASSERT(memcmp(heard, "HTTP/1.", 7) == 0);
    int status = atoi(heard + 9);
    check_status(status);
    const char *length = find_header(heard, end, "content-length: ");
    const char *type = find_header(heard, end, "content-type: ");
    const char *safe = find_header(heard, end, "x-content-type-options: nosniff");
    const char *last = find_header(heard, end, "connection: close");
    bool is_own = safe != NULL; /* else libwebsockets has refused by itself */
    bool has_body = !is_head && status != 204 && status != 304;
    CN_ASSERT(!is_own || find_header(heard, end, "content-security-policy: ") != NULL);
    CN_ASSERT(!is_own || status == 204 || status == 304 || (length != NULL && type != NULL));
    size_t size = length != NULL && has_body ? strtoul(length, NULL, 10) : 0;
    size_t head_size = (size_t)(end - heard) + 4;
    CN_ASSERT(size <= HEARD_SIZE_MAX - head_size);
    if (heard_size < head_size + size) {
        return 0;
    }
    if (is_own && type != NULL && strncmp(type, "application/json", 16) == 0 && size > 0) {
        CN_ASSERT(end[4] == '{');
    }
    is_last = is_last || last != NULL;
    is_lost = is_lost || !is_own;
    return head_size + size;
}

/* The answer to one request whose bytes have been sent. */
static bool
hear(bool is_head)
{
    for (int i = 0; i < 64; i++) {
        ssize_t got = recv(fd, heard + heard_size, HEARD_SIZE_MAX - heard_size, 0);
        if (got == 0) {
            is_last = true;
            return false;
        }
        heard_size += got > 0 ? (size_t)got : 0;
        size_t used = heard_size > 0 && !is_lost ? hear_answer(is_head) : 0;
        if (used > 0) {
            heard_size -= used;
            memmove(heard, heard + used, heard_size);
            return true;
        }
        rig_turn(&rig);
        rig.now_ns += SV_NS_PER_MS;
    }
    return false;
}

static void
ask(struct take *in)
{
    static struct text request;
    bool is_head, is_good = make_request(&request, in, &is_head);
    unsigned how = take_byte(in);
    size_t first = how >= 224 ? (take_byte(in) << 8 | take_byte(in)) % (request.size + 1)
                              : request.size;
    is_lost = is_lost || !is_good;
    (void)send(fd, request.bytes, first, MSG_NOSIGNAL);
    rig_drain(&rig, fd);
    (void)send(fd, request.bytes + first, request.size - first, MSG_NOSIGNAL);
    rig_drain(&rig, fd);
    bool is_answered = hear(is_head);
    /* A complete and correct request gets an answer. */
    CN_ASSERT(is_answered || is_lost || is_last);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct take in = {data, data + size};
    if (rig.listener == NULL) {
        rig_init(&rig);
    }
    rig_begin(&rig);
    fd = -1;
    for (int i = 0; i < REQUESTS_MAX && !take_is_empty(&in); i++) {
        if (fd < 0) {
            fd = rig_connect(&rig);
            CN_ASSERT(fd >= 0);
            heard_size = 0;
            is_lost = is_last = false;
        }
        ask(&in);
        if (is_last || is_lost || take_byte(&in) >= 250) {
            close(fd);
            fd = -1;
            rig_turn(&rig);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    rig_end(&rig);
    return 0;
}
