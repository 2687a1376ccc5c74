/*
 * test_routes.c: the table of routes: what matches, what is refused, and with which status.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/admin/admin.h"

#include <string.h>

static void
test_matching(void **state)
{
    (void)state;
    char name[WIRE_NAME_SIZE], body[WIRE_NAME_SIZE];
    assert_true(sv_route_matches("/v1/worlds", "/v1/worlds", name, body));
    assert_false(sv_route_matches("/v1/worlds", "/v1/worlds/", name, body));
    assert_false(sv_route_matches("/v1/worlds", "/v1/world", name, body));
    assert_true(sv_route_matches("/v1/worlds/{name}/pause", "/v1/worlds/a.b-2/pause", name, body));
    assert_string_equal(name, "a.b-2");
    assert_false(sv_route_matches("/v1/worlds/{name}", "/v1/worlds/", name, body));
    assert_false(sv_route_matches("/v1/worlds/{name}", "/v1/worlds/a/b", name, body));
    char path[200] = "/v1/worlds/";
    memset(path + 11, 'a', WIRE_NAME_SIZE);
    assert_false(sv_route_matches("/v1/worlds/{name}", path, name, body));
}

/* Each pair of path and method is in the table once, and every row has a description. */
static void
test_table(void **state)
{
    (void)state;
    for (int i = 0; i < sv_route_count; i++) {
        assert_true(strlen(sv_routes[i].text) > 0);
        for (int k = 0; k < i; k++) {
            assert_false(sv_routes[i].method == sv_routes[k].method &&
                strcmp(sv_routes[i].path, sv_routes[k].path) == 0);
        }
    }
}

static int
status_of(struct sv_admin *admin, enum sv_http_method method, const char *path, const char *type,
    const char *body)
{
    struct sv_http_request request = {.method = method,
        .path = path,
        .content_type = type,
        .if_none_match = "",
        .body = body,
        .body_size = strlen(body),
        .token = 1};
    struct sv_http_response response;
    if (!sv_admin_handle(admin, &request, &response)) {
        return 0;
    }
    sv_buffer_unref(response.body);
    return response.status;
}

/* A mutation without JSON is refused before any other check; a read needs no type. */
static void
test_statuses(void **state)
{
    (void)state;
    struct sv_host host;
    struct sv_page page = {0};
    struct sv_metrics metrics = {0};
    sv_host_init(&host, NULL, 0, 4);
    struct sv_admin admin = {.host = &host, .page = &page, .metrics = &metrics};
    static const char json[] = "application/json";
    assert_int_equal(status_of(&admin, SV_HTTP_GET, "/v1/worlds", "", ""), 200);
    assert_int_equal(status_of(&admin, SV_HTTP_HEAD, "/v1/scenes", "", ""), 200);
    assert_int_equal(status_of(&admin, SV_HTTP_GET, "/metrics", "", ""), 200);
    assert_int_equal(status_of(&admin, SV_HTTP_GET, "/readyz", "", ""), 503);
    admin.is_ready = true;
    assert_int_equal(status_of(&admin, SV_HTTP_GET, "/readyz", "", ""), 200);
    assert_int_equal(status_of(&admin, SV_HTTP_GET, "/v1/worlds/x", "", ""), 404);
    assert_int_equal(status_of(&admin, SV_HTTP_GET, "/v1/scenes/x", "", ""), 404);
    assert_int_equal(status_of(&admin, SV_HTTP_GET, "/../etc/passwd", "", ""), 404);
    assert_int_equal(status_of(&admin, SV_HTTP_POST, "/healthz", json, "{}"), 405);
    assert_int_equal(status_of(&admin, SV_HTTP_OTHER, "/v1/worlds", json, "{}"), 405);
    assert_int_equal(status_of(&admin, SV_HTTP_POST, "/v1/worlds", "text/plain", "{}"), 415);
    assert_int_equal(status_of(&admin, SV_HTTP_DELETE, "/v1/worlds/x", "", ""), 415);
    assert_int_equal(status_of(&admin, SV_HTTP_POST, "/v1/worlds", json, "{"), 400);
    assert_int_equal(status_of(&admin, SV_HTTP_POST, "/v1/worlds", json, "{}"), 400);
    assert_int_equal(
        status_of(&admin, SV_HTTP_POST, "/v1/worlds", json, "{\"sceneName\": \"x\"}"), 404);
    admin.is_stopping = true;
    assert_int_equal(status_of(&admin, SV_HTTP_POST, "/v1/worlds", json, "{}"), 503);
    sv_host_finish(&host);
}

static void
test_types(void **state)
{
    (void)state;
    assert_string_equal(sv_page_type("/a/b.js"), "text/javascript; charset=utf-8");
    assert_string_equal(sv_page_type("/x.wasm"), "application/wasm");
    assert_string_equal(sv_page_type("/x.woff2"), "font/woff2");
    assert_string_equal(sv_page_type("/x"), "application/octet-stream");
}

static void
test_takes_packed(void **state)
{
    (void)state;
    static const char *const takes[] = {"gzip", "gzip, deflate, br, zstd", "br;q=1.0, GZIP;q=0.8",
        "deflate,gzip ; q=0.001", "br, gzip;q=1"};
    static const char *const refuses[] = {"", "br", "x-gzip", "gzipped", "gzip;q=0",
        "br, gzip; q=0.000, deflate;q=1", "identity", ",,", "*;q=0"};
    for (size_t i = 0; i < sizeof(takes) / sizeof(takes[0]); i++) {
        assert_true(sv_page_takes_packed(takes[i]));
    }
    for (size_t i = 0; i < sizeof(refuses) / sizeof(refuses[0]); i++) {
        assert_false(sv_page_takes_packed(refuses[i]));
    }
    assert_false(sv_page_takes_packed(NULL));
}

