/*
 * test_fields.c: every field of inputs, leases, forks and seeks that a client may send comes out of
 * the decoder as it went in, and none in the place of another: messages by chance, packed by the
 * protobuf library, against what was put into them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "proto/chunk.h"
#include "proto/codec.h"

#include <cairn/v1/wire.pb-c.h>
#include <string.h>

#define ROUNDS 3000

static uint64_t random_state = 3;

static uint64_t
draw(uint64_t end)
{
    random_state =
        random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % end;
}

static double
draw_number(void)
{
    return ((double)draw(2000001) - 1e6) / 128.0;
}

static Cairn__V1__Vec3
draw_vec3(void)
{
    Cairn__V1__Vec3 vector = CAIRN__V1__VEC3__INIT;
    vector.x = draw_number();
    vector.y = draw_number();
    vector.z = draw_number();
    return vector;
}

static void
assert_vec3(cn_vec3 found, const Cairn__V1__Vec3 *sent)
{
    assert_true(found.x == sent->x && found.y == sent->y && found.z == sent->z);
}

static struct wire_client_message
decode(const Cairn__V1__ClientMessage *message)
{
    uint8_t bytes[1024];
    struct wire_client_message out;
    struct wire_error error = {0};
    assert_true(cairn__v1__client_message__get_packed_size(message) <= sizeof(bytes));
    size_t size = cairn__v1__client_message__pack(message, bytes);
    memset(&out, 0xa5, sizeof(out)); /* nothing is left as it was */
    if (wire_client_decode(bytes, size, &out, &error) != WIRE_DECODE_OK) {
        fail_msg("%s: %s", error.path, error.text);
    }
    return out;
}

static struct wire_input
send_input(Cairn__V1__Input *input)
{
    Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
    message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_INPUT;
    message.input = input;
    input->seq = draw(UINT64_C(1) << 31) << 30;
    input->slot = (uint32_t)draw(1000);
    input->client_tick = draw(UINT64_C(1) << 31) << 20;
    input->at_tick = draw(UINT64_C(1) << 31) << 20;
    input->hold_ticks = (uint32_t)draw(600);
    struct wire_client_message out = decode(&message);
    assert_int_equal(out.kind, WIRE_CLIENT_INPUT);
    assert_true(out.input.seq == input->seq);
    assert_true(out.input.client_tick == input->client_tick);
    assert_true(out.input.at_tick == input->at_tick);
    assert_int_equal(out.input.hold_ticks, input->hold_ticks);
    return out.input;
}

static void
test_forces(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        Cairn__V1__Input input = CAIRN__V1__INPUT__INIT;
        Cairn__V1__Input__Force force = CAIRN__V1__INPUT__FORCE__INIT;
        Cairn__V1__Vec3 vector = draw_vec3(), point = draw_vec3();
        bool is_world = draw(2) == 0;
        force.body = (uint32_t)draw(5000);
        force.force = &vector;
        force.point = &point;
        force.frame =
            is_world ? CAIRN__V1__INPUT__FRAME__WORLD : CAIRN__V1__INPUT__FRAME__BODY;
        input.action_case = CAIRN__V1__INPUT__ACTION_FORCE;
        input.force = &force;
        struct cn_command out = send_input(&input).command;
        assert_int_equal(out.kind, CN_COMMAND_HOLD_FORCE);
        assert_int_equal(out.hold_force.body, force.body);
        assert_int_equal(out.hold_force.holder.slot, input.slot);
        assert_int_equal(out.hold_force.frame, is_world ? CN_FRAME_WORLD : CN_FRAME_BODY);
        assert_vec3(out.hold_force.force, &vector);
        assert_vec3(out.hold_force.point, &point);
    }
}

