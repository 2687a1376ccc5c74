/*
 * test_entry.c: every kind of entry is written, read and written again as the same bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "engine/base/rng.h"
#include "deed/entry.h"

#include <string.h>

/* Commands that are written as entries of another kind. */
static bool
is_other_kind(enum cn_command_kind kind)
{
    return kind == CN_COMMAND_MAKE_BODY || kind == CN_COMMAND_MAKE_JOINT ||
        kind == CN_COMMAND_SET_ATTRIBUTE;
}

/* Reads all entries, writes them again and compares; returns the number of entries. */
static int
check_identity(const struct dd_entries *entries)
{
    struct dd_entries again = {0};
    struct dd_entry entry;
    size_t at = 0;
    int count = 0;
    while (at < entries->size) {
        assert_true(dd_entry_read(entries->bytes, entries->size, &at, &entry));
        assert_true(dd_entries_add(&again, &entry));
        count++;
    }
    assert_int_equal(again.size, entries->size);
    assert_memory_equal(again.bytes, entries->bytes, entries->size);
    dd_entries_finish(&again);
    return count;
}

/* By hand: kind 0, command 3, and the fields of an actuator that is held. */
static void
test_layout(void **state)
{
    (void)state;
    static const unsigned char expected[] = {
        0, 3,                                    /* a command: HOLD_ACTUATOR */
        0x08, 0x07, 0x06, 0x05, 0x04, 3, 2, 1,   /* source */
        9, 0, 0, 0,                              /* slot */
        0x00, 0x01, 0, 0, 0, 0, 0, 0,            /* until tick 256 */
        5, 0, 0, 0,                              /* actuator */
        0, 0, 0, 0, 0, 0, 0xe0, 0xbf,            /* -0.5 */
        1, 7, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, /* settled: session 7, number 4 */
        5,                                       /* reset */
    };
    struct dd_entries entries = {0};
    struct dd_entry entry = {.kind = DD_ENTRY_COMMAND,
        .command = {.kind = CN_COMMAND_HOLD_ACTUATOR,
            .hold_actuator = {.holder = {UINT64_C(0x0102030405060708), 9, 256},
                .actuator = 5, .level = -0.5}}};
    assert_true(dd_entries_add(&entries, &entry));
    entry = (struct dd_entry){.kind = DD_ENTRY_SETTLED, .settled = {7, 4}};
    assert_true(dd_entries_add(&entries, &entry));
    entry = (struct dd_entry){.kind = DD_ENTRY_RESET};
    assert_true(dd_entries_add(&entries, &entry));
    assert_int_equal(entries.size, sizeof(expected));
    assert_memory_equal(entries.bytes, expected, sizeof(expected));
    assert_int_equal(check_identity(&entries), 3);
    dd_entries_finish(&entries);
}

/*
 * Random bytes after every kind of entry and of command.  Readable entries are written as the same
 * bytes, and every kind is readable for some bytes.
 */
