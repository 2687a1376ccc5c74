/*
 * test_peer.c: a client's side of the protocol against the daemon's: what one says the other hears.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "engine/base/rng.h"
#include "proto/peer.h"
#include "proto/scene.h"
#include "proto/snapshot_codec.h"
#include "proto/state.h"

#include <stdlib.h>
#include <string.h>

/* ---- said ---- */

static void
hear_what_is_said(const struct wire_client_message *said, struct wire_client_message *heard)
{
    uint8_t bytes[512];
    struct wire_error error;
    size_t size = wire_client_encode(said, bytes, sizeof(bytes));
    assert_in_range(size, 1, sizeof(bytes));
    assert_int_equal(wire_client_encode(said, NULL, 0), size);
    assert_int_equal(wire_client_decode(bytes, size, heard, &error), WIRE_DECODE_OK);
    assert_int_equal(heard->kind, said->kind);
}

static void
test_says(void **state)
{
    (void)state;
    struct wire_client_message heard, said = {.kind = WIRE_CLIENT_HELLO};
    char token[] = "a.b.c";
    said.hello =
        (struct wire_hello){.version = 1, .name = "Ada", .client = "test/1", .token = token};
    said.hello.role = 2;
    hear_what_is_said(&said, &heard);
    assert_string_equal(heard.hello.token, token);
    assert_int_equal(heard.hello.role, 2);
    wire_client_message_finish(&heard);
    assert_int_equal(heard.hello.version, 1);
    assert_string_equal(heard.hello.name, "Ada");
    assert_string_equal(heard.hello.client, "test/1");

    said = (struct wire_client_message){.kind = WIRE_CLIENT_JOIN, .join_world = "pile"};
    hear_what_is_said(&said, &heard);
    assert_string_equal(heard.join_world, "pile");

    said = (struct wire_client_message){.kind = WIRE_CLIENT_LEAVE};
    hear_what_is_said(&said, &heard);

    said = (struct wire_client_message){.kind = WIRE_CLIENT_SUBSCRIBE};
    said.subscribe.energy = true;
    said.subscribe.mode = WIRE_MODE_DELTA;
    said.subscribe.rate_hz = 20;
    hear_what_is_said(&said, &heard);
    assert_int_equal(heard.subscribe.mode, WIRE_MODE_DELTA);
    assert_int_equal(heard.subscribe.rate_hz, 20);
    assert_true(heard.subscribe.energy && !heard.subscribe.contacts);

    said = (struct wire_client_message){
        .kind = WIRE_CLIENT_PING, .ping_client_time_us = UINT64_MAX};
    hear_what_is_said(&said, &heard);
    assert_true(heard.ping_client_time_us == UINT64_MAX);

    said = (struct wire_client_message){.kind = WIRE_CLIENT_ACK, .ack_tick = 600};
    hear_what_is_said(&said, &heard);
    assert_true(heard.ack_tick == 600);

    said = (struct wire_client_message){.kind = WIRE_CLIENT_QUERY}; /* which it can not say */
    assert_int_equal(wire_client_encode(&said, NULL, 0), 0);
}

static bool
is_vec3(cn_vec3 v, double x, double y, double z)
{
    return v.x == x && v.y == y && v.z == z;
}

