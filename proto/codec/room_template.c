/*
 * room_template.c: reads and prints the templates of rooms.
 */
#include "engine/base/assert.h"
#include "proto/codec/room.h"
#include "proto/codec/world.h"
#include "proto/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAP_MAX 1e6          /* as the caps of tokens */
#define MESSAGES_MAX 100000

/* The numbers of Hello.Role. */
static const uint32_t roles[] = {[CAIRN__V1__ROOM_TEMPLATE__ROLE__PLAYER] = 1,
    [CAIRN__V1__ROOM_TEMPLATE__ROLE__OBSERVER] = 2,
    [CAIRN__V1__ROOM_TEMPLATE__ROLE__INSTRUCTOR] = 3};

static bool
check_count(uint32_t value, uint32_t least, uint32_t most, const char *path,
    struct wire_error *error)
{
    if (value >= least && value <= most) {
        return true;
    }
    wire_error_set(
        error, "RANGE", path, "is %u; accepted are numbers from %u to %u", value, least, most);
    return false;
}

static bool
check_cap(double value, const char *path, const char *unit, struct wire_error *error)
{
    if (value >= 0 && value <= CAP_MAX) {
        return true;
    }
    wire_error_set(
        error, "RANGE", path, "is %g %s; accepted is 0 (no cap) to %g", value, unit, CAP_MAX);
    return false;
}

static bool
read_times(const Cairn__V1__RoomTemplate *in, struct wire_room_template *out,
    struct wire_error *error)
{
    bool has_empty = in->empty_set_case == CAIRN__V1__ROOM_TEMPLATE__EMPTY_SET_EMPTY_S;
    bool has_hold = in->hold_set_case == CAIRN__V1__ROOM_TEMPLATE__HOLD_SET_HOLD_S;
    bool has_lifetime = in->lifetime_set_case == CAIRN__V1__ROOM_TEMPLATE__LIFETIME_SET_LIFETIME_S;
    out->empty_s = has_empty ? in->empty_s : WIRE_ROOM_EMPTY_S;
    out->hold_s = has_hold ? in->hold_s : WIRE_ROOM_HOLD_S;
    out->lifetime_s = has_lifetime ? in->lifetime_s : 0;
    return check_count(out->empty_s, 1, WIRE_ROOM_EMPTY_S_MAX, "emptyS", error) &&
        check_count(out->hold_s, 1, WIRE_ROOM_HOLD_S_MAX, "holdS", error) &&
        (!has_lifetime ||
            check_count(out->lifetime_s, 1, WIRE_ROOM_LIFETIME_S_MAX, "lifetimeS", error));
}

static bool
read_counts(const Cairn__V1__RoomTemplate *in, struct wire_room_template *out,
    struct wire_error *error)
{
    bool has_min = in->seats_min_set_case == CAIRN__V1__ROOM_TEMPLATE__SEATS_MIN_SET_SEATS_MIN;
    bool has_max = in->rooms_max_set_case == CAIRN__V1__ROOM_TEMPLATE__ROOMS_MAX_SET_ROOMS_MAX;
    CN_ASSERT((size_t)in->role < sizeof(roles) / sizeof(roles[0])); /* the codec has checked it */
    out->role = roles[in->role];
    out->is_private = in->private_;
    out->seats = in->seats;
    out->seats_min = has_min ? in->seats_min : 0;
    out->rooms_max = has_max ? in->rooms_max : WIRE_ROOMS_MAX;
    return check_count(out->seats, 1, WIRE_ROOM_SEATS_MAX, "seats", error) &&
        (!has_min || check_count(out->seats_min, 1, out->seats, "seatsMin", error)) &&
        (!has_max || check_count(out->rooms_max, 1, WIRE_ROOMS_MAX, "roomsMax", error));
}

static bool
read_caps(const Cairn__V1__RoomTemplate__SeatCaps *in, struct wire_room_template *out,
    struct wire_error *error)
{
    if (in == NULL) {
        return true;
    }
    out->force = in->force;
    out->torque = in->torque;
    out->messages = in->messages;
    return check_cap(in->force, "caps.force", "N", error) &&
        check_cap(in->torque, "caps.torque", "N m", error) &&
        check_count(in->messages, 0, MESSAGES_MAX, "caps.messages", error);
}

static bool
read_properties(const Cairn__V1__RoomTemplate *in, struct wire_room_properties *out,
    struct wire_error *error)
{
    if (in->n_properties > WIRE_ROOM_PROPERTIES_MAX) {
        wire_error_set(error, "LIMIT", "properties", "has %zu members; accepted are %d",
            in->n_properties, WIRE_ROOM_PROPERTIES_MAX);
        return false;
    }
    for (size_t i = 0; i < in->n_properties; i++) {
        char path[64];
        const char *name = in->properties[i]->name;
        struct wire_room_property *property = &out->list[i];
        snprintf(path, sizeof(path), "properties[%zu].name", i);
        if (!codec_room_word_check(name, path, error)) {
            return false;
        }
        if (wire_room_property_find(out, name) != NULL) {
            wire_error_set(error, "NAME", path, "is \"%s\", as another property's is", name);
            return false;
        }
        snprintf(property->name, sizeof(property->name), "%s", name);
        property->type = (enum wire_room_type)in->properties[i]->type;
        property->is_listed = in->properties[i]->listed;
        out->count++;
    }
    return true;
}

