/*
 * test_body_commands.c: Control.bodies as the engine's commands, and what is refused.
 */
#include "proto/codec.h"
#include "proto/limits.h"

#include <cairn/v1/wire.pb-c.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>

#include <cmocka.h>

#define REQUEST 5
#define BYTES_MAX ((size_t)64 * 1024)

/* For numbers that were carried and not computed. */
#define assert_exactly(actual, expected) assert_true((actual) == (expected))

static size_t
pack(Cairn__V1__BodyCommand **commands, size_t count, uint8_t bytes[BYTES_MAX])
{
    Cairn__V1__BodyCommands bodies = CAIRN__V1__BODY_COMMANDS__INIT;
    Cairn__V1__Control control = CAIRN__V1__CONTROL__INIT;
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    bodies.generation = 7;
    bodies.commands = commands;
    bodies.n_commands = count;
    control.request = REQUEST;
    control.action_case = CAIRN__V1__CONTROL__ACTION_BODIES;
    control.bodies = &bodies;
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_CONTROL;
    message.control = &control;
    size_t size = cairn__v1__client_message__get_packed_size(&message);
    assert_in_range(size, 1, BYTES_MAX);
    assert_int_equal(cairn__v1__client_message__pack(&message, bytes), size);
    return size;
}

/* The command that one message becomes. */
static struct cn_command
read_one(Cairn__V1__BodyCommand *command)
{
    static uint8_t bytes[BYTES_MAX];
    struct wire_client_message out;
    struct wire_error error;
    size_t size = pack(&command, 1, bytes);
    assert_int_equal(wire_client_decode(bytes, size, &out, &error), WIRE_DECODE_OK);
    assert_int_equal(out.kind, WIRE_CLIENT_CONTROL);
    assert_int_equal(out.control.kind, WIRE_CONTROL_BODIES);
    assert_int_equal(out.control.request, REQUEST);
    assert_int_equal(out.control.bodies.generation, 7);
    assert_int_equal(out.control.bodies.count, 1);
    struct cn_command read = out.control.bodies.command[0];
    wire_client_message_finish(&out);
    return read;
}

static void
refuse(Cairn__V1__BodyCommand **commands, size_t count, const char *code, const char *path)
{
    static uint8_t bytes[BYTES_MAX];
    struct wire_client_message out;
    struct wire_error error;
    size_t size = pack(commands, count, bytes);
    assert_int_equal(wire_client_decode(bytes, size, &out, &error), WIRE_DECODE_REFUSED);
    assert_string_equal(error.code, code);
    assert_string_equal(error.path, path);
    assert_int_equal(out.control.request, REQUEST);
}

static void
test_place(void **state)
{
    (void)state;
    Cairn__V1__Vec3 vec[3] = {
        CAIRN__V1__VEC3__INIT, CAIRN__V1__VEC3__INIT, CAIRN__V1__VEC3__INIT};
    Cairn__V1__Quat turn = CAIRN__V1__QUAT__INIT;
    Cairn__V1__BodyCommand__Place place = CAIRN__V1__BODY_COMMAND__PLACE__INIT;
    Cairn__V1__BodyCommand message = CAIRN__V1__BODY_COMMAND__INIT;
    message.body = 3;
    message.action_case = CAIRN__V1__BODY_COMMAND__ACTION_PLACE;
    message.place = &place;
    struct cn_command command = read_one(&message);
    assert_int_equal(command.kind, CN_COMMAND_PLACE_BODY);
    assert_int_equal(command.place_body.body, 3);
    assert_exactly(command.place_body.orientation.w, 1.0); /* absent: upright */
    assert_exactly(command.place_body.position.x, 0.0);
    vec[0].x = 1.5;
    vec[1].y = -2.0;
    vec[2].z = 3.0;
    turn.y = 1.0;
    place.position = &vec[0];
    place.velocity = &vec[1];
    place.angular_velocity = &vec[2];
    place.angle = 0.25;
    place.orientation = &turn;
    command = read_one(&message);
    assert_exactly(command.place_body.position.x, 1.5);
    assert_exactly(command.place_body.velocity.y, -2.0);
    assert_exactly(command.place_body.angular_velocity.z, 3.0);
    assert_exactly(command.place_body.angle, 0.25);
    assert_exactly(command.place_body.orientation.w, 0.0);
    assert_exactly(command.place_body.orientation.y, 1.0);
    place.angle = (double)NAN;
    refuse((Cairn__V1__BodyCommand *[]){&message}, 1, "FINITE",
        "control.bodies.commands[0].place.angle");
}

