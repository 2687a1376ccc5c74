/*
 * test_codec.c: what the codec takes, what it refuses and why, and that it keeps its budget.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "proto/codec.h"
#include "proto/codec_check.h"
#include "proto/codec_json.h"
#include "proto/quant.h"
#include "proto/snapshot_codec.h"

#include <cairn/v1/wire.pb-c.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- inputs ---- */

/* Packs a message with this input and decodes it again. */
static enum wire_decode_result
round_trip(Cairn__V1__Input *input, struct wire_client_message *out, struct wire_error *error)
{
    uint8_t bytes[512];
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_INPUT;
    message.input = input;
    size_t size = cairn__v1__client_message__pack(&message, bytes);
    return wire_client_decode(bytes, size, out, error);
}

static void
test_force(void **state)
{
    (void)state;
    Cairn__V1__Vec3 force = CAIRN__V1__VEC3__INIT;
    force.x = 1.5;
    force.z = -2.0;
    Cairn__V1__Input__Force body = CAIRN__V1__INPUT__FORCE__INIT;
    body.body = 3;
    body.force = &force;
    body.frame = CAIRN__V1__INPUT__FRAME__WORLD;
    Cairn__V1__Input input = CAIRN__V1__INPUT__INIT;
    input.seq = UINT64_MAX;
    input.slot = 9;
    input.hold_ticks = 4;
    input.action_case = CAIRN__V1__INPUT__ACTION_FORCE;
    input.force = &body;
    struct wire_client_message out;
    struct wire_error error;
    assert_int_equal(round_trip(&input, &out, &error), WIRE_DECODE_OK);
    assert_int_equal(out.kind, WIRE_CLIENT_INPUT);
    assert_true(out.input.seq == UINT64_MAX);
    assert_int_equal(out.input.hold_ticks, 4);
    const struct cn_command *command = &out.input.command;
    assert_int_equal(command->kind, CN_COMMAND_HOLD_FORCE);
    assert_int_equal(command->hold_force.holder.slot, 9);
    assert_int_equal(command->hold_force.body, 3);
    assert_int_equal(command->hold_force.frame, CN_FRAME_WORLD);
    assert_true(command->hold_force.force.x == 1.5 && command->hold_force.force.z == -2.0);
    assert_true(command->hold_force.point.x == 0.0); /* absent */
}

/* Each refusal names the path, and the number of the input that it refuses. */
static void
test_refused_values(void **state)
{
    (void)state;
    Cairn__V1__Vec3 vector = CAIRN__V1__VEC3__INIT;
    vector.y = (double)NAN;
    Cairn__V1__Input__Drag drag = CAIRN__V1__INPUT__DRAG__INIT;
    drag.target = &vector;
    Cairn__V1__Input input = CAIRN__V1__INPUT__INIT;
    input.seq = 7;
    struct wire_client_message out;
    struct wire_error error;
    assert_int_equal(round_trip(&input, &out, &error), WIRE_DECODE_REFUSED);
    assert_string_equal(error.code, "FIELD");
    assert_int_equal(out.input.seq, 7);
    input.action_case = CAIRN__V1__INPUT__ACTION_DRAG;
    input.drag = &drag;
    assert_int_equal(round_trip(&input, &out, &error), WIRE_DECODE_REFUSED);
    assert_string_equal(error.code, "FINITE");
    assert_string_equal(error.path, "input.drag.target.y");
    vector.y = 0.0;
    drag.stiffness = (double)INFINITY;
    assert_int_equal(round_trip(&input, &out, &error), WIRE_DECODE_REFUSED);
    assert_string_equal(error.path, "input.drag.stiffness");
    drag.stiffness = 1.0;
    drag.body = UINT32_MAX;
    assert_int_equal(round_trip(&input, &out, &error), WIRE_DECODE_REFUSED);
    assert_string_equal(error.code, "REFERENCE");
    drag.body = 1;
    assert_int_equal(round_trip(&input, &out, &error), WIRE_DECODE_OK);
}

/* ---- bytes ---- */

