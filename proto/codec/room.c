#include "proto/codec/room.h"

#include "engine/base/assert.h"
#include "proto/attribute.h"
#include "proto/codec/borrow.h"
#include "proto/codec/world.h"
#include "proto/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- properties ---- */

const struct wire_room_property *
wire_room_property_find(const struct wire_room_properties *properties, const char *name)
{
    CN_ASSERT(properties->count >= 0 && properties->count <= WIRE_ROOM_PROPERTIES_MAX);
    for (int i = 0; i < properties->count; i++) {
        if (strcmp(properties->list[i].name, name) == 0) {
            return &properties->list[i];
        }
    }
    return NULL;
}

static bool
is_same_value(const struct wire_room_property *a, const struct wire_room_property *b)
{
    if (a->type != b->type) {
        return false;
    }
    switch (a->type) {
    case WIRE_ROOM_TEXT:
        return strcmp(a->text, b->text) == 0;
    case WIRE_ROOM_INTEGER:
        return a->integer == b->integer;
    case WIRE_ROOM_NUMBER:
        return a->number == b->number;
    case WIRE_ROOM_FLAG:
        return a->flag == b->flag;
    }
    CN_ASSERT(!"every type is listed");
    return false;
}

bool
wire_room_properties_fit(
    const struct wire_room_properties *all, const struct wire_room_properties *wanted)
{
    for (int i = 0; i < wanted->count; i++) {
        const struct wire_room_property *own =
            wire_room_property_find(all, wanted->list[i].name);
        if (own == NULL || !is_same_value(own, &wanted->list[i])) {
            return false;
        }
    }
    return true;
}

bool
codec_room_word_check(const char *word, const char *path, struct wire_error *error)
{
    if (wire_name_is_id(word) && strlen(word) < WIRE_ROOM_WORD_SIZE) {
        return true;
    }
    wire_error_set(error, "NAME", path,
        "is \"%.40s\"; accepted are 1 to %d letters, digits, '-', '_' and '.', not '.' first",
        codec_text_is_clean(word, SIZE_MAX) ? word : "", WIRE_ROOM_WORD_SIZE - 1);
    return false;
}

static bool
read_value(const Cairn__V1__RoomProperty *in, struct wire_room_property *out, const char *path,
    struct wire_error *error)
{
    switch (in->value_case) {
    case CAIRN__V1__ROOM_PROPERTY__VALUE_FLAG:
        out->type = WIRE_ROOM_FLAG;
        out->flag = in->flag;
        return true;
    case CAIRN__V1__ROOM_PROPERTY__VALUE_INTEGER:
        out->type = WIRE_ROOM_INTEGER;
        out->integer = in->integer;
        return true;
    case CAIRN__V1__ROOM_PROPERTY__VALUE_NUMBER:
        out->type = WIRE_ROOM_NUMBER;
        out->number = in->number;
        return true;
    case CAIRN__V1__ROOM_PROPERTY__VALUE_TEXT:
        out->type = WIRE_ROOM_TEXT;
        return codec_name_read(out->text, sizeof(out->text), in->text, path, error);
    default:
        wire_error_set(error, "FIELD", path,
            "has no value; text, integer, number or flag is needed");
        return false;
    }
}

bool
codec_room_properties_read(Cairn__V1__RoomProperty *const *in, size_t count,
    struct wire_room_properties *out, const char *path, struct wire_error *error)
{
    out->count = 0;
    if (count > WIRE_ROOM_PROPERTIES_MAX) {
        wire_error_set(error, "LIMIT", path, "has %zu members; accepted are %d", count,
            WIRE_ROOM_PROPERTIES_MAX);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        char place[CN_DEFECT_PATH_SIZE];
        struct wire_room_property *property = &out->list[i];
        memset(property, 0, sizeof(*property));
        snprintf(place, sizeof(place), "%.60s[%zu]", path, i);
        if (!codec_room_word_check(in[i]->name, place, error) ||
            !read_value(in[i], property, place, error)) {
            return false;
        }
        if (wire_room_property_find(out, in[i]->name) != NULL) {
            wire_error_set(error, "NAME", place, "is \"%s\", as another one is", in[i]->name);
            return false;
        }
        snprintf(property->name, sizeof(property->name), "%s", in[i]->name);
        out->count++;
    }
    return true;
}

