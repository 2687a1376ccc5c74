/*
 * fuzz_rooms.c: requests, templates, stored rooms and tokens of seats.
 *
 * The first byte chooses the use of the other bytes:
 *   - as the text of a request, of a lock, or of templates: no text crashes, and what is accepted
 *     is within its limits
 *   - as the fields of a request or of a template; it must be accepted exactly if the fields are
 *     acceptable, with the same values
 *   - as a room, which must come back from its note; then as damage of that note
 *   - as a seat, whose token must come back; a token with another letter must not
 */
#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/room/room.h"
#include "tests/fuzz/take.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_SIZE 16384
#define NOW_NS (5 * SV_NS_PER_S)
#define WALL_S INT64_C(1800000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const words[] = {"a", "map", "rank", "b-2.x", "A_1",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "", "a b", "a/b",
    "gr\xc3\xbcn"};
#define WORD_COUNT (sizeof(words) / sizeof(words[0]))
#define GOOD_WORD_COUNT 6 /* the first ones may be names of templates and properties */

static void
check_properties(const struct wire_room_properties *properties)
{
    CN_ASSERT(properties->count >= 0 && properties->count <= WIRE_ROOM_PROPERTIES_MAX);
    for (int i = 0; i < properties->count; i++) {
        const struct wire_room_property *property = &properties->list[i];
        CN_ASSERT(property->name[0] != '\0');
        CN_ASSERT(wire_room_property_find(properties, property->name) == property);
        CN_ASSERT(property->type != WIRE_ROOM_NUMBER || isfinite(property->number));
    }
    CN_ASSERT(wire_room_properties_fit(properties, properties));
}

static bool
check_template(void *context, struct wire_room_template *template_take, struct wire_error *error)
{
    struct wire_room_template *out = context;
    const struct wire_room_template *is = template_take;
    (void)error;
    CN_ASSERT(is->name[0] != '\0' && is->seats >= 1 && is->seats <= WIRE_ROOM_SEATS_MAX);
    CN_ASSERT(is->seats_min <= is->seats && is->role >= 1 && is->role <= 3);
    CN_ASSERT(is->empty_s >= 1 && is->empty_s <= WIRE_ROOM_EMPTY_S_MAX);
    CN_ASSERT(is->hold_s >= 1 && is->hold_s <= WIRE_ROOM_HOLD_S_MAX);
    CN_ASSERT(is->lifetime_s <= WIRE_ROOM_LIFETIME_S_MAX);
    CN_ASSERT(is->rooms_max >= 1 && is->rooms_max <= WIRE_ROOMS_MAX);
    CN_ASSERT(isfinite(is->force) && is->force >= 0.0 && isfinite(is->torque));
    CN_ASSERT(is->properties.count >= 0 && is->properties.count <= WIRE_ROOM_PROPERTIES_MAX);
    *out = *is;
    out->source.scene_bytes = NULL; /* the parser finishes it */
    return true;
}

/* ---- texts ---- */

static void
parse_text(const char *text, size_t size)
{
    struct wire_room_request request;
    struct wire_room_template seen;
    struct wire_error error = {0};
    bool is_unlock;
    if (wire_room_request_parse(text, size, &request, &error)) {
        check_properties(&request.properties);
    } else {
        CN_ASSERT(error.code[0] != '\0' && error.text[0] != '\0');
    }
    memset(&error, 0, sizeof(error));
    if (!wire_room_templates_parse(text, size, check_template, &seen, &error)) {
        CN_ASSERT(error.code[0] != '\0' && error.text[0] != '\0');
    }
    (void)wire_room_lock_parse(text, size, &is_unlock, &error);
}

/* ---- fields ---- */

struct text {
    char bytes[TEXT_SIZE];
    size_t size;
    bool is_good; /* every field is acceptable */
};

__attribute__((format(printf, 2, 3))) static void
say(struct text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int size = vsnprintf(text->bytes + text->size, TEXT_SIZE - text->size, format, list);
    va_end(list);
    CN_ASSERT(size >= 0 && (size_t)size < TEXT_SIZE - text->size);
    text->size += (size_t)size;
}

/* A word for a name; mostly a good one. */
static const char *
take_word(struct take *in, struct text *text)
{
    unsigned byte = take_byte(in);
    unsigned index = byte < 240 ? byte % GOOD_WORD_COUNT : byte % WORD_COUNT;
    text->is_good = text->is_good && index < GOOD_WORD_COUNT;
    return words[index];
}

