/*
 * test_codec_refusals.c: Forks, Seeks and caps that can not be meant: code and path of the refusal.
 */
#include "proto/codec.h"

#include <cairn/v1/wire.pb-c.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>

#include <cmocka.h>

/* A refused Fork, Seek or Lease; the refusal has its request number. */
static void
refuse(const Cairn__V1__ClientMessage *message, uint32_t request, const char *code,
    const char *path)
{
    uint8_t bytes[256];
    struct wire_client_message out;
    struct wire_error error;
    size_t size = cairn__v1__client_message__pack(message, bytes);
    assert_in_range(size, 1, sizeof(bytes));
    assert_int_equal(wire_client_decode(bytes, size, &out, &error), WIRE_DECODE_REFUSED);
    assert_string_equal(error.code, code);
    assert_string_equal(error.path, path);
    switch (out.kind) {
    case WIRE_CLIENT_FORK:
        assert_int_equal(out.fork.request, request);
        break;
    case WIRE_CLIENT_SEEK:
        assert_int_equal(out.seek.request, request);
        break;
    default:
        assert_int_equal(out.kind, WIRE_CLIENT_LEASE);
        assert_int_equal(out.lease.request, request);
    }
}

static void
test_forks(void **state)
{
    (void)state;
    Cairn__V1__Fork fork = CAIRN__V1__FORK__INIT;
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_FORK;
    message.fork = &fork;
    refuse(&message, 0, "FIELD", "fork.request");
    fork.request = 4;
    fork.each = fork.replay = true;
    refuse(&message, 4, "FIELD", "fork.each");
    fork.each = false;
    fork.speed_set_case = CAIRN__V1__FORK__SPEED_SET_SPEED;
    fork.speed = WIRE_SPEED_MAX + 0.5;
    refuse(&message, 4, "RANGE", "fork.speed");
    fork.speed = -0.5;
    refuse(&message, 4, "RANGE", "fork.speed");
    fork.speed = (double)NAN;
    refuse(&message, 4, "FINITE", "fork.speed");
    fork.speed = 1.0;
    fork.id = (char[]){".."};
    refuse(&message, 4, "NAME", "fork.id");
}

static void
test_seeks(void **state)
{
    (void)state;
    Cairn__V1__Seek seek = CAIRN__V1__SEEK__INIT;
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_SEEK;
    message.seek = &seek;
    refuse(&message, 0, "FIELD", "seek.request");
    seek.request = 4;
    refuse(&message, 4, "FIELD", "seek");
    seek.speed_set_case = CAIRN__V1__SEEK__SPEED_SET_SPEED;
    seek.speed = 17.0;
    refuse(&message, 4, "RANGE", "seek.speed");
}

static void
test_caps(void **state)
{
    (void)state;
    Cairn__V1__Caps caps = CAIRN__V1__CAPS__INIT;
    Cairn__V1__Lease lease = CAIRN__V1__LEASE__INIT;
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_LEASE;
    message.lease = &lease;
    lease.request = 4;
    lease.action_case = CAIRN__V1__LEASE__ACTION_CAP;
    lease.cap = &caps;
    refuse(&message, 4, "FIELD", "lease");
    lease.target_case = CAIRN__V1__LEASE__TARGET_ACTUATOR;
    refuse(&message, 4, "FIELD", "lease.actuator");
    lease.target_case = CAIRN__V1__LEASE__TARGET_BODY;
    caps.force_set_case = CAIRN__V1__CAPS__FORCE_SET_FORCE;
    caps.force = -1.0;
    refuse(&message, 4, "RANGE", "lease.cap.force");
    caps.force = 1e7;
    refuse(&message, 4, "RANGE", "lease.cap.force");
    caps.force = 1.0;
    caps.torque_set_case = CAIRN__V1__CAPS__TORQUE_SET_TORQUE;
    caps.torque = 1e7;
    refuse(&message, 4, "RANGE", "lease.cap.torque");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forks),
        cmocka_unit_test(test_seeks),
        cmocka_unit_test(test_caps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
