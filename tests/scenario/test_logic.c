/*
 * test_logic.c: messages of members, and the exchange with a logic, in a daemon in memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/world/data/world.h"
#include "tests/support/server/logic_seen.h"

#define TICK_MS 17 /* a tick of 1/60 s is done within this */

static struct sv_world *
world_of(struct server *server)
{
    return server->worker.worlds[0];
}

static const struct wire_logic_start barrier = {
    .request = 3, .mode = WIRE_LOGIC_BARRIER, .every = 1, .deadline_us = 4000};

/* A logic that has joined and started, and has got its first LogicTick. */
static int
enter_logic(struct server *server, const struct wire_logic_start *start, struct seen *seen)
{
    int connection = logic_enter(server, CAIRN__V1__HELLO__ROLE__LOGIC);
    server_run(server, 3);
    logic_start(server, connection, start);
    server_run(server, 3);
    *seen = see(server, connection, (struct seen){0});
    return connection;
}

/* Runs, and answers every LogicTick as soon as it comes. */
static struct seen
run_answering(struct server *server, int logic, int duration_ms, struct seen seen)
{
    for (int ms = 0; ms < duration_ms; ms++) {
        seen = see(server, logic, seen);
        while (seen.replied < seen.number) {
            logic_answer_plain(server, logic, ++seen.replied, 0);
        }
        server_run(server, 1);
    }
    return seen;
}

/* ---- messages ---- */

static void
test_messages(void **state)
{
    (void)state;
    struct server server;
    server_init(&server);
    int ann = logic_enter(&server, CAIRN__V1__HELLO__ROLE__PLAYER);
    int bob = logic_enter(&server, CAIRN__V1__HELLO__ROLE__PLAYER);
    int eve = logic_enter(&server, CAIRN__V1__HELLO__ROLE__OBSERVER);
    server_run(&server, 50);
    struct seen a = see(&server, ann, (struct seen){0}), b = see(&server, bob, (struct seen){0});
    struct seen e = see(&server, eve, (struct seen){0});
    logic_say(&server, ann, 5, UINT64_MAX, "to all");
    server_run(&server, 30);
    a = see(&server, ann, a);
    b = see(&server, bob, b);
    e = see(&server, eve, e);
    assert_int_equal(a.done_request, 5);
    assert_true(a.said == 1 && b.said == 1 && e.said == 1);
    assert_true(b.said_session == a.session && !b.direct);
    assert_string_equal(e.text, "to all");
    logic_say(&server, ann, 0, b.session, "to bob");
    server_run(&server, 30);
    a = see(&server, ann, a);
    b = see(&server, bob, b);
    e = see(&server, eve, e);
    assert_true(a.said == 1 && b.said == 2 && e.said == 1 && b.direct);
    assert_int_equal(a.done, 1); /* request 0 has no answer */
    assert_string_equal(b.text, "to bob");
    logic_say(&server, ann, 6, 999, "to nobody");
    server_run(&server, 30);
    a = see(&server, ann, a);
    assert_string_equal(a.code, "REFERENCE");
    assert_string_equal(a.path, "say.session");
    assert_int_equal(a.rejected_request, 6);
    logic_say(&server, ann, 7, 0, "to the logic");
    logic_say(&server, eve, 8, UINT64_MAX, "of an observer");
    server_run(&server, 30);
    a = see(&server, ann, a);
    e = see(&server, eve, e);
    assert_string_equal(a.code, "STATE"); /* the world has none */
    assert_string_equal(e.code, "RIGHTS");
    server.gateway.may_observers_say = true;
    int zoe = logic_enter(&server, CAIRN__V1__HELLO__ROLE__OBSERVER);
    server_run(&server, 10);
    logic_say(&server, zoe, 9, UINT64_MAX, "of an observer");
    server_run(&server, 30);
    assert_int_equal(see(&server, ann, a).said, 2);
    assert_null(world_of(&server)->logic); /* a world without a logic has nothing of it */
    server_finish(&server);
}

