/*
 * routes.c: the table of routes and their functions.
 */
#include "server/admin/admin.h"
#include "server/admin/check.h"
#include "server/admin/lists.h"
#include "server/admin/recording.h"
#include "server/admin/rooms.h"

#include "engine/base/assert.h"
#include "proto/codec_json.h"
#include "server/base/limits.h"
#include "server/host/bake.h"
#include "server/host/fork.h"
#include "server/session/rights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The world that the path names, if the grant allows it.  NULL: the request is answered. */
static struct sv_host_world *
find_listed(struct sv_call *call)
{
    struct sv_host_world *world = sv_host_find_listed(call->admin->host, call->name);
    if (world == NULL || !sv_grant_covers_world(&call->grant, world)) {
        world = NULL;
        struct wire_error error;
        wire_error_set(&error, "WORLD", "", "no world has this id; GET /v1/worlds lists them");
        sv_call_refuse(call, &error);
    }
    return world;
}

/* The same; the world must also exist. */
static struct sv_host_world *
find_world(struct sv_call *call)
{
    struct sv_host_world *world = find_listed(call);
    if (world != NULL && !world->is_ready) {
        struct wire_error error;
        wire_error_set(&error, "STATE", "", "the world is not run: %.200s",
            world->status.failure);
        sv_call_refuse(call, &error);
        world = NULL;
    }
    return world;
}

/* ---- worlds ---- */

static bool
create_world(struct sv_call *call)
{
    struct wire_source source;
    struct wire_error error;
    struct sv_asker asker = sv_call_asker(call);
    if (!sv_call_may_make(call, SV_MADE_WORLD)) {
        return true;
    }
    bool is_good =
        wire_create_parse(call->request->body, call->request->body_size, &source, &error) &&
        sv_grant_has_world(&call->grant, source.id, "id", &error) && sv_call_may_wait(call, &error);
    if (!is_good) {
        sv_call_refuse(call, &error);
    } else if (!sv_bake_create(call->admin->host, &source, &asker, &error)) {
        is_good = false;
        sv_call_stop_waiting(call, &error);
    }
    wire_source_finish(&source);
    return !is_good;
}

static bool
get_world(struct sv_call *call)
{
    const struct sv_host_world *world = find_listed(call);
    return world == NULL || sv_call_respond(call, wire_status_print(&world->status));
}

static bool
remove_world(struct sv_call *call)
{
    struct sv_host_world *world = find_listed(call);
    struct wire_error error;
    struct sv_asker asker = sv_call_asker(call);
    if (world == NULL) {
        return true;
    }
    if (!sv_call_may_wait(call, &error)) {
        return sv_call_refuse(call, &error);
    }
    if (!sv_host_remove_world(call->admin->host, world, &asker, &error)) {
        return sv_call_stop_waiting(call, &error);
    }
    return false;
}

static bool
get_world_scene(struct sv_call *call)
{
    const struct sv_host_world *world = find_world(call);
    return world == NULL || sv_call_respond(call, wire_scene_print(world->scene->scene));
}

/* Sends an order to the world, and takes the data that the order holds. */
static bool
send_order(struct sv_call *call, struct sv_host_world *world, const struct sv_order *order)
{
    struct wire_error error;
    if (!sv_call_may_wait(call, &error)) {
        sv_scene_unref(order->scene);
        wire_change_destroy(order->change);
        return sv_call_refuse(call, &error);
    }
    struct sv_order *order_take = malloc(sizeof(*order_take));
    if (order_take == NULL) {
        sv_scene_unref(order->scene);
        wire_change_destroy(order->change);
        wire_error_set(&error, "MEMORY", "", "no memory");
        return sv_call_stop_waiting(call, &error);
    }
    *order_take = *order;
    struct sv_message message = {
        .kind = SV_MESSAGE_ORDER, .asker = sv_call_asker(call), .order_take = order_take};
    if (!sv_host_send(call->admin->host, world, &message, &error)) {
        return sv_call_stop_waiting(call, &error);
    }
    return false;
}

