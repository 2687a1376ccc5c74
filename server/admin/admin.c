#include "server/admin/admin.h"

#include "proto/codec_json.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- finding the route ---- */

/* Takes one segment of the path; false when it is none, or longer than a name. */
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

/* NULL: JSON. */
static bool
is_type(const char *content_type, const char *wanted)
{
    wanted = wanted != NULL ? wanted : JSON;
    size_t length = strlen(wanted);
    return strncasecmp(content_type, wanted, length) == 0 &&
        strchr("; \t", content_type[length]) != NULL;
}

/* The methods that a path has, for the Allow header: static text, so a table of what occurs. */
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
    return texts[found];
}

static bool
refuse(struct sv_http_response *response, const char *code, const char *text)
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
        return refuse(response, "PATH", "there is nothing at this path");
    }
    if (request->method != SV_HTTP_GET && request->method != SV_HTTP_HEAD) {
        refuse(response, "METHOD", "a file of the page has GET and HEAD");
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

/* Whether the sender may ask this; else the request is answered. */
static bool
let_in(struct sv_call *call, const struct sv_route *route)
{
    struct wire_error error;
    const struct sv_admin *admin = call->admin;
    call->grant = sv_grant_open();
    if (call->request->door == SV_DOOR_PUBLIC && route->is_admin) {
        refuse(call->response, "PATH", "is for the admin listener alone; see --admin-listen");
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
    snprintf(text, sizeof(text), "a request that changes something here wants Content-Type: %s",
        wanted != NULL ? wanted : JSON);
    return refuse(response, "TYPE", text);
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
        if (method != SV_HTTP_GET && !is_type(request->content_type, route->type)) {
            return refuse_type(response, route->type);
        }
        if (method != SV_HTTP_GET && admin->is_stopping) {
            return refuse(response, "STOPPING", "the daemon is stopping");
        }
        return !let_in(&call, route) || route->handle(&call);
    }
    if (!is_path_known) {
        bool has_page = request->door == SV_DOOR_WHOLE || request->door == SV_DOOR_PUBLIC;
        return has_page ? serve_page(admin, request, response)
                        : refuse(response, "PATH", "there is nothing at this path");
    }
    refuse(response, "METHOD", "this path has other methods; see the Allow header");
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
        return; /* of the daemon's own making */
    }
    admin->waiting_count--;
    if (report->kind == SV_REPORT_REFUSED) {
        struct wire_error error;
        wire_error_set(&error, "MEMORY", "", "no memory to say why");
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
    admin->reply(admin->reply_context, report->asker.request, &response);
}
