/*
 * test_codec.c: what the codec takes, what it refuses and why, and that it keeps its budget.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "engine/base/rng.h"
#include "proto/codec.h"
#include "proto/codec/check.h"
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

/* ---- queries ---- */

static void
test_query(void **state)
{
    (void)state;
    static const char text[] =
        "{\"kind\": \"CAST\", \"request\": 3, \"position\": {\"x\": 1.5}, \"along\": {\"y\": -2},"
        " \"shape\": {\"polygon\": {\"vertices\": [{}, {\"x\": 1}, {\"y\": 1}]}, \"angle\": 0.5},"
        " \"filter\": {\"mask\": \"6\"}, \"hitMax\": 7, \"ignoredBody\": 0, \"skipInside\": true}";
    struct wire_error error;
    struct wire_query *query = wire_query_parse(text, sizeof(text) - 1, &error);
    assert_non_null(query);
    assert_int_equal(query->request, 3);
    assert_int_equal(query->query.kind, CN_QUERY_CAST);
    assert_true(query->query.position.x == 1.5 && query->query.along.y == -2.0);
    assert_ptr_equal(query->query.shape, &query->shape);
    assert_int_equal(query->shape.kind, CN_SHAPE_POLYGON);
    assert_ptr_equal(query->shape.polygon.vertices, query->vertices);
    assert_int_equal(query->shape.polygon.vertex_count, 3);
    assert_true(query->vertices[2].y == 1.0 && query->shape.angle == 0.5);
    assert_true(query->query.filter.mask == 6 && query->query.filter.category == 1);
    assert_int_equal(query->query.hit_max, 7);
    assert_int_equal(query->query.ignored_body, 0);
    assert_true(query->query.skip_inside && !query->query.sensors);
    free(query);

    query = wire_query_parse("{}", 2, &error); /* a ray that sees all, of no length */
    assert_non_null(query);
    assert_int_equal(query->query.hit_max, 1);
    assert_int_equal(query->query.ignored_body, -1);
    assert_null(query->query.shape);
    free(query);
    static const char bad[] = "{\"shape\": {\"density\": 0, \"circle\": {\"radius\": 1}}}";
    assert_null(wire_query_parse(bad, sizeof(bad) - 1, &error));
    assert_string_equal(error.path, "shape.density");
    static const char many[] = "{\"hitMax\": 4294967295}";
    assert_null(wire_query_parse(many, sizeof(many) - 1, &error));
    assert_string_equal(error.code, "LIMIT");
    assert_string_equal(error.path, "hitMax");
    assert_non_null(strstr(error.text, "is 4294967295; 1 to 256"));
}

static void
test_query_result(void **state)
{
    (void)state;
    const struct cn_query_hit hits[2] = {
        {.body = 4, .shape_index = 1, .fraction = 0.25, .point = {1.0, 2.0, 3.0},
            .normal = {0.0, 1.0, 0.0}},
        {.body = 2, .fraction = 0.5, .is_inside = true},
    };
    const struct wire_query_result result = {
        .request = 9, .tick = 77, .generation = 2, .hits = hits, .hit_count = 2};
    uint8_t bytes[512];
    size_t size = wire_encode_query_result(&result, NULL, 0);
    assert_in_range(size, 20, sizeof(bytes));
    assert_int_equal(wire_encode_query_result(&result, bytes, sizeof(bytes)), size);
    Cairn__V1__ServerMessage *message =
        cairn__v1__server_message__unpack(NULL, size, bytes);
    assert_non_null(message);
    const Cairn__V1__QueryResult *out = message->query_result;
    assert_int_equal(out->request, 9);
    assert_int_equal(out->tick, 77);
    assert_int_equal(out->n_hits, 2);
    assert_int_equal(out->hits[0]->body, 4);
    assert_int_equal(out->hits[0]->shape, 1);
    assert_true(out->hits[0]->point->z == 3.0 && out->hits[0]->normal->y == 1.0);
    assert_true(out->hits[1]->inside && out->hits[1]->fraction == 0.5);
    cairn__v1__server_message__free_unpacked(message, NULL);
}

/* Each refusal has the path of the value and the number of the refused input. */
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

