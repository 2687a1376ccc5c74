/*
 * test_solo.c: a world without a daemon answers a client as a daemon does.
 */
#include "engine/cairn.h"
#include "proto/peer.h"
#include "proto/scene_live.h"
#include "wasm/inside.h"
#include "wasm/solo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the four of them. */
#include <cmocka.h>

/* wasm/engine.c has them in the module. */
static char noted_path[CN_DEFECT_PATH_SIZE], noted_text[CN_DEFECT_TEXT_SIZE];

void
wa_note_error(const char *path, const char *text)
{
    strncpy(noted_path, path, sizeof(noted_path) - 1);
    strncpy(noted_text, text, sizeof(noted_text) - 1);
}

/* A ball that falls from 2 m onto a floor. */
static const char scene_text[] =
    "name: solo\n"
    "bodies:\n"
    "- {name: floor, type: STATIC, position: {y: -0.5}, shapes: [{box: {size: {x: 9, y: 1}}}]}\n"
    "- {name: ball, position: {y: 2.5}, mass: 2, shapes: [{circle: {radius: 0.5}}]}\n";

struct seen {
    int counts[WIRE_SERVER_KINDS_MAX];
    uint64_t tick, applied, status_tick, hash;
    uint32_t generation, done;
    enum wire_world_state state;
    double gravity_y;
    char code[WIRE_CODE_SIZE];
    char path[CN_DEFECT_PATH_SIZE];
};

static struct solo *
make_solo(const char *text)
{
    struct wire_text_error wrong;
    struct wire_scene *scene = wire_scene_parse(text, strlen(text), &wrong);
    assert_non_null(scene);
    size_t size;
    uint8_t *bytes = wire_scene_pack(scene, &size);
    assert_non_null(bytes);
    struct solo *solo = cairn_solo_create(bytes, size);
    free(bytes);
    wire_scene_destroy(scene);
    return solo;
}

static void
look(struct solo *solo, struct seen *seen)
{
    const uint8_t *bytes;
    memset(seen, 0, sizeof(*seen));
    while ((bytes = cairn_solo_next(solo)) != NULL) {
        struct wire_server_message heard;
        struct wire_error error;
        assert_true(wire_server_decode(bytes, cairn_solo_next_size(solo), &heard, &error));
        seen->counts[heard.kind]++;
        if (heard.kind == WIRE_SERVER_TICK) {
            seen->tick = heard.tick.tick;
            seen->applied = heard.tick.applied_seq;
        } else if (heard.kind == WIRE_SERVER_STATUS) {
            seen->status_tick = heard.status->tick;
            seen->state = heard.status->state;
            seen->hash = heard.status->hash;
            seen->generation = heard.status->generation;
            seen->gravity_y = heard.status->settings.gravity.y;
        } else if (heard.kind == WIRE_SERVER_DONE) {
            seen->done = heard.done.request;
        } else if (heard.kind == WIRE_SERVER_REJECTED) {
            memcpy(seen->code, heard.rejected.error.code, sizeof(seen->code));
            memcpy(seen->path, heard.rejected.error.path, sizeof(seen->path));
        } else if (heard.kind == WIRE_SERVER_SNAPSHOT) {
            assert_true(heard.snapshot.is_whole);
            assert_in_range(heard.snapshot.count, 1, 2);
        }
        wire_server_message_finish(&heard);
    }
}

static void
say(struct solo *solo, const struct wire_client_message *message, double now_us)
{
    uint8_t bytes[512];
    size_t size = wire_client_encode(message, bytes, sizeof(bytes));
    assert_in_range(size, 1, sizeof(bytes));
    cairn_solo_hear(solo, bytes, size, now_us);
}

static void
join(struct solo *solo)
{
    struct wire_client_message message = {.kind = WIRE_CLIENT_HELLO};
    struct seen seen;
    message.hello.version = WIRE_VERSION;
    say(solo, &message, 0.0);
    message = (struct wire_client_message){.kind = WIRE_CLIENT_SUBSCRIBE};
    message.subscribe.contacts = message.subscribe.energy = true;
    say(solo, &message, 0.0);
    message = (struct wire_client_message){.kind = WIRE_CLIENT_JOIN, .join_world = "here"};
    say(solo, &message, 0.0);
    look(solo, &seen);
    assert_int_equal(seen.counts[WIRE_SERVER_WELCOME], 1);
    assert_int_equal(seen.counts[WIRE_SERVER_JOINED], 1);
}