static void
test_says_inputs(void **state)
{
    (void)state;
    struct wire_client_message heard, said = {.kind = WIRE_CLIENT_INPUT};
    struct wire_input *in = &said.input;
    *in = (struct wire_input){.seq = 7, .client_tick = 99, .hold_ticks = 5};
    in->command.kind = CN_COMMAND_HOLD_FORCE;
    in->command.hold_force = (struct cn_hold_force){.holder = {.slot = 3}, .body = 4,
        .frame = CN_FRAME_WORLD, .point = {1.0, 2.0, 3.0}, .force = {-4.0, 5.5, 0.25}};
    hear_what_is_said(&said, &heard);
    assert_true(heard.input.seq == 7 && heard.input.client_tick == 99);
    assert_int_equal(heard.input.hold_ticks, 5);
    const struct cn_hold_force *force = &heard.input.command.hold_force;
    assert_true(force->holder.slot == 3 && force->body == 4 && force->frame == CN_FRAME_WORLD);
    assert_true(is_vec3(force->point, 1.0, 2.0, 3.0) && is_vec3(force->force, -4.0, 5.5, 0.25));

    in->command = (struct cn_command){.kind = CN_COMMAND_HOLD_TORQUE};
    in->command.hold_torque = (struct cn_hold_torque){
        .holder = {.slot = 1}, .body = 2, .torque = {0.0, 0.0, -1.5}};
    hear_what_is_said(&said, &heard);
    assert_true(heard.input.command.hold_torque.torque.z == -1.5);
    assert_int_equal(heard.input.command.hold_torque.holder.slot, 1);

    in->command = (struct cn_command){.kind = CN_COMMAND_HOLD_DRAG};
    in->command.hold_drag = (struct cn_hold_drag){.body = 6, .point = {0.5, 0.0, 0.0},
        .target = {1.0, 2.0, 3.0}, .stiffness = 40.0, .damping = 6.0};
    hear_what_is_said(&said, &heard);
    const struct cn_hold_drag *drag = &heard.input.command.hold_drag;
    assert_true(drag->body == 6 && drag->stiffness == 40.0 && drag->damping == 6.0);
    assert_true(is_vec3(drag->point, 0.5, 0.0, 0.0) && is_vec3(drag->target, 1.0, 2.0, 3.0));

    in->command = (struct cn_command){.kind = CN_COMMAND_HOLD_ACTUATOR};
    in->command.hold_actuator =
        (struct cn_hold_actuator){.holder = {.slot = 8}, .actuator = 1, .level = -0.5};
    hear_what_is_said(&said, &heard);
    assert_true(heard.input.command.hold_actuator.level == -0.5);
    assert_int_equal(heard.input.command.hold_actuator.actuator, 1);

    in->command = (struct cn_command){.kind = CN_COMMAND_RELEASE};
    in->command.release.slot = 8;
    hear_what_is_said(&said, &heard);
    assert_int_equal(heard.input.command.kind, CN_COMMAND_RELEASE);
    assert_int_equal(heard.input.command.release.slot, 8);
}

static void
test_says_controls(void **state)
{
    (void)state;
    static const enum wire_control_kind kinds[] = {WIRE_CONTROL_PAUSE, WIRE_CONTROL_RESUME,
        WIRE_CONTROL_STEP, WIRE_CONTROL_RESET, WIRE_CONTROL_CREATE, WIRE_CONTROL_REMOVE,
        WIRE_CONTROL_LIST};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct wire_client_message heard, said = {.kind = WIRE_CLIENT_CONTROL};
        said.control.request = 11;
        said.control.kind = kinds[i];
        if (kinds[i] == WIRE_CONTROL_STEP) {
            said.control.step_ticks = 60;
        } else if (kinds[i] == WIRE_CONTROL_REMOVE) {
            strcpy(said.control.world, "gone");
        } else if (kinds[i] == WIRE_CONTROL_CREATE) {
            strcpy(said.control.source.id, "mine");
            strcpy(said.control.source.name, "pile");
        }
        hear_what_is_said(&said, &heard);
        assert_int_equal(heard.control.request, 11);
        assert_int_equal(heard.control.kind, kinds[i]);
        if (kinds[i] == WIRE_CONTROL_STEP) {
            assert_int_equal(heard.control.step_ticks, 60);
        } else if (kinds[i] == WIRE_CONTROL_REMOVE) {
            assert_string_equal(heard.control.world, "gone");
        } else if (kinds[i] == WIRE_CONTROL_CREATE) {
            assert_int_equal(heard.control.source.kind, WIRE_SOURCE_NAME);
            assert_string_equal(heard.control.source.id, "mine");
            assert_string_equal(heard.control.source.name, "pile");
        }
        wire_client_message_finish(&heard);
    }
}

static struct cn_attribute
attribute_of(enum cn_owner_kind kind, uint64_t id, const char *name, struct cn_value value)
{
    struct cn_attribute attribute = {.owner = {kind, id}, .value = value};
    memcpy(attribute.name, name, strlen(name));
    return attribute;
}