static void
test_every_kind(void **state)
{
    (void)state;
    struct cn_rng rng = {11};
    bool is_read[DD_ENTRY_KIND_COUNT] = {false}, is_command_read[CN_COMMAND_KIND_COUNT] = {false};
    for (int round = 0; round < 40000; round++) {
        unsigned char bytes[512];
        struct dd_entry entry;
        struct dd_entries again = {0};
        bool is_dense = round / DD_ENTRY_KIND_COUNT % 2 == 0;
        for (size_t i = 0; i < sizeof(bytes); i++) {
            bool is_set = cn_rng_next(&rng) % (is_dense ? 4 : 256) == 0;
            bytes[i] = (unsigned char)(is_set ? cn_rng_next(&rng) % 2 : 0);
        }
        bytes[0] = (unsigned char)(round % DD_ENTRY_KIND_COUNT);
        if (bytes[0] == DD_ENTRY_COMMAND) {
            bytes[1] = (unsigned char)(cn_rng_next(&rng) % CN_COMMAND_KIND_COUNT);
        }
        if (bytes[0] == DD_ENTRY_SAID) {
            bytes[10] = 'c'; /* a channel has a name */
        }
        size_t at = 0;
        if (!dd_entry_read(bytes, sizeof(bytes), &at, &entry)) {
            assert_int_equal(at, 0);
            continue;
        }
        is_read[entry.kind] = true;
        if (entry.kind == DD_ENTRY_COMMAND) {
            is_command_read[entry.command.kind] = true;
        }
        assert_true(dd_entries_add(&again, &entry));
        assert_int_equal(again.size, at);
        assert_memory_equal(again.bytes, bytes, at);
        /* One byte less is not a complete entry. */
        size_t none = 0;
        assert_false(dd_entry_read(bytes, at - 1, &none, &entry));
        assert_int_equal(none, 0);
        dd_entries_finish(&again);
    }
    for (int kind = 0; kind < DD_ENTRY_KIND_COUNT; kind++) {
        assert_true(is_read[kind]);
    }
    for (int kind = 0; kind < CN_COMMAND_KIND_COUNT; kind++) {
        assert_int_equal(is_command_read[kind], !is_other_kind((enum cn_command_kind)kind));
    }
}

/* All members of settings are read again; each has another value. */
static void
test_settings(void **state)
{
    (void)state;
    struct dd_entries entries = {0};
    struct dd_entry entry = {.kind = DD_ENTRY_SETTINGS};
    struct wire_settings *settings = &entry.settings;
    settings->has_gravity = settings->has_sleep = settings->has_propagation.literal = true;
    settings->gravity = (cn_vec3){1.0, -9.81, 0.25};
    settings->restitution = 0.125;
    settings->damping_linear = 2.0;
    settings->damping_angular = 3.0;
    settings->time_rate = 0.5;
    settings->collision = CN_COLLISION_HYBRID;
    settings->substeps = 7;
    settings->sleep = true;
    settings->propagation.contact_sweeps = 12;
    strcpy(settings->solver, "impulse");
    strcpy(settings->stepper, "time");
    assert_true(dd_entries_add(&entries, &entry));
    struct dd_entry read;
    size_t at = 0;
    assert_true(dd_entry_read(entries.bytes, entries.size, &at, &read));
    assert_memory_equal(&read.settings, settings, sizeof(*settings));

    /* A resting velocity follows the other members, and the first byte shows that it is present. */
    struct dd_entries more = {0};
    settings->has_resting_velocity = true;
    settings->resting_velocity = -0.5;
    assert_true(dd_entries_add(&more, &entry));
    assert_int_equal(more.size, entries.size + 8);
    assert_int_equal(more.bytes[1], 1 + 2);
    assert_memory_equal(more.bytes + 2, entries.bytes + 2, entries.size - 2);
    assert_int_equal(more.bytes[more.size - 1], 0xbf);
    at = 0;
    assert_true(dd_entry_read(more.bytes, more.size, &at, &read));
    assert_memory_equal(&read.settings, settings, sizeof(*settings));
    at = 0;
    assert_false(dd_entry_read(more.bytes, more.size - 1, &at, &read));
    dd_entries_finish(&more);
    dd_entries_finish(&entries);
}

static void
test_changes(void **state)
{
    (void)state;
    struct dd_entries entries = {0};
    static const unsigned char bytes[] = {1, 2, 3};
    struct dd_entry entry = {
        .kind = DD_ENTRY_CHANGE, .matter = {.is_done = true, .bytes = bytes, .size = 3}};
    assert_true(dd_entries_add(&entries, &entry));
    entry.matter.size = 0;
    entry.matter.is_done = false;
    assert_true(dd_entries_add(&entries, &entry));
    entry = (struct dd_entry){.kind = DD_ENTRY_LOAD};
    memset(entry.matter.content, 0xa5, sizeof(entry.matter.content));
    assert_true(dd_entries_add(&entries, &entry));
    entry.kind = DD_ENTRY_SEED;
    assert_true(dd_entries_add(&entries, &entry));
    entry.kind = DD_ENTRY_CHANGE_OF;
    assert_true(dd_entries_add(&entries, &entry));
    assert_int_equal(entries.size, 9 + 6 + 33 + 33 + 34);
    assert_int_equal(check_identity(&entries), 5);
    dd_entries_finish(&entries);
}

