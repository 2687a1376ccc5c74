/*
 * test_logic_attributes.c: a logic sets attributes and is sent them, and commands bodies; in a
 * daemon in memory.
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

static const struct wire_logic_start barrier = {
    .request = 3, .mode = WIRE_LOGIC_BARRIER, .every = 1, .deadline_us = 4000};

static struct sv_world *
world_of(struct server *server)
{
    return server->worker.worlds[0];
}

static struct wire_effect
effect(enum cn_owner_kind kind, uint64_t id, const char *name, struct cn_value value)
{
    struct wire_effect out = {.kind = WIRE_EFFECT_ATTRIBUTE};
    out.attribute.owner = (struct cn_owner){kind, id};
    snprintf(out.attribute.name, sizeof(out.attribute.name), "%s", name);
    out.attribute.value = value;
    return out;
}

static void
answer(struct server *server, int logic, uint64_t number, uint32_t generation,
    struct wire_effect *effects, int count)
{
    static uint8_t bytes[1 << 16];
    const struct wire_logic_done done = {
        .number = number, .generation = generation, .effects = effects, .effect_count = count};
    size_t size = wire_encode_logic_done(&done, bytes, sizeof(bytes));
    assert_in_range(size, 1, sizeof(bytes));
    sv_sim_send(&server->transport, logic, bytes, size);
}

static int
enter_logic(struct server *server, struct seen *seen)
{
    int connection = logic_enter(server, CAIRN__V1__HELLO__ROLE__LOGIC);
    server_run(server, 3);
    logic_start(server, connection, &barrier);
    server_run(server, 3);
    *seen = see(server, connection, (struct seen){0});
    return connection;
}

static const struct cn_value *
value_of(struct server *server, enum cn_owner_kind kind, uint64_t id, const char *name)
{
    const struct cn_owner owner = {kind, id};
    const struct cn_attribute *attribute =
        cn_world_attribute(world_of(server)->engine, owner, name);
    return attribute != NULL ? &attribute->value : NULL;
}

/* A logic sets attributes; the next LogicTick shows them; a second logic begins with all. */
static void
test_sets(void **state)
{
    (void)state;
    struct server server;
    struct seen l;
    server_init(&server);
    int ann = logic_enter(&server, CAIRN__V1__HELLO__ROLE__PLAYER);
    server_run(&server, 20);
    struct seen a = see(&server, ann, (struct seen){0});
    int logic = enter_logic(&server, &l);
    assert_int_equal(l.attributes, 0);
    struct wire_effect effects[3] = {
        effect(CN_OWNER_WORLD, 0, "score", cn_value_integer(3)),
        effect(CN_OWNER_BODY, 1, "owner", cn_value_text("ann")),
        effect(CN_OWNER_SESSION, a.session, "lives", cn_value_number(2.5)),
    };
    answer(&server, logic, l.number, l.generation, effects, 3);
    server_run(&server, TICK_MS + 5);
    l = see(&server, logic, l);
    assert_int_equal(l.refused, 0);
    assert_int_equal(l.attributes, 3);
    assert_string_equal(l.attribute, "lives");
    assert_int_equal(value_of(&server, CN_OWNER_WORLD, 0, "score")->integer, 3);
    assert_non_null(value_of(&server, CN_OWNER_BODY, 1, "owner"));
    effects[0].attribute.value = cn_value_integer(4);
    effects[1].attribute.value.kind = CN_VALUE_NONE;
    answer(&server, logic, l.answered + 1, 0, effects, 2);
    server_run(&server, TICK_MS + 5);
    l = see(&server, logic, l);
    assert_int_equal(l.attributes, 5);
    assert_string_equal(l.attribute, "owner"); /* it is gone */
    assert_int_equal(l.gone, 1);
    assert_null(value_of(&server, CN_OWNER_BODY, 1, "owner"));
    /* nothing has changed, so the LogicTicks have no attributes */
    for (int i = 0; i < 3; i++) {
        answer(&server, logic, l.answered + 1 + (uint64_t)i, 0, NULL, 0);
    }
    server_run(&server, 3 * TICK_MS);
    l = see(&server, logic, l);
    assert_int_equal(l.attributes, 5);
    sv_sim_disconnect(&server.transport, logic);
    server_run(&server, 400);
    enter_logic(&server, &l);
    assert_int_equal(l.first_count, 1);
    assert_int_equal(l.attributes, 2);
    server_finish(&server);
}

