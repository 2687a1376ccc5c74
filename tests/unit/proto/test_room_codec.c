/*
 * test_room_codec.c: templates, requests and lists of rooms as text: values, limits, and errors
 * that name the field.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "proto/codec.h"
#include "proto/room.h"

#include <cairn/v1/wire.pb-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- templates ---- */

static struct wire_room_template seen[8];
static int seen_count;

static bool
see(void *context, struct wire_room_template *template_take, struct wire_error *error)
{
    (void)context;
    (void)error;
    if (seen_count < 8) {
        seen[seen_count] = *template_take;
        seen[seen_count].source.scene_bytes = NULL; /* the parser finishes it */
    }
    seen_count++;
    return true;
}

static bool
parse(const char *text, struct wire_error *error)
{
    memset(error, 0, sizeof(*error));
    seen_count = 0;
    return wire_room_templates_parse(text, strlen(text), see, NULL, error);
}

static void
test_templates(void **state)
{
    (void)state;
    struct wire_error error;
    assert_true(parse("templates:\n"
                      "  - {name: a, sceneName: s, seats: 3}\n"
                      "  - name: b-2.x\n"
                      "    title: Häuser\n"
                      "    scene: {bodies: [{name: x, type: STATIC}]}\n"
                      "    seats: 256\n"
                      "    role: OBSERVER\n"
                      "    seatsMin: 256\n"
                      "    emptyS: 86400\n"
                      "    lifetimeS: 2592000\n"
                      "    holdS: 3600\n"
                      "    caps: {force: 1000000, torque: 2, messages: 30}\n"
                      "    properties: [{name: map, listed: true}, {name: n, type: NUMBER}]\n"
                      "    private: true\n"
                      "    roomsMax: 4096\n",
        &error));
    assert_int_equal(seen_count, 2);
    assert_string_equal(seen[0].name, "a");
    assert_int_equal(seen[0].source.kind, WIRE_SOURCE_NAME);
    assert_string_equal(seen[0].source.name, "s");
    assert_int_equal(seen[0].seats, 3);
    assert_int_equal(seen[0].seats_min, 0);
    assert_int_equal(seen[0].role, 1); /* PLAYER */
    assert_int_equal(seen[0].empty_s, 60);
    assert_int_equal(seen[0].hold_s, 30);
    assert_int_equal(seen[0].lifetime_s, 0);
    assert_int_equal(seen[0].rooms_max, 4096);
    assert_false(seen[0].is_private);
    assert_int_equal(seen[1].source.kind, WIRE_SOURCE_SCENE);
    assert_string_equal(seen[1].title, "Häuser");
    assert_int_equal(seen[1].role, 2);
    assert_int_equal(seen[1].seats_min, 256);
    assert_int_equal(seen[1].lifetime_s, 2592000);
    assert_true(seen[1].force == 1e6 && seen[1].torque == 2 && seen[1].messages == 30);
    assert_int_equal(seen[1].properties.count, 2);
    assert_true(seen[1].properties.list[0].is_listed);
    assert_int_equal(seen[1].properties.list[0].type, WIRE_ROOM_TEXT);
    assert_int_equal(seen[1].properties.list[1].type, WIRE_ROOM_NUMBER);
    assert_true(seen[1].is_private);
}