/* Attributes of every owner and every kind, as many as AttributeFrames and controls may have. */
static int
fill_attributes(struct cn_attribute attributes[6])
{
    const struct cn_value raw = {.kind = CN_VALUE_BYTES, .size = 3, .bytes = {0, 0x80, 0xff}};
    attributes[0] = attribute_of(CN_OWNER_WORLD, 0, "score", cn_value_integer(INT64_MIN));
    attributes[1] = attribute_of(CN_OWNER_WORLD, 0, "text", cn_value_text("gr\xc3\xbcn"));
    attributes[2] = attribute_of(CN_OWNER_BODY, 0, "flag", cn_value_flag(false));
    attributes[3] = attribute_of(CN_OWNER_BODY, 9999, "number", cn_value_number(-0.5));
    attributes[4] = attribute_of(CN_OWNER_SESSION, UINT64_MAX, "bytes", raw);
    attributes[5] = attribute_of(CN_OWNER_SESSION, UINT64_MAX, "gone", (struct cn_value){0});
    return 6;
}

static void
assert_attributes(const struct cn_attribute *heard, const struct cn_attribute *said, int count)
{
    for (int i = 0; i < count; i++) {
        assert_int_equal(cn_attribute_compare(&heard[i], &said[i]), 0);
        assert_true(cn_value_is_same(&heard[i].value, &said[i].value));
    }
}

static void
test_says_attributes(void **state)
{
    (void)state;
    struct cn_attribute attributes[6];
    struct wire_client_message heard, said = {.kind = WIRE_CLIENT_CONTROL};
    said.control.kind = WIRE_CONTROL_ATTRIBUTES;
    said.control.attributes.take = attributes;
    said.control.attributes.count = fill_attributes(attributes);
    hear_what_is_said(&said, &heard);
    assert_int_equal(heard.control.attributes.count, 6);
    assert_attributes(heard.control.attributes.take, attributes, 6);
    wire_client_message_finish(&heard);

    /* Names of the engine's own, and none at all. */
    static uint8_t bytes[4096];
    struct wire_error error;
    attributes[3].name[0] = '.';
    size_t size = wire_client_encode(&said, bytes, sizeof(bytes));
    assert_int_equal(wire_client_decode(bytes, size, &heard, &error), WIRE_DECODE_REFUSED);
    assert_string_equal(error.path, "control.attributes.changes[3].attribute.name");
    said.control.attributes.count = 0;
    size = wire_client_encode(&said, bytes, sizeof(bytes));
    assert_int_equal(wire_client_decode(bytes, size, &heard, &error), WIRE_DECODE_REFUSED);
    assert_string_equal(error.path, "control.attributes.changes");
    assert_non_null(strstr(error.text, "1 to 64"));
}

/* ---- heard ---- */

static uint8_t buffer[1 << 16];
static size_t buffer_size;

static void
hear(size_t size, enum wire_server_kind kind, struct wire_server_message *heard)
{
    struct wire_error error;
    assert_in_range(size, 1, sizeof(buffer));
    buffer_size = size;
    assert_int_equal(wire_server_kind(buffer, size), kind);
    assert_true(wire_server_decode(buffer, size, heard, &error));
    assert_int_equal(heard->kind, kind);
}

/* Whether the message that is in the buffer has every field that there is of its kind. */
static void
check_all_said(enum wire_server_kind kind)
{
    uint64_t sizes[WIRE_FIELDS_MAX] = {0};
    wire_server_field_sizes(buffer, buffer_size, sizes);
    for (unsigned i = 0; i < WIRE_FIELDS_MAX; i++) {
        const char *name = wire_server_field_name(kind, i);
        if (name != NULL && sizes[i] == 0) {
            fail_msg("%s.%s is not said", wire_server_kind_name(kind), name);
        }
    }
}

