/*
 * test_interest.c: interests of a client: one form for all ways to write one, limits with their
 * messages, and the tags of bodies.
 */
#include "proto/peer.h"
#include "proto/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka wants the four of them. */
#include <cmocka.h>

static struct wire_interest
around(double x, double y, double reach)
{
    return (struct wire_interest){.is_part = true,
        .around = WIRE_AROUND_POINT,
        .point = cn_vec3_make(x, y, 0.0),
        .reach = cn_vec3_make(reach, reach, 0.0)};
}

static enum wire_decode_result
decode(const struct wire_client_message *said, struct wire_client_message *heard,
    struct wire_error *error)
{
    uint8_t bytes[1024];
    size_t size = wire_client_encode(said, bytes, sizeof(bytes));
    assert_in_range(size, 1, sizeof(bytes));
    return wire_client_decode(bytes, size, heard, error);
}

static void
test_order_does_not_count(void **state)
{
    (void)state;
    struct wire_interest one = {.is_part = true}, other = {.is_part = true};
    static const char *const tags[] = {"door", "ball", "car", "ball"};
    for (int i = 0; i < 4; i++) {
        assert_true(wire_interest_tag(&one, tags[i]));
        assert_true(wire_interest_tag(&other, tags[3 - i]));
    }
    assert_int_equal(one.tag_count, 3);
    assert_string_equal(one.tags[0], "ball");
    assert_string_equal(one.tags[1], "car");
    assert_string_equal(one.tags[2], "door");
    assert_true(wire_interest_is_equal(&one, &other));
    assert_true(wire_interest_tag(&other, "eel"));
    assert_false(wire_interest_is_equal(&one, &other));
}

static void
test_what_is_equal(void **state)
{
    (void)state;
    struct wire_interest all = {0}, none = {.is_part = true};
    struct wire_interest here = around(1.0, 2.0, 3.0), there = around(1.0, 2.5, 3.0);
    struct wire_interest whose = {.is_part = true, .around = WIRE_AROUND_BODY, .body = 4};
    assert_true(wire_interest_is_equal(&all, &all));
    assert_false(wire_interest_is_equal(&all, &none));
    assert_false(wire_interest_is_equal(&here, &there));
    assert_false(wire_interest_is_equal(&here, &whose));
    there = here;
    there.body = 9; /* has no effect around a point */
    assert_true(wire_interest_is_equal(&here, &there));
    there.reach.z = 1.0;
    assert_false(wire_interest_is_equal(&here, &there));
}

static void
test_room_for_tags(void **state)
{
    (void)state;
    struct wire_interest interest = {.is_part = true};
    char tag[2] = "a";
    for (int i = 0; i < WIRE_INTEREST_TAGS_MAX; i++, tag[0]++) {
        assert_true(wire_interest_tag(&interest, tag));
    }
    assert_false(wire_interest_tag(&interest, "z"));
    assert_true(wire_interest_tag(&interest, "c")); /* it is in the list already */
}

/* A decoded Subscribe equals the encoded one. */
static void
test_says(void **state)
{
    (void)state;
    struct wire_client_message said = {.kind = WIRE_CLIENT_SUBSCRIBE}, heard;
    struct wire_error error;
    said.subscribe.mode = WIRE_MODE_DELTA;
    said.subscribe.bytes_per_second = 20000;
    assert_int_equal(decode(&said, &heard, &error), WIRE_DECODE_OK);
    assert_int_equal(heard.subscribe.bytes_per_second, 20000);
    assert_false(heard.subscribe.interest.is_part);

    said.subscribe.interest = around(-3.5, 2.0, 10.0);
    wire_interest_tag(&said.subscribe.interest, "ball");
    assert_int_equal(decode(&said, &heard, &error), WIRE_DECODE_OK);
    assert_true(wire_interest_is_equal(&said.subscribe.interest, &heard.subscribe.interest));

    said.subscribe.interest = (struct wire_interest){.is_part = true,
        .around = WIRE_AROUND_BODY,
        .body = 7,
        .reach = {.y = 2.0}};
    assert_int_equal(decode(&said, &heard, &error), WIRE_DECODE_OK);
    assert_true(wire_interest_is_equal(&said.subscribe.interest, &heard.subscribe.interest));
}