/* Each limit is accepted, and one beyond it is refused with path, value and limit. */
static void
test_limits(void **state)
{
    (void)state;
    static const struct {
        const char *good, *bad, *path, *text;
    } cases[] = {
        {"seats: 1", "seats: 0", "templates[0].seats", "is 0; accepted are numbers from 1 to 256"},
        {"seats: 256", "seats: 257", "templates[0].seats", "is 257"},
        {"seats: 2, seatsMin: 2", "seats: 2, seatsMin: 3", "templates[0].seatsMin",
            "is 3; accepted are numbers from 1 to 2"},
        {"seats: 2, seatsMin: 1", "seats: 2, seatsMin: 0", "templates[0].seatsMin", "is 0"},
        {"seats: 2, emptyS: 1", "seats: 2, emptyS: 0", "templates[0].emptyS", "is 0"},
        {"seats: 2, emptyS: 86400", "seats: 2, emptyS: 86401", "templates[0].emptyS", "86400"},
        {"seats: 2, holdS: 1", "seats: 2, holdS: 0", "templates[0].holdS", "is 0"},
        {"seats: 2, holdS: 3600", "seats: 2, holdS: 3601", "templates[0].holdS", "3600"},
        {"seats: 2, lifetimeS: 1", "seats: 2, lifetimeS: 0", "templates[0].lifetimeS", "is 0"},
        {"seats: 2, roomsMax: 1", "seats: 2, roomsMax: 0", "templates[0].roomsMax", "is 0"},
        {"seats: 2, roomsMax: 4096", "seats: 2, roomsMax: 4097", "templates[0].roomsMax", "4096"},
        {"seats: 2, caps: {force: 0}", "seats: 2, caps: {force: -1}", "templates[0].caps.force",
            "is -1 N; accepted is 0 (no cap) to 1e+06"},
        {"seats: 2, caps: {torque: 1000000}", "seats: 2, caps: {torque: 1000001}",
            "templates[0].caps.torque", "N m"},
        {"seats: 2, caps: {messages: 100000}", "seats: 2, caps: {messages: 100001}",
            "templates[0].caps.messages", "is 100001"},
        {"seats: 2, properties: [{name: a}]", "seats: 2, properties: [{name: a}, {name: a}]",
            "templates[0].properties[1].name", "another property"},
        {"seats: 2, properties: [{name: a}]", "seats: 2, properties: [{}]",
            "templates[0].properties[0].name", "is \"\""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[512];
        struct wire_error error;
        snprintf(text, sizeof(text), "templates: [{name: a, sceneName: s, %s}]", cases[i].good);
        if (!parse(text, &error)) {
            fail_msg("%s: %s %s", text, error.path, error.text);
        }
        snprintf(text, sizeof(text), "templates: [{name: a, sceneName: s, %s}]", cases[i].bad);
        assert_false(parse(text, &error));
        assert_string_equal(error.path, cases[i].path);
        assert_non_null(strstr(error.text, cases[i].text));
    }
}

/* A list of `count` templates, or of properties of one template. */
static bool
parse_many(int count, bool of_properties, struct wire_error *error)
{
    static char text[65536];
    size_t used = (size_t)snprintf(text, sizeof(text), "%s",
        of_properties ? "templates: [{name: a, sceneName: s, seats: 1, properties: ["
                      : "templates: [");
    for (int i = 0; i < count; i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used,
            of_properties ? "{name: p%d}," : "{name: t%d, sceneName: s, seats: 1},", i);
    }
    snprintf(text + used, sizeof(text) - used, of_properties ? "]}]" : "]");
    return parse(text, error);
}

static void
test_counts(void **state)
{
    (void)state;
    struct wire_error error;
    assert_true(parse_many(WIRE_ROOM_TEMPLATES_MAX, false, &error));
    assert_false(parse_many(WIRE_ROOM_TEMPLATES_MAX + 1, false, &error));
    assert_string_equal(error.path, "templates");
    assert_string_equal(error.text, "has 65 members; accepted are 1 to 64");
    assert_false(parse("{}", &error));
    assert_string_equal(error.text, "has 0 members; accepted are 1 to 64");
    assert_true(parse_many(WIRE_ROOM_PROPERTIES_MAX, true, &error));
    assert_false(parse_many(WIRE_ROOM_PROPERTIES_MAX + 1, true, &error));
    assert_string_equal(error.path, "templates[0].properties");
    assert_false(parse("templates: [{name: a, seats: 1}]", &error));
    assert_string_equal(error.code, "FIELD");
    static const char *const names[] = {"''", "'a b'", ".a", "a/b", "é",
        "a123456789012345678901234567890X"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char text[128];
        snprintf(text, sizeof(text), "templates: [{name: %s, sceneName: s, seats: 1}]", names[i]);
        assert_false(parse(text, &error));
        assert_string_equal(error.path, "templates[0].name");
    }
}