/* A burst, then a rate; messages are refused with the time for a retry. */
static void
test_rate(void **state)
{
    (void)state;
    struct server server;
    server_init(&server);
    int ann = logic_enter(&server, CAIRN__V1__HELLO__ROLE__PLAYER);
    server_run(&server, 20);
    struct seen a = see(&server, ann, (struct seen){0});
    for (int i = 0; i < (2 * SV_SAY_RATE) + 5; i++) {
        logic_say(&server, ann, (uint32_t)i + 1, UINT64_MAX, "x");
    }
    server_run(&server, 30);
    a = see(&server, ann, a);
    assert_int_equal(a.said, (2 * SV_SAY_RATE));
    assert_string_equal(a.code, "RATE");
    server_run(&server, 1000);
    for (int i = 0; i < (2 * SV_SAY_RATE); i++) {
        logic_say(&server, ann, 100, UINT64_MAX, "x");
    }
    server_run(&server, 30);
    a = see(&server, ann, a);
    assert_in_range(a.said, 3 * SV_SAY_RATE - 1, 3 * SV_SAY_RATE + 1);
    server_finish(&server);
}

/* ---- the logic ---- */

static void
test_first_tick(void **state)
{
    (void)state;
    struct server server;
    struct seen l;
    server_init(&server);
    int ann = logic_enter(&server, CAIRN__V1__HELLO__ROLE__PLAYER);
    server_run(&server, 30);
    struct seen a = see(&server, ann, (struct seen){0});
    int logic = enter_logic(&server, &barrier, &l);
    assert_int_equal(l.role, CAIRN__V1__HELLO__ROLE__LOGIC);
    assert_int_equal(l.done_request, 3);
    assert_int_equal(l.ticks, 1);
    assert_true(l.first_count == 1 && l.number == 1 && l.people == 1);
    l = run_answering(&server, logic, 100, l);
    assert_true(l.ticks > 5 && l.first_count == 1 && l.late == 0);
    assert_true(l.answered + 1 >= l.number - 1);
    int shown = l.snapshots;
    logic_say(&server, ann, 1, 0, "play");
    l = run_answering(&server, logic, 50, l);
    assert_string_equal(l.text, "play");
    assert_int_equal(l.said_session, a.session);
    assert_int_equal(l.messages, 1);
    assert_int_equal(see(&server, ann, a).done_request, 1);
    assert_int_equal(l.snapshots, shown); /* it asked for no frames */
    int bob = logic_enter(&server, CAIRN__V1__HELLO__ROLE__OBSERVER);
    l = run_answering(&server, logic, 50, l);
    assert_true(l.members == 1 && !l.left);
    assert_string_equal(l.name, "ann");
    assert_int_equal(l.member_role, CAIRN__V1__HELLO__ROLE__OBSERVER);
    sv_sim_disconnect(&server.transport, bob);
    l = run_answering(&server, logic, 50, l);
    assert_true(l.members == 2 && l.left);
    assert_string_equal(l.name, "");
    assert_int_equal(world_of(&server)->logic->count, 0);
    server_finish(&server);
}

static void
fill_settings(Cairn__V1__Effect *effect, Cairn__V1__Settings *settings, Cairn__V1__Vec3 *gravity)
{
    cairn__v1__effect__init(effect);
    cairn__v1__settings__init(settings);
    cairn__v1__vec3__init(gravity);
    settings->gravity = gravity;
    effect->effect_case = CAIRN__V1__EFFECT__EFFECT_SETTINGS;
    effect->settings = settings;
}

/* Effects act in order before the next tick; refused ones are listed by index, and others act. */
static void
test_effects(void **state)
{
    (void)state;
    struct server server;
    struct seen l;
    Cairn__V1__Effect effects[4], *pointers[4];
    Cairn__V1__Settings settings[2];
    Cairn__V1__Vec3 gravity[2];
    Cairn__V1__Change change = CAIRN__V1__CHANGE__INIT;
    Cairn__V1__Effect__Reset reset = CAIRN__V1__EFFECT__RESET__INIT;
    char *missing = (char[]){"missing"};
    server_init(&server);
    int logic = enter_logic(&server, &barrier, &l);
    Cairn__V1__LogicDone done = CAIRN__V1__LOGIC_DONE__INIT;
    for (int i = 0; i < 4; i++) {
        cairn__v1__effect__init(&effects[i]);
        pointers[i] = &effects[i];
    }
    fill_settings(&effects[0], &settings[0], &gravity[0]);
    gravity[0].y = -3.0;
    effects[1].effect_case = CAIRN__V1__EFFECT__EFFECT_CHANGE;
    effects[1].change = &change;
    change.n_remove = 1;
    change.remove = &missing;
    fill_settings(&effects[2], &settings[1], &gravity[1]);
    gravity[1].y = -4.0;
    effects[3].effect_case = CAIRN__V1__EFFECT__EFFECT_RESET;
    effects[3].reset = &reset;
    done.number = l.number;
    done.n_effects = 4;
    done.effects = pointers;
    uint32_t generation = world_of(&server)->generation;
    logic_answer(&server, logic, &done);
    server_run(&server, TICK_MS + 5);
    l = see(&server, logic, l);
    assert_int_equal(world_of(&server)->generation, generation + 1);
    assert_true(cn_world_settings(world_of(&server)->engine)->gravity.y == -4.0);
    assert_int_equal(l.refused, 1);
    assert_string_equal(l.path, "1 remove[0]");
    assert_string_equal(l.code, "REFERENCE");
    assert_int_equal(l.generation, generation + 1);
    l.replied = done.number;
    l = run_answering(&server, logic, 50, l);
    assert_int_equal(l.refused, 1); /* told once */
    server_finish(&server);
}