static bool
order_simple(struct sv_call *call, enum wire_control_kind kind)
{
    struct sv_host_world *world = find_world(call);
    struct sv_order order = {.kind = kind};
    return world == NULL || send_order(call, world, &order);
}

static bool
pause_world(struct sv_call *call)
{
    return order_simple(call, WIRE_CONTROL_PAUSE);
}

static bool
resume_world(struct sv_call *call)
{
    return order_simple(call, WIRE_CONTROL_RESUME);
}

static bool
reset_world(struct sv_call *call)
{
    return order_simple(call, WIRE_CONTROL_RESET);
}

static bool
step_world(struct sv_call *call)
{
    struct sv_host_world *world = find_world(call);
    struct sv_order order = {.kind = WIRE_CONTROL_STEP};
    struct wire_error error;
    if (world == NULL) {
        return true;
    }
    if (!wire_step_parse(
            call->request->body, call->request->body_size, &order.step_ticks, &error)) {
        return sv_call_refuse(call, &error);
    }
    return send_order(call, world, &order);
}

static bool
load_world(struct sv_call *call)
{
    struct sv_host_world *world = find_world(call);
    struct wire_source source;
    struct wire_error error;
    struct sv_asker asker = sv_call_asker(call);
    if (world == NULL) {
        return true;
    }
    bool is_good =
        wire_load_parse(call->request->body, call->request->body_size, &source, &error) &&
        sv_call_may_wait(call, &error);
    if (!is_good) {
        sv_call_refuse(call, &error);
    } else if (!sv_bake_load(call->admin->host, world, &source, &asker, &error)) {
        is_good = false;
        sv_call_stop_waiting(call, &error);
    }
    wire_source_finish(&source);
    return !is_good;
}

static bool
send_change(struct sv_call *call, struct sv_host_world *world, const char *text, size_t size)
{
    struct sv_order order = {.kind = WIRE_CONTROL_CHANGE};
    struct wire_source source;
    struct wire_error error;
    if (wire_change_parse(text, size, &source, &error)) {
        order.origin = world->scene->origin;
        order.change = sv_host_change(world, &source, &error);
    }
    wire_source_finish(&source);
    return order.change != NULL ? send_order(call, world, &order) : sv_call_refuse(call, &error);
}

static bool
change_bodies(struct sv_call *call)
{
    struct sv_host_world *world = find_world(call);
    return world == NULL ||
        send_change(call, world, call->request->body, call->request->body_size);
}

/* Removes one body.  A name that JSON must escape cannot be removed this way; use POST. */
static bool
remove_body(struct sv_call *call)
{
    char text[WIRE_NAME_SIZE + 32];
    struct sv_host_world *world = find_world(call);
    if (world == NULL) {
        return true;
    }
    if (strpbrk(call->body, "\"\\") != NULL) {
        struct wire_error error;
        wire_error_set(
            &error, "REFERENCE", "", "cannot be a name in a path; POST {\"remove\": [...]}");
        return sv_call_refuse(call, &error);
    }
    int size = snprintf(text, sizeof(text), "{\"remove\": [\"%s\"]}", call->body);
    CN_ASSERT(size > 0 && (size_t)size < sizeof(text));
    return send_change(call, world, text, (size_t)size);
}

static bool
fork_world(struct sv_call *call)
{
    struct sv_host_world *world = find_world(call);
    struct wire_fork fork;
    struct wire_error error;
    struct sv_asker asker = sv_call_asker(call);
    if (world == NULL) {
        return true;
    }
    if (!wire_fork_parse(call->request->body, call->request->body_size, &fork, &error) ||
        !sv_rights_fork(&call->grant, &fork, &error) ||
        !sv_rights_fork_name(&call->grant, &fork, call->name, &error)) {
        return sv_call_refuse(call, &error);
    }
    if (!sv_call_may_make(call, fork.replay ? SV_MADE_REPLAY : SV_MADE_FORK)) {
        return true;
    }
    if (!sv_call_may_wait(call, &error)) {
        return sv_call_refuse(call, &error);
    }
    if (!sv_fork_begin(call->admin->host, world, &fork, NULL, &asker, &error)) {
        return sv_call_stop_waiting(call, &error);
    }
    return false;
}