/* ---- requests ---- */

static bool
request_of(const char *text, struct wire_room_request *request, struct wire_error *error)
{
    memset(error, 0, sizeof(*error));
    return wire_room_request_parse(text, strlen(text), request, error);
}

static void
test_requests(void **state)
{
    (void)state;
    struct wire_room_request request;
    struct wire_error error;
    assert_true(request_of("{\"template\": \"arena\", \"create\": \"CREATE\", \"name\": \"duel\","
                           "\"password\": \"sesame\", \"private\": true, \"properties\": ["
                           "{\"name\": \"map\", \"text\": \"ice\"},"
                           "{\"name\": \"n\", \"integer\": \"-9223372036854775808\"},"
                           "{\"name\": \"x\", \"number\": 0.5},"
                           "{\"name\": \"f\", \"flag\": false}]}",
        &request, &error));
    assert_string_equal(request.template_name, "arena");
    assert_int_equal(request.create, WIRE_ROOM_CREATE);
    assert_string_equal(request.name, "duel");
    assert_string_equal(request.password, "sesame");
    assert_true(request.is_private);
    assert_int_equal(request.properties.count, 4);
    assert_string_equal(request.properties.list[0].text, "ice");
    assert_true(request.properties.list[1].integer == INT64_MIN);
    assert_true(request.properties.list[2].number == 0.5);
    assert_int_equal(request.properties.list[3].type, WIRE_ROOM_FLAG);
    assert_false(request.properties.list[3].flag);
    assert_true(request_of("{\"room\": \"arena-x\"}", &request, &error));
    assert_int_equal(request.create, WIRE_ROOM_JOIN_OR_CREATE);
    static const struct {
        const char *text, *code, *path;
    } bad[] = {{"", "NAME", "template"}, {"{}", "NAME", "template"},
        {"{\"template\": \"a b\"}", "NAME", "template"},
        {"{\"template\": \"a\", \"create\": \"NO\"}", "RANGE", "create"},
        {"{\"template\": \"a\", \"room\": \"x\", \"create\": \"CREATE\"}", "FIELD", "room"},
        {"{\"template\": \"a\", \"properties\": [{\"name\": \"m\"}]}", "FIELD", "properties[0]"},
        {"{\"template\": \"a\", \"properties\": [{\"text\": \"m\"}]}", "NAME", "properties[0]"},
        {"{\"template\": \"a\", \"properties\": [{\"name\": \"m\", \"flag\": true},"
         "{\"name\": \"m\", \"flag\": true}]}",
            "NAME", "properties[1]"},
        {"{\"template\": \"a\", \"name\": \"0123456789012345678901234567890123456789"
         "012345678901234567890123\"}",
            "NAME", "name"},
        {"{\"template\": \"a\", \"password\": \"\\u0007\"}", "NAME", "password"}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(request_of(bad[i].text, &request, &error));
        assert_string_equal(error.path, bad[i].path);
    }
}

static void
test_fits(void **state)
{
    (void)state;
    struct wire_room_request all, some;
    struct wire_error error;
    static const struct {
        const char *wanted;
        bool fits;
    } cases[] = {{"[]", true}, {"[{\"name\": \"m\", \"text\": \"ice\"}]", true},
        {"[{\"name\": \"m\", \"text\": \"sand\"}]", false},
        {"[{\"name\": \"n\", \"integer\": 3}]", true},
        {"[{\"name\": \"n\", \"number\": 3}]", false},
        {"[{\"name\": \"o\", \"integer\": 3}]", false},
        {"[{\"name\": \"m\", \"text\": \"ice\"}, {\"name\": \"n\", \"integer\": 4}]", false},
        {"[{\"name\": \"n\", \"integer\": 3}, {\"name\": \"m\", \"text\": \"ice\"}]", true}};
    assert_true(request_of("{\"template\": \"a\", \"properties\": [{\"name\": \"m\", \"text\": "
                           "\"ice\"}, {\"name\": \"n\", \"integer\": 3}]}",
        &all, &error));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[256];
        snprintf(
            text, sizeof(text), "{\"template\": \"a\", \"properties\": %s}", cases[i].wanted);
        assert_true(request_of(text, &some, &error));
        assert_true(
            wire_room_properties_fit(&all.properties, &some.properties) == cases[i].fits);
    }
}