static void
build_property(Cairn__V1__RoomProperty *out, const struct wire_room_property *property)
{
    cairn__v1__room_property__init(out);
    out->name = codec_borrow(property->name);
    switch (property->type) {
    case WIRE_ROOM_TEXT:
        out->value_case = CAIRN__V1__ROOM_PROPERTY__VALUE_TEXT;
        out->text = codec_borrow(property->text);
        break;
    case WIRE_ROOM_INTEGER:
        out->value_case = CAIRN__V1__ROOM_PROPERTY__VALUE_INTEGER;
        out->integer = property->integer;
        break;
    case WIRE_ROOM_NUMBER:
        out->value_case = CAIRN__V1__ROOM_PROPERTY__VALUE_NUMBER;
        out->number = property->number;
        break;
    case WIRE_ROOM_FLAG:
        out->value_case = CAIRN__V1__ROOM_PROPERTY__VALUE_FLAG;
        out->flag = property->flag;
        break;
    }
}

/* ---- requests ---- */

/* The name of a template; it may be absent where `may_lack` is true. */
static bool
read_template_name(char out[WIRE_ROOM_WORD_SIZE], const char *in, bool may_lack,
    struct wire_error *error)
{
    bool is_absent = in[0] == '\0' && may_lack;
    if (!is_absent && !codec_room_word_check(in, "template", error)) {
        return false;
    }
    snprintf(out, WIRE_ROOM_WORD_SIZE, "%s", in);
    return true;
}

static bool
read_request(
    const Cairn__V1__RoomRequest *in, struct wire_room_request *out, struct wire_error *error)
{
    out->create = (enum wire_room_create)in->create;
    out->is_private = in->private_;
    if (!codec_name_read(out->room, sizeof(out->room), in->room, "room", error) ||
        !codec_name_read(out->name, sizeof(out->name), in->name, "name", error) ||
        !codec_name_read(out->password, sizeof(out->password), in->password, "password", error) ||
        !read_template_name(out->template_name, in->template_, out->room[0] != '\0', error)) {
        return false;
    }
    if (out->room[0] != '\0' && out->create == WIRE_ROOM_CREATE) {
        wire_error_set(error, "FIELD", "room", "names a room; CREATE makes one and chooses its id");
        return false;
    }
    return codec_room_properties_read(
        in->properties, in->n_properties, &out->properties, "properties", error);
}

bool
wire_room_request_parse(
    const char *text, size_t size, struct wire_room_request *request, struct wire_error *error)
{
    memset(request, 0, sizeof(*request));
    ProtobufCMessage *message =
        codec_json_parse(&cairn__v1__room_request__descriptor, text, size, error);
    if (message == NULL) {
        return false;
    }
    bool is_good = read_request((const Cairn__V1__RoomRequest *)message, request, error);
    wire_text_free(message);
    return is_good;
}

bool
wire_room_lock_parse(const char *text, size_t size, bool *is_unlock, struct wire_error *error)
{
    ProtobufCMessage *message =
        codec_json_parse(&cairn__v1__room_lock__descriptor, text, size, error);
    if (message == NULL) {
        return false;
    }
    *is_unlock = ((const Cairn__V1__RoomLock *)message)->unlock;
    wire_text_free(message);
    return true;
}

bool
codec_lobby_read(
    const Cairn__V1__Lobby *in, struct wire_room_filter *out, struct wire_error *error)
{
    memset(out, 0, sizeof(*out));
    out->is_open_only = in->open_only;
    bool is_good = read_template_name(out->template_name, in->template_, true, error) &&
        codec_room_properties_read(
            in->properties, in->n_properties, &out->properties, "properties", error);
    if (!is_good) {
        wire_error_prefix(error, "lobby.");
    }
    return is_good;
}

/* ---- rooms ---- */

struct room_message {
    Cairn__V1__Room room;
    Cairn__V1__RoomProperty properties[WIRE_ROOM_PROPERTIES_MAX];
    Cairn__V1__RoomProperty *pointers[WIRE_ROOM_PROPERTIES_MAX];
};

static void
build_room(struct room_message *out, const struct wire_room *room)
{
    cairn__v1__room__init(&out->room);
    out->room.id = out->room.world = codec_borrow(room->id);
    out->room.template_ = codec_borrow(room->template_name);
    out->room.name = codec_borrow(room->name);
    out->room.private_ = room->is_private;
    out->room.locked = room->is_locked;
    out->room.password = room->has_password;
    out->room.seats = room->seats;
    out->room.taken = room->taken;
    out->room.held = room->held;
    out->room.created_s = room->created_s;
    out->room.expires_s = room->expires_s;
    out->room.properties = out->pointers;
    for (int i = 0; i < room->properties->count; i++) {
        const struct wire_room_property *property = &room->properties->list[i];
        if (property->is_listed || room->has_all_properties) {
            size_t at = out->room.n_properties++;
            build_property(&out->properties[at], property);
            out->pointers[at] = &out->properties[at];
        }
    }
}