/* A scene of many empty bodies, sixty times larger unpacked, exceeds the arena and is refused. */
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
    assert_non_null(unpacked); /* well formed; only the budget refuses it */
    cairn__v1__client_message__free_unpacked(unpacked, NULL);
    struct wire_client_message out;
    struct wire_error error;
    assert_int_equal(wire_client_decode(bytes, size, &out, &error), WIRE_DECODE_BAD);
    assert_string_equal(error.code, "DECODE");
}

/* The arena of a message has exactly eight times its size, and at least 64 KiB. */
static void
test_budget_size(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {
        {0, 65536}, {100, 65536}, {8192, 65536}, {8193, 65544}, {65536, 524288}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct codec_arena arena;
        assert_true(codec_arena_init(&arena, sizes[i][0]));
        ProtobufCAllocator *allocator = &arena.allocator;
        assert_null(allocator->alloc(allocator->allocator_data, sizes[i][1] + 1));
        assert_non_null(allocator->alloc(allocator->allocator_data, sizes[i][1]));
        assert_null(allocator->alloc(allocator->allocator_data, 1));
        codec_arena_finish(&arena);
    }
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

/* Of the words 1, 2, -1, 256, computed elsewhere. */
static void
test_view_hash(void **state)
{
    (void)state;
    uint32_t body[] = {1};
    int32_t x[] = {2}, y[] = {-1}, angle[] = {256};
    struct wire_state view = {.count = 1, .body = body, .x = x, .y = y, .angle = angle};
    assert_int_equal(wire_state_hash(&view), 0xe03e5f58);
}

/* The same of 1, 2, -1, 3, 2, -4, 5, 6: in space every column counts. */
static void
test_view_hash_in_space(void **state)
{
    (void)state;
    uint32_t body[] = {1}, largest[] = {2};
    int32_t x[] = {2}, y[] = {-1}, z[] = {3}, a[] = {-4}, b[] = {5}, c[] = {6};
    struct wire_state view = {.count = 1, .body = body, .x = x, .y = y, .z = z,
        .turn_largest = largest, .turn_a = a, .turn_b = b, .turn_c = c, .is_spatial = true};
    assert_int_equal(wire_state_hash(&view), 0xc56e8e44);
    int32_t *const columns[] = {x, y, z, a, b, c};
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        columns[i][0]++;
        assert_int_not_equal(wire_state_hash(&view), 0xc56e8e44);
        columns[i][0]--;
    }
    largest[0] = 3;
    assert_int_not_equal(wire_state_hash(&view), 0xc56e8e44);
}

/* ---- rotations ---- */

/* The rotation that a client computes from a turn. */
static cn_quat
turn_back(struct wire_turn turn)
{
    double component[4], sum = 0.0;
    for (uint32_t i = 0, k = 0; i < 4; i++) {
        component[i] = i == turn.largest ? 0.0 : turn.rest[k++] * WIRE_TURN_SCALE;
        sum += component[i] * component[i];
    }
    component[turn.largest] = sqrt(fmax(0.0, 1.0 - sum));
    return (cn_quat){component[0], component[1], component[2], component[3]};
}

static void
test_turns_by_hand(void **state)
{
    (void)state;
    struct wire_turn turn = wire_turn_quantise(cn_quat_identity());
    assert_int_equal(turn.largest, 0);
    assert_true(turn.rest[0] == 0 && turn.rest[1] == 0 && turn.rest[2] == 0);
    turn = wire_turn_quantise((cn_quat){0.5, 0.5, 0.5, 0.5}); /* of equals the first */
    assert_int_equal(turn.largest, 0);
    assert_true(turn.rest[0] == 32768 && turn.rest[1] == 32768 && turn.rest[2] == 32768);
    turn = wire_turn_quantise((cn_quat){0.6, 0.0, -0.8, 0.0}); /* the sign goes to the others */
    assert_int_equal(turn.largest, 2);
    assert_int_equal(turn.rest[0], -39322);
    assert_true(turn.rest[1] == 0 && turn.rest[2] == 0);
}

/*
 * q and -q are the same rotation and give the same turn.  The decoded rotation has small errors:
 * three components are off by at most half a quantum each, the fourth by at most sqrt(3) times the
 * length of these errors.
 */