/* An answer must be to the oldest LogicTick; others change nothing. */
static void
test_numbers(void **state)
{
    (void)state;
    struct server server;
    struct seen l;
    server_init(&server);
    int logic = enter_logic(&server, &barrier, &l);
    server_run(&server, 2 * TICK_MS);
    l = see(&server, logic, l);
    assert_true(l.number >= 2 && l.answered == 0);
    logic_answer_plain(&server, logic, 2, 0);
    server_run(&server, 2);
    l = see(&server, logic, l);
    assert_string_equal(l.code, "SEQ");
    logic_answer_plain(&server, logic, 1, 0);
    logic_answer_plain(&server, logic, 1, 0);
    server_run(&server, 2);
    l = see(&server, logic, l);
    assert_string_equal(l.code, "SEQ"); /* the second */
    assert_int_equal(world_of(&server)->logic->acted, 1);
    int other = logic_enter(&server, CAIRN__V1__HELLO__ROLE__LOGIC);
    server_run(&server, 5);
    logic_answer_plain(&server, other, 2, 0);
    server_run(&server, 2);
    assert_string_equal(see(&server, other, (struct seen){0}).code, "STATE");
    assert_int_equal(world_of(&server)->logic->acted, 1);
    server_finish(&server);
}

/* A logic that is silent delays its own world by the deadline, and no other one. */
static void
test_barrier(void **state)
{
    (void)state;
    struct server server;
    struct seen l;
    struct wire_text_error wrong;
    struct wire_error error;
    const struct sv_asker nobody = {0};
    server_init(&server);
    struct sv_scene *scene = sv_scene_create(
        wire_scene_parse(twin_scene_text, sizeof(twin_scene_text) - 1, &wrong));
    assert_true(sv_host_create_world(&server.host, "other", scene, &nobody, &error));
    server.worker.env.keep_running = true;
    server_run(&server, 20);
    struct sv_world *world = world_of(&server), *other = server.worker.worlds[1];
    int logic = enter_logic(&server, &barrier, &l);
    l = run_answering(&server, logic, 200, l);
    assert_int_equal(l.late, 0);
    /* silent: each tick is done when the deadline has passed after it was due */
    server_run(&server, TICK_MS + 5);
    for (int i = 0; i < 10; i++) {
        uint64_t tick = cn_world_tick(world->engine), due_ns = world->next_tick_ns;
        while (cn_world_tick(world->engine) == tick) {
            uint64_t other_due_ns = other->next_tick_ns;
            server_run(&server, 1);
            assert_true(server.now_ns <= other_due_ns + 2 * SV_NS_PER_MS);
        }
        uint64_t delay_ns = server.now_ns - due_ns;
        assert_in_range(delay_ns, 4 * SV_NS_PER_MS, 6 * SV_NS_PER_MS);
    }
    assert_true(world->logic->late_count >= 10);
    assert_int_equal(server.metrics.logic_late, world->logic->late_count);
    /* with too many LogicTicks unanswered it is sent no more, and no tick waits */
    server_run(&server, SV_LOGIC_ASKED_MAX * (TICK_MS + 5));
    l = see(&server, logic, l);
    assert_int_equal(world->logic->asked_count, SV_LOGIC_ASKED_MAX);
    uint32_t late = world->logic->late_count;
    server_run(&server, 200);
    assert_int_equal(world->logic->late_count, late);
    /* it wakes up, and answers them all: nothing waits any more */
    for (int i = SV_LOGIC_ASKED_MAX - 1; i >= 0; i--) {
        logic_answer_plain(&server, logic, l.number - (uint64_t)i, 0);
    }
    server_run(&server, 5);
    assert_in_range(world->logic->asked_count, 0, 1);
    server_run(&server, TICK_MS);
    l = see(&server, logic, l);
    assert_true(l.answered + 2 >= l.number);
    assert_true(l.late >= late);
    server_finish(&server);
}