static bool
read_source(const Cairn__V1__RoomTemplate *in, struct wire_source *out, struct wire_error *error)
{
    Cairn__V1__CreateWorld create = CAIRN__V1__CREATE_WORLD__INIT;
    if (in->source_case == CAIRN__V1__ROOM_TEMPLATE__SOURCE_SCENE) {
        create.source_case = CAIRN__V1__CREATE_WORLD__SOURCE_SCENE;
        create.scene = in->scene;
    } else if (in->source_case == CAIRN__V1__ROOM_TEMPLATE__SOURCE_SCENE_NAME) {
        create.source_case = CAIRN__V1__CREATE_WORLD__SOURCE_SCENE_NAME;
        create.scene_name = in->scene_name;
    }
    return codec_create_read(&create, out, error);
}

/* The source must be finished, also after a refusal. */
static bool
read_template(const Cairn__V1__RoomTemplate *in, struct wire_room_template *out,
    struct wire_error *error)
{
    memset(out, 0, sizeof(*out));
    if (!codec_room_word_check(in->name, "name", error) ||
        !codec_name_read(out->title, sizeof(out->title), in->title, "title", error)) {
        return false;
    }
    snprintf(out->name, sizeof(out->name), "%s", in->name);
    return read_counts(in, out, error) && read_times(in, out, error) &&
        read_caps(in->caps, out, error) && read_properties(in, &out->properties, error) &&
        read_source(in, &out->source, error);
}

bool
wire_room_templates_parse(const char *text, size_t size, wire_room_template_visit *visit,
    void *context, struct wire_error *error)
{
    ProtobufCMessage *message =
        codec_json_parse(&cairn__v1__room_templates__descriptor, text, size, error);
    if (message == NULL) {
        return false;
    }
    const Cairn__V1__RoomTemplates *list = (const Cairn__V1__RoomTemplates *)message;
    bool is_good = list->n_templates > 0 && list->n_templates <= WIRE_ROOM_TEMPLATES_MAX;
    if (!is_good) {
        wire_error_set(error, "LIMIT", "templates", "has %zu members; accepted are 1 to %d",
            list->n_templates, WIRE_ROOM_TEMPLATES_MAX);
    }
    for (size_t i = 0; i < list->n_templates && is_good; i++) {
        struct wire_room_template template;
        is_good = read_template(list->templates[i], &template, error) &&
            visit(context, &template, error);
        wire_source_finish(&template.source);
        if (!is_good) {
            char prefix[48];
            snprintf(prefix, sizeof(prefix), "templates[%zu].", i);
            wire_error_prefix(error, prefix);
        }
    }
    wire_text_free(message);
    return is_good;
}

/* ---- printing ---- */

/* protobuf-c takes texts that it only reads without const. */
static char *
borrow_text(const char *text)
{
    union {
        const char *in;
        char *out;
    } cast = {.in = text};
    return cast.out;
}

struct item_message {
    Cairn__V1__RoomTemplateList__Item item;
    Cairn__V1__RoomTemplate__Property properties[WIRE_ROOM_PROPERTIES_MAX];
    Cairn__V1__RoomTemplate__Property *pointers[WIRE_ROOM_PROPERTIES_MAX];
};

static void
build_item(struct item_message *out, const struct wire_room_template_item *from)
{
    const struct wire_room_template *of = from->of;
    cairn__v1__room_template_list__item__init(&out->item);
    out->item.name = borrow_text(of->name);
    out->item.title = borrow_text(of->title);
    out->item.scene = borrow_text(from->scene);
    out->item.seats = of->seats;
    out->item.private_ = of->is_private;
    for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
        if (roles[i] == of->role) {
            out->item.role = (Cairn__V1__RoomTemplate__Role)i;
        }
    }
    out->item.properties = out->pointers;
    out->item.n_properties = (size_t)of->properties.count;
    for (int i = 0; i < of->properties.count; i++) {
        cairn__v1__room_template__property__init(&out->properties[i]);
        out->properties[i].name = borrow_text(of->properties.list[i].name);
        out->properties[i].type =
            (Cairn__V1__RoomTemplate__Property__Type)of->properties.list[i].type;
        out->properties[i].listed = of->properties.list[i].is_listed;
        out->pointers[i] = &out->properties[i];
    }
}

char *
wire_room_templates_print(const struct wire_room_template_item *items, size_t count)
{
    struct item_message *bodies = calloc(count + 1, sizeof(*bodies));
    Cairn__V1__RoomTemplateList__Item **pointers = calloc(count + 1, sizeof(*pointers));
    char *text = NULL;
    if (bodies != NULL && pointers != NULL) {
        Cairn__V1__RoomTemplateList list = CAIRN__V1__ROOM_TEMPLATE_LIST__INIT;
        for (size_t i = 0; i < count; i++) {
            build_item(&bodies[i], &items[i]);
            pointers[i] = &bodies[i].item;
        }
        list.templates = pointers;
        list.n_templates = count;
        text = wire_text_print(&list.base, true, true);
    }
    free(bodies);
    free(pointers);
    return text;
}