static void
test_bad_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        enum wire_decode_result result;
    } cases[] = {
        {"\xff", 1, WIRE_DECODE_BAD},
        {"\x80\x00\x0a", 3, WIRE_DECODE_BAD},                 /* field 0, not canonical */
        {"\x1a\x00\xa0\x06\x01", 5, WIRE_DECODE_BAD},         /* Leave, and field 100 */
        {"\x1a\x02\x08\x01", 4, WIRE_DECODE_BAD},             /* a field inside Leave */
        {"\x0a\x05\x08\x01", 4, WIRE_DECODE_BAD},             /* cut in half */
        {"", 0, WIRE_DECODE_REFUSED},                         /* no message at all */
        {"\x0a\x04\x12\x02\xc3\x28", 6, WIRE_DECODE_REFUSED}, /* a name that is not UTF-8 */
        {"\x0a\x03\x12\x01\x07", 5, WIRE_DECODE_REFUSED},     /* a bell in a name */
        {"\x1a\x00", 2, WIRE_DECODE_OK},                      /* Leave */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct wire_client_message out;
        struct wire_error error;
        assert_int_equal(wire_client_decode((const uint8_t *)cases[i].bytes, cases[i].size, &out,
                             &error),
            cases[i].result);
    }
}

/* A bomb of empty bodies in a scene, sixty times larger unpacked, meets the arena's end. */
static void
test_budget(void **state)
{
    (void)state;
    static uint8_t bytes[60000];
    static const uint8_t prefix[] = {
        /* control { create { scene { bodies {} bodies {} ... } } } */
        0x32, 0xdd, 0xd4, 0x03, 0x42, 0xd9, 0xd4, 0x03, 0x12, 0xd5, 0xd4, 0x03};
    memcpy(bytes, prefix, sizeof(prefix));
    size_t size = sizeof(prefix);
    for (; size - sizeof(prefix) < 0xea55 && size + 2 <= sizeof(bytes); size += 2) {
        bytes[size] = 0x2a; /* bodies */
        bytes[size + 1] = 0x00;
    }
    size_t inner = size - sizeof(prefix);
    bytes[9] = (uint8_t)((inner & 0x7f) | 0x80);
    bytes[10] = (uint8_t)((inner >> 7 & 0x7f) | 0x80);
    bytes[11] = (uint8_t)(inner >> 14);
    bytes[5] = (uint8_t)(((inner + 4) & 0x7f) | 0x80);
    bytes[6] = (uint8_t)((inner + 4) >> 7 & 0x7f) | 0x80;
    bytes[7] = (uint8_t)((inner + 4) >> 14);
    bytes[1] = (uint8_t)(((inner + 8) & 0x7f) | 0x80);
    bytes[2] = (uint8_t)((inner + 8) >> 7 & 0x7f) | 0x80;
    bytes[3] = (uint8_t)((inner + 8) >> 14);
    Cairn__V1__ClientMessage *unpacked = cairn__v1__client_message__unpack(NULL, size, bytes);
    assert_non_null(unpacked); /* well formed: only the budget stands against it */
    cairn__v1__client_message__free_unpacked(unpacked, NULL);
    struct wire_client_message out;
    struct wire_error error;
    assert_int_equal(wire_client_decode(bytes, size, &out, &error), WIRE_DECODE_BAD);
    assert_string_equal(error.code, "DECODE");
}

/* ---- texts ---- */

static void
test_texts(void **state)
{
    (void)state;
    assert_true(codec_text_is_clean("", 0));
    assert_true(codec_text_is_clean("na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80", 64));
    assert_false(codec_text_is_clean("four", 3));
    static const char *const bad[] = {"\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc3",
        "\x7f", "\xc2\x85", "a\tb", "\x80"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(codec_text_is_clean(bad[i], 64));
    }
    char out[6];
    codec_text_copy(out, sizeof(out), "abcd\xe2\x82\xac"); /* cut before the euro sign */
    assert_string_equal(out, "abcd");
}

/* ---- quanta ---- */