/* By hand: each kind of value behind its owner and name. */
static void
test_attributes(void **state)
{
    (void)state;
    static const unsigned char expected[] = {
        16, 1, 7, 0, 0, 0, 0, 0, 0, 0, /* of body 7 */
        'h', 'p', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0,                                  /* name */
        2, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* integer -2 */
    };
    struct dd_entries entries = {0};
    struct dd_entry entry = {.kind = DD_ENTRY_ATTRIBUTE,
        .attribute = {.owner = {CN_OWNER_BODY, 7}, .name = "hp", .value = cn_value_integer(-2)}};
    assert_true(dd_entries_add(&entries, &entry));
    assert_int_equal(entries.size, sizeof(expected));
    assert_memory_equal(entries.bytes, expected, sizeof(expected));
    static const size_t sizes[] = {43, 44, 51, 51, 46, 301};
    const struct cn_value values[] = {{0}, cn_value_flag(true), cn_value_integer(1),
        cn_value_number(0.5), cn_value_text("a"),
        {.kind = CN_VALUE_BYTES, .size = CN_ATTRIBUTE_VALUE_MAX, .bytes = {1, 2}}};
    for (int i = 0; i < 6; i++) {
        struct dd_entry read;
        size_t begin = entries.size, at = begin;
        entry.attribute.value = values[i];
        assert_true(dd_entries_add(&entries, &entry));
        assert_int_equal(entries.size - begin, sizes[i]);
        assert_true(dd_entry_read(entries.bytes, entries.size, &at, &read));
        assert_memory_equal(&read.attribute.value, &values[i], sizeof(values[i]));
    }
    assert_true(301 <= DD_ENTRY_NUMBERS_SIZE);
    assert_int_equal(check_identity(&entries), 7);
    /* One byte more than a value may have; it is there. */
    size_t at = entries.size - 301;
    assert_true(dd_entries_add_bytes(&entries, (const unsigned char[]){3}, 1));
    entries.bytes[at + 43] = 1;
    entries.bytes[at + 44] = 1;
    assert_false(dd_entry_read(entries.bytes, entries.size, &at, &entry));
    dd_entries_finish(&entries);
}

/* Bytes that no writer writes: an unknown kind, a bool of 2, an endless name, an unknown frame. */
static void
test_refused(void **state)
{
    (void)state;
    unsigned char bytes[256] = {DD_ENTRY_KIND_COUNT};
    struct dd_entry entry;
    size_t at = 0;
    assert_false(dd_entry_read(bytes, 0, &at, &entry));
    assert_false(dd_entry_read(bytes, sizeof(bytes), &at, &entry));
    bytes[0] = DD_ENTRY_STATE;
    bytes[1] = WIRE_WORLD_FAILED;
    assert_false(dd_entry_read(bytes, sizeof(bytes), &at, &entry));
    bytes[0] = DD_ENTRY_COMMAND;
    bytes[1] = CN_COMMAND_SLEEP_BODY;
    bytes[6] = 2;
    assert_false(dd_entry_read(bytes, sizeof(bytes), &at, &entry));
    bytes[1] = CN_COMMAND_SET_SOLVER;
    memset(bytes + 2, 'a', CN_NAME_SIZE);
    assert_false(dd_entry_read(bytes, sizeof(bytes), &at, &entry));
    bytes[1] = CN_COMMAND_HOLD_FORCE;
    assert_false(dd_entry_read(bytes, sizeof(bytes), &at, &entry));
    assert_int_equal(at, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