static bool
get_timeline(struct sv_call *call)
{
    struct sv_host_world *world = find_world(call);
    struct wire_error error;
    struct sv_asker asker = sv_call_asker(call);
    if (world == NULL) {
        return true;
    }
    if (!sv_call_may_wait(call, &error)) {
        return sv_call_refuse(call, &error);
    }
    if (!sv_fork_timeline(call->admin->host, world, &asker, &error)) {
        return sv_call_stop_waiting(call, &error);
    }
    return false;
}

static bool
check_source(struct sv_call *call, bool with_start)
{
    struct wire_source source;
    struct wire_error error;
    const struct sv_asker asker = sv_call_asker(call);
    if (!sv_call_may_check(call)) {
        return true;
    }
    bool is_good =
        wire_load_parse(call->request->body, call->request->body_size, &source, &error) &&
        sv_check_begin(call->admin, &asker, &source, with_start, &error);
    wire_source_finish(&source);
    return !is_good && sv_call_refuse(call, &error);
}

static bool
check_scene(struct sv_call *call)
{
    return check_source(call, false);
}

static bool
check_scene_start(struct sv_call *call)
{
    return check_source(call, true);
}

static bool
change_settings(struct sv_call *call)
{
    struct sv_host_world *world = find_world(call);
    struct sv_order order = {.kind = WIRE_CONTROL_SETTINGS};
    struct wire_error error;
    if (world == NULL) {
        return true;
    }
    if (!wire_settings_parse(
            call->request->body, call->request->body_size, &order.settings, &error)) {
        return sv_call_refuse(call, &error);
    }
    return send_order(call, world, &order);
}

static bool
query_world(struct sv_call *call)
{
    struct sv_host_world *world = find_world(call);
    struct wire_error error;
    if (world == NULL) {
        return true;
    }
    struct wire_query *query =
        wire_query_parse(call->request->body, call->request->body_size, &error);
    if (query == NULL) {
        return sv_call_refuse(call, &error);
    }
    if (!sv_call_may_wait(call, &error)) {
        free(query);
        return sv_call_refuse(call, &error);
    }
    struct sv_message message = {
        .kind = SV_MESSAGE_QUERY, .asker = sv_call_asker(call), .query_take = query};
    if (!sv_host_send(call->admin->host, world, &message, &error)) {
        return sv_call_stop_waiting(call, &error);
    }
    return false;
}

static bool
record_world(struct sv_call *call)
{
    const struct sv_host_world *world = find_world(call);
    struct wire_error error;
    const struct sv_asker asker = sv_call_asker(call);
    return world == NULL ||
        (!sv_recording_begin(call->admin, &asker, world, &error) && sv_call_refuse(call, &error));
}

static bool
import_world(struct sv_call *call)
{
    struct wire_error error;
    if (!wire_name_is_id(call->name)) {
        wire_error_set(&error, "NAME", "id",
            "is no id: 1 to 63 letters, digits, '-', '_' and '.', not '.' first");
        return sv_call_refuse(call, &error);
    }
    if (!sv_call_may_make(call, SV_MADE_WORLD)) {
        return true;
    }
    const struct sv_asker asker = sv_call_asker(call);
    bool is_begun = sv_grant_has_world(&call->grant, call->name, "id", &error) &&
        sv_recording_import(call->admin, call->request, &asker, call->name, &error);
    return !is_begun && sv_call_refuse(call, &error);
}

/* ---- scenes and lists ---- */