static void
test_quanta(void **state)
{
    (void)state;
    assert_int_equal(wire_quantise(0.5, WIRE_POSITION_SCALE), 2048);
    assert_int_equal(wire_quantise(-0.5, WIRE_POSITION_SCALE), -2048);
    assert_int_equal(wire_quantise(0.5 / 4096.0, WIRE_POSITION_SCALE), 1); /* halves upwards */
    assert_int_equal(wire_quantise(-0.5 / 4096.0, WIRE_POSITION_SCALE), 0);
    assert_int_equal(wire_quantise(1e300, WIRE_POSITION_SCALE), INT32_MAX);
    assert_int_equal(wire_quantise(-1e300, WIRE_POSITION_SCALE), INT32_MIN);
    assert_int_equal(wire_quantise((double)NAN, WIRE_POSITION_SCALE), 0);
}

/* FNV-1a of the sixteen bytes 1,0,0,0, 2,0,0,0, ff,ff,ff,ff, 0,1,0,0, computed elsewhere. */
static void
test_view_hash(void **state)
{
    (void)state;
    uint32_t body[] = {1};
    int32_t x[] = {2}, y[] = {-1}, angle[] = {256};
    struct wire_view view = {.count = 1, .body = body, .x = x, .y = y, .angle = angle};
    assert_int_equal(wire_view_hash(&view), 0xaa4e2ccd);
}

/* ---- encoding ---- */

/* Measuring and writing agree, a buffer too small is not touched, and what is read is the same. */
static void
test_encode_rejected(void **state)
{
    (void)state;
    struct wire_error error;
    uint8_t bytes[256] = {0};
    wire_error_set(&error, "RANGE", "a.b", "is %d", 5);
    size_t size = wire_encode_rejected(3, 4, &error, NULL, 0);
    assert_int_equal(wire_encode_rejected(3, 4, &error, bytes, size - 1), size);
    assert_int_equal(bytes[0], 0);
    assert_int_equal(wire_encode_rejected(3, 4, &error, bytes, sizeof(bytes)), size);
    Cairn__V1__ServerMessage *message = cairn__v1__server_message__unpack(NULL, size, bytes);
    assert_non_null(message);
    assert_int_equal(message->rejected->request, 3);
    assert_int_equal(message->rejected->seq, 4);
    assert_string_equal(message->rejected->error->text, "is 5");
    cairn__v1__server_message__free_unpacked(message, NULL);
}

/* Settings as JSON: only what is there is set; what is unknown is refused with its line. */
static void
test_settings_json(void **state)
{
    (void)state;
    static const char good[] = "{\"gravity\": {\"y\": -1}, \"collision\": \"HYBRID\"}";
    static const char bad[] = "{\n\"gravty\": {}}";
    struct wire_settings settings;
    struct wire_error error;
    assert_true(wire_settings_parse(good, sizeof(good) - 1, &settings, &error));
    assert_true(settings.has_gravity && settings.has_collision && !settings.has_time_rate);
    assert_true(settings.gravity.y == -1.0);
    assert_int_equal(settings.collision, CN_COLLISION_HYBRID);
    assert_false(wire_settings_parse(bad, sizeof(bad) - 1, &settings, &error));
    assert_int_equal(error.line, 2);
    uint32_t ticks = 9;
    assert_true(wire_step_parse("", 0, &ticks, &error));
    assert_int_equal(ticks, 0);
}

/* Every code of the table has a status, and the engine's are the caller's fault. */
static void
test_codes(void **state)
{
    (void)state;
    assert_int_equal(wire_code_http_status("WORLD"), 404);
    assert_int_equal(wire_code_http_status("TYPE"), 415);
    assert_int_equal(wire_code_http_status("RANGE"), 400);
    assert_int_equal(wire_code_http_status("MEMORY"), 500);
    assert_true(wire_name_is_id("a-B_9.x"));
    assert_false(wire_name_is_id(""));
    assert_false(wire_name_is_id(".hidden"));
    assert_false(wire_name_is_id("a/b"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_force),
        cmocka_unit_test(test_refused_values),
        cmocka_unit_test(test_bad_bytes),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_quanta),
        cmocka_unit_test(test_view_hash),
        cmocka_unit_test(test_encode_rejected),
        cmocka_unit_test(test_settings_json),
        cmocka_unit_test(test_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