static void
test_hears_answers(void **state)
{
    (void)state;
    struct wire_server_message heard;
    const struct wire_welcome welcome = {
        .session = 5, .server = "cairnd/9", .message_size_max = 65536, .message_rate = 500,
        .role = 3, .expires_s = 60};
    hear(wire_encode_welcome(&welcome, buffer, sizeof(buffer)), WIRE_SERVER_WELCOME, &heard);
    assert_true(heard.welcome.session == 5 && heard.welcome.version == WIRE_VERSION);
    assert_string_equal(heard.welcome.server, "cairnd/9");
    assert_int_equal(heard.welcome.message_rate, 500);
    assert_true(heard.welcome.role == 3 && heard.welcome.expires_s == 60);

    const struct wire_tick_header tick = {
        .tick = 1ull << 40, .applied_seq = 3, .durable_seq = 2, .server_time_us = UINT64_MAX,
        .rate_hz = 20};
    hear(wire_encode_tick_header(&tick, buffer, sizeof(buffer)), WIRE_SERVER_TICK, &heard);
    assert_true(heard.tick.tick == tick.tick && heard.tick.applied_seq == 3);
    assert_true(heard.tick.durable_seq == 2 && heard.tick.server_time_us == UINT64_MAX);
    assert_int_equal(heard.tick.rate_hz, 20);

    const struct wire_pong pong = {1, 2, 3, 4, -5, 6};
    hear(wire_encode_pong(&pong, buffer, sizeof(buffer)), WIRE_SERVER_PONG, &heard);
    assert_true(heard.pong.client_time_us == 1 && heard.pong.server_time_us == 2);
    assert_true(heard.pong.early_count == 3 && heard.pong.late_count == 4);
    assert_true(heard.pong.margin == -5 && heard.pong.round_trip_us == 6);

    hear(wire_encode_control_done(9, "w", 0, buffer, sizeof(buffer)), WIRE_SERVER_DONE, &heard);
    assert_int_equal(heard.done.request, 9);
    assert_string_equal(heard.done.world, "w");
    assert_int_equal(heard.done.waiting, 0);
    hear(wire_encode_control_done(9, "w", 2, buffer, sizeof(buffer)), WIRE_SERVER_DONE, &heard);
    assert_int_equal(heard.done.waiting, 2); /* a lease: two are before it */
    check_all_said(WIRE_SERVER_DONE);

    struct wire_error refusal;
    wire_error_set(&refusal, "SEQ", "input.seq", "is 5; the next is 4");
    refusal.retry_ms = 250;
    hear(wire_encode_rejected(0, 5, &refusal, buffer, sizeof(buffer)), WIRE_SERVER_REJECTED,
        &heard);
    assert_int_equal(heard.rejected.seq, 5);
    assert_string_equal(heard.rejected.error.code, "SEQ");
    assert_string_equal(heard.rejected.error.text, "is 5; the next is 4");
    assert_int_equal(heard.rejected.error.retry_ms, 250);

    const struct wire_status fork = {
        .id = "b", .origin = "a", .origin_tick = 1ull << 33, .state = WIRE_WORLD_REPLAY};
    hear(wire_encode_forked(6, &fork, buffer, sizeof(buffer)), WIRE_SERVER_FORKED, &heard);
    assert_true(heard.forked.request == 6 && heard.forked.tick == fork.origin_tick);
    assert_string_equal(heard.forked.world, "b");
    assert_string_equal(heard.forked.origin, "a");
    assert_true(heard.forked.replay);
}

static void
test_hears_worlds(void **state)
{
    (void)state;
    struct wire_status a = {.id = "a", .name = "pile", .title = "A pile",
        .state = WIRE_WORLD_PAUSED, .tick = 12, .tick_rate = 60.0, .body_count = 3, .hash = 0xabcu,
        .client_count = 2, .real_time_factor = 0.5, .tick_duration_us = 80.0, .generation = 4};
    strcpy(a.settings.solver, "impulse");
    struct wire_status b = {.id = "b", .idle = true};
    const struct wire_status *list[2] = {&a, &b};
    struct wire_server_message heard;
    hear(wire_encode_worlds(list, 2, buffer, sizeof(buffer)), WIRE_SERVER_WORLDS, &heard);
    assert_int_equal(heard.worlds.count, 2);
    const struct wire_status *first = &heard.worlds.statuses[0];
    assert_string_equal(first->id, "a");
    assert_string_equal(first->title, "A pile");
    assert_int_equal(first->state, WIRE_WORLD_PAUSED);
    assert_true(first->tick == 12 && first->hash == 0xabcu && first->real_time_factor == 0.5);
    assert_string_equal(first->settings.solver, "impulse");
    assert_true(heard.worlds.statuses[1].idle);
    wire_server_message_finish(&heard);

    hear(wire_encode_status(&a, buffer, sizeof(buffer)), WIRE_SERVER_STATUS, &heard);
    assert_string_equal(heard.status->id, "a");
    wire_server_message_finish(&heard);
}