static void
test_torques_and_actuators(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        Cairn__V1__Input input = CAIRN__V1__INPUT__INIT;
        Cairn__V1__Input__Torque torque = CAIRN__V1__INPUT__TORQUE__INIT;
        Cairn__V1__Vec3 vector = draw_vec3();
        torque.body = (uint32_t)draw(5000);
        torque.torque = &vector;
        input.action_case = CAIRN__V1__INPUT__ACTION_TORQUE;
        input.torque = &torque;
        struct cn_command out = send_input(&input).command;
        assert_int_equal(out.kind, CN_COMMAND_HOLD_TORQUE);
        assert_int_equal(out.hold_torque.body, torque.body);
        assert_int_equal(out.hold_torque.holder.slot, input.slot);
        assert_vec3(out.hold_torque.torque, &vector);
        Cairn__V1__Input__Actuator actuator = CAIRN__V1__INPUT__ACTUATOR__INIT;
        actuator.actuator = (uint32_t)draw(50);
        actuator.level = (double)draw(1024) / 1024.0;
        input.action_case = CAIRN__V1__INPUT__ACTION_ACTUATOR;
        input.actuator = &actuator;
        out = send_input(&input).command;
        assert_int_equal(out.kind, CN_COMMAND_HOLD_ACTUATOR);
        assert_int_equal(out.hold_actuator.actuator, actuator.actuator);
        assert_int_equal(out.hold_actuator.holder.slot, input.slot);
        assert_true(out.hold_actuator.level == actuator.level);
    }
}

static void
test_drags_and_releases(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        Cairn__V1__Input input = CAIRN__V1__INPUT__INIT;
        Cairn__V1__Input__Drag drag = CAIRN__V1__INPUT__DRAG__INIT;
        Cairn__V1__Vec3 point = draw_vec3(), target = draw_vec3();
        drag.body = (uint32_t)draw(5000);
        drag.point = &point;
        drag.target = &target;
        drag.stiffness = (double)(1 + draw(1000));
        drag.damping = (double)(2000 + draw(1000));
        input.action_case = CAIRN__V1__INPUT__ACTION_DRAG;
        input.drag = &drag;
        struct cn_command out = send_input(&input).command;
        assert_int_equal(out.kind, CN_COMMAND_HOLD_DRAG);
        assert_int_equal(out.hold_drag.body, drag.body);
        assert_int_equal(out.hold_drag.holder.slot, input.slot);
        assert_vec3(out.hold_drag.point, &point);
        assert_vec3(out.hold_drag.target, &target);
        assert_true(out.hold_drag.stiffness == drag.stiffness);
        assert_true(out.hold_drag.damping == drag.damping);
        Cairn__V1__Input__Release release = CAIRN__V1__INPUT__RELEASE__INIT;
        input.action_case = CAIRN__V1__INPUT__ACTION_RELEASE;
        input.release = &release;
        out = send_input(&input).command;
        assert_int_equal(out.kind, CN_COMMAND_RELEASE);
        assert_int_equal(out.release.slot, input.slot);
    }
}

static void
test_leases(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
        Cairn__V1__Lease lease = CAIRN__V1__LEASE__INIT;
        Cairn__V1__Lease__Acquire acquire = CAIRN__V1__LEASE__ACQUIRE__INIT;
        Cairn__V1__Lease__Release release = CAIRN__V1__LEASE__RELEASE__INIT;
        Cairn__V1__Lease__Override override = CAIRN__V1__LEASE__OVERRIDE__INIT;
        static const enum wire_lease_action kinds[] = {
            WIRE_LEASE_ACQUIRE, WIRE_LEASE_RELEASE, WIRE_LEASE_OVERRIDE, WIRE_LEASE_REVOKE};
        int kind = (int)draw(4);
        bool is_actuator = draw(2) == 0, has_ticks = kind == 0 || kind >= 2;
        uint32_t index = (uint32_t)draw(5000), ticks = (uint32_t)draw(100000);
        message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_LEASE;
        message.lease = &lease;
        lease.request = (uint32_t)(1 + draw(UINT32_MAX - 1));
        acquire.queue = draw(2) == 0;
        acquire.ticks = override.ticks = ticks;
        override.revoke = kind == 3;
        if (kind == 0) {
            lease.action_case = CAIRN__V1__LEASE__ACTION_ACQUIRE;
            lease.acquire = &acquire;
        } else if (kind == 1) {
            lease.action_case = CAIRN__V1__LEASE__ACTION_RELEASE;
            lease.release = &release;
        } else {
            lease.action_case = CAIRN__V1__LEASE__ACTION_OVERRIDE;
            lease.override = &override;
        }
        lease.target_case =
            is_actuator ? CAIRN__V1__LEASE__TARGET_ACTUATOR : CAIRN__V1__LEASE__TARGET_BODY;
        if (is_actuator) {
            lease.actuator = index;
        } else {
            lease.body = index;
        }
        struct wire_client_message out = decode(&message);
        assert_int_equal(out.kind, WIRE_CLIENT_LEASE);
        assert_int_equal(out.lease.request, lease.request);
        assert_int_equal(out.lease.action, kinds[kind]);
        assert_int_equal(out.lease.is_actuator, is_actuator);
        assert_int_equal(out.lease.index, index);
        assert_int_equal(out.lease.ticks, has_ticks ? ticks : 0);
        assert_int_equal(out.lease.queue, kind == 0 && acquire.queue);
    }
}