static void
assert_refused(const struct wire_client_message *said, const char *code, const char *path)
{
    struct wire_client_message heard;
    struct wire_error error;
    assert_int_equal(decode(said, &heard, &error), WIRE_DECODE_REFUSED);
    assert_string_equal(error.code, code);
    assert_string_equal(error.path, path);
}

static void
test_refusals(void **state)
{
    (void)state;
    struct wire_client_message said = {.kind = WIRE_CLIENT_SUBSCRIBE};
    said.subscribe.interest = around(0.0, 0.0, 0.0);
    assert_refused(&said, "FIELD", "subscribe.interest.area.reach");
    said.subscribe.interest = around(0.0, 0.0, -1.0);
    assert_refused(&said, "RANGE", "subscribe.interest.area.reach");
    said.subscribe.interest = around(0.0, 0.0, 1.5e6);
    assert_refused(&said, "RANGE", "subscribe.interest.area.reach");
    said.subscribe.interest = around(0.0, -1.5e6, 1.0);
    assert_refused(&said, "RANGE", "subscribe.interest.area.point");

    said.subscribe.interest = (struct wire_interest){0};
    said.subscribe.mode = WIRE_MODE_DELTA;
    said.subscribe.bytes_per_second = WIRE_BUDGET_MIN - 1;
    assert_refused(&said, "RANGE", "subscribe.bytesPerSecond");
    said.subscribe.bytes_per_second = WIRE_BUDGET_MIN;
    said.subscribe.contacts = true;
    assert_refused(&said, "FIELD", "subscribe.bytesPerSecond");
    said.subscribe.contacts = false;
    said.subscribe.mode = WIRE_MODE_RAW;
    assert_refused(&said, "FIELD", "subscribe.bytesPerSecond");
}

/* Bytes that our own encoder does not write. */
static void
test_refuses_bytes(void **state)
{
    (void)state;
    static const uint8_t nowhere[] = {0x2a, 4, 0x2a, 2, 0x0a, 0}; /* an area around no centre */
    static const uint8_t empty[] = {0x2a, 4, 0x2a, 2, 0x12, 0};   /* an empty tag */
    static const uint8_t control[] = {0x2a, 5, 0x2a, 3, 0x12, 1, 7};
    struct wire_client_message heard;
    struct wire_error error;
    assert_int_equal(
        wire_client_decode(nowhere, sizeof(nowhere), &heard, &error), WIRE_DECODE_REFUSED);
    assert_string_equal(error.path, "subscribe.interest.area");
    assert_int_equal(
        wire_client_decode(empty, sizeof(empty), &heard, &error), WIRE_DECODE_REFUSED);
    assert_string_equal(error.path, "subscribe.interest.tags");
    assert_int_equal(
        wire_client_decode(control, sizeof(control), &heard, &error), WIRE_DECODE_REFUSED);
}

/* ---- bodies ---- */

static void
test_bodies(void **state)
{
    (void)state;
    static const char text[] =
        "name: a\nbodies:\n- {tags: [ball, red], shapes: [{circle: {radius: 1}}]}\n"
        "- {alwaysRelevant: true, shapes: [{circle: {radius: 1}}]}\n";
    struct wire_text_error error;
    struct wire_scene *scene = wire_scene_parse(text, strlen(text), &error);
    assert_non_null(scene);
    assert_true(wire_scene_body_has_tag(scene, 0, "red"));
    assert_true(wire_scene_body_has_tag(scene, 0, "ball"));
    assert_false(wire_scene_body_has_tag(scene, 0, "re"));
    assert_false(wire_scene_body_is_relevant(scene, 0));
    assert_true(wire_scene_body_is_relevant(scene, 1));
    assert_false(wire_scene_body_has_tag(scene, 1, "red"));
    assert_false(wire_scene_body_is_relevant(scene, 2));
    assert_false(wire_scene_body_has_tag(scene, 2, "red"));
    wire_scene_destroy(scene);
}

