#include "server/admin/admin.h"
#include "server/admin/pack.h"

#include "engine/base/assert.h"
#include "proto/codec_json.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- finding the route ---- */

/* Takes one segment of the path.  False if the path has no more, or it is longer than a name. */
static bool
take_segment(const char **path, char segment[WIRE_NAME_SIZE])
{
    size_t length = strcspn(*path, "/");
    if (length == 0 || length >= WIRE_NAME_SIZE) {
        return false;
    }
    memcpy(segment, *path, length);
    segment[length] = '\0';
    *path += length;
    return true;
}

bool
sv_route_matches(const char *form, const char *path, char name[WIRE_NAME_SIZE],
    char body[WIRE_NAME_SIZE])
{
    static const char place[] = "{name}", second[] = "{body}";
    name[0] = body[0] = '\0';
    while (*form != '\0') {
        bool is_name = strncmp(form, place, sizeof(place) - 1) == 0;
        if (is_name || strncmp(form, second, sizeof(second) - 1) == 0) {
            if (!take_segment(&path, is_name ? name : body)) {
                return false;
            }
            form += sizeof(place) - 1;
        } else if (*form++ != *path++) {
            return false;
        }
    }
    return *path == '\0';
}

#define JSON "application/json"

/* Whether the content type is the wanted one; `wanted` NULL: JSON. */
static bool
is_type(const char *content_type, const char *wanted)
{
    wanted = wanted != NULL ? wanted : JSON;
    size_t length = strlen(wanted);
    return strncasecmp(content_type, wanted, length) == 0 &&
        strchr("; \t", content_type[length]) != NULL;
}

/*
 * The methods of a path, for the Allow header; static texts, one for each combination that occurs.
 */
static const char *
allowed_methods(const char *path)
{
    static const char *const texts[] = {"", "GET, HEAD", "POST", "GET, HEAD, POST", "PATCH",
        "GET, HEAD, PATCH", "POST, PATCH", "GET, HEAD, POST, PATCH", "DELETE",
        "GET, HEAD, DELETE", "POST, DELETE", "GET, HEAD, POST, DELETE", "PATCH, DELETE",
        "GET, HEAD, PATCH, DELETE", "POST, PATCH, DELETE", "GET, HEAD, POST, PATCH, DELETE"};
    unsigned found = 0;
    char name[WIRE_NAME_SIZE], body[WIRE_NAME_SIZE];
    for (int i = 0; i < sv_route_count; i++) {
        if (sv_route_matches(sv_routes[i].path, path, name, body)) {
            enum sv_http_method method = sv_routes[i].method;
            found |= method == SV_HTTP_GET ? 1U
                : method == SV_HTTP_POST   ? 2U
                : method == SV_HTTP_PATCH  ? 4U
                                           : 8U;
        }
    }
    CN_ASSERT(found < sizeof(texts) / sizeof(texts[0]));
    return texts[found];
}

static bool
refuse_request(struct sv_http_response *response, const char *code, const char *text)
{
    struct wire_error error;
    wire_error_set(&error, code, "", "%s", text);
    sv_http_refuse(response, &error);
    return true;
}

static bool
serve_page(struct sv_admin *admin, const struct sv_http_request *request,
    struct sv_http_response *response)
{
    const struct sv_page_file *file = sv_page_find(admin->page, request->path);
    if (file == NULL) {
        return refuse_request(response, "PATH", "this path does not exist");
    }
    if (request->method != SV_HTTP_GET && request->method != SV_HTTP_HEAD) {
        refuse_request(response, "METHOD", "files of the page accept GET and HEAD only");
        response->allow = "GET, HEAD";
        return true;
    }
    memset(response, 0, sizeof(*response));
    const struct sv_page_file *packed =
        sv_page_takes_packed(request->accept_encoding) ? sv_page_packed(admin->page, file) : NULL;
    const struct sv_page_file *sent = packed != NULL ? packed : file;
    bool is_known = strstr(request->if_none_match, sent->etag) != NULL;
    response->status = is_known ? 304 : 200;
    response->type = file->type;
    response->body = sv_buffer_ref(sent->bytes);
    response->is_page = true;
    response->is_packed = packed != NULL;
    memcpy(response->etag, sent->etag, sizeof(response->etag));
    return true;
}

/* Whether the sender may make this request.  False: the function has answered it. */
static bool
let_in(struct sv_call *call, const struct sv_route *route)
{
    CN_ASSERT(call->request->token != 0);
    struct wire_error error;
    const struct sv_admin *admin = call->admin;
    call->grant = sv_grant_open();
    if (call->request->door == SV_DOOR_PUBLIC && route->is_admin) {
        memset(&call->grant, 0, sizeof(call->grant));
        refuse_request(
            call->response, "PATH", "is answered by the admin listener only; see --admin-listen");
        return false;
    }
    if (route->least == AC_ROLE_NONE || call->request->door == SV_DOOR_UNIX ||
        admin->access == NULL) {
        return true;
    }
    if (sv_access_grant(
            admin->access, call->request->bearer, AC_ROLE_NONE, &call->grant, &error)) {
        if (sv_grant_covers(&call->grant, route->least, &error)) {
            return true;
        }
        sv_http_refuse(call->response, &error);
        return false;
    }
    SV_COUNT(admin->metrics, tokens_refused, 1);
    sv_http_refuse(call->response, &error);
    call->response->wants_token = call->response->status == 401;
    return false;
}