/* A status with all its fields is read from a message and written again: the bytes are the same. */
static void
test_hears_all_of_a_status(void **state)
{
    (void)state;
    struct wire_status all = {.id = "lab-2", .name = "lab", .title = "A lab",
        .state = WIRE_WORLD_REPLAY, .idle = true, .tick = 1200, .time = 20.0, .tick_rate = 60.0,
        .body_count = 3, .contact_count = 2, .client_count = 1,
        .hash = UINT64_C(0x0123456789abcdef),
        .real_time_factor = 0.5, .frozen_count = 1, .tick_duration_us = 80.0,
        .durability = WIRE_DURABILITY_SECOND, .stalled_ms = 7, .failure = "DIVERGED: tick 3",
        .generation = 4, .origin = "lab", .origin_tick = 1100, .speed = 0.25, .end_tick = 1300};
    strcpy(all.settings.solver, "impulse");
    struct wire_server_message heard;
    static uint8_t said[4096];
    hear(wire_encode_status(&all, buffer, sizeof(buffer)), WIRE_SERVER_STATUS, &heard);
    check_all_said(WIRE_SERVER_STATUS);
    assert_string_equal(heard.status->origin, "lab");
    assert_true(heard.status->origin_tick == 1100 && heard.status->end_tick == 1300);
    assert_int_equal(wire_encode_status(heard.status, said, sizeof(said)), buffer_size);
    assert_memory_equal(said, buffer, buffer_size);
    wire_server_message_finish(&heard);
}

/* ---- a world ---- */

static const char scene_text[] =
    "name: three\n"
    "bodies:\n"
    "- {name: floor, type: STATIC, shapes: [{box: {size: {x: 9, y: 1}}, density: 1}]}\n"
    "- {name: one, position: {x: 1, y: 2}, mass: 3,\n"
    "   shapes: [{circle: {radius: 0.5}, density: 1}]}\n"
    "- {name: two, position: {x: 3, y: 2}, shapes: [{box: {size: {x: 1, y: 1}}, density: 1}]}\n";

static void
test_hears_a_world(void **state)
{
    (void)state;
    struct wire_text_error text_error;
    struct wire_scene *scene =
        wire_scene_parse(scene_text, sizeof(scene_text) - 1, &text_error);
    assert_non_null(scene);
    struct wire_status status = {.id = "w", .generation = 6};
    struct cn_attribute attributes[6];
    struct wire_joined joined = {.world = "w", .scene = scene, .status = &status};
    joined.attributes = attributes;
    joined.attribute_count = fill_attributes(attributes);
    attributes[1].name[0] = '.'; /* is not sent */
    struct wire_server_message heard;
    hear(wire_encode_joined(&joined, buffer, sizeof(buffer)), WIRE_SERVER_JOINED, &heard);
    assert_string_equal(heard.joined->world, "w");
    assert_int_equal(heard.joined->generation, 6);
    assert_false(heard.joined->is_spatial);
    assert_int_equal(heard.joined->body_count, 2); /* the floor does not move */
    assert_int_equal(heard.joined->bodies[0].slot, 1);
    assert_true(heard.joined->bodies[0].mass == 3.0 && heard.joined->bodies[1].mass == 1.0);
    assert_true(heard.joined->bodies[1].position.x == 3.0);
    assert_int_equal(heard.joined->attribute_count, 5);
    assert_attributes(heard.joined->attributes, attributes, 1);
    assert_attributes(heard.joined->attributes + 1, attributes + 2, 4);
    wire_server_message_finish(&heard);

    struct cn_world *world = NULL;
    struct cn_defect defect;
    assert_int_equal(cn_world_create(wire_scene_world_def(scene), &defect, &world), CN_OK);
    struct wire_precision precision = wire_precision_default();
    struct wire_state *shown = wire_state_take(world, 6, &precision, NULL);
    assert_non_null(shown);
    size_t size = wire_encode_snapshot(shown, buffer, sizeof(buffer));
    hear(size, WIRE_SERVER_SNAPSHOT, &heard);
    assert_int_equal(heard.snapshot.generation, 6);
    assert_int_equal(heard.snapshot.count, 2);
    assert_true(heard.snapshot.is_whole);
    shown->x[1]++; /* the hash is still that of the state before */
    wire_encode_snapshot(shown, buffer, sizeof(buffer));
    hear(size, WIRE_SERVER_SNAPSHOT, &heard);
    assert_false(heard.snapshot.is_whole);
    wire_state_unref(shown);

    size = wire_encode_energy(world, buffer, sizeof(buffer));
    hear(size, WIRE_SERVER_ENERGY, &heard);
    assert_true(heard.energy.total == heard.energy.kinetic + heard.energy.potential);
    size = wire_encode_contacts(world, buffer, sizeof(buffer));
    hear(size, WIRE_SERVER_CONTACTS, &heard);
    assert_int_equal(heard.contacts.count, 0);
    cn_world_destroy(world);
    wire_scene_destroy(scene);
}