char *
wire_room_print(const struct wire_room *room)
{
    struct room_message *body = calloc(1, sizeof(*body));
    char *text = NULL;
    if (body != NULL) {
        build_room(body, room);
        text = wire_text_print(&body->room.base, true, true);
    }
    free(body);
    return text;
}

struct list_message {
    Cairn__V1__RoomList list;
    struct room_message *bodies;
    Cairn__V1__Room **pointers;
};

/* False without memory; free_list in any case. */
static bool
build_list(struct list_message *out, const struct wire_room_list *list)
{
    cairn__v1__room_list__init(&out->list);
    out->bodies = calloc(list->count + 1, sizeof(*out->bodies));
    out->pointers = calloc(list->count + 1, sizeof(*out->pointers));
    if (out->bodies == NULL || out->pointers == NULL) {
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        build_room(&out->bodies[i], &list->rooms[i]);
        out->pointers[i] = &out->bodies[i].room;
    }
    out->list.rooms = out->pointers;
    out->list.n_rooms = list->count;
    out->list.next = codec_borrow(list->next);
    out->list.full = list->is_full;
    out->list.removed = codec_borrow(list->removed);
    out->list.n_removed = list->removed_count;
    return true;
}

static void
free_list(struct list_message *message)
{
    free(message->bodies);
    free(message->pointers);
}

char *
wire_rooms_print(const struct wire_room_list *list)
{
    struct list_message message;
    char *text = NULL;
    if (build_list(&message, list)) {
        text = wire_text_print(&message.list.base, true, true);
    }
    free_list(&message);
    return text;
}

size_t
wire_encode_rooms(const struct wire_room_list *list, uint8_t *out, size_t out_size)
{
    struct list_message body;
    size_t size = 0;
    if (build_list(&body, list)) {
        Cairn__V1__ServerMessage message = CAIRN__V1__SERVER_MESSAGE__INIT;
        message.message_case = CAIRN__V1__SERVER_MESSAGE__MESSAGE_ROOMS;
        message.rooms = &body.list;
        size = cairn__v1__server_message__get_packed_size(&message);
        if (size <= out_size) {
            size_t written = cairn__v1__server_message__pack(&message, out);
            CN_ASSERT(written == size); /* as it was measured */
        }
    }
    free_list(&body);
    return size;
}

char *
wire_room_seat_print(const struct wire_room_seat *seat)
{
    Cairn__V1__RoomSeat body = CAIRN__V1__ROOM_SEAT__INIT;
    body.room = body.world = codec_borrow(seat->room);
    body.seat = seat->seat;
    body.token = codec_borrow(seat->token);
    body.expires_s = seat->expires_s;
    body.created = seat->is_created;
    return wire_text_print(&body.base, true, true);
}

char *
wire_room_event_print(const struct wire_room_event *event)
{
    struct room_message *room = calloc(1, sizeof(*room));
    char *text = NULL;
    if (room != NULL) {
        char result_text[WIRE_ATTRIBUTE_TEXT_SIZE];
        struct cn_attribute attribute = {.name = "result"};
        Cairn__V1__Attribute result;
        Cairn__V1__RoomEvent body = CAIRN__V1__ROOM_EVENT__INIT;
        build_room(room, &event->room);
        body.id = codec_borrow(event->id);
        body.event = codec_borrow(event->event);
        body.sequence = event->sequence;
        body.time_s = event->time_s;
        body.room = &room->room;
        body.seat_set_case = event->has_seat ? CAIRN__V1__ROOM_EVENT__SEAT_SET_SEAT
                                             : CAIRN__V1__ROOM_EVENT__SEAT_SET__NOT_SET;
        body.seat = event->seat;
        body.sub = codec_borrow(event->subject);
        body.reason = codec_borrow(event->reason);
        if (event->result != NULL) {
            attribute.value = *event->result;
            wire_attribute_build(&attribute, result_text, &result);
            body.result = &result;
        }
        text = wire_text_print(&body.base, false, true);
    }
    free(room);
    return text;
}
