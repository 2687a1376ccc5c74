#include "server/admin/rooms.h"
#include "server/admin/lists.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSON "application/json; charset=utf-8"

/* Whether the daemon has rooms.  False: the call is answered. */
static bool
has_rooms(struct sv_call *call)
{
    struct wire_error error;
    if (call->admin->rooms != NULL && call->admin->rooms->has_key) {
        return true;
    }
    wire_error_set(&error, "STATE", "", "this daemon has no rooms; see --rooms");
    return !sv_call_refuse(call, &error);
}

/* The room that the path names, if the grant allows it.  NULL: the call is answered. */
static struct sv_room *
find_room(struct sv_call *call)
{
    struct wire_error error;
    if (!has_rooms(call)) {
        return NULL;
    }
    struct sv_room *room = sv_rooms_find(call->admin->rooms, call->name);
    if (room == NULL || room->state == SV_ROOM_MAKING ||
        !ac_pattern_fits(call->grant.world, room->id)) {
        wire_error_set(&error, "ROOM", "", "no room has this id; GET /v1/rooms lists them");
        sv_call_refuse(call, &error);
        return NULL;
    }
    return room;
}

/* Whether the sender may end and lock the room: an instructor, or the player who had it made. */
static bool
may_change(struct sv_call *call, const struct sv_room *room)
{
    struct wire_error error;
    bool is_maker = call->grant.room == 0 && call->grant.subject[0] != '\0' &&
        strcmp(call->grant.subject, room->subject) == 0;
    if (is_maker || sv_grant_covers(&call->grant, AC_ROLE_INSTRUCTOR, &error)) {
        return true;
    }
    wire_error_set(&error, "RIGHTS", "", "is for the maker of the room, and for instructors");
    return !sv_call_refuse(call, &error);
}

/* ---- lists ---- */

struct listing {
    struct wire_room_filter filter;
    uint64_t after; /* the number of the last room of the page before */
    size_t limit;
    bool with_private;
};

/* An argument "property.NAME=VALUE": text, true, false or a number, as the templates say. */
static bool
read_property(const struct sv_rooms *rooms, const char *name, const char *value,
    struct wire_room_properties *out, struct wire_error *error)
{
    char *end = NULL;
    const struct wire_room_property *known = NULL;
    for (int i = 0; i < rooms->template_count && known == NULL; i++) {
        known = wire_room_property_find(&rooms->templates[i].is.properties, name);
    }
    if (known == NULL || !known->is_listed || out->count == WIRE_ROOM_PROPERTIES_MAX) {
        return sv_refuse_argument(error, "property", "is of no listed property");
    }
    struct wire_room_property *property = &out->list[out->count++];
    *property = *known;
    switch (known->type) {
    case WIRE_ROOM_TEXT:
        snprintf(property->text, sizeof(property->text), "%.63s", value);
        return true;
    case WIRE_ROOM_INTEGER:
        property->integer = strtoll(value, &end, 10);
        break;
    case WIRE_ROOM_NUMBER:
        property->number = strtod(value, &end);
        break;
    case WIRE_ROOM_FLAG:
        property->flag = strcmp(value, "true") == 0;
        return property->flag || strcmp(value, "false") == 0 ||
            sv_refuse_argument(error, "property", "is neither true nor false");
    }
    return (end != value && *end == '\0') ||
        sv_refuse_argument(error, "property", "is not a number");
}

static bool
read_argument(const struct sv_rooms *rooms, const char *name, const char *value,
    struct listing *out, struct wire_error *error)
{
    static const char property[] = "property.";
    uint64_t number;
    if (strcmp(name, "template") == 0) {
        snprintf(out->filter.template_name, sizeof(out->filter.template_name), "%.31s", value);
        return sv_rooms_template(rooms, value) != NULL ||
            sv_refuse_argument(error, name, "is no template; GET /v1/rooms/templates lists them");
    }
    if (strcmp(name, "open") == 0 || strcmp(name, "private") == 0) {
        bool *flag = name[0] == 'o' ? &out->filter.is_open_only : &out->with_private;
        *flag = strcmp(value, "true") == 0;
        return *flag || strcmp(value, "false") == 0 ||
            sv_refuse_argument(error, name, "is neither true nor false");
    }
    if (strcmp(name, "after") == 0) {
        return sv_read_number(value, INT64_MAX, &out->after) ||
            sv_refuse_argument(error, name, "is not the `next` of a page");
    }
    if (strcmp(name, "limit") == 0) {
        bool is_good = sv_read_number(value, WIRE_ROOM_PAGE_MAX, &number) && number > 0;
        out->limit = is_good ? (size_t)number : 0;
        return is_good || sv_refuse_argument(error, name, "is not a number from 1 to 500");
    }
    if (strncmp(name, property, sizeof(property) - 1) == 0) {
        return read_property(
            rooms, name + sizeof(property) - 1, value, &out->filter.properties, error);
    }
    return sv_refuse_argument(error, "",
        "has another argument than template, open, private, after, limit and property.NAME");
}