static void
test_turns_come_back(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 5};
    for (int round = 0; round < 20000; round++) {
        double part[4], sum = 0.0;
        for (int i = 0; i < 4; i++) {
            part[i] = (double)cn_rng_next(&rng) / 4294967296.0 - 0.5;
            part[i] = round % 7 == i ? 0.0 : part[i];
            sum += part[i] * part[i];
        }
        if (sum < 1e-6) {
            continue;
        }
        double scale = 1.0 / sqrt(sum);
        cn_quat q = {part[0] * scale, part[1] * scale, part[2] * scale, part[3] * scale};
        cn_quat minus = {-q.w, -q.x, -q.y, -q.z};
        struct wire_turn turn = wire_turn_quantise(q), same = wire_turn_quantise(minus);
        cn_quat back = turn_back(turn), other = turn_back(same);
        double dot = q.w * back.w + q.x * back.x + q.y * back.y + q.z * back.z;
        double sign = dot < 0.0 ? -1.0 : 1.0;
        double error = fabs(q.w - sign * back.w) + fabs(q.x - sign * back.x) +
                       fabs(q.y - sign * back.y) + fabs(q.z - sign * back.z);
        assert_true(error <= (1.5 + 1.5) * WIRE_TURN_SCALE + 1e-12);
        assert_int_equal(turn.largest, same.largest);
        assert_true(fabs(back.w - other.w) <= 2.0 * WIRE_TURN_SCALE);
    }
}

/* ---- what clients say of snapshots ---- */

static void
test_subscribe_and_ack(void **state)
{
    (void)state;
    /* Subscribe {contacts, mode DELTA, rate 30}, Ack {300}, and an unknown mode */
    static const uint8_t subscribe[] = {0x2a, 6, 0x08, 1, 0x18, 1, 0x20, 30};
    static const uint8_t ack[] = {0x52, 3, 0x08, 0xac, 0x02};
    static const uint8_t unknown[] = {0x2a, 2, 0x18, 4};
    struct wire_client_message message;
    struct wire_error error;
    assert_int_equal(
        wire_client_decode(subscribe, sizeof(subscribe), &message, &error), WIRE_DECODE_OK);
    assert_int_equal(message.kind, WIRE_CLIENT_SUBSCRIBE);
    assert_true(message.subscribe.contacts && !message.subscribe.energy);
    assert_int_equal(message.subscribe.mode, WIRE_MODE_DELTA);
    assert_int_equal(message.subscribe.rate_hz, 30);
    assert_int_equal(wire_client_decode(ack, sizeof(ack), &message, &error), WIRE_DECODE_OK);
    assert_int_equal(message.kind, WIRE_CLIENT_ACK);
    assert_int_equal(message.ack_tick, 300);
    assert_int_equal(
        wire_client_decode(unknown, sizeof(unknown), &message, &error), WIRE_DECODE_REFUSED);
}

/* ---- encoding ---- */

/*
 * Measured and written sizes agree, a too small buffer is not touched, and decoding gives the same.
 */
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

/* The bytes of a planar snapshot, which must never change, written here field by field. */
static void
test_encode_planar_snapshot(void **state)
{
    (void)state;
    static const uint8_t expected[] = {
        0x22, 0x31,                               /* ServerMessage.snapshot, 49 bytes */
        0x08, 0x07,                               /* tick 7 */
        0x10, 0x02,                               /* generation 2 */
        0x19, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f,       /* time 0.5 */
        0x22, 0x01, 0x01,                         /* body [1] */
        0x2a, 0x01, 0x04,                         /* x [2] */
        0x32, 0x01, 0x01,                         /* y [-1] */
        0x3a, 0x02, 0x80, 0x04,                   /* angle [256] */
        0x45, 0xcd, 0x2c, 0x4e, 0xaa,             /* view_hash */
        0x4a, 0x10, '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', 'a', 'b',
    };
    uint32_t body[] = {1};
    int32_t x[] = {2}, y[] = {-1}, angle[] = {256};
    struct wire_state view = {.tick = 7, .generation = 2, .time = 0.5, .state_hash = 0xab,
        .view_hash = 0xaa4e2ccd, .count = 1, .body = body, .x = x, .y = y, .angle = angle};
    uint8_t bytes[128];
    assert_int_equal(wire_encode_snapshot(&view, bytes, sizeof(bytes)), sizeof(expected));
    assert_memory_equal(bytes, expected, sizeof(expected));
}