static bool
refuse_type(struct sv_http_response *response, const char *wanted)
{
    char text[128];
    snprintf(text, sizeof(text), "a request that changes something here needs Content-Type: %s",
        wanted != NULL ? wanted : JSON);
    return refuse_request(response, "TYPE", text);
}

/*
 * Records the order in the audit before it is carried out.  A request that only reads is recorded
 * only if its token is refused.
 */
static void
note_order(struct sv_call *call, const struct sv_route *route, bool is_let_in)
{
    const struct sv_http_request *request = call->request;
    bool is_secret = route->order != NULL && strcmp(route->order, SV_ORDER_SEAT) == 0;
    bool is_text = route->type == NULL && !is_secret, is_named = call->body[0] != '\0';
    const char *text = is_named ? call->body : request->body;
    size_t size = is_named ? strlen(call->body) : request->body_size;
    const struct sv_audit_order order = {
        .op = route->order != NULL ? route->order : "request",
        .world = call->name,
        .arguments = is_text ? text : "",
        .arguments_size = is_text ? size : 0,
        .from = request->from,
        .grant = &call->grant};
    if (call->admin->audit == NULL) {
        return;
    }
    if (route->order != NULL) {
        sv_audit_begin(call->admin->audit, &order, request->token);
    } else if (!is_let_in && call->response->status == 401) {
        sv_audit_tell(call->admin->audit, &order, sv_call_code(call->response));
    }
}

/* True: the request is answered; false: the reply follows. */
static bool
take_route(struct sv_call *call, const struct sv_route *route)
{
    struct wire_error error;
    bool is_order = route->method != SV_HTTP_GET, is_answered = true;
    bool is_let_in = let_in(call, route);
    note_order(call, route, is_let_in);
    if (!sv_call_take_quota(call, &error)) {
        sv_buffer_unref(is_let_in ? NULL : call->response->body);
        sv_refuse_quota(call->response, &error);
    } else if (is_order && !is_type(call->request->content_type, route->type)) {
        sv_buffer_unref(is_let_in ? NULL : call->response->body);
        refuse_type(call->response, route->type);
    } else if (is_order && call->admin->is_stopping) {
        sv_buffer_unref(is_let_in ? NULL : call->response->body);
        refuse_request(call->response, "STOPPING", "the daemon is stopping");
    } else if (is_let_in) {
        is_answered = route->handle(call);
    }
    if (is_answered) {
        sv_pack_response(call->request, call->response);
        sv_call_charge_sent(call);
    }
    if (is_answered && route->order != NULL && call->admin->audit != NULL) {
        sv_audit_answer(
            call->admin->audit, 0, call->request->token, sv_call_code(call->response));
    }
    return is_answered;
}

bool
sv_admin_handle(
    void *context, const struct sv_http_request *request, struct sv_http_response *response)
{
    struct sv_admin *admin = context;
    struct sv_call call = {.admin = admin, .request = request, .response = response};
    enum sv_http_method method =
        request->method == SV_HTTP_HEAD ? SV_HTTP_GET : request->method;
    bool is_path_known = false;
    for (int i = 0; i < sv_route_count; i++) {
        const struct sv_route *route = &sv_routes[i];
        if (!sv_route_matches(route->path, request->path, call.name, call.body)) {
            continue;
        }
        is_path_known = true;
        if (route->method != method) {
            continue;
        }
        return take_route(&call, route);
    }
    if (!is_path_known) {
        bool has_page = request->door == SV_DOOR_WHOLE || request->door == SV_DOOR_PUBLIC;
        struct wire_error error;
        if (!sv_call_take_quota(&call, &error)) {
            sv_refuse_quota(response, &error);
            return true;
        }
        bool is_answered = has_page
                               ? serve_page(admin, request, response)
                               : refuse_request(response, "PATH", "this path does not exist");
        sv_call_charge_sent(&call);
        return is_answered;
    }
    refuse_request(
        response, "METHOD", "this path does not accept this method; see the Allow header");
    response->allow = allowed_methods(request->path);
    return true;
}

/* ---- later answers ---- */

void
sv_admin_reported(void *context, struct sv_host_world *world, const struct sv_report *report)
{
    struct sv_admin *admin = context;
    struct sv_http_response response;
    if (report->asker.request == 0) {
        return; /* an order of the daemon itself */
    }
    CN_ASSERT(admin->waiting_count > 0);
    admin->waiting_count--;
    if (report->kind == SV_REPORT_REFUSED) {
        struct wire_error error;
        wire_error_set(&error, "MEMORY", "", "no memory for the reason");
        sv_http_refuse(
            &response, report->outcome_take != NULL ? &report->outcome_take->error : &error);
    } else if (report->kind == SV_REPORT_REMOVED) {
        memset(&response, 0, sizeof(response));
        response.status = 204;
    } else if (report->kind == SV_REPORT_ANSWERED) {
        char *text = NULL;
        if (report->outcome_take != NULL) {
            text = report->outcome_take->text;
            report->outcome_take->text = NULL;
        }
        sv_http_respond(&response, 200, "application/json; charset=utf-8", text);
    } else {
        sv_http_respond(&response, report->kind == SV_REPORT_CREATED ? 201 : 200,
            "application/json; charset=utf-8", wire_status_print(&world->status));
    }
    sv_admin_reply(admin, &report->asker, &response);
}
