/*
 * test_lists.c: lists of worlds over HTTP come in pages, and are packed for clients that accept it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/admin/admin.h"
#include "server/base/limits.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define WORLDS 40
#define TEXT_SIZE_MAX 65536

static struct sv_host_world worlds[WORLDS];
static struct sv_host_world *pointers[WORLDS];

/* Worlds w0, w1 ... with the serials 1, 3 ...; w7 is not listed. */
static struct sv_host
make_host(void)
{
    for (int i = 0; i < WORLDS; i++) {
        worlds[i] = (struct sv_host_world){.serial = 2 * (unsigned)i + 1, .is_ready = i != 7};
        snprintf(worlds[i].status.id, sizeof(worlds[i].status.id), "w%d", i);
        pointers[i] = &worlds[i];
    }
    return (struct sv_host){.worlds = pointers, .world_count = WORLDS};
}

static struct sv_http_response
get(struct sv_host *host, enum sv_http_method method, const char *query, const char *accepts)
{
    struct sv_metrics metrics = {0};
    struct sv_admin admin = {.host = host, .metrics = &metrics};
    const struct sv_http_request request = {.method = method, .path = "/v1/worlds",
        .query = query, .content_type = "", .if_none_match = "", .accept_encoding = accepts,
        .body = "", .token = 1};
    struct sv_http_response response = {0};
    assert_true(sv_admin_handle(&admin, &request, &response));
    assert_non_null(response.body);
    return response;
}

static void
text_of(const struct sv_http_response *response, char text[TEXT_SIZE_MAX])
{
    assert_in_range(response->body->size, 1, TEXT_SIZE_MAX - 1);
    memcpy(text, response->body->bytes, response->body->size);
    text[response->body->size] = '\0';
}

static int
count(const char *text, const char *what)
{
    int found = 0;
    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what)) {
        found++;
    }
    return found;
}

/* The list that the query asks for has these worlds, in order, and then `next`. */
static void
expect(struct sv_host *host, const char *query, int first, int last, const char *next)
{
    static char text[TEXT_SIZE_MAX];
    char id[32];
    struct sv_http_response response = get(host, SV_HTTP_GET, query, "");
    assert_int_equal(response.status, 200);
    text_of(&response, text);
    int listed = 0;
    const char *at = text;
    for (int i = first; i <= last; i++) {
        snprintf(id, sizeof(id), "\"id\": \"w%d\"", i);
        const char *found = strstr(at, id);
        if (i == 7) {
            assert_null(found);
        } else {
            assert_non_null(found);
            at = found;
            listed++;
        }
    }
    assert_int_equal(count(text, "\"id\": "), listed);
    snprintf(id, sizeof(id), "\"next\": \"%s\"", next);
    assert_non_null(strstr(text, id));
    sv_buffer_unref(response.body);
}

static void
test_pages(void **state)
{
    (void)state;
    struct sv_host host = make_host();
    expect(&host, NULL, 0, 39, "");
    expect(&host, "", 0, 39, "");
    expect(&host, "limit=10", 0, 10, "21");
    expect(&host, "limit=10&after=21", 11, 20, "41");
    expect(&host, "after=41&limit=10", 21, 30, "61");
    expect(&host, "limit=9&after=61", 31, 39, "");
    expect(&host, "limit=8&after=61", 31, 38, "77");
    expect(&host, "limit=500", 0, 39, "");
    expect(&host, "limit=5&after=79", 1, 0, "");
    expect(&host, "limit=5&after=4294967295", 1, 0, "");
    /* The last world of the page before has been removed: the next page is the same. */
    memmove(&pointers[10], &pointers[11], (WORLDS - 11) * sizeof(pointers[0]));
    host.world_count--;
    expect(&host, "limit=10&after=21", 11, 20, "41");
}

static void
test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *query, *path;
    } cases[] = {
        {"limit=0", "limit"}, {"limit=501", "limit"}, {"limit=-1", "limit"}, {"limit=", "limit"},
        {"limit=5x", "limit"}, {"after=w3", "after"}, {"after=4294967296", "after"},
        {"cursor=3", ""}, {"&", ""}, {"limit=5&&", ""},
    };
    struct sv_host host = make_host();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        static char text[TEXT_SIZE_MAX];
        char path[32];
        struct sv_http_response response = get(&host, SV_HTTP_GET, cases[i].query, "");
        assert_int_equal(response.status, 400);
        assert_string_equal(response.code, "FIELD");
        text_of(&response, text);
        snprintf(path, sizeof(path), "\"path\": \"%s\"", cases[i].path);
        assert_true(cases[i].path[0] == '\0' || strstr(text, path) != NULL);
        sv_buffer_unref(response.body);
    }
}

/* A packed list unpacks to the other one, and has fewer bytes. */
static void
test_packed(void **state)
{
    (void)state;
    static char unpacked[TEXT_SIZE_MAX];
    struct sv_host host = make_host();
    struct sv_http_response plain = get(&host, SV_HTTP_GET, "", "br");
    struct sv_http_response packed = get(&host, SV_HTTP_GET, "", "gzip, br");
    struct sv_http_response head = get(&host, SV_HTTP_HEAD, "", "gzip");
    assert_false(plain.is_packed);
    assert_true(packed.is_packed && head.is_packed);
    assert_int_equal(packed.status, 200);
    assert_true(packed.body->size < plain.body->size / 4);
    assert_int_equal(head.body->size, packed.body->size);
    z_stream stream = {.next_in = packed.body->bytes,
        .avail_in = (uInt)packed.body->size,
        .next_out = (Bytef *)unpacked,
        .avail_out = sizeof(unpacked)};
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.avail_in, 0);
    assert_int_equal(stream.total_out, plain.body->size);
    assert_memory_equal(unpacked, plain.body->bytes, plain.body->size);
    inflateEnd(&stream);
    sv_buffer_unref(plain.body);
    sv_buffer_unref(packed.body);
    sv_buffer_unref(head.body);
}

/* Small answers and refusals are sent as they are. */
static void
test_plain(void **state)
{
    (void)state;
    struct sv_host host = make_host();
    struct sv_http_response small = get(&host, SV_HTTP_GET, "limit=1", "gzip");
    struct sv_http_response refused = get(&host, SV_HTTP_GET, "limit=0", "gzip");
    assert_true(small.body->size < SV_PACKED_SIZE_MIN);
    assert_false(small.is_packed || refused.is_packed);
    sv_buffer_unref(small.body);
    sv_buffer_unref(refused.body);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