static void
test_hears_attributes(void **state)
{
    (void)state;
    struct cn_attribute attributes[6];
    struct wire_attribute_change changes[6] = {{0}};
    int count = fill_attributes(attributes);
    for (int i = 0; i < count; i++) {
        changes[i].attribute = &attributes[i];
    }
    const struct wire_attribute_frame frame = {.tick = 77, .generation = 3, .changes = changes,
        .change_count = count, .full = true};
    struct wire_server_message heard;
    hear(wire_encode_attributes(&frame, buffer, sizeof(buffer)), WIRE_SERVER_ATTRIBUTES, &heard);
    check_all_said(WIRE_SERVER_ATTRIBUTES);
    assert_true(heard.attributes.tick == 77 && heard.attributes.full);
    assert_int_equal(heard.attributes.generation, 3);
    assert_int_equal(heard.attributes.count, count);
    assert_attributes(heard.attributes.changes, attributes, count);
    wire_server_message_finish(&heard);

    changes[0].is_gone = true; /* it is sent without its value */
    hear(wire_encode_attributes(&frame, buffer, sizeof(buffer)), WIRE_SERVER_ATTRIBUTES, &heard);
    assert_int_equal(heard.attributes.changes[0].value.kind, CN_VALUE_NONE);
    wire_server_message_finish(&heard);
}

/* ---- nonsense ---- */

/* Cut short or with bits turned a message is refused, or is another one; either way it is whole. */
static void
test_nonsense(void **state)
{
    (void)state;
    struct wire_status a = {.id = "a", .name = "pile", .title = "A pile", .tick = 12};
    const struct wire_status *list[2] = {&a, &a};
    struct wire_server_message heard;
    struct wire_error error;
    size_t size = wire_encode_worlds(list, 2, buffer, sizeof(buffer));
    struct cn_rng rng = {.state = 5};
    for (size_t cut = 0; cut < size; cut++) {
        assert_false(wire_server_decode(buffer, cut, &heard, &error));
        assert_true(error.text[0] != '\0');
    }
    for (int i = 0; i < 5000; i++) {
        uint8_t copy[1024];
        assert_true(size <= sizeof(copy));
        memcpy(copy, buffer, size);
        for (int flips = 0; flips < 1 + i % 3; flips++) {
            copy[cn_rng_next(&rng) % size] ^= (uint8_t)(1u << cn_rng_next(&rng) % 8);
        }
        if (wire_server_decode(copy, size, &heard, &error)) {
            assert_non_null(wire_server_kind_name(heard.kind));
            wire_server_message_finish(&heard);
        }
    }
    static const uint8_t unknown[] = {0xa2, 0x06, 0x00}; /* field 100 */
    assert_int_equal(wire_server_kind(unknown, sizeof(unknown)), WIRE_SERVER_NONE);
    assert_int_equal(wire_server_kind(unknown, 0), WIRE_SERVER_NONE);
    assert_false(wire_server_decode(unknown, sizeof(unknown), &heard, &error));
    assert_string_equal(error.code, "DECODE");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_says),
        cmocka_unit_test(test_says_inputs),
        cmocka_unit_test(test_says_controls),
        cmocka_unit_test(test_says_attributes),
        cmocka_unit_test(test_hears_answers),
        cmocka_unit_test(test_hears_worlds),
        cmocka_unit_test(test_hears_all_of_a_status),
        cmocka_unit_test(test_hears_a_world),
        cmocka_unit_test(test_hears_attributes),
        cmocka_unit_test(test_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