static void
control(struct solo *solo, enum wire_control_kind kind, uint32_t request, double now_us)
{
    struct wire_client_message message = {.kind = WIRE_CLIENT_CONTROL};
    message.control.kind = kind;
    message.control.request = request;
    message.control.step_ticks = 5;
    say(solo, &message, now_us);
}

/* The hash of a world of that scene after some ticks, with a force of 40 N upwards or without. */
static uint64_t
hash_after(int ticks, bool is_pushed)
{
    struct wire_text_error wrong;
    struct cn_defect defect;
    struct cn_world *world;
    struct wire_scene *scene = wire_scene_parse(scene_text, sizeof(scene_text) - 1, &wrong);
    assert_non_null(scene);
    assert_int_equal(cn_world_create(wire_scene_world_def(scene), &defect, &world), CN_OK);
    if (is_pushed) {
        struct cn_command push = {.kind = CN_COMMAND_HOLD_FORCE,
            .hold_force = {.body = 1, .frame = CN_FRAME_WORLD, .force = {.y = 40.0}}};
        cn_command_set_source(&push, 1, 0, 0);
        assert_int_equal(cn_world_command_apply(world, &push, &defect), CN_OK);
    }
    for (int i = 0; i < ticks; i++) {
        assert_int_equal(cn_world_step(world, CN_WORK_UNLIMITED), CN_STEP_DONE);
    }
    uint64_t hash = cn_world_hash(world);
    cn_world_destroy(world);
    wire_scene_destroy(scene);
    return hash;
}

/* A second has 60 ticks; each is sent with its frames, and the bits are the engine's. */
static void
test_runs_by_the_clock(void **state)
{
    (void)state;
    struct solo *solo = make_solo(scene_text);
    struct seen seen;
    join(solo);
    for (int i = 0; i < 59; i++) {
        double now_us = 1e6 * i / 60.0 + 100.0 * (i > 0); /* a little late after the first */
        assert_true(cairn_solo_run(solo, now_us) > now_us);
    }
    look(solo, &seen);
    assert_int_equal(seen.tick, 59);
    assert_int_equal(seen.counts[WIRE_SERVER_TICK], 59);
    assert_int_equal(seen.counts[WIRE_SERVER_SNAPSHOT], 59);
    assert_int_equal(seen.counts[WIRE_SERVER_CONTACTS], 59);
    assert_int_equal(seen.counts[WIRE_SERVER_ENERGY], 59);
    control(solo, WIRE_CONTROL_PAUSE, 1, 1e6);
    cairn_solo_run(solo, 1e6);
    look(solo, &seen);
    assert_int_equal(seen.state, WIRE_WORLD_PAUSED);
    assert_int_equal(seen.status_tick, 59);
    assert_true(seen.hash == hash_after(59, false));
    cairn_solo_destroy(solo);
}

/* After a pause of the page of ten seconds only a few ticks are done at once. */
static void
test_catches_up_little(void **state)
{
    (void)state;
    struct solo *solo = make_solo(scene_text);
    struct seen seen;
    join(solo);
    cairn_solo_run(solo, 1.0);
    double due_us = cairn_solo_run(solo, 1e7);
    look(solo, &seen);
    assert_in_range(seen.tick, 1 + SOLO_CATCH_UP, 2 + SOLO_CATCH_UP);
    assert_true(due_us > 1e7 && due_us < 1e7 + 1e6 / 50.0);
    cairn_solo_destroy(solo);
}

static void
test_input_and_reset(void **state)
{
    (void)state;
    struct solo *solo = make_solo(scene_text);
    struct seen seen;
    struct wire_client_message push = {.kind = WIRE_CLIENT_INPUT};
    join(solo);
    push.input.seq = 1;
    push.input.command.kind = CN_COMMAND_HOLD_FORCE;
    push.input.command.hold_force = (struct cn_hold_force){
        .body = 1, .frame = CN_FRAME_WORLD, .force = {.y = 40.0}};
    control(solo, WIRE_CONTROL_PAUSE, 1, 0.0);
    say(solo, &push, 0.0);
    control(solo, WIRE_CONTROL_STEP, 7, 0.0);
    cairn_solo_run(solo, 1.0);
    look(solo, &seen);
    assert_int_equal(seen.done, 7);
    assert_int_equal(seen.tick, 5);
    assert_int_equal(seen.applied, 1);
    assert_true(seen.hash == hash_after(5, true));

    say(solo, &push, 2.0); /* the same number again */
    look(solo, &seen);
    assert_string_equal(seen.code, "SEQ");
    push.input.seq = 2;
    push.input.command.hold_force.body = 9;
    say(solo, &push, 2.0);
    look(solo, &seen);
    assert_int_equal(seen.counts[WIRE_SERVER_REJECTED], 1);
    assert_string_equal(seen.path, "input.body");

    control(solo, WIRE_CONTROL_RESET, 8, 3.0);
    cairn_solo_run(solo, 3.0);
    look(solo, &seen);
    assert_int_equal(seen.counts[WIRE_SERVER_JOINED], 1);
    assert_int_equal(seen.generation, 2);
    assert_int_equal(seen.status_tick, 0);
    assert_true(seen.hash == hash_after(0, false));
    cairn_solo_destroy(solo);
}

