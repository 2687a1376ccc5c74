/*
 * test_body_commands.c: commands to bodies of a hosted world act as a whole or not at all, on the
 * slots that are meant, and for instructors only.
 */
#include "clients/base/follower.h"
#include "server/world/data/world.h"

#include <cairn/v1/wire.pb-c.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* cmocka wants the four of them. */
#include <cmocka.h>

#include "tests/support/server/server_sim.h" /* which wants cmocka */

static const char scene_text[] =
    "name: commands\n"
    "world: {stepper: time, solver: impulse}\n"
    "bodies:\n"
    "- {type: STATIC, position: {y: -0.5}, shapes: [{box: {size: {x: 30, y: 1}}}]}\n"
    "- {position: {y: 0.25}, mass: 1, shapes: [{box: {size: {x: 0.5, y: 0.5}}}]}\n"
    "- {position: {x: 1, y: 0.25}, mass: 1, shapes: [{box: {size: {x: 0.5, y: 0.5}}}]}\n";

static struct server_sim sim;

/* The answer to the last Control. */
static bool is_done;
static char refused[WIRE_CODE_SIZE], refused_path[CN_DEFECT_PATH_SIZE];

static struct sv_world *
world_of_sim(void)
{
    return sim.host.worlds[0]->mailbox.world;
}

static void
say(int connection, const struct wire_client_message *message)
{
    uint8_t bytes[1024];
    size_t size = wire_client_encode(message, bytes, sizeof(bytes));
    assert_in_range(size, 1, sizeof(bytes));
    sv_sim_send(&sim.transport, connection, bytes, size);
}

static void
run(int connection, int duration_ms)
{
    for (int i = 0; i < duration_ms; i++) {
        struct sv_sim_message message;
        server_sim_step(&sim);
        while (sv_sim_take(&sim.transport, connection, &message)) {
            struct wire_server_message heard;
            struct wire_error error;
            assert_true(wire_server_decode(message.bytes, message.size, &heard, &error));
            if (heard.kind == WIRE_SERVER_REJECTED) {
                memcpy(refused, heard.rejected.error.code, sizeof(refused));
                memcpy(refused_path, heard.rejected.error.path, sizeof(refused_path));
            }
            is_done = is_done || heard.kind == WIRE_SERVER_DONE;
            wire_server_message_finish(&heard);
            free(message.bytes);
        }
    }
}

static int
come(uint32_t role)
{
    struct wire_client_message hello = {.kind = WIRE_CLIENT_HELLO};
    struct wire_client_message join = {.kind = WIRE_CLIENT_JOIN, .join_world = "commands"};
    int connection = sv_sim_connect(&sim.transport);
    hello.hello.version = WIRE_VERSION;
    hello.hello.role = role;
    say(connection, &hello);
    say(connection, &join);
    run(connection, 100);
    return connection;
}

/* Sends both commands and waits for the answer. */
static void
order(int connection, uint32_t generation, Cairn__V1__BodyCommand *first,
    Cairn__V1__BodyCommand *second)
{
    uint8_t bytes[1024];
    Cairn__V1__BodyCommands bodies = CAIRN__V1__BODY_COMMANDS__INIT;
    Cairn__V1__Control control = CAIRN__V1__CONTROL__INIT;
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    bodies.generation = generation;
    bodies.commands = (Cairn__V1__BodyCommand *[]){first, second};
    bodies.n_commands = 2;
    control.request = 1;
    control.action_case = CAIRN__V1__CONTROL__ACTION_BODIES;
    control.bodies = &bodies;
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_CONTROL;
    message.control = &control;
    size_t size = cairn__v1__client_message__pack(&message, bytes);
    assert_in_range(size, 1, sizeof(bytes));
    is_done = false;
    refused[0] = refused_path[0] = '\0';
    sv_sim_send(&sim.transport, connection, bytes, size);
    run(connection, 100);
}

static struct cn_body_view
view_of(int body)
{
    struct cn_body_view view;
    cn_world_body_state(world_of_sim()->engine, body, &view);
    return view;
}

static void
assert_refused(const char *code, const char *path)
{
    assert_false(is_done);
    assert_string_equal(refused, code);
    assert_string_equal(refused_path, path);
    assert_int_equal(view_of(1).type, CN_DYNAMIC);
    assert_true(view_of(1).position.y < 3.0);
}

static void
test_all_or_none(void **state)
{
    (void)state;
    Cairn__V1__Vec3 at = CAIRN__V1__VEC3__INIT, far = CAIRN__V1__VEC3__INIT;
    Cairn__V1__BodyCommand__Place there = CAIRN__V1__BODY_COMMAND__PLACE__INIT, beyond = there;
    Cairn__V1__BodyCommand first = CAIRN__V1__BODY_COMMAND__INIT, second, type = first;
    at.x = -2.0;
    at.y = 7.0;
    far.y = 2e9;
    there.position = &at;
    beyond.position = &far;
    first.body = type.body = 1;
    first.action_case = CAIRN__V1__BODY_COMMAND__ACTION_PLACE;
    first.place = &there;
    second = first;
    type.action_case = CAIRN__V1__BODY_COMMAND__ACTION_TYPE;
    type.type = CAIRN__V1__BODY__TYPE__STATIC;
    server_sim_init(&sim, scene_text);
    int connection = come(0);
    second.body = 0; /* the floor is static */
    order(connection, 0, &first, &second);
    assert_refused("REFERENCE", "bodies.commands[1].body");
    second.body = 2;
    second.place = &beyond;
    order(connection, 0, &first, &second);
    assert_refused("RANGE", "bodies.commands[1].place.position");
    second.place = &there;
    order(connection, world_of_sim()->generation + 1, &first, &second);
    assert_refused("STALE", "bodies.generation");
    order(connection, 0, &type, &first); /* a static body can not be placed */
    assert_refused("REFERENCE", "bodies.commands[1].body");
    int player = come(1);
    order(player, 0, &first, &type);
    assert_refused("RIGHTS", "");

    order(connection, world_of_sim()->generation, &first, &type);
    assert_true(is_done);
    assert_string_equal(refused, "");
    assert_int_equal(view_of(1).type, CN_STATIC);
    assert_true(view_of(1).position.x == -2.0 && view_of(1).position.y == 7.0);
    struct cn_body_place shown;
    cn_world_body_places(world_of_sim()->engine, 1, 1, &shown);
    assert_false(shown.is_static); /* clients do not know its place from the scene */
    sv_sim_disconnect(&sim.transport, connection);
    sv_sim_disconnect(&sim.transport, player);
    server_sim_finish(&sim);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