/* Refused are owners that are not there, and slots of another generation. */
static void
test_refusals(void **state)
{
    (void)state;
    struct server server;
    struct seen l;
    server_init(&server);
    int logic = enter_logic(&server, &l);
    struct wire_effect effects[3] = {
        effect(CN_OWNER_SESSION, 77, "lives", cn_value_integer(3)),
        effect(CN_OWNER_BODY, 1, "owner", cn_value_text("ann")),
        effect(CN_OWNER_WORLD, 0, "score", cn_value_integer(1)),
    };
    answer(&server, logic, l.number, l.generation, effects, 1);
    server_run(&server, TICK_MS + 5);
    l = see(&server, logic, l);
    assert_int_equal(l.refused, 1);
    assert_string_equal(l.path, "0 attribute.session");
    assert_string_equal(l.code, "REFERENCE");
    effects[0].attribute.owner = (struct cn_owner){CN_OWNER_BODY, 99};
    answer(&server, logic, l.answered + 1, 0, effects, 1);
    server_run(&server, TICK_MS + 5);
    l = see(&server, logic, l);
    assert_int_equal(l.refused, 2);
    assert_string_equal(l.path, "0 attribute.body");
    /* the world's own attributes have no slots: they are set */
    answer(&server, logic, l.answered + 1, l.generation + 1, effects + 1, 2);
    server_run(&server, TICK_MS + 5);
    l = see(&server, logic, l);
    assert_int_equal(l.refused, 3);
    assert_string_equal(l.path, "0 generation");
    assert_string_equal(l.code, "STALE");
    assert_null(value_of(&server, CN_OWNER_BODY, 1, "owner"));
    assert_int_equal(value_of(&server, CN_OWNER_WORLD, 0, "score")->integer, 1);
    server_finish(&server);
}

/* Attributes of the world, as if an instructor had set them. */
static void
fill_world(struct server *server, uint64_t session, int count)
{
    for (int i = 0; i < count; i++) {
        struct cn_command command = {.kind = CN_COMMAND_SET_ATTRIBUTE};
        command.set_attribute.attribute = effect(CN_OWNER_SESSION,
            session + (uint64_t)(i / CN_ATTRIBUTES_PER_OWNER_MAX), "a", cn_value_integer(i))
                                              .attribute;
        snprintf(command.set_attribute.attribute.name, CN_ATTRIBUTE_NAME_SIZE, "a%d",
            i % CN_ATTRIBUTES_PER_OWNER_MAX);
        assert_int_equal(cn_world_command_apply(world_of(server)->engine, &command, NULL), CN_OK);
    }
}

/* In a paused world many attributes come in several LogicTicks; a logic's own cause none. */
static void
test_rest(void **state)
{
    (void)state;
    struct server server;
    struct seen l;
    server_init(&server);
    int count = 2 * SV_LOGIC_TICK_ATTRIBUTES_MAX + 5;
    int boss = server_enter(&server, (char[]){"boss"});
    server_run(&server, 20);
    server_take_control(&server, boss, CAIRN__V1__CONTROL__ACTION_PAUSE);
    server_run(&server, 20);
    fill_world(&server, 1000, count);
    int logic = enter_logic(&server, &l);
    assert_int_equal(l.attributes, SV_LOGIC_TICK_ATTRIBUTES_MAX);
    for (uint64_t number = 1; number <= 3; number++) {
        answer(&server, logic, number, 0, NULL, 0); /* and the next one comes */
        server_run(&server, TICK_MS);
    }
    l = see(&server, logic, l);
    assert_int_equal(l.ticks, 3);
    assert_int_equal(l.attributes, count);
    assert_int_equal(l.gone, 0);
    struct wire_effect effects[1] = {effect(CN_OWNER_WORLD, 0, "n", cn_value_integer(1))};
    int ann = logic_enter(&server, CAIRN__V1__HELLO__ROLE__PLAYER);
    server_run(&server, TICK_MS);
    l = see(&server, logic, l);
    assert_int_equal(l.ticks, 4);
    answer(&server, logic, 4, 0, effects, 1);
    server_run(&server, 20 * TICK_MS);
    l = see(&server, logic, l);
    assert_int_equal(l.ticks, 4); /* its own change wakes nobody */
    assert_int_equal(value_of(&server, CN_OWNER_WORLD, 0, "n")->integer, 1);
    logic_say(&server, ann, 1, 0, "go");
    server_run(&server, TICK_MS);
    l = see(&server, logic, l);
    assert_int_equal(l.ticks, 5);
    assert_int_equal(l.attributes, count + 1); /* with its own */
    server_finish(&server);
}