static void
test_encode_spatial_snapshot(void **state)
{
    (void)state;
    uint32_t body[] = {0, 1}, largest[] = {0, 3};
    int32_t x[] = {1, 2}, y[] = {3, 4}, z[] = {5, -6}, a[] = {7, 8}, b[] = {9, 10}, c[] = {11, 12};
    struct wire_state view = {.count = 2, .body = body, .x = x, .y = y, .z = z,
        .turn_largest = largest, .turn_a = a, .turn_b = b, .turn_c = c, .is_spatial = true,
        .has_every_body = true};
    uint8_t bytes[128];
    size_t size = wire_encode_snapshot(&view, bytes, sizeof(bytes));
    assert_true(size <= sizeof(bytes));
    Cairn__V1__ServerMessage *message = cairn__v1__server_message__unpack(NULL, size, bytes);
    assert_non_null(message);
    const Cairn__V1__Snapshot *snapshot = message->snapshot;
    assert_int_equal(snapshot->n_body, 0);
    assert_int_equal(snapshot->n_angle, 0);
    assert_int_equal(snapshot->n_x, 2);
    assert_int_equal(snapshot->n_z, 2);
    assert_int_equal(snapshot->z[1], -6);
    assert_int_equal(snapshot->n_turn_largest, 2);
    assert_int_equal(snapshot->turn_largest[1], 3);
    assert_int_equal(snapshot->n_turn_c, 2);
    assert_true(snapshot->turn_a[0] == 7 && snapshot->turn_b[1] == 10 && snapshot->turn_c[0] == 11);
    cairn__v1__server_message__free_unpacked(message, NULL);
}

/* Settings as JSON: only present members are set; an unknown member is refused with its line. */
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
    assert_false(wire_settings_have_propagation(&settings));
    assert_false(wire_settings_parse(bad, sizeof(bad) - 1, &settings, &error));
    assert_int_equal(error.line, 2);
    uint32_t ticks = 9;
    assert_true(wire_step_parse("", 0, &ticks, &error));
    assert_int_equal(ticks, 0);
}

/* For the stepper propagation, too, only present members are set, and others keep their values. */
static void
test_settings_propagation(void **state)
{
    (void)state;
    static const char text[] =
        "{\"propagation\": {\"contactSweeps\": 2, \"literal\": true, \"shockPasses\": 0, "
        "\"shuffle\": 9}}";
    struct wire_settings settings;
    struct wire_error error;
    assert_true(wire_settings_parse(text, sizeof(text) - 1, &settings, &error));
    assert_true(wire_settings_have_propagation(&settings));
    struct cn_propagation_settings now = {5, 10, 4, 1, 0, 0};
    wire_settings_set_propagation(&settings, &now);
    assert_int_equal(now.collision_iterations, 5);
    assert_int_equal(now.contact_iterations, 10);
    assert_int_equal(now.contact_sweeps, 2);
    assert_int_equal(now.shock_passes, 0);
    assert_int_equal(now.literal, 1);
    assert_int_equal(now.shuffle, 9);
}

/* Every code has an HTTP status; the codes of the engine are faults of the caller. */
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
        cmocka_unit_test(test_query),
        cmocka_unit_test(test_query_result),
        cmocka_unit_test(test_refused_values),
        cmocka_unit_test(test_bad_bytes),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_budget_size),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_quanta),
        cmocka_unit_test(test_view_hash),
        cmocka_unit_test(test_view_hash_in_space),
        cmocka_unit_test(test_turns_by_hand),
        cmocka_unit_test(test_turns_come_back),
        cmocka_unit_test(test_subscribe_and_ack),
        cmocka_unit_test(test_encode_rejected),
        cmocka_unit_test(test_encode_planar_snapshot),
        cmocka_unit_test(test_encode_spatial_snapshot),
        cmocka_unit_test(test_settings_json),
        cmocka_unit_test(test_settings_propagation),
        cmocka_unit_test(test_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
