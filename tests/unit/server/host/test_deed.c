/*
 * test_deed.c: every kind of deed is written, read and written again as the same bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "engine/base/rng.h"
#include "server/host/deed.h"

#include <string.h>

static bool
is_making(enum cn_command_kind kind)
{
    return kind == CN_COMMAND_MAKE_BODY || kind == CN_COMMAND_MAKE_JOINT;
}

/* Reads all deeds, writes them again and compares; returns how many there were. */
static int
check_identity(const struct sv_deeds *deeds)
{
    struct sv_deeds again = {0};
    struct sv_deed deed;
    size_t at = 0;
    int count = 0;
    while (at < deeds->size) {
        assert_true(sv_deed_read(deeds->bytes, deeds->size, &at, &deed));
        assert_true(sv_deeds_add(&again, &deed));
        count++;
    }
    assert_int_equal(again.size, deeds->size);
    assert_memory_equal(again.bytes, deeds->bytes, deeds->size);
    sv_deeds_finish(&again);
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
    struct sv_deeds deeds = {0};
    struct sv_deed deed = {.kind = SV_DEED_COMMAND,
        .command = {.kind = CN_COMMAND_HOLD_ACTUATOR,
            .hold_actuator = {.holder = {UINT64_C(0x0102030405060708), 9, 256},
                .actuator = 5, .level = -0.5}}};
    assert_true(sv_deeds_add(&deeds, &deed));
    deed = (struct sv_deed){.kind = SV_DEED_SETTLED, .settled = {7, 4}};
    assert_true(sv_deeds_add(&deeds, &deed));
    deed = (struct sv_deed){.kind = SV_DEED_RESET};
    assert_true(sv_deeds_add(&deeds, &deed));
    assert_int_equal(deeds.size, sizeof(expected));
    assert_memory_equal(deeds.bytes, expected, sizeof(expected));
    assert_int_equal(check_identity(&deeds), 3);
    sv_deeds_finish(&deeds);
}

/*
 * Bytes at random behind every kind and every command's kind: what can be read is written as the
 * same bytes, and every kind can be.
 */
static void
test_every_kind(void **state)
{
    (void)state;
    struct cn_rng rng = {11};
    bool is_read[SV_DEED_KIND_COUNT] = {false}, is_command_read[CN_COMMAND_KIND_COUNT] = {false};
    for (int round = 0; round < 40000; round++) {
        unsigned char bytes[512];
        struct sv_deed deed;
        struct sv_deeds again = {0};
        bool is_dense = round / SV_DEED_KIND_COUNT % 2 == 0;
        for (size_t i = 0; i < sizeof(bytes); i++) {
            bool is_set = cn_rng_next(&rng) % (is_dense ? 4 : 256) == 0;
            bytes[i] = (unsigned char)(is_set ? cn_rng_next(&rng) % 2 : 0);
        }
        bytes[0] = (unsigned char)(round % SV_DEED_KIND_COUNT);
        if (bytes[0] == SV_DEED_COMMAND) {
            bytes[1] = (unsigned char)(cn_rng_next(&rng) % CN_COMMAND_KIND_COUNT);
        }
        size_t at = 0;
        if (!sv_deed_read(bytes, sizeof(bytes), &at, &deed)) {
            assert_int_equal(at, 0);
            continue;
        }
        is_read[deed.kind] = true;
        if (deed.kind == SV_DEED_COMMAND) {
            is_command_read[deed.command.kind] = true;
        }
        assert_true(sv_deeds_add(&again, &deed));
        assert_int_equal(again.size, at);
        assert_memory_equal(again.bytes, bytes, at);
        /* One byte less is no deed. */
        size_t none = 0;
        assert_false(sv_deed_read(bytes, at - 1, &none, &deed));
        assert_int_equal(none, 0);
        sv_deeds_finish(&again);
    }
    for (int kind = 0; kind < SV_DEED_KIND_COUNT; kind++) {
        assert_true(is_read[kind]);
    }
    for (int kind = 0; kind < CN_COMMAND_KIND_COUNT; kind++) {
        assert_int_equal(is_command_read[kind], !is_making((enum cn_command_kind)kind));
    }
}

/* Every member of settings comes back: each is set alone and told from the others. */
static void
test_settings(void **state)
{
    (void)state;
    struct sv_deeds deeds = {0};
    struct sv_deed deed = {.kind = SV_DEED_SETTINGS};
    struct wire_settings *settings = &deed.settings;
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
    assert_true(sv_deeds_add(&deeds, &deed));
    struct sv_deed read;
    size_t at = 0;
    assert_true(sv_deed_read(deeds.bytes, deeds.size, &at, &read));
    assert_memory_equal(&read.settings, settings, sizeof(*settings));
    sv_deeds_finish(&deeds);
}

static void
test_changes(void **state)
{
    (void)state;
    struct sv_deeds deeds = {0};
    static const unsigned char bytes[] = {1, 2, 3};
    struct sv_deed deed = {
        .kind = SV_DEED_CHANGE, .matter = {.is_done = true, .bytes = bytes, .size = 3}};
    assert_true(sv_deeds_add(&deeds, &deed));
    deed.matter.size = 0;
    deed.matter.is_done = false;
    assert_true(sv_deeds_add(&deeds, &deed));
    deed = (struct sv_deed){.kind = SV_DEED_LOAD};
    memset(deed.matter.content, 0xa5, sizeof(deed.matter.content));
    assert_true(sv_deeds_add(&deeds, &deed));
    deed.kind = SV_DEED_SEED;
    assert_true(sv_deeds_add(&deeds, &deed));
    deed.kind = SV_DEED_CHANGE_OF;
    assert_true(sv_deeds_add(&deeds, &deed));
    assert_int_equal(deeds.size, 9 + 6 + 33 + 33 + 34);
    assert_int_equal(check_identity(&deeds), 5);
    sv_deeds_finish(&deeds);
}

/* What no writer writes: no such kind, truth 2, a name without an end, a frame that is none. */
static void
test_refused(void **state)
{
    (void)state;
    unsigned char bytes[256] = {SV_DEED_KIND_COUNT};
    struct sv_deed deed;
    size_t at = 0;
    assert_false(sv_deed_read(bytes, 0, &at, &deed));
    assert_false(sv_deed_read(bytes, sizeof(bytes), &at, &deed));
    bytes[0] = SV_DEED_STATE;
    bytes[1] = WIRE_WORLD_FAILED;
    assert_false(sv_deed_read(bytes, sizeof(bytes), &at, &deed));
    bytes[0] = SV_DEED_COMMAND;
    bytes[1] = CN_COMMAND_SLEEP_BODY;
    bytes[6] = 2;
    assert_false(sv_deed_read(bytes, sizeof(bytes), &at, &deed));
    bytes[1] = CN_COMMAND_SET_SOLVER;
    memset(bytes + 2, 'a', CN_NAME_SIZE);
    assert_false(sv_deed_read(bytes, sizeof(bytes), &at, &deed));
    bytes[1] = CN_COMMAND_HOLD_FORCE;
    assert_false(sv_deed_read(bytes, sizeof(bytes), &at, &deed));
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
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