static void
test_forks_and_seeks(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        Cairn__V1__ClientMessage message = CAIRN__V1__CLIENT_MESSAGE__INIT;
        Cairn__V1__Fork fork = CAIRN__V1__FORK__INIT;
        Cairn__V1__Seek seek = CAIRN__V1__SEEK__INIT;
        bool has_tick = draw(2) == 0;
        message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_FORK;
        message.fork = &fork;
        fork.request = (uint32_t)(1 + draw(1000000));
        fork.world = (char *)(draw(2) == 0 ? "one" : "");
        fork.id = (char *)(draw(2) == 0 ? "two" : "");
        fork.paused = draw(2) == 0;
        fork.each = draw(2) == 0;
        if (has_tick) {
            fork.tick_set_case = CAIRN__V1__FORK__TICK_SET_TICK;
            fork.tick = draw(UINT64_C(1) << 31) << 20;
        }
        struct wire_client_message out = decode(&message);
        assert_int_equal(out.kind, WIRE_CLIENT_FORK);
        assert_int_equal(out.fork.request, fork.request);
        assert_string_equal(out.fork.world, fork.world);
        assert_string_equal(out.fork.id, fork.id);
        assert_int_equal(out.fork.paused, fork.paused);
        assert_int_equal(out.fork.each, fork.each);
        assert_int_equal(out.fork.has_tick, has_tick);
        assert_true(out.fork.tick == (has_tick ? fork.tick : 0));
        message.message_case = CAIRN__V1__CLIENT_MESSAGE__MESSAGE_SEEK;
        message.seek = &seek;
        seek.request = (uint32_t)(1 + draw(1000000));
        seek.tick_set_case = CAIRN__V1__SEEK__TICK_SET_TICK;
        seek.tick = draw(UINT64_C(1) << 31) << 20;
        out = decode(&message);
        assert_int_equal(out.kind, WIRE_CLIENT_SEEK);
        assert_int_equal(out.seek.request, seek.request);
        assert_true(out.seek.has_tick && out.seek.tick == seek.tick && !out.seek.has_speed);
    }
}

/*
 * A part lies within its transfer, to the byte; one that does not is refused, nothing is written.
 */
static void
test_parts_within(void **state)
{
    (void)state;
    for (uint32_t size = 1; size < 40; size++) {
        for (uint32_t offset = 0; offset <= size + 2; offset++) {
            for (uint32_t part = 0; part <= size + 2; part++) {
                uint8_t bytes[WIRE_CHUNK_HEAD_SIZE_MAX + 64] = {0};
                struct wire_chunk chunk = {
                    .id = 3, .size = size, .offset = offset, .hash = 1, .part_size = part};
                struct wire_chunk found;
                size_t head = wire_encode_chunk_head(&chunk, bytes);
                bool is_good = wire_decode_chunk(bytes, head + part, &found);
                assert_int_equal(is_good, part > 0 && offset + part <= size);
                if (is_good) {
                    assert_int_equal(found.size, size);
                    assert_int_equal(found.offset, offset);
                    assert_int_equal(found.part_size, part);
                    assert_ptr_equal(found.part, bytes + head);
                }
            }
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forces),
        cmocka_unit_test(test_torques_and_actuators),
        cmocka_unit_test(test_drags_and_releases),
        cmocka_unit_test(test_leases),
        cmocka_unit_test(test_forks_and_seeks),
        cmocka_unit_test(test_parts_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