/* AHEAD: no tick waits; an answer acts at the tick that it names, or at once if that has passed. */
static void
test_ahead(void **state)
{
    (void)state;
    struct server server;
    struct seen l;
    struct wire_logic_start ahead = barrier;
    ahead.mode = WIRE_LOGIC_AHEAD;
    server_init(&server);
    int logic = enter_logic(&server, &ahead, &l);
    Cairn__V1__Effect effect, *pointer = &effect;
    Cairn__V1__Settings settings;
    Cairn__V1__Vec3 gravity;
    fill_settings(&effect, &settings, &gravity);
    gravity.y = -2.5;
    Cairn__V1__LogicDone done = CAIRN__V1__LOGIC_DONE__INIT;
    done.number = l.number;
    done.at_tick = l.tick + 3;
    done.n_effects = 1;
    done.effects = &pointer;
    struct sv_world *world = world_of(&server);
    logic_answer(&server, logic, &done);
    while (cn_world_tick(world->engine) <= l.tick + 3) {
        bool is_before = cn_world_tick(world->engine) < l.tick + 3;
        if (is_before) {
            assert_true(cn_world_settings(world->engine)->gravity.y != -2.5);
        }
        server_run(&server, 1);
    }
    assert_true(cn_world_settings(world->engine)->gravity.y == -2.5);
    assert_int_equal(world->logic->late_count, 0);
    l = see(&server, logic, l);
    done.number++;
    done.at_tick = 1; /* has passed */
    gravity.y = -2.0;
    logic_answer(&server, logic, &done);
    server_run(&server, 2);
    assert_true(cn_world_settings(world->engine)->gravity.y == -2.0);
    assert_int_equal(world->logic->late_count, 1);
    done.number++;
    done.at_tick = cn_world_tick(world->engine) + SV_EARLY_TICKS_MAX + 3;
    logic_answer(&server, logic, &done);
    server_run(&server, 2);
    assert_string_equal(see(&server, logic, l).code, "TICK");
    /* one that waits is dropped with its logic */
    done.at_tick = cn_world_tick(world->engine) + 10;
    gravity.y = -1.0;
    logic_answer(&server, logic, &done);
    server_run(&server, 2);
    assert_int_equal(world->logic->early_count, 1);
    sv_sim_disconnect(&server.transport, logic);
    server.worker.env.keep_running = true;
    server_run(&server, 400);
    assert_true(cn_world_settings(world->engine)->gravity.y == -2.0);
    server_finish(&server);
}

/* A world has one logic; a second is refused, or takes its place. */
static void
test_one_logic(void **state)
{
    (void)state;
    struct server server;
    struct seen first, second;
    server_init(&server);
    int ann = logic_enter(&server, CAIRN__V1__HELLO__ROLE__PLAYER);
    server_run(&server, 10);
    logic_start(&server, ann, &barrier);
    server_run(&server, 10);
    assert_string_equal(see(&server, ann, (struct seen){0}).code, "RIGHTS");
    int one = enter_logic(&server, &barrier, &first);
    int two = enter_logic(&server, &barrier, &second);
    assert_string_equal(second.code, "CONFLICT");
    assert_int_equal(second.ticks, 0);
    assert_int_equal(server.metrics.logics, 1);
    logic_say(&server, ann, 1, 0, "kept");
    server_run(&server, 20);
    struct wire_logic_start take = barrier;
    take.take = true;
    logic_start(&server, two, &take);
    server_run(&server, 5);
    first = see(&server, one, first);
    second = see(&server, two, second);
    assert_string_equal(first.code, "CONFLICT");
    assert_int_equal(first.rejected_request, 0);
    assert_true(second.first_count == 1 && second.people == 2);
    assert_string_equal(second.text, "kept"); /* the other had not answered it */
    assert_int_equal(server.metrics.logics, 1);
    /* the world keeps news without a client, until STOP */
    sv_sim_disconnect(&server.transport, two);
    server_run(&server, 20);
    assert_int_equal(server.metrics.logics, 0);
    logic_say(&server, ann, 2, 0, "more");
    server_run(&server, 40);
    assert_int_equal(see(&server, ann, (struct seen){0}).done_request, 2);
    assert_int_equal(world_of(&server)->logic->said_count, 2);
    struct wire_logic_start stop = {.request = 9, .mode = WIRE_LOGIC_STOP};
    logic_start(&server, one, &stop);
    server_run(&server, 10);
    assert_int_equal(see(&server, one, first).done_request, 9);
    assert_null(world_of(&server)->logic);
    server_finish(&server);
}