static bool
list_scenes(struct sv_call *call)
{
    const struct sv_host *host = call->admin->host;
    const struct wire_scene *scenes[SV_BUNDLED_MAX];
    CN_ASSERT(host->bundled_count <= SV_BUNDLED_MAX);
    for (int i = 0; i < host->bundled_count; i++) {
        scenes[i] = host->bundled[i]->scene;
    }
    return sv_call_respond(call, wire_scenes_print(scenes, (size_t)host->bundled_count));
}

static bool
get_scene(struct sv_call *call)
{
    struct wire_source source = {.kind = WIRE_SOURCE_NAME};
    struct wire_error error;
    memcpy(source.name, call->name, sizeof(source.name));
    struct sv_scene *scene = sv_host_scene(call->admin->host, &source, &error);
    if (scene == NULL) {
        error.path[0] = '\0';
        return sv_call_refuse(call, &error);
    }
    sv_call_respond(call, wire_scene_print(scene->scene));
    sv_scene_unref(scene);
    return true;
}

/* ---- health ---- */

static bool
get_health(struct sv_call *call)
{
    sv_http_respond(call->response, 200, "text/plain; charset=utf-8", strdup("ok\n"));
    return true;
}

static bool
get_readiness(struct sv_call *call)
{
    char text[256];
    bool is_ready = sv_readiness(call->admin, text, sizeof(text));
    sv_http_respond(call->response, is_ready ? 200 : 503, "text/plain; charset=utf-8",
        strdup(text));
    return true;
}

static bool
get_metrics(struct sv_call *call)
{
    sv_http_respond(call->response, 200, "text/plain; version=0.0.4; charset=utf-8",
        sv_metrics_print(call->admin->metrics));
    return true;
}

/* ---- the table ---- */