/* Says properties with values, or with types; a repeated name is refused. */
static void
say_properties(struct take *in, struct text *text, bool is_template)
{
    static const char *const values[] = {
        "\"text\": \"ice\"", "\"integer\": \"-3\"", "\"number\": 0.75", "\"flag\": true"};
    static const char *const types[] = {"TEXT", "INTEGER", "NUMBER", "FLAG"};
    static const char *seen[WIRE_ROOM_PROPERTIES_MAX + 1];
    unsigned count = take_byte(in) % 4;
    say(text, ", \"properties\": [");
    for (unsigned i = 0; i < count; i++) {
        seen[i] = take_word(in, text);
        for (unsigned k = 0; k < i; k++) {
            text->is_good = text->is_good && strcmp(seen[k], seen[i]) != 0;
        }
        say(text, "%s{\"name\": \"%s\", ", i > 0 ? ", " : "", seen[i]);
        if (is_template) {
            say(text, "\"type\": \"%s\", \"listed\": %s}", types[take_byte(in) % 4],
                take_byte(in) % 2 == 0 ? "true" : "false");
        } else {
            say(text, "%s}", values[take_byte(in) % 4]);
        }
    }
    say(text, "]");
}

static void
parse_request(struct take *in)
{
    static struct text text;
    struct wire_room_request request;
    struct wire_error error = {0};
    static const char *const creates[] = {"JOIN_OR_CREATE", "CREATE", "JOIN"};
    text = (struct text){.is_good = true};
    const char *template_name = take_word(in, &text);
    unsigned create = take_byte(in) % 3;
    bool is_private = take_byte(in) % 2 == 0;
    unsigned password_size = take_byte(in) % (WIRE_ROOM_PASSWORD_SIZE + 2);
    say(&text, "{\"template\": \"%s\", \"create\": \"%s\", \"private\": %s, \"password\": \"%.*s\"",
        template_name, creates[create], is_private ? "true" : "false", (int)password_size,
        "sesamesesamesesamesesamesesamesesamesesamesesamesesamesesamesesamesesame");
    text.is_good = text.is_good && password_size < WIRE_ROOM_PASSWORD_SIZE;
    say_properties(in, &text, false);
    say(&text, "}");
    bool is_accepted = wire_room_request_parse(text.bytes, text.size, &request, &error);
    CN_ASSERT(is_accepted == text.is_good);
    if (is_accepted) {
        check_properties(&request.properties);
        CN_ASSERT(strcmp(request.template_name, template_name) == 0);
        CN_ASSERT((unsigned)request.create == create && request.is_private == is_private);
        CN_ASSERT(strlen(request.password) == password_size);
    }
}

/* A number that is mostly within its bounds. */
static uint32_t
take_bounded(struct take *in, struct text *text, uint32_t least, uint32_t most)
{
    unsigned byte = take_byte(in);
    uint32_t value = byte < 8 ? take_number(in) : least + take_number(in) % (most - least + 1);
    value = byte == 250 ? most : byte == 251 ? most + 1 : byte == 252 ? least - 1 : value;
    text->is_good = text->is_good && value >= least && value <= most;
    return value;
}

static void
parse_template(struct take *in)
{
    static struct text text;
    struct wire_room_template seen = {0};
    struct wire_error error = {0};
    text = (struct text){.is_good = true};
    const char *name = take_word(in, &text);
    uint32_t seats = take_bounded(in, &text, 1, WIRE_ROOM_SEATS_MAX);
    uint32_t empty_s = take_bounded(in, &text, 1, WIRE_ROOM_EMPTY_S_MAX);
    uint32_t hold_s = take_bounded(in, &text, 1, WIRE_ROOM_HOLD_S_MAX);
    uint32_t lifetime_s = take_bounded(in, &text, 1, WIRE_ROOM_LIFETIME_S_MAX);
    uint32_t rooms_max = take_bounded(in, &text, 1, WIRE_ROOMS_MAX);
    say(&text,
        "templates: [{\"name\": \"%s\", \"sceneName\": \"s\", \"seats\": %u, \"emptyS\": %u, "
        "\"holdS\": %u, \"lifetimeS\": %u, \"roomsMax\": %u",
        name, (unsigned)seats, (unsigned)empty_s, (unsigned)hold_s, (unsigned)lifetime_s,
        (unsigned)rooms_max);
    say_properties(in, &text, true);
    say(&text, "}]\n");
    bool is_accepted =
        wire_room_templates_parse(text.bytes, text.size, check_template, &seen, &error);
    CN_ASSERT(is_accepted == text.is_good);
    if (is_accepted) {
        CN_ASSERT(strcmp(seen.name, name) == 0 && seen.seats == seats);
        CN_ASSERT(seen.empty_s == empty_s && seen.hold_s == hold_s);
        CN_ASSERT(seen.lifetime_s == lifetime_s && seen.rooms_max == rooms_max);
    }
}

/* ---- stored rooms ---- */

