/*
 * fuzz_codec.c: no message from a client crashes the codec, and what it takes is usable.
 *
 * The first byte chooses.  Even: the rest are bytes as a socket would bring them.  Odd: the rest
 * fill the fields of a valid input, so that what lies behind the first checks is reached every
 * time; the codec must agree with the fields about whether it is acceptable.
 */
#include "engine/base/assert.h"
#include "proto/codec.h"

#include <cairn/v1/wire.pb-c.h>
#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_vec3(cn_vec3 vector)
{
    CN_ASSERT(cn_vec3_is_finite(vector));
}

/* What was taken has finite numbers, known kinds and texts that end. */
static void
check_accepted(const struct wire_client_message *message)
{
    CN_ASSERT(message->kind != WIRE_CLIENT_NONE);
    if (message->kind == WIRE_CLIENT_HELLO) {
        CN_ASSERT(memchr(message->hello.name, 0, sizeof(message->hello.name)) != NULL);
        CN_ASSERT(memchr(message->hello.client, 0, sizeof(message->hello.client)) != NULL);
    } else if (message->kind == WIRE_CLIENT_INPUT) {
        const struct cn_command *command = &message->input.command;
        if (command->kind == CN_COMMAND_HOLD_DRAG) {
            check_vec3(command->hold_drag.point);
            check_vec3(command->hold_drag.target);
            CN_ASSERT(isfinite(command->hold_drag.stiffness));
            CN_ASSERT(command->hold_drag.body >= 0);
        } else if (command->kind == CN_COMMAND_HOLD_FORCE) {
            check_vec3(command->hold_force.point);
            check_vec3(command->hold_force.force);
            CN_ASSERT(command->hold_force.body >= 0);
        }
    } else if (message->kind == WIRE_CLIENT_CONTROL) {
        CN_ASSERT(message->control.kind <= WIRE_CONTROL_LIST);
    }
}

static void
decode(const uint8_t *bytes, size_t size)
{
    struct wire_client_message message;
    struct wire_error error;
    if (wire_client_decode(bytes, size, &message, &error) == WIRE_DECODE_OK) {
        check_accepted(&message);
        wire_client_message_finish(&message);
    } else {
        CN_ASSERT(error.code[0] != '\0' && error.text[0] != '\0');
    }
}

/* The next number of the input; zeros after its end. */
static double
take_double(const uint8_t **data, size_t *size)
{
    double value = 0.0;
    size_t taken = *size < sizeof(value) ? *size : sizeof(value);
    memcpy(&value, *data, taken);
    *data += taken;
    *size -= taken;
    return value;
}

static void
decode_drag(const uint8_t *data, size_t size)
{
    uint8_t bytes[256];
    Cairn__V1__Vec3 point = CAIRN__V1__VEC3__INIT, target = CAIRN__V1__VEC3__INIT;
    Cairn__V1__Input__Drag drag = CAIRN__V1__INPUT__DRAG__INIT;
    double *numbers[] = {&point.x, &point.y, &point.z, &target.x, &target.y, &target.z,
        &drag.stiffness, &drag.damping};
    bool is_finite = true;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        *numbers[i] = take_double(&data, &size);
        is_finite = is_finite && isfinite(*numbers[i]);
    }
    drag.body = size > 0 ? data[0] : 0;
    drag.point = &point;
    drag.target = &target;
    Cairn__V1__Input input = CAIRN__V1__INPUT__INIT;
    input.seq = 1;
    input.action_case = CAIRN__V1__INPUT__ACTION_DRAG;
    input.drag = &drag;
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_INPUT;
    message.input = &input;
    struct wire_client_message out;
    struct wire_error error;
    size_t packed = cairn__v1__client_message__pack(&message, bytes);
    enum wire_decode_result result = wire_client_decode(bytes, packed, &out, &error);
    CN_ASSERT(result == (is_finite ? WIRE_DECODE_OK : WIRE_DECODE_REFUSED));
    CN_ASSERT(out.kind == WIRE_CLIENT_INPUT && out.input.seq == 1);
    if (is_finite) {
        check_accepted(&out);
        /* By value: protobuf-c leaves a -0.0 out as it does a 0.0. */
        CN_ASSERT(out.input.command.hold_drag.target.x == target.x);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return -1;
    }
    if (data[0] % 2 == 0) {
        decode(data + 1, size - 1);
    } else {
        decode_drag(data + 1, size - 1);
    }
    return 0;
}