const struct sv_route sv_routes[] = {
    {SV_HTTP_GET, "/v1/worlds", "the worlds: a WorldList", AC_ROLE_OBSERVER, false,
        sv_list_worlds, NULL, NULL},
    {SV_HTTP_POST, "/v1/worlds", "makes a world of a CreateWorld", AC_ROLE_OPERATOR, true,
        create_world, NULL, "create"},
    {SV_HTTP_GET, "/v1/worlds/{name}", "one world's WorldStatus", AC_ROLE_OBSERVER, false,
        get_world, NULL, NULL},
    {SV_HTTP_DELETE, "/v1/worlds/{name}", "removes a world", AC_ROLE_OPERATOR, true, remove_world,
        NULL, "remove"},
    {SV_HTTP_GET, "/v1/worlds/{name}/scene", "the world's Scene", AC_ROLE_OBSERVER, false,
        get_world_scene, NULL, NULL},
    {SV_HTTP_POST, "/v1/worlds/{name}/pause", "stops the world's clock", AC_ROLE_INSTRUCTOR, false,
        pause_world, NULL, "pause"},
    {SV_HTTP_POST, "/v1/worlds/{name}/resume", "lets the clock go on", AC_ROLE_INSTRUCTOR, false,
        resume_world, NULL, "resume"},
    {SV_HTTP_POST, "/v1/worlds/{name}/step", "steps a paused world: {\"ticks\": 1}",
        AC_ROLE_INSTRUCTOR, false, step_world, NULL, "step"},
    {SV_HTTP_POST, "/v1/worlds/{name}/reset", "puts the bodies back", AC_ROLE_INSTRUCTOR, false,
        reset_world, NULL, "reset"},
    {SV_HTTP_POST, "/v1/worlds/{name}/load", "loads another scene: a LoadScene", AC_ROLE_OPERATOR,
        true, load_world, NULL, "load"},
    {SV_HTTP_PATCH, "/v1/worlds/{name}/settings", "changes Settings", AC_ROLE_INSTRUCTOR, false,
        change_settings, NULL, "settings"},
    {SV_HTTP_POST, "/v1/worlds/{name}/bodies", "makes and removes bodies: a Change",
        AC_ROLE_INSTRUCTOR, false, change_bodies, NULL, "change"},
    {SV_HTTP_DELETE, "/v1/worlds/{name}/bodies/{body}", "removes a body by name",
        AC_ROLE_INSTRUCTOR, false, remove_body, NULL, "change"},
    {SV_HTTP_POST, "/v1/worlds/{name}/query", "answers a Query: what is where", AC_ROLE_OBSERVER,
        false, query_world, NULL, NULL},
    {SV_HTTP_GET, "/v1/worlds/{name}/timeline", "its stored past: a Timeline", AC_ROLE_OBSERVER,
        false, get_timeline, NULL, NULL},
    {SV_HTTP_GET, "/v1/worlds/{name}/recording", "its stored past, as a recording",
        AC_ROLE_OPERATOR, true, record_world, NULL, NULL},
    {SV_HTTP_POST, "/v1/worlds/{name}/recording", "makes a world of a recording", AC_ROLE_OPERATOR,
        true, import_world, SV_RECORDING_TYPE, "import"},
    {SV_HTTP_POST, "/v1/worlds/{name}/fork", "makes a world from its past: a ForkWorld",
        AC_ROLE_INSTRUCTOR, false, fork_world, NULL, "fork"},
    {SV_HTTP_GET, "/v1/rooms", "rooms, in pages: a RoomList", AC_ROLE_OBSERVER, false,
        sv_list_rooms, NULL, NULL},
    {SV_HTTP_POST, "/v1/rooms", "gives a seat in a room: a RoomRequest", AC_ROLE_OBSERVER, false,
        sv_ask_room, NULL, SV_ORDER_SEAT},
    {SV_HTTP_GET, "/v1/rooms/templates", "the templates: a RoomTemplateList", AC_ROLE_OBSERVER,
        false, sv_list_room_templates, NULL, NULL},
    {SV_HTTP_GET, "/v1/rooms/{name}", "one Room", AC_ROLE_OBSERVER, false, sv_get_room, NULL,
        NULL},
    {SV_HTTP_DELETE, "/v1/rooms/{name}", "ends a room", AC_ROLE_PLAYER, false, sv_remove_room,
        NULL, "room-remove"},
    {SV_HTTP_POST, "/v1/rooms/{name}/lock", "gives no seats any more: a RoomLock",
        AC_ROLE_PLAYER, false, sv_lock_room, NULL, "room-lock"},
    {SV_HTTP_GET, "/v1/scenes", "the bundled scenes: a SceneList", AC_ROLE_OBSERVER, false,
        list_scenes, NULL, NULL},
    {SV_HTTP_GET, "/v1/scenes/{name}", "one bundled Scene", AC_ROLE_OBSERVER, false, get_scene,
        NULL, NULL},
    {SV_HTTP_POST, "/v1/check", "whether a scene is stable, and the proof", AC_ROLE_INSTRUCTOR,
        false, check_scene, NULL, "check"},
    {SV_HTTP_POST, "/v1/check/start", "the same, and the first accelerations of falling bodies",
        AC_ROLE_INSTRUCTOR, false, check_scene_start, NULL, "check"},
    {SV_HTTP_GET, "/v1/solvers", "the solvers: an ItemList", AC_ROLE_NONE, false, sv_list_solvers,
        NULL, NULL},
    {SV_HTTP_GET, "/v1/steppers", "the steppers: an ItemList", AC_ROLE_NONE, false,
        sv_list_steppers, NULL, NULL},
    {SV_HTTP_GET, "/v1/shapes", "the shapes: an ItemList", AC_ROLE_NONE, false, sv_list_shapes,
        NULL, NULL},
    {SV_HTTP_GET, "/healthz", "200 while the daemon lives", AC_ROLE_NONE, false, get_health, NULL,
        NULL},
    {SV_HTTP_GET, "/readyz", "200 when worlds can be made and changed, else 503 and the reason",
        AC_ROLE_NONE, false, get_readiness, NULL, NULL},
    {SV_HTTP_GET, "/metrics", "counters in Prometheus' text format", AC_ROLE_NONE, true,
        get_metrics, NULL, NULL},
};
const int sv_route_count = (int)(sizeof(sv_routes) / sizeof(sv_routes[0]));
