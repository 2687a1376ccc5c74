/*
 * room.h: rooms as plain values: templates, requests, lists, events.
 *
 * Texts are parsed as strictly as other messages; *error has path, value and limit.  Free printed
 * text with free; NULL means that memory ran out.
 */
#ifndef PROTO_ROOM_H
#define PROTO_ROOM_H

#include "proto/wire.h"

#define WIRE_ROOM_WORD_SIZE 32 /* a template's name, a property's name; terminator included */
#define WIRE_ROOM_TEXT_SIZE 64 /* the text of a property; terminator included */
#define WIRE_ROOM_NAME_SIZE 64
#define WIRE_ROOM_PASSWORD_SIZE 65
#define WIRE_ROOM_SUBJECT_SIZE 65
#define WIRE_ROOM_PROPERTIES_MAX 16
#define WIRE_ROOM_SEATS_MAX 256
#define WIRE_ROOM_TEMPLATES_MAX 64
#define WIRE_ROOMS_MAX 4096
#define WIRE_ROOM_EMPTY_S 60   /* the default */
#define WIRE_ROOM_HOLD_S 30    /* the default */
#define WIRE_ROOM_HOLD_S_MAX 3600
#define WIRE_ROOM_EMPTY_S_MAX 86400
#define WIRE_ROOM_LIFETIME_S_MAX (30 * 86400)
#define WIRE_ROOM_PAGE 100     /* rooms of a page, by default and at most */
#define WIRE_ROOM_PAGE_MAX 500
#define WIRE_EVENT_ID_SIZE 33

enum wire_room_type {
    WIRE_ROOM_TEXT,
    WIRE_ROOM_INTEGER,
    WIRE_ROOM_NUMBER,
    WIRE_ROOM_FLAG,
};

struct wire_room_property {
    char name[WIRE_ROOM_WORD_SIZE];
    enum wire_room_type type;
    bool is_listed; /* of a template's property, and of a room's */
    union {
        char text[WIRE_ROOM_TEXT_SIZE];
        int64_t integer;
        double number;
        bool flag;
    };
};

/* The names are different. */
struct wire_room_properties {
    int count;
    struct wire_room_property list[WIRE_ROOM_PROPERTIES_MAX];
};

/* The property of that name; NULL: it does not exist. */
const struct wire_room_property *wire_room_property_find(
    const struct wire_room_properties *properties, const char *name);

/* Whether `all` has each of `wanted`, with the same type and value. */
bool wire_room_properties_fit(
    const struct wire_room_properties *all, const struct wire_room_properties *wanted);

struct wire_room_template {
    char name[WIRE_ROOM_WORD_SIZE];
    char title[WIRE_TITLE_SIZE];
    struct wire_source source; /* finish with wire_source_finish */
    uint32_t seats, seats_min;
    uint32_t role; /* a Role's number: that of a seat */
    uint32_t empty_s, lifetime_s, hold_s; /* lifetime 0: for ever */
    double force, torque; /* caps of a seat; 0: none */
    uint32_t messages;
    struct wire_room_properties properties; /* without values */
    bool is_private;
    uint32_t rooms_max;
};

/* Takes the source of the template; false with *error filled, whose path is in the template. */
typedef bool wire_room_template_visit(
    void *context, struct wire_room_template *template_take, struct wire_error *error);

/* Reads a file of templates, YAML or JSON.  False with *error filled. */
bool wire_room_templates_parse(const char *text, size_t size, wire_room_template_visit *visit,
    void *context, struct wire_error *error);

enum wire_room_create { WIRE_ROOM_JOIN_OR_CREATE, WIRE_ROOM_CREATE, WIRE_ROOM_JOIN };

struct wire_room_request {
    enum wire_room_create create;
    char template_name[WIRE_ROOM_WORD_SIZE];
    char room[WIRE_NAME_SIZE]; /* empty: any */
    char name[WIRE_ROOM_NAME_SIZE];
    char password[WIRE_ROOM_PASSWORD_SIZE];
    bool is_private;
    struct wire_room_properties properties;
};
bool wire_room_request_parse(
    const char *text, size_t size, struct wire_room_request *request, struct wire_error *error);
bool wire_room_lock_parse(
    const char *text, size_t size, bool *is_unlock, struct wire_error *error);

/* Which rooms are listed. */
struct wire_room_filter {
    char template_name[WIRE_ROOM_WORD_SIZE]; /* empty: every template */
    bool is_open_only;
    struct wire_room_properties properties;
};

struct wire_room {
    const char *id, *template_name, *name;
    bool is_private, is_locked, has_password;
    uint32_t seats, taken, held;
    const struct wire_room_properties *properties;
    bool has_all_properties; /* those that are not listed, too */
    uint64_t created_s;
    uint32_t expires_s;
};

struct wire_room_list {
    const struct wire_room *rooms;
    size_t count;
    const char *next; /* empty: the last page */
    bool is_full;
    const char *const *removed;
    size_t removed_count;
};
char *wire_room_print(const struct wire_room *room);
char *wire_rooms_print(const struct wire_room_list *list);

/* The same as a ServerMessage; see codec.h. */
size_t wire_encode_rooms(const struct wire_room_list *list, uint8_t *out, size_t out_size);

struct wire_room_seat {
    const char *room;
    uint32_t seat;
    const char *token;
    uint32_t expires_s;
    bool is_created;
};
char *wire_room_seat_print(const struct wire_room_seat *seat);

/* `scene` is the name of the template's scene. */
struct wire_room_template_item {
    const struct wire_room_template *of;
    const char *scene;
};
char *wire_room_templates_print(const struct wire_room_template_item *items, size_t count);

struct wire_room_event {
    const char *id, *event;
    uint64_t sequence, time_s;
    struct wire_room room;
    bool has_seat;
    uint32_t seat;
    const char *subject, *reason; /* "" when absent */
    const struct cn_value *result; /* NULL: it has none */
};
char *wire_room_event_print(const struct wire_room_event *event);

#endif