/* Commands to bodies; those for slots of another generation are refused. */
static void
test_bodies(void **state)
{
    (void)state;
    struct server server;
    struct seen l;
    Cairn__V1__Effect effects[2], *pointers[2] = {&effects[0], &effects[1]};
    Cairn__V1__BodyCommand commands[2];
    Cairn__V1__BodyCommand__Velocity velocity = CAIRN__V1__BODY_COMMAND__VELOCITY__INIT;
    Cairn__V1__Vec3 up = CAIRN__V1__VEC3__INIT;
    server_init(&server);
    int logic = enter_logic(&server, &l);
    up.y = 3.0;
    velocity.velocity = &up;
    for (int i = 0; i < 2; i++) {
        cairn__v1__effect__init(&effects[i]);
        cairn__v1__body_command__init(&commands[i]);
        commands[i].body = i == 0 ? 1 : 77; /* the second does not exist */
        commands[i].action_case = CAIRN__V1__BODY_COMMAND__ACTION_VELOCITY;
        commands[i].velocity = &velocity;
        effects[i].effect_case = CAIRN__V1__EFFECT__EFFECT_BODY;
        effects[i].body = &commands[i];
    }
    Cairn__V1__LogicDone done = CAIRN__V1__LOGIC_DONE__INIT;
    done.number = l.number;
    done.generation = l.generation;
    done.n_effects = 2;
    done.effects = pointers;
    logic_answer(&server, logic, &done);
    server_run(&server, TICK_MS);
    struct cn_body_view view;
    cn_world_body_view(world_of(&server)->engine, 1, &view);
    assert_true(view.velocity.y > 2.0 && view.velocity.y < 3.0);
    l = see(&server, logic, l);
    assert_int_equal(l.refused, 1);
    assert_string_equal(l.path, "1 body.body");
    assert_string_equal(l.code, "REFERENCE");
    done.number++;
    done.generation++;
    logic_answer(&server, logic, &done);
    server_run(&server, TICK_MS);
    l = see(&server, logic, l);
    assert_int_equal(l.refused, 3);
    assert_string_equal(l.path, "1 generation");
    assert_string_equal(l.code, "STALE");
    server_finish(&server);
}

/* A push changes the velocity by impulse / mass; what cannot move is refused. */
static void
test_push(void **state)
{
    (void)state;
    struct server server;
    struct seen l;
    struct cn_body_view view;
    Cairn__V1__Effect effects[3], *pointers[3] = {&effects[0], &effects[1], &effects[2]};
    Cairn__V1__Effect__Push pushes[3];
    Cairn__V1__Vec3 impulse = CAIRN__V1__VEC3__INIT;
    static const uint32_t bodies[3] = {1, 77, 0}; /* a block, none, a kinematic floor */
    server_init(&server);
    int logic = enter_logic(&server, &l);
    struct cn_world *engine = world_of(&server)->engine;
    const struct cn_command fix = {
        .kind = CN_COMMAND_SET_BODY_TYPE, .set_body_type = {0, CN_KINEMATIC}};
    assert_int_equal(cn_world_command_apply(engine, &fix, NULL), CN_OK);
    cn_world_body_state(engine, 1, &view);
    impulse.x = 2.0 * view.mass;
    for (int i = 0; i < 3; i++) {
        cairn__v1__effect__init(&effects[i]);
        cairn__v1__effect__push__init(&pushes[i]);
        pushes[i].body = bodies[i];
        pushes[i].impulse = &impulse;
        effects[i].effect_case = CAIRN__V1__EFFECT__EFFECT_PUSH;
        effects[i].push = &pushes[i];
    }
    Cairn__V1__LogicDone done = CAIRN__V1__LOGIC_DONE__INIT;
    done.number = l.number;
    done.n_effects = 3;
    done.effects = pointers;
    uint64_t tick = cn_world_tick(engine);
    logic_answer(&server, logic, &done);
    while (world_of(&server)->logic->acted == 0) {
        server_run(&server, 1);
    }
    cn_world_body_state(engine, 1, &view);
    assert_true(tick == cn_world_tick(engine) && view.velocity.x == 2.0);
    server_run(&server, TICK_MS);
    l = see(&server, logic, l);
    assert_int_equal(l.refused, 2);
    assert_string_equal(l.path, "2 push.body");
    assert_string_equal(l.code, "REFERENCE");
    server_finish(&server);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_push),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