static void
fill_room(struct take *in, struct sv_room *room)
{
    static const char *const ids[] = {"arena-abcdefgh23456789", "a-2", "x"};
    static const char *const names[] = {"", "ann", "gr\xc3\xbcn"};
    room->number = take_u32(in);
    room->state = (enum sv_room_state)(take_byte(in) % 3);
    room->reason = (enum sv_room_reason)(take_byte(in) % SV_ROOM_REASON_COUNT);
    unsigned flags = take_byte(in);
    room->is_private = flags & 1;
    room->is_locked = flags & 2;
    room->has_password = flags & 4;
    room->is_started = flags & 8;
    room->is_untold = flags & 16;
    room->created_s = take_u32(in);
    room->event_sequence = take_number(in);
    room->ends_ns = flags & 32 ? NOW_NS + take_number(in) % 1000 * SV_NS_PER_S : 0;
    snprintf(room->id, sizeof(room->id), "%s", ids[take_byte(in) % 3]);
    snprintf(room->name, sizeof(room->name), "%s", names[take_byte(in) % 3]);
    snprintf(room->subject, sizeof(room->subject), "%s", names[take_byte(in) % 3]);
    snprintf(room->template_name, sizeof(room->template_name), "arena");
    room->properties.count = (int)(take_byte(in) % (WIRE_ROOM_PROPERTIES_MAX + 1));
    for (int i = 0; i < room->properties.count; i++) {
        struct wire_room_property *property = &room->properties.list[i];
        snprintf(property->name, sizeof(property->name), "p%d", i);
        property->type = (enum wire_room_type)(take_byte(in) % 4);
        property->integer = property->type == WIRE_ROOM_INTEGER ? (int64_t)take_u32(in) : 0;
        property->is_listed = take_byte(in) % 2 == 0;
    }
    for (uint32_t i = 0; i < room->place_count; i++) {
        unsigned byte = take_byte(in);
        sv_room_set_place(room, i, (enum sv_place_state)(byte % 3));
        room->places[i].serial = byte;
        room->places[i].was_joined = byte & 128;
        snprintf(room->places[i].subject, sizeof(room->places[i].subject), "%s", names[byte % 3]);
    }
}

static void
store_room(struct take *in)
{
    static unsigned char bytes[SV_ROOM_RECORD_SIZE_MAX], again[SV_ROOM_RECORD_SIZE_MAX];
    struct sv_room *room = sv_room_create(1 + take_byte(in) % WIRE_ROOM_SEATS_MAX);
    CN_ASSERT(room != NULL);
    fill_room(in, room);
    size_t size = sv_room_pack(room, WALL_S, NOW_NS, bytes);
    struct sv_room *read = sv_room_unpack(bytes, size, WALL_S, NOW_NS);
    CN_ASSERT(read != NULL && read->number == room->number && read->state == room->state);
    CN_ASSERT(read->place_count == room->place_count && read->taken == 0);
    CN_ASSERT(read->held == room->held + room->taken);
    CN_ASSERT(wire_room_properties_fit(&read->properties, &room->properties));
    sv_room_destroy(read);
    for (unsigned damage = 1 + take_byte(in) % 4; damage > 0; damage--) {
        bytes[take_u32(in) % size] = (unsigned char)take_byte(in);
    }
    size_t left = take_byte(in) < 32 ? take_u32(in) % (size + 1) : size;
    read = sv_room_unpack(bytes, left, WALL_S, NOW_NS);
    if (read != NULL) {
        size_t more = sv_room_pack(read, WALL_S, NOW_NS, again);
        struct sv_room *once_more = sv_room_unpack(again, more, WALL_S, NOW_NS);
        CN_ASSERT(once_more != NULL && once_more->held == read->held);
        sv_room_destroy(once_more);
    }
    sv_room_destroy(read);
    sv_room_destroy(room);
}

/* ---- tokens of seats ---- */

static void
read_token(struct take *in)
{
    uint8_t key[SV_ROOM_KEY_SIZE] = {(uint8_t)take_byte(in)};
    char text[SV_SEAT_TOKEN_SIZE], other[SV_SEAT_TOKEN_SIZE];
    struct sv_seat_token said = {.room = "arena-abcdefgh23456789"}, heard;
    said.seat = take_byte(in) % WIRE_ROOM_SEATS_MAX;
    said.serial = take_number(in);
    sv_seat_token_write(key, &said, text);
    CN_ASSERT(sv_seat_token_is(text) && sv_seat_token_read(key, text, &heard));
    CN_ASSERT(heard.seat == said.seat && heard.serial == said.serial);
    CN_ASSERT(strcmp(heard.room, said.room) == 0);
    memcpy(other, text, sizeof(text));
    other[take_byte(in) % strlen(text)] = (char)take_byte(in);
    CN_ASSERT(strcmp(other, text) == 0 || !sv_seat_token_read(key, other, &heard));
    size_t length = 0;
    while (!take_is_empty(in) && length + 1 < sizeof(other)) {
        other[length++] = (char)take_byte(in);
    }
    other[length] = '\0';
    CN_ASSERT(strcmp(other, text) == 0 || !sv_seat_token_read(key, other, &heard));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct take in = {.at = data, .end = data + size};
    unsigned use = take_byte(&in) % 6;
    if (use < 2) {
        parse_text((const char *)in.at, (size_t)(in.end - in.at));
    } else if (use == 2) {
        parse_request(&in);
    } else if (use == 3) {
        parse_template(&in);
    } else if (use == 4) {
        store_room(&in);
    } else {
        read_token(&in);
    }
    return 0;
}