static bool
read_listing(const struct sv_call *call, struct listing *out, struct wire_error *error)
{
    char name[SV_HEADER_SIZE], value[SV_HEADER_SIZE];
    const char *query = call->request->query != NULL ? call->request->query : "";
    *out = (struct listing){.limit = WIRE_ROOM_PAGE};
    while (sv_http_argument(&query, name, value)) {
        if (!read_argument(call->admin->rooms, name, value, out, error)) {
            return false;
        }
    }
    if (*query != '\0') {
        return sv_refuse_argument(error, "", "has an argument that is empty or too long");
    }
    return !out->with_private || sv_grant_covers(&call->grant, AC_ROLE_OPERATOR, error);
}

static bool
is_listed(const struct sv_room *room, const struct listing *listing, const char *pattern)
{
    struct sv_room shown = *room;
    shown.is_private = room->is_private && !listing->with_private;
    return room->number > listing->after && sv_rooms_fits(&shown, &listing->filter, pattern);
}

static int
compare_rooms(const void *a, const void *b)
{
    const struct sv_room *left = *(const struct sv_room *const *)a;
    const struct sv_room *right = *(const struct sv_room *const *)b;
    return left->number < right->number ? -1 : left->number > right->number;
}

/* Prints a page of the rooms, which are sorted. */
static char *
print_page(const struct sv_call *call, const struct sv_room **found, size_t count, size_t limit)
{
    struct wire_room shown[WIRE_ROOM_PAGE_MAX];
    char next[24] = "";
    uint64_t now_ns = sv_clock_now_ns(&call->admin->rooms->clock);
    struct wire_room_list list = {
        .rooms = shown, .count = count < limit ? count : limit, .next = next};
    CN_ASSERT(list.count <= WIRE_ROOM_PAGE_MAX);
    for (size_t i = 0; i < list.count; i++) {
        shown[i] = sv_room_show(found[i], now_ns);
    }
    if (count > limit) {
        snprintf(
            next, sizeof(next), "%llu", (unsigned long long)found[list.count - 1]->number);
    }
    return wire_rooms_print(&list);
}

bool
sv_list_rooms(struct sv_call *call)
{
    struct listing listing;
    struct wire_error error;
    if (!has_rooms(call)) {
        return true;
    }
    if (!read_listing(call, &listing, &error)) {
        return sv_call_refuse(call, &error);
    }
    const struct sv_rooms *rooms = call->admin->rooms;
    const struct sv_room **found = calloc((size_t)rooms->count + 1, sizeof(found[0]));
    size_t count = 0;
    for (int i = 0; i < rooms->count && found != NULL; i++) {
        if (is_listed(rooms->list[i], &listing, call->grant.world)) {
            found[count++] = rooms->list[i];
        }
    }
    if (count > 0) {
        qsort(found, count, sizeof(found[0]), compare_rooms);
    }
    sv_call_respond(
        call, found != NULL ? print_page(call, found, count, listing.limit) : NULL);
    free(found);
    return true;
}

bool
sv_list_room_templates(struct sv_call *call)
{
    struct wire_room_template_item items[WIRE_ROOM_TEMPLATES_MAX];
    const struct sv_rooms *rooms = call->admin->rooms;
    /* The page asks every daemon; a daemon without rooms has no templates. */
    int count = rooms != NULL && rooms->has_key ? rooms->template_count : 0;
    for (int i = 0; i < count; i++) {
        items[i].of = &rooms->templates[i].is;
        items[i].scene = wire_scene_name(rooms->templates[i].scene->scene);
    }
    return sv_call_respond(call, wire_room_templates_print(items, (size_t)count));
}

bool
sv_get_room(struct sv_call *call)
{
    const struct sv_room *room = find_room(call);
    if (room == NULL) {
        return true;
    }
    const struct wire_room shown =
        sv_room_show(room, sv_clock_now_ns(&call->admin->rooms->clock));
    return sv_call_respond(call, wire_room_print(&shown));
}

/* ---- orders ---- */