/* Requests that need a daemon are refused with words, and nothing else changes. */
static void
test_refusals(void **state)
{
    (void)state;
    struct solo *solo = make_solo(scene_text);
    struct seen seen;
    struct wire_client_message deeds = {.kind = WIRE_CLIENT_SUBSCRIBE};
    join(solo);
    control(solo, WIRE_CONTROL_STEP, 3, 0.0); /* it runs */
    look(solo, &seen);
    assert_string_equal(seen.code, "STATE");
    deeds.subscribe.mode = WIRE_MODE_DEEDS;
    deeds.subscribe.physics = cn_physics_version();
    say(solo, &deeds, 0.0);
    look(solo, &seen);
    assert_string_equal(seen.path, "subscribe.mode");
    cairn_solo_hear(solo, (const uint8_t *)"\xff", 1, 0.0);
    look(solo, &seen);
    assert_string_equal(seen.code, "DECODE");
    cairn_solo_hear(solo, (const uint8_t *)"\xc2\x01\x00", 3, 0.0); /* an empty Lobby */
    look(solo, &seen);
    assert_string_equal(seen.code, "STATE");
    assert_string_equal(seen.path, "lobby");
    struct wire_client_message create = {.kind = WIRE_CLIENT_CONTROL};
    create.control.kind = WIRE_CONTROL_CREATE;
    create.control.request = 4;
    create.control.source.kind = WIRE_SOURCE_NAME;
    memcpy(create.control.source.name, "pyramid", 8);
    say(solo, &create, 0.0);
    look(solo, &seen);
    assert_string_equal(seen.code, "STATE");
    assert_int_equal(seen.done, 0);
    cairn_solo_destroy(solo);

    static const uint8_t bad[] = {0x0a, 0x01};
    assert_null(cairn_solo_create(bad, sizeof(bad)));
    assert_true(noted_text[0] != '\0');
}

/* Rules of the scene make bodies, and the end of their round resets the world. */
static void
test_rules(void **state)
{
    (void)state;
    struct solo *solo = make_solo(
        "prefabs: [{name: dot, bodies: [{mass: 1, shapes: [{circle: {radius: 0.1}}]}]}]\n"
        "bodies: [{name: ball, mass: 1, shapes: [{circle: {radius: 0.1}}]}]\n"
        "rules:\n"
        "  - {name: come, join: {}, do: [{count: {attribute: n}}]}\n"
        "  - {name: make, counter: {attribute: n, above: 0}, do: [\n"
        "     {spawn: {prefab: dot, at: {y: 3}}}]}\n"
        "  - {name: end, timer: {after: 0.5}, do: [{endRound: {resetAfter: 0.2}}]}\n");
    struct seen seen;
    join(solo);
    for (int i = 0; i < 40; i++) {
        cairn_solo_run(solo, 1e6 * i / 60.0 + 100.0);
    }
    look(solo, &seen);
    assert_int_equal(seen.tick, 40);
    assert_int_equal(seen.counts[WIRE_SERVER_CHANGED], 1);
    assert_int_equal(seen.counts[WIRE_SERVER_JOINED], 0);
    for (int i = 40; i < 50; i++) {
        cairn_solo_run(solo, 1e6 * i / 60.0 + 100.0);
    }
    look(solo, &seen);
    assert_int_equal(seen.counts[WIRE_SERVER_JOINED], 1);
    assert_int_equal(seen.counts[WIRE_SERVER_CHANGED], 1); /* the client joins the new round */
    assert_in_range(seen.tick, 6, 9);
    cairn_solo_destroy(solo);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_by_the_clock),
        cmocka_unit_test(test_catches_up_little),
        cmocka_unit_test(test_input_and_reset),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