/* ---- lists and events ---- */

static void
test_lists(void **state)
{
    (void)state;
    uint8_t bytes[1024];
    struct wire_room_properties properties = {.count = 2};
    properties.list[0] = (struct wire_room_property){
        .name = "map", .type = WIRE_ROOM_TEXT, .is_listed = true, .text = "ice"};
    properties.list[1] =
        (struct wire_room_property){.name = "seed", .type = WIRE_ROOM_INTEGER, .integer = 7};
    struct wire_room room = {.id = "arena-x",
        .template_name = "arena",
        .name = "duel",
        .seats = 4,
        .taken = 2,
        .held = 1,
        .properties = &properties,
        .created_s = 1800000000,
        .expires_s = 9};
    static const char *const removed[] = {"arena-y"};
    const struct wire_room_list list = {.rooms = &room,
        .count = 1,
        .next = "12",
        .is_full = true,
        .removed = removed,
        .removed_count = 1};
    size_t size = wire_encode_rooms(&list, NULL, 0);
    assert_in_range(size, 1, sizeof(bytes));
    assert_int_equal(wire_encode_rooms(&list, bytes, sizeof(bytes)), size);
    Cairn__V1__ServerMessage *message =
        cairn__v1__server_message__unpack(NULL, size, bytes);
    assert_non_null(message);
    assert_int_equal(message->message_case, CAIRN__V1__SERVER_MESSAGE__MESSAGE_ROOMS);
    assert_int_equal(message->rooms->n_rooms, 1);
    assert_string_equal(message->rooms->rooms[0]->world, "arena-x");
    assert_int_equal(message->rooms->rooms[0]->n_properties, 1); /* the listed one */
    assert_string_equal(message->rooms->removed[0], "arena-y");
    cairn__v1__server_message__free_unpacked(message, NULL);
    char *text = wire_rooms_print(&list);
    assert_non_null(strstr(text, "\"next\": \"12\""));
    assert_null(strstr(text, "seed"));
    free(text);
    room.has_all_properties = true;
    struct wire_room_event event = {.id = "0123",
        .event = "joined",
        .sequence = 2,
        .time_s = 1800000001,
        .room = room,
        .has_seat = true,
        .seat = 0,
        .subject = "ann",
        .reason = ""};
    text = wire_room_event_print(&event);
    assert_non_null(strstr(text, "\"id\": \"0123\", \"event\": \"joined\", \"sequence\": \"2\""));
    assert_non_null(strstr(text, "{\"name\": \"seed\", \"integer\": \"7\"}"));
    assert_non_null(strstr(text, "\"seat\": 0, \"sub\": \"ann\", \"reason\": \"\"}"));
    assert_null(strchr(text, '\n'));
    free(text);
    const struct cn_value result = cn_value_text("ann wins");
    event.event = "result";
    event.has_seat = false;
    event.result = &result;
    text = wire_room_event_print(&event);
    assert_non_null(strstr(text, "\"result\": {\"name\": \"result\", \"text\": \"ann wins\"}}"));
    free(text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_templates),
        cmocka_unit_test(test_limits), cmocka_unit_test(test_counts),
        cmocka_unit_test(test_requests), cmocka_unit_test(test_fits),
        cmocka_unit_test(test_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