/* Messages beyond the bound are refused before they are acknowledged. */
static void
test_full(void **state)
{
    (void)state;
    struct server server;
    struct seen l;
    server_init(&server);
    int logic = enter_logic(&server, &barrier, &l);
    int ann = logic_enter(&server, CAIRN__V1__HELLO__ROLE__OPERATOR);
    server_run(&server, 10);
    sv_sim_disconnect(&server.transport, logic);
    struct seen a = {0};
    int sent = 0;
    while (strcmp(a.code, "BUSY") != 0) {
        assert_in_range(sent, 0, SV_LOGIC_SAID_MAX);
        logic_say(&server, ann, 1, 0, "x");
        server_run(&server, 60); /* by the rate */
        a = see(&server, ann, a);
        sent++;
    }
    assert_int_equal(a.done, SV_LOGIC_SAID_MAX);
    assert_int_equal(world_of(&server)->logic->said_count, SV_LOGIC_SAID_MAX);
    logic = enter_logic(&server, &barrier, &l);
    assert_true(l.messages >= SV_LOGIC_TICK_MESSAGES_MAX && l.messages < SV_LOGIC_SAID_MAX);
    assert_int_equal(l.messages % SV_LOGIC_TICK_MESSAGES_MAX, 0); /* the first ones are full */
    l = run_answering(&server, logic, 1500, l);
    assert_int_equal(l.messages, SV_LOGIC_SAID_MAX);
    assert_int_equal(world_of(&server)->logic->said_count, 0);
    server_finish(&server);
}

/* A paused world tells news at once, and no tick is lost. */
static void
test_paused(void **state)
{
    (void)state;
    struct server server;
    struct seen l;
    server_init(&server);
    int logic = enter_logic(&server, &barrier, &l);
    int ann = logic_enter(&server, CAIRN__V1__HELLO__ROLE__OPERATOR);
    l = run_answering(&server, logic, 50, l);
    server_take_control(&server, ann, CAIRN__V1__CONTROL__ACTION_PAUSE);
    l = run_answering(&server, logic, 100, l);
    uint64_t tick = cn_world_tick(world_of(&server)->engine), number = l.number;
    l = run_answering(&server, logic, 100, l);
    assert_int_equal(l.number, number); /* nothing new */
    logic_say(&server, ann, 1, 0, "resting");
    l = run_answering(&server, logic, 10, l);
    assert_true(l.number == number + 1 && l.tick == tick);
    assert_string_equal(l.text, "resting");
    server_finish(&server);
}

/* Every third tick, with the events of all ticks, and with frames. */
static void
test_events(void **state)
{
    (void)state;
    struct server server;
    struct seen l;
    static const char text[] =
        "name: pair\n"
        "world: {solver: impulse, stepper: time}\n"
        "bodies:\n"
        "  - {name: floor, type: STATIC, position: {y: -0.5},\n"
        "     shapes: [{box: {size: {x: 40, y: 1, z: 1}}}]}\n"
        "  - {name: ball, mass: 1, position: {y: 0.7}, shapes: [\n"
        "      {circle: {radius: 0.5}, contactEvents: true}]}\n";
    server_init_with(&server, text);
    struct wire_logic_start start = barrier;
    start.every = 3;
    start.events = start.frames = true;
    int logic = enter_logic(&server, &start, &l);
    l = run_answering(&server, logic, 600, l);
    assert_true(l.events >= 1 && l.dropped == 0);
    assert_true(l.tick % 3 == 0 && l.snapshots > 20);
    assert_true(l.ticks > 600 / 50 - 3 && l.ticks < 600 / 50 + 3);
    server_finish(&server);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_first_tick),
        cmocka_unit_test(test_effects),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_ahead),
        cmocka_unit_test(test_one_logic),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_paused),
        cmocka_unit_test(test_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