/* Whether the quotas allow a seat, and a room if one has to be made; else *error is filled. */
static bool
may_have(const struct sv_call *call, bool is_new, struct wire_error *error)
{
    const struct sv_admin *admin = call->admin;
    const struct sv_asker asker = sv_call_asker(call);
    int rooms[SV_PRINCIPAL_COUNT], seats[SV_PRINCIPAL_COUNT];
    if (admin->quotas == NULL || call->request->door == SV_DOOR_UNIX) {
        return true;
    }
    for (int k = 0; k < SV_PRINCIPAL_COUNT; k++) {
        enum sv_principal principal = (enum sv_principal)k;
        bool is_there = sv_asker_id(&asker, principal) != 0;
        rooms[k] = is_there ? sv_rooms_made_count(admin->rooms, &asker, principal) : -1;
        seats[k] = is_there ? sv_rooms_seat_count(admin->rooms, &asker, principal) : -1;
    }
    return (!is_new ||
               sv_quotas_allow(
                   admin->quotas, AC_QUOTA_ROOMS, &call->grant, rooms, 1, error)) &&
        sv_quotas_allow(admin->quotas, AC_QUOTA_SEATS, &call->grant, seats, 1, error);
}

/* Gives the seat; false with *error filled. */
static bool
give_seat(struct sv_call *call, const struct wire_room_request *request, struct wire_error *error)
{
    struct sv_room *room;
    struct sv_rooms *rooms = call->admin->rooms;
    const struct sv_room_who who = {.asker = sv_call_asker(call),
        .role = call->grant.role,
        .subject = call->grant.room == 0 ? call->grant.subject : "",
        .world = call->grant.world};
    return sv_rooms_pick(rooms, request, &who, &room, error) &&
        may_have(call, room == NULL, error) &&
        (room != NULL ? sv_rooms_seat(rooms, room, &who, error)
                      : sv_rooms_make(rooms, request, &who, error));
}

bool
sv_ask_room(struct sv_call *call)
{
    struct wire_room_request request;
    struct wire_error error;
    if (!has_rooms(call)) {
        return true;
    }
    if (!wire_room_request_parse(
            call->request->body, call->request->body_size, &request, &error) ||
        !sv_call_may_wait(call, &error)) {
        return sv_call_refuse(call, &error);
    }
    bool is_given = give_seat(call, &request, &error);
    memset(request.password, 0, sizeof(request.password));
    if (is_given) {
        return false;
    }
    sv_call_stop_waiting(call, &error);
    if (strcmp(error.code, "LIMIT") == 0) {
        call->response->status = 409; /* a room or a seat must be given up first */
    }
    return true;
}

bool
sv_lock_room(struct sv_call *call)
{
    struct wire_error error;
    bool is_unlock;
    const struct sv_asker asker = sv_call_asker(call);
    struct sv_room *room = find_room(call);
    if (room == NULL || !may_change(call, room)) {
        return true;
    }
    if (!wire_room_lock_parse(
            call->request->body, call->request->body_size, &is_unlock, &error) ||
        !sv_call_may_wait(call, &error)) {
        return sv_call_refuse(call, &error);
    }
    return !sv_rooms_lock(call->admin->rooms, room, !is_unlock, &asker, &error) &&
        sv_call_stop_waiting(call, &error);
}

bool
sv_remove_room(struct sv_call *call)
{
    struct wire_error error;
    const struct sv_asker asker = sv_call_asker(call);
    struct sv_room *room = find_room(call);
    if (room == NULL || !may_change(call, room)) {
        return true;
    }
    if (!sv_call_may_wait(call, &error)) {
        return sv_call_refuse(call, &error);
    }
    return !sv_rooms_remove(call->admin->rooms, room, &asker, &error) &&
        sv_call_stop_waiting(call, &error);
}

void
sv_admin_room_answered(void *context, const struct sv_room_answer *answer)
{
    struct sv_admin *admin = context;
    struct sv_http_response response;
    CN_ASSERT(admin->waiting_count > 0);
    admin->waiting_count--;
    if (answer->error != NULL) {
        sv_http_refuse(&response, answer->error);
    } else if (answer->seat != NULL) {
        sv_http_respond(&response, 200, JSON, wire_room_seat_print(answer->seat));
        bool is_made = response.status == 200 && answer->seat->is_created;
        response.status = is_made ? 201 : response.status;
    } else if (answer->room != NULL) {
        const struct wire_room shown =
            sv_room_show(answer->room, sv_clock_now_ns(&admin->rooms->clock));
        sv_http_respond(&response, 200, JSON, wire_room_print(&shown));
    } else {
        memset(&response, 0, sizeof(response));
        response.status = 204;
    }
    sv_admin_reply(admin, &answer->asker, &response);
}