/* An interest with all fields set; `field` chooses the one that has another value. */
static struct wire_interest
interest_but(int field, enum wire_around around_what)
{
    struct wire_interest interest = {.is_part = field != 1,
        .around = around_what,
        .point = {field == 2 ? 9.0 : 1.0, field == 3 ? 9.0 : 2.0, field == 4 ? 9.0 : 3.0},
        .reach = {field == 5 ? 9.0 : 4.0, field == 6 ? 9.0 : 5.0, field == 7 ? 9.0 : 6.0},
        .body = field == 8 ? 9 : 7};
    assert_true(wire_interest_tag(&interest, field == 9 ? "other" : "door"));
    assert_true(wire_interest_tag(&interest, field == 10 ? "other" : "car"));
    if (field == 11) {
        assert_true(wire_interest_tag(&interest, "third"));
    }
    return interest;
}

/* Two interests are equal exactly if all fields that have an effect are equal. */
static void
test_every_field_counts(void **state)
{
    static const enum wire_around arounds[] = {
        WIRE_AROUND_NOTHING, WIRE_AROUND_POINT, WIRE_AROUND_BODY};
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct wire_interest one = interest_but(0, arounds[k]);
        for (int field = 0; field <= 11; field++) {
            struct wire_interest other = interest_but(field, arounds[k]);
            bool counts = field == 1 || field >= 9 ||
                (k == 1 && field >= 2 && field <= 7) || (k == 2 && field >= 5 && field <= 8);
            assert_int_equal(wire_interest_is_equal(&one, &other), !counts);
            assert_int_equal(wire_interest_is_equal(&other, &one), !counts);
        }
        for (int other = 0; other < 3; other++) {
            struct wire_interest second = interest_but(0, arounds[other]);
            assert_int_equal(wire_interest_is_equal(&one, &second), k == other);
        }
    }
    struct wire_interest whole = interest_but(1, WIRE_AROUND_POINT);
    struct wire_interest same = interest_but(1, WIRE_AROUND_BODY);
    assert_true(wire_interest_is_equal(&whole, &same)); /* the other fields have no effect then */
}

/* Settling an interest sets the fields that its kind does not use to 0. */
static void
test_settled(void **state)
{
    (void)state;
    for (int is_spatial = 0; is_spatial < 2; is_spatial++) {
        struct wire_interest at = interest_but(0, WIRE_AROUND_POINT);
        wire_interest_settle(&at, is_spatial == 1);
        assert_int_equal(at.body, 0);
        assert_true(at.point.x == 1.0 && at.point.y == 2.0);
        assert_true(at.reach.x == 4.0 && at.reach.y == 5.0);
        assert_true(at.point.z == (is_spatial == 1 ? 3.0 : 0.0));
        assert_true(at.reach.z == (is_spatial == 1 ? 6.0 : 0.0));
        struct wire_interest body = interest_but(0, WIRE_AROUND_BODY);
        wire_interest_settle(&body, is_spatial == 1);
        assert_int_equal(body.body, 7);
        assert_true(body.point.x == 0.0 && body.point.y == 0.0 && body.point.z == 0.0);
        assert_true(body.reach.x == 4.0 && body.reach.y == 5.0);
        struct wire_interest tags = interest_but(0, WIRE_AROUND_NOTHING);
        wire_interest_settle(&tags, is_spatial == 1);
        assert_int_equal(tags.body, 0);
        assert_int_equal(tags.tag_count, 2);
        assert_true(tags.reach.x == 0.0 && tags.reach.y == 0.0 && tags.reach.z == 0.0);
        assert_true(tags.point.x == 0.0 && tags.point.y == 0.0 && tags.point.z == 0.0);
        struct wire_interest whole = interest_but(1, WIRE_AROUND_BODY), none = {0};
        wire_interest_settle(&whole, is_spatial == 1);
        assert_memory_equal(&whole, &none, sizeof(none));
        struct wire_interest open = interest_but(0, WIRE_AROUND_POINT);
        open.reach.y = 0.0; /* without an end along y the place has no effect */
        wire_interest_settle(&open, is_spatial == 1);
        assert_true(open.point.x == 1.0 && open.point.y == 0.0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_does_not_count),
        cmocka_unit_test(test_what_is_equal),
        cmocka_unit_test(test_every_field_counts),
        cmocka_unit_test(test_settled),
        cmocka_unit_test(test_room_for_tags),
        cmocka_unit_test(test_says),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_refuses_bytes),
        cmocka_unit_test(test_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