static void
test_others(void **state)
{
    (void)state;
    Cairn__V1__Vec3 vec[2] = {CAIRN__V1__VEC3__INIT, CAIRN__V1__VEC3__INIT};
    Cairn__V1__BodyCommand__Velocity velocity = CAIRN__V1__BODY_COMMAND__VELOCITY__INIT;
    Cairn__V1__BodyCommand__SetFilter filter = CAIRN__V1__BODY_COMMAND__SET_FILTER__INIT;
    Cairn__V1__Filter mask = CAIRN__V1__FILTER__INIT;
    Cairn__V1__BodyCommand message = CAIRN__V1__BODY_COMMAND__INIT;
    vec[0].x = 4.0;
    vec[1].z = -1.0;
    velocity.velocity = &vec[0];
    velocity.angular_velocity = &vec[1];
    message.body = 2;
    message.action_case = CAIRN__V1__BODY_COMMAND__ACTION_VELOCITY;
    message.velocity = &velocity;
    struct cn_command command = read_one(&message);
    assert_int_equal(command.kind, CN_COMMAND_SET_VELOCITY);
    assert_int_equal(command.set_velocity.body, 2);
    assert_exactly(command.set_velocity.velocity.x, 4.0);
    assert_exactly(command.set_velocity.angular_velocity.z, -1.0);

    message.action_case = CAIRN__V1__BODY_COMMAND__ACTION_TYPE;
    message.type = CAIRN__V1__BODY__TYPE__KINEMATIC;
    command = read_one(&message);
    assert_int_equal(command.kind, CN_COMMAND_SET_BODY_TYPE);
    assert_int_equal(command.set_body_type.type, CN_KINEMATIC);

    message.action_case = CAIRN__V1__BODY_COMMAND__ACTION_ASLEEP;
    message.asleep = true;
    command = read_one(&message);
    assert_int_equal(command.kind, CN_COMMAND_SLEEP_BODY);
    assert_true(command.sleep_body.asleep);

    Cairn__V1__BodyCommand__Move move = CAIRN__V1__BODY_COMMAND__MOVE__INIT;
    move.position = &vec[0];
    move.ticks = 90;
    message.action_case = CAIRN__V1__BODY_COMMAND__ACTION_MOVE;
    message.move = &move;
    command = read_one(&message);
    assert_int_equal(command.kind, CN_COMMAND_MOVE_BODY);
    assert_exactly(command.move_body.position.x, 4.0);
    assert_exactly(command.move_body.orientation.w, 1.0);
    assert_int_equal(command.move_body.ticks, 90);

    message.action_case = CAIRN__V1__BODY_COMMAND__ACTION_FILTER;
    message.filter = &filter;
    command = read_one(&message);
    assert_int_equal(command.kind, CN_COMMAND_SET_FILTER);
    assert_int_equal(command.set_filter.shape, -1);
    assert_int_equal(command.set_filter.filter.category, 1);
    assert_true(command.set_filter.filter.mask == UINT64_MAX);
    filter.shape_set_case = CAIRN__V1__BODY_COMMAND__SET_FILTER__SHAPE_SET_SHAPE;
    filter.shape = 1;
    mask.mask_set_case = CAIRN__V1__FILTER__MASK_SET_MASK;
    mask.mask = 6;
    mask.collision_group = -2;
    filter.filter = &mask;
    command = read_one(&message);
    assert_int_equal(command.set_filter.shape, 1);
    assert_int_equal(command.set_filter.filter.mask, 6);
    assert_int_equal(command.set_filter.filter.group, -2);
}

static void
test_refusals(void **state)
{
    (void)state;
    static Cairn__V1__BodyCommand *many[WIRE_BODY_COMMANDS_MAX + 1];
    Cairn__V1__BodyCommand good = CAIRN__V1__BODY_COMMAND__INIT;
    Cairn__V1__BodyCommand idle = CAIRN__V1__BODY_COMMAND__INIT;
    Cairn__V1__BodyCommand far = CAIRN__V1__BODY_COMMAND__INIT;
    good.action_case = far.action_case = CAIRN__V1__BODY_COMMAND__ACTION_ASLEEP;
    far.body = UINT32_MAX;
    refuse(many, 0, "LIMIT", "bodies.commands");
    for (int i = 0; i <= WIRE_BODY_COMMANDS_MAX; i++) {
        many[i] = &good;
    }
    refuse(many, WIRE_BODY_COMMANDS_MAX + 1, "LIMIT", "bodies.commands");
    many[1] = &idle;
    refuse(many, 3, "FIELD", "bodies.commands[1]");
    many[1] = &far;
    refuse(many, 3, "REFERENCE", "bodies.commands[1].body");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
