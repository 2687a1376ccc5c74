/*
 * test_attributes.c: attributes of a world, its bodies and its sessions.
 *
 * The command sets and removes them; they are in hash, image and portable form; a world without
 * any has the bytes that it had before there were attributes.
 */
#include "engine/base/hash.h"
#include "engine/state/portable.h"
#include "tests/support/world/blocks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct blocks blocks;

#define WORLD ((struct cn_owner){CN_OWNER_WORLD, 0})
#define BODY(slot) ((struct cn_owner){CN_OWNER_BODY, (slot)})
#define SESSION(id) ((struct cn_owner){CN_OWNER_SESSION, (id)})

static struct cn_world *
make_world(const struct cn_world_def *def)
{
    struct cn_world *world = NULL;
    struct cn_defect defect = {0};
    if (cn_world_create(def, &defect, &world) != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
    return world;
}

static int
setup(void **state)
{
    blocks_init(&blocks, 3, 0.5);
    *state = make_world(&blocks.def);
    return 0;
}

static int
teardown(void **state)
{
    cn_world_destroy(*state);
    return 0;
}

static struct cn_attribute
attribute_of(struct cn_owner owner, const char *name, struct cn_value value)
{
    struct cn_attribute attribute = {.owner = owner, .value = value};
    size_t length = strlen(name);
    memcpy(attribute.name, name, length < CN_ATTRIBUTE_NAME_SIZE ? length : CN_ATTRIBUTE_NAME_SIZE);
    return attribute;
}

static enum cn_status
apply(struct cn_world *world, struct cn_attribute attribute, struct cn_defect *defect)
{
    struct cn_command command = {
        .kind = CN_COMMAND_SET_ATTRIBUTE, .set_attribute = {.attribute = attribute}};
    return cn_world_command_apply(world, &command, defect);
}

static void
set(struct cn_world *world, struct cn_owner owner, const char *name, struct cn_value value)
{
    struct cn_defect defect = {0};
    if (apply(world, attribute_of(owner, name, value), &defect) != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
}

static void
command(struct cn_world *world, struct cn_command command)
{
    struct cn_defect defect = {0};
    if (cn_world_command_apply(world, &command, &defect) != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
}

static void
assert_refused(
    struct cn_world *world, struct cn_attribute attribute, enum cn_status status, const char *path)
{
    struct cn_defect defect = {0};
    uint64_t hash = cn_world_hash(world);
    assert_int_equal(apply(world, attribute, &defect), status);
    assert_string_equal(defect.path, path);
    assert_int_equal(cn_world_hash(world), hash);
}

static int
count(const struct cn_world *world)
{
    const struct cn_attribute *all;
    return cn_world_attributes(world, &all);
}

static void
set_some(struct cn_world *world)
{
    unsigned char bytes[3] = {0, 255, 7};
    struct cn_value raw = {.kind = CN_VALUE_BYTES, .size = 3};
    memcpy(raw.bytes, bytes, 3);
    set(world, SESSION(9), "team", cn_value_text("r\xc3\xb6t"));
    set(world, BODY(2), "points", cn_value_integer(INT64_MIN));
    set(world, WORLD, "score", cn_value_number(-0.0));
    set(world, BODY(2), "held", cn_value_flag(true));
    set(world, WORLD, ".clock", cn_value_integer(-3));
    set(world, BODY(1), "raw", raw);
}

/* By hand: the world's first, then bodies, then sessions, each by name. */
static void
test_order(void **state)
{
    struct cn_world *world = *state;
    const struct cn_attribute *all;
    set_some(world);
    assert_int_equal(cn_world_attributes(world, &all), 6);
    static const char *const names[] = {".clock", "score", "raw", "held", "points", "team"};
    for (int i = 0; i < 6; i++) {
        assert_string_equal(all[i].name, names[i]);
    }
    assert_true(cn_attribute_is_hidden(&all[0]) && !cn_attribute_is_hidden(&all[1]));
    const struct cn_attribute *points = cn_world_attribute(world, BODY(2), "points");
    assert_non_null(points);
    assert_int_equal(points->value.kind, CN_VALUE_INTEGER);
    assert_true(points->value.integer == INT64_MIN);
    assert_true(signbit(cn_world_attribute(world, WORLD, "score")->value.number));
    assert_null(cn_world_attribute(world, BODY(1), "points"));
    assert_null(cn_world_attribute(world, WORLD, "scor"));
}

/* An attribute is replaced, also by another kind, and removed; only changes raise the version. */
static void
test_replaces(void **state)
{
    struct cn_world *world = *state;
    uint64_t empty = cn_world_hash(world);
    size_t size = cn_world_image_size(world);
    set(world, WORLD, "score", cn_value_integer(1));
    uint64_t one = cn_world_hash(world), version = cn_world_attribute_version(world);
    assert_int_not_equal(one, empty);
    assert_true(cn_world_image_size(world) > size);
    set(world, WORLD, "score", cn_value_integer(1));
    assert_int_equal(cn_world_attribute_version(world), version);
    set(world, WORLD, "score", cn_value_number(1.0));
    assert_int_not_equal(cn_world_hash(world), one);
    assert_int_not_equal(cn_world_attribute_version(world), version);
    assert_int_equal(count(world), 1);
    set(world, WORLD, "other", (struct cn_value){0}); /* is not there: no error */
    set(world, WORLD, "score", (struct cn_value){0});
    assert_int_equal(count(world), 0);
    assert_int_equal(cn_world_hash(world), empty);
    assert_int_equal(cn_world_image_size(world), size);
}

static void
test_refusals(void **state)
{
    struct cn_world *world = *state;
    struct cn_value one = cn_value_integer(1);
    assert_refused(world, attribute_of(WORLD, "", one), CN_UNKNOWN, "name");
    assert_refused(world, attribute_of(WORLD, "a b", one), CN_UNKNOWN, "name");
    assert_refused(world, attribute_of(WORLD, "\xc3\xb6", one), CN_UNKNOWN, "name");
    char longest[] = "0123456789012345678901234567890"; /* 31 bytes */
    set(world, WORLD, longest, one);
    assert_refused(
        world, attribute_of(WORLD, "01234567890123456789012345678901", one), CN_UNKNOWN, "name");
    assert_refused(
        world, attribute_of(WORLD, "x", cn_value_number((double)NAN)), CN_FINITE, "value");
    assert_refused(
        world, attribute_of(WORLD, "x", cn_value_number(HUGE_VAL)), CN_FINITE, "value");
    assert_refused(world, attribute_of(WORLD, "x", cn_value_text("\xc3")), CN_SYNTAX, "value");
    assert_refused(
        world, attribute_of(WORLD, "x", cn_value_text("\xed\xa0\x80")), CN_SYNTAX, "value");
    assert_refused(world, attribute_of(WORLD, "x", cn_value_text("a\x1b[m")), CN_SYNTAX, "value");
    assert_refused(world, attribute_of(WORLD, "x", cn_value_text("a\n")), CN_SYNTAX, "value");
    set(world, WORLD, "x", cn_value_text("a smile \xf0\x9f\x98\x80"));
    struct cn_value untidy = cn_value_text("ab");
    untidy.bytes[2] = 'c';
    assert_refused(world, attribute_of(WORLD, "x", untidy), CN_SYNTAX, "value");
    untidy = cn_value_text("");
    untidy.kind = (enum cn_value_kind)17;
    assert_refused(world, attribute_of(WORLD, "x", untidy), CN_UNKNOWN, "value");
    int bodies = cn_world_body_count(world);
    assert_refused(world, attribute_of(BODY((uint64_t)bodies), "x", one), CN_REFERENCE, "body");
    struct cn_attribute nobody = attribute_of(WORLD, "x", one);
    nobody.owner.id = 1;
    assert_refused(world, nobody, CN_UNKNOWN, "owner");
    nobody.owner.kind = (enum cn_owner_kind)3;
    assert_refused(world, nobody, CN_UNKNOWN, "owner");
}

/* 64 of one owner and 4,096 in a world; those that are there may still change. */
static void
test_limits(void **state)
{
    struct cn_world *world = *state;
    char name[CN_ATTRIBUTE_NAME_SIZE];
    for (int i = 0; i < CN_ATTRIBUTES_MAX; i++) {
        snprintf(name, sizeof(name), "a%d", i);
        set(world, SESSION((uint64_t)(i / CN_ATTRIBUTES_PER_OWNER_MAX)), name, cn_value_integer(i));
        if (i == CN_ATTRIBUTES_PER_OWNER_MAX - 1) {
            struct cn_attribute more = attribute_of(SESSION(0), "more", cn_value_integer(1));
            assert_refused(world, more, CN_LIMIT, "name");
        }
    }
    assert_int_equal(count(world), CN_ATTRIBUTES_MAX);
    assert_refused(world, attribute_of(WORLD, "more", cn_value_integer(1)), CN_LIMIT, "name");
    assert_refused(world, attribute_of(SESSION(0), "a", cn_value_integer(1)), CN_LIMIT, "name");
    set(world, SESSION(0), "a5", cn_value_integer(-5));
    assert_int_equal(cn_world_attribute(world, SESSION(0), "a5")->value.integer, -5);
    set(world, SESSION(63), "a4095", (struct cn_value){0});
    set(world, WORLD, "more", cn_value_integer(1));
}

/* A body that is removed takes its attributes along; a body made later in its slot has none. */
static void
test_body_goes(void **state)
{
    struct cn_world *world = *state;
    set_some(world);
    command(world, (struct cn_command){.kind = CN_COMMAND_REMOVE_BODY, .remove_body = {2, 0}});
    assert_int_equal(count(world), 4);
    assert_refused(
        world, attribute_of(BODY(2), "points", cn_value_integer(1)), CN_REFERENCE, "body");
    int slot = -1;
    assert_int_equal(cn_world_make_body(world, &blocks.def.bodies[2], NULL, &slot), CN_OK);
    assert_int_equal(slot, 2);
    assert_null(cn_world_attribute(world, BODY(2), "points"));
    assert_non_null(cn_world_attribute(world, BODY(1), "raw"));
}

static void
test_session_goes(void **state)
{
    struct cn_world *world = *state;
    set_some(world);
    set(world, SESSION(8), "team", cn_value_text("blue"));
    command(world, (struct cn_command){
                       .kind = CN_COMMAND_RELEASE_SOURCE, .release_source = {.source = 9}});
    assert_int_equal(count(world), 6);
    assert_null(cn_world_attribute(world, SESSION(9), "team"));
    assert_non_null(cn_world_attribute(world, SESSION(8), "team"));
}

/* ---- images ---- */

static unsigned char *
image_of(const struct cn_world *world, size_t *size)
{
    *size = cn_world_image_size(world);
    unsigned char *image = malloc(*size);
    assert_non_null(image);
    assert_int_equal(cn_world_image_write(world, image, *size), *size);
    return image;
}

static void
assert_same(const struct cn_world *a, const struct cn_world *b)
{
    const struct cn_attribute *of_a, *of_b;
    assert_int_equal(cn_world_attributes(a, &of_a), cn_world_attributes(b, &of_b));
    for (int i = 0; i < count(a); i++) {
        assert_int_equal(cn_attribute_compare(&of_a[i], &of_b[i]), 0);
        assert_true(cn_value_is_same(&of_a[i].value, &of_b[i].value));
    }
}

/* Every byte of a value travels, and an image without attributes removes those of the world. */
static void
test_image(void **state)
{
    struct cn_world *world = *state, *twin = make_world(&blocks.def);
    size_t size, size_without;
    unsigned char *without = image_of(world, &size_without);
    set_some(world);
    struct cn_value full = {.kind = CN_VALUE_BYTES, .size = CN_ATTRIBUTE_VALUE_MAX};
    memset(full.bytes, 0xa5, sizeof(full.bytes));
    set(world, WORLD, "full", full);
    unsigned char *image = image_of(world, &size);
    assert_int_equal(cn_world_image_read(twin, image, size, NULL), CN_OK);
    assert_int_equal(cn_world_hash(twin), cn_world_hash(world));
    assert_same(world, twin);
    uint64_t version = cn_world_attribute_version(twin);
    assert_int_equal(cn_world_image_read(twin, without, size_without, NULL), CN_OK);
    assert_int_equal(count(twin), 0);
    assert_int_not_equal(cn_world_attribute_version(twin), version);
    free(image);
    free(without);
    cn_world_destroy(twin);
}

/* Each member of an attribute is in the hash. */
static void
test_hash(void **state)
{
    struct cn_world *world = *state;
    set(world, BODY(1), "a", cn_value_text("xyz"));
    const struct cn_attribute changed[] = {
        attribute_of(BODY(2), "a", cn_value_text("xyz")),
        attribute_of(SESSION(1), "a", cn_value_text("xyz")),
        attribute_of(BODY(1), "b", cn_value_text("xyz")),
        attribute_of(BODY(1), "a", cn_value_text("xyw")),
        attribute_of(BODY(1), "a", cn_value_text("xy")),
        attribute_of(BODY(1), "a", (struct cn_value){.kind = CN_VALUE_BYTES}),
        attribute_of(BODY(1), "a", cn_value_flag(true)),
        attribute_of(BODY(1), "a", cn_value_flag(false)),
        attribute_of(BODY(1), "a", cn_value_integer(1)),
        attribute_of(BODY(1), "a", cn_value_integer(-1)),
        attribute_of(BODY(1), "a", cn_value_number(1.0)),
        attribute_of(BODY(1), "a", cn_value_number(-1.0)),
    };
    uint64_t seen[16] = {cn_world_hash(world)};
    for (int i = 0; i < 12; i++) {
        set(world, BODY(1), "a", (struct cn_value){0});
        set(world, changed[i].owner, changed[i].name, changed[i].value);
        seen[i + 1] = cn_world_hash(world);
        set(world, changed[i].owner, changed[i].name, (struct cn_value){0});
        for (int k = 0; k <= i; k++) {
            assert_int_not_equal(seen[k], seen[i + 1]);
        }
    }
}

static uint64_t
body_hash(const unsigned char *bytes, size_t size)
{
    struct cn_hash hash;
    cn_hash_init(&hash);
    cn_hash_bytes(&hash, bytes, size);
    return hash.state;
}

/* An image with a wrong bit in its attributes is refused, or is of another valid state. */
static void
test_damaged_image(void **state)
{
    struct cn_world *world = *state, *twin = make_world(&blocks.def);
    size_t size, empty = cn_world_image_size(world);
    set_some(world);
    unsigned char *image = image_of(world, &size);
    uint64_t before = cn_world_hash(twin);
    int refused = 0;
    for (size_t at = empty; at < size; at++) {
        for (int bit = 0; bit < 8; bit++) {
            image[at] ^= (unsigned char)(1 << bit);
            uint64_t sum = body_hash(image + 24, size - 24);
            for (int i = 0; i < 8; i++) {
                image[16 + i] = (unsigned char)(sum >> (8 * i));
            }
            if (cn_world_image_read(twin, image, size, NULL) != CN_OK) {
                assert_int_equal(cn_world_hash(twin), before);
                refused++;
            } else {
                before = cn_world_hash(twin);
            }
            image[at] ^= (unsigned char)(1 << bit);
        }
    }
    assert_true(refused > 1000);
    free(image);
    cn_world_destroy(twin);
}

static void
test_portable(void **state)
{
    struct cn_world *world = *state, *twin = make_world(&blocks.def);
    size_t empty = cn_world_portable_size(world);
    set_some(world);
    size_t size = cn_world_portable_size(world);
    assert_int_equal(size, empty + 12 + 6 * 317); /* the head of a table, and six rows */
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(cn_world_portable_write(world, bytes, size), size);
    struct cn_defect defect = {0};
    if (cn_world_portable_read(twin, bytes, size, &defect) != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
    assert_same(world, twin);
    free(bytes);
    cn_world_destroy(twin);
}

/* ---- definitions ---- */

static void
assert_def_refused(
    struct cn_world_def def, const char *path, enum cn_status status)
{
    struct cn_defect defect = {0};
    assert_int_equal(cn_world_def_check(&def, &defect), status);
    assert_string_equal(defect.path, path);
}

static void
test_definition(void **state)
{
    (void)state;
    struct cn_world_def def = blocks.def;
    struct cn_attribute rows[] = {
        attribute_of(WORLD, "score", cn_value_integer(3)),
        attribute_of(WORLD, "level", cn_value_text("one")),
        attribute_of(BODY(0), "kind", cn_value_text("floor")),
        attribute_of(BODY(2), "points", cn_value_integer(5)),
    };
    def.attributes = rows;
    def.attribute_count = 4;
    struct cn_world *world = make_world(&def);
    assert_int_equal(count(world), 4);
    assert_int_equal(cn_world_attribute(world, BODY(2), "points")->value.integer, 5);
    cn_world_destroy(world);

    rows[1].name[0] = '?';
    assert_def_refused(def, "attributes[1].name", CN_UNKNOWN);
    rows[1] = rows[0];
    assert_def_refused(def, "attributes[1].name", CN_DUPLICATE);
    rows[1].name[0] = 'l';
    rows[3].value.kind = CN_VALUE_NONE;
    rows[3].value.integer = 0;
    assert_def_refused(def, "bodies[2].attributes[0].value", CN_RANGE);
    rows[3] = attribute_of(BODY(0), "more", cn_value_number((double)NAN));
    assert_def_refused(def, "bodies[0].attributes[1].value", CN_FINITE);
    rows[3] = attribute_of(WORLD, "more", cn_value_number(1.0));
    assert_def_refused(def, "attributes[0].owner", CN_REFERENCE); /* not in order */
    rows[3] = attribute_of(SESSION(1), "more", cn_value_number(1.0));
    assert_def_refused(def, "attributes[0].owner", CN_REFERENCE);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order, setup, teardown),
        cmocka_unit_test_setup_teardown(test_replaces, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
        cmocka_unit_test_setup_teardown(test_body_goes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_session_goes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_image, setup, teardown),
        cmocka_unit_test_setup_teardown(test_hash, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged_image, setup, teardown),
        cmocka_unit_test_setup_teardown(test_portable, setup, teardown),
        cmocka_unit_test_setup_teardown(test_definition, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
