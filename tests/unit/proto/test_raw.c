/*
 * test_raw.c: what a world shows: raw columns where typed arrays can view them, quanta of the
 * scene's choice, and messages as text.
 */
#include "proto/codec_json.h"
#include "proto/raw.h"
#include "proto/scene.h"
#include "proto/snapshot_codec.h"

#include <cairn/v1/wire.pb-c.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A world of `count` bodies that move, behind a static one. */
static struct cn_world *
world_of(int count, bool is_spatial, const char *precision, struct wire_precision *quanta)
{
    static char text[16384];
    int at = snprintf(text, sizeof(text),
        "name: x\nworld: {dimension: %s, stepper: time, solver: impulse, precision: {%s}}\n"
        "bodies:\n- {type: STATIC, position: {y: -9}, shapes: [{circle: {radius: 1}}]}\n",
        is_spatial ? "SPATIAL" : "PLANAR", precision);
    if (is_spatial) { /* no circles there */
        char *circle = strstr(text, "circle");
        memcpy(circle, "sphere", 6);
    }
    for (int i = 0; i < count; i++) {
        at += snprintf(text + at, sizeof(text) - (size_t)at,
            "- {position: {x: %d.1, y: %d}, %s, velocity: {x: 3}, angularVelocity: {z: 2}, "
            "mass: 1, shapes: [{%s: {radius: 0.1}}]}\n",
            i, i * i, is_spatial ? "orientation: {w: 0.6, x: 0.8}" : "angle: -7.25",
            is_spatial ? "sphere" : "circle");
    }
    struct wire_text_error error;
    struct wire_scene *scene = wire_scene_parse(text, (size_t)at, &error);
    assert_non_null(scene);
    struct cn_defect defect;
    struct cn_world *world;
    assert_int_equal(cn_world_create(wire_scene_world_def(scene), &defect, &world), CN_OK);
    *quanta = wire_scene_precision(scene);
    wire_scene_destroy(scene);
    return world;
}

static float
float_at(const Cairn__V1__Raw *raw, int column, int entry)
{
    float value;
    size_t at = 4 * ((size_t)(column + 1) * raw->count + (size_t)entry);
    memcpy(&value, raw->columns.data + at, sizeof(value));
    return value;
}

static void
check_raw(int count, bool is_spatial)
{
    struct wire_precision quanta;
    struct cn_world *world = world_of(count, is_spatial, "", &quanta);
    struct wire_state *state = wire_state_take(world, 3, &quanta, NULL);
    struct wire_encoder encoder = {0};
    if (count > 1) {
        state->asleep[0] = 2;
        state->asleep_count = 1;
    }
    assert_true(wire_encode_raw(&encoder, world, state));
    Cairn__V1__ServerMessage *message =
        cairn__v1__server_message__unpack(NULL, encoder.size, encoder.bytes);
    assert_non_null(message);
    assert_int_equal(message->message_case, CAIRN__V1__SERVER_MESSAGE__MESSAGE_RAW);
    const Cairn__V1__Raw *raw = message->raw;
    int column_count = is_spatial ? 13 : 6;
    assert_int_equal(raw->count, count);
    assert_int_equal(raw->column_count, column_count);
    assert_int_equal(raw->columns.len, 4 * count * (column_count + 1));
    assert_int_equal((encoder.size - raw->columns.len) % 8, 0);
    assert_int_equal(raw->asleep.len, count > 1 ? (count + 7) / 8 : 0);
    assert_true(raw->generation == 3 && raw->time == 0.0);
    for (int i = 0; i < count; i++) {
        assert_int_equal(raw->columns.data[4 * i], (i + 1) % 256);
        assert_true(float_at(raw, 0, i) == (float)(i + 0.1));
        assert_true(float_at(raw, 1, i) == (float)(i * i));
        assert_true(float_at(raw, is_spatial ? 3 : 2, i) == (is_spatial ? 0.6f : -7.25f));
        assert_true(float_at(raw, is_spatial ? 7 : 3, i) == 3.0f);
        assert_true(float_at(raw, column_count - 1, i) == 2.0f);
    }
    cairn__v1__server_message__free_unpacked(message, NULL);
    wire_encoder_finish(&encoder);
    wire_state_unref(state);
    cn_world_destroy(world);
}

static void
test_raw(void **unused)
{
    (void)unused;
    for (int count = 0; count < 80; count = count < 20 ? count + 1 : 2 * count + 3) {
        check_raw(count, false);
        check_raw(count, true);
    }
}

static void
test_precision(void **unused)
{
    (void)unused;
    struct wire_precision quanta;
    struct cn_world *world = world_of(1, false, "", &quanta);
    assert_true(quanta.position == 1.0 / 4096.0 && quanta.angle == 1.0 / 65536.0 &&
                quanta.turn == 1.0 / 65536.0);
    cn_world_destroy(world);
    world = world_of(3, false, "position: 0.01, angle: 0.125", &quanta);
    struct wire_state *state = wire_state_take(world, 1, &quanta, NULL);
    assert_int_equal(state->x[2], 210);
    assert_int_equal(state->y[2], 400);
    assert_int_equal(state->angle[2], -58);
    wire_state_unref(state);
    cn_world_destroy(world);
    world = world_of(1, true, "rotationBits: 9", &quanta);
    assert_true(fabs(quanta.turn - 0.00276213586) < 1e-10);
    state = wire_state_take(world, 1, &quanta, NULL);
    assert_int_equal(state->turn_largest[0], 1);
    assert_int_equal(state->turn_a[0], 217); /* 0.6 of sqrt(2)/512 */
    wire_state_unref(state);
    cn_world_destroy(world);
}

static void
test_precision_refused(void **unused)
{
    (void)unused;
    static const char *const bad[][2] = {
        {"position: 0", "world.precision.position"},
        {"position: -1", "world.precision.position"},
        {"angle: 1.5", "world.precision.angle"},
        {"rotationBits: 5", "world.precision.rotationBits"},
        {"rotationBits: 21", "world.precision.rotationBits"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char text[256];
        int size = snprintf(text, sizeof(text), "name: x\nworld: {precision: {%s}}\n", bad[i][0]);
        struct wire_text_error error;
        assert_null(wire_scene_parse(text, (size_t)size, &error));
        assert_string_equal(error.defect.path, bad[i][1]);
    }
}

static void
test_text(void **unused)
{
    (void)unused;
    struct wire_precision quanta;
    struct cn_world *world = world_of(2, false, "position: 0.5", &quanta);
    struct wire_state *state = wire_state_take(world, 1, &quanta, NULL);
    uint8_t bytes[512];
    size_t size = wire_encode_snapshot(state, bytes, sizeof(bytes));
    char *text = wire_server_message_print(bytes, size);
    assert_non_null(strstr(text, "\"snapshot\""));
    assert_non_null(strstr(text, "\"x\": [0, 2]"));
    free(text);
    assert_null(wire_server_message_print(bytes, 3));
    wire_state_unref(state);
    cn_world_destroy(world);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_raw),
        cmocka_unit_test(test_precision),
        cmocka_unit_test(test_precision_refused),
        cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