/* A client that accepts gzip gets the packed file, with its own tag; others get the plain file. */
static void
test_packed_page(void **state)
{
    (void)state;
    struct sv_page_file files[] = {
        {.path = "/a.js", .type = "text/javascript", .etag = "\"plain\""},
        {.path = "/a.js.gz", .type = "application/octet-stream", .etag = "\"packed\""},
        {.path = "/b.js", .type = "text/javascript", .etag = "\"alone\""},
    };
    for (size_t i = 0; i < 3; i++) {
        files[i].bytes = sv_buffer_create(i + 1);
        assert_non_null(files[i].bytes);
    }
    struct sv_page page = {.files = files, .count = 3};
    struct sv_metrics metrics = {0};
    struct sv_admin admin = {.page = &page, .metrics = &metrics};
    static const struct {
        const char *path, *accepts, *knows, *etag;
        int status;
        size_t size;
        bool is_packed;
    } cases[] = {
        {"/a.js", "gzip, br", "", "\"packed\"", 200, 2, true},
        {"/a.js", "gzip, br", "\"packed\"", "\"packed\"", 304, 2, true},
        {"/a.js", "gzip, br", "\"plain\"", "\"packed\"", 200, 2, true},
        {"/a.js", "br", "", "\"plain\"", 200, 1, false},
        {"/b.js", "gzip", "", "\"alone\"", 200, 3, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sv_http_request request = {.method = SV_HTTP_GET, .path = cases[i].path,
            .content_type = "", .if_none_match = cases[i].knows,
            .accept_encoding = cases[i].accepts, .body = "", .token = 1};
        struct sv_http_response response = {0};
        assert_true(sv_admin_handle(&admin, &request, &response));
        assert_int_equal(response.status, cases[i].status);
        assert_string_equal(response.type, "text/javascript");
        assert_string_equal(response.etag, cases[i].etag);
        assert_int_equal(response.body->size, cases[i].size);
        assert_int_equal(response.is_packed, cases[i].is_packed);
        sv_buffer_unref(response.body);
    }
    for (size_t i = 0; i < 3; i++) {
        sv_buffer_unref(files[i].bytes);
    }
}

/*
 * Each route that changes state has a least role; routes that make or remove worlds are for admins.
 * The routes of rooms are for everybody with a token; they compare roles and makers themselves.
 */
static void
test_rights(void **state)
{
    (void)state;
    struct sv_metrics metrics = {0};
    struct ac_keys *keys = ac_init() ? ac_keys_create() : NULL;
    assert_non_null(keys);
    struct sv_access access = {.keys = keys, .clock = sv_clock_real()};
    struct sv_host host;
    sv_host_init(&host, NULL, 0, 1);
    struct sv_admin admin = {.host = &host, .metrics = &metrics, .access = &access};
    for (int i = 0; i < sv_route_count; i++) {
        const struct sv_route *route = &sv_routes[i];
        bool changes = route->method != SV_HTTP_GET && strstr(route->path, "query") == NULL;
        bool is_of_room = strncmp(route->path, "/v1/rooms", 9) == 0;
        enum ac_role least = is_of_room ? AC_ROLE_OBSERVER : AC_ROLE_INSTRUCTOR;
        assert_true(!changes || sv_role_covers(route->least, least));
        assert_true(route->least != AC_ROLE_OPERATOR || route->is_admin);
        /* A bad token is refused; the Unix socket needs none. */
        struct sv_http_request request = {.method = route->method, .path = route->path,
            .content_type = route->type != NULL ? route->type : "application/json",
            .if_none_match = "", .bearer = "a.b.c",
            .body = "", .token = 1};
        struct sv_http_response response = {0};
        if (route->least != AC_ROLE_NONE) {
            assert_true(sv_admin_handle(&admin, &request, &response));
            assert_int_equal(response.status, 401);
            assert_true(response.wants_token);
            sv_buffer_unref(response.body);
        }
        request.door = SV_DOOR_PUBLIC;
        if (route->is_admin) {
            assert_true(sv_admin_handle(&admin, &request, &response));
            assert_int_equal(response.status, 404);
            sv_buffer_unref(response.body);
        }
    }
    sv_host_finish(&host);
    ac_keys_destroy(keys);
}

static void
keep_status(void *context, uint32_t token, const struct sv_http_response *response_take)
{
    (void)token;
    *(int *)context = response_take->status;
    sv_buffer_unref(response_take->body);
}

/* A refusal without memory for its text is still sent. */
static void
test_refused_without_words(void **state)
{
    (void)state;
    int status = 0;
    struct sv_host_world world = {0};
    struct sv_admin admin = {
        .waiting_count = 1, .reply = keep_status, .reply_context = &status};
    const struct sv_report report = {.kind = SV_REPORT_REFUSED, .asker = {.request = 1}};
    sv_admin_reported(&admin, &world, &report);
    assert_int_equal(status, 500);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rights),
        cmocka_unit_test(test_matching),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_takes_packed),
        cmocka_unit_test(test_packed_page),
        cmocka_unit_test(test_refused_without_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
