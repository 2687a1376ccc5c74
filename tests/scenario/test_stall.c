/*
 * test_stall.c: memory that worlds needed while the disk was stalled is freed afterwards.
 *
 * Worlds of a daemon have their largest need of memory at different times.  If each kept this
 * memory, the daemon would grow for as long as it runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "tests/support/server/durable_client.h"

#include "server/store/store_inside.h"
#include "server/world/act/world_messages.h"
#include "server/world/state/world_record.h"

#define INPUTS 1500
#define RECORDS_SIZE ((size_t)64 * 1024) /* bytes of their entries, at least */
#define USUAL_MESSAGES 32

/* Sends an input at once, as the gateway does; a client may not send so many. */
static void
push(struct sv_world *world, uint64_t seq)
{
    const struct sv_member *member = &world->members[0];
    struct wire_input input = {.seq = seq,
        .hold_ticks = 5,
        .command = {.kind = CN_COMMAND_HOLD_FORCE,
            .hold_force = {.body = 1, .force = {.x = 1.0}}}};
    struct sv_message message = {.kind = SV_MESSAGE_INPUT,
        .asker = {.session = member->session, .seat = member->seat},
        .input = sv_input_pack(&input)};
    sv_world_receive(world, &message);
}

static void
test_given_back(void **state)
{
    (void)state;
    static struct durable_sim sim;
    static struct client ann;
    durable_sim_boot(&sim, twin_scene_text);
    durable_sim_run(&sim, 10);
    int connection = server_enter(&sim.server, (char[]){"ann"});
    durable_sim_run(&sim, 100);
    struct sv_world *world = durable_sim_world(&sim);
    assert_int_equal(world->member_count, 1);
    push(world, 1);
    durable_sim_run(&sim, 50);
    int messages = world->message_capacity;
    assert_in_range(messages, 1, USUAL_MESSAGES);
    assert_int_equal(world->persist.entries.capacity, SV_ENTRIES_KEPT);
    size_t records = sim.store->batch.capacity;

    for (uint64_t seq = 2; seq <= INPUTS; seq++) {
        push(world, seq);
        if (seq % 100 == 0) { /* the worker runs, the disk does not */
            durable_sim_step(&sim, false);
            durable_sim_step(&sim, false);
        }
    }
    assert_true(world->message_capacity > 4 * USUAL_MESSAGES);
    uint64_t before = atomic_load(&sim.store->record_bytes);
    durable_sim_run(&sim, 50);
    assert_true(atomic_load(&sim.store->record_bytes) - before >= RECORDS_SIZE);
    server_read(&sim.server, connection, see, &ann);
    assert_int_equal(ann.durable_seq, INPUTS);

    push(world, INPUTS + 1);
    durable_sim_run(&sim, 50);
    push(world, INPUTS + 2);
    durable_sim_run(&sim, 50);
    assert_int_equal(world->message_capacity, messages);
    assert_true(world->persist.entries.capacity <= SV_ENTRIES_KEPT);
    assert_int_equal(sim.store->batch.capacity, records);
    durable_sim_close(&sim);
    durable_sim_finish(&sim);
}

/*
 * The worker drops the reports of a removed world that wait in its outbox.  So it has as much room
 * as before.
 */
static void
test_room_of_removed_worlds(void **state)
{
    (void)state;
    static struct durable_sim sim;
    memset(&sim, 0, sizeof(sim));
    durable_sim_boot(&sim, twin_scene_text);
    durable_sim_run(&sim, 100);
    struct sv_world *world = durable_sim_world(&sim);
    struct sv_worker *worker = &sim.server.worker;
    struct sv_message message = {.kind = SV_MESSAGE_REMOVE, .mailbox = world->mailbox};
    assert_int_equal(worker->env.outbox_count, 0);
    for (int i = 0; i < 5; i++) {
        struct sv_report report = {.kind = SV_REPORT_SAY, .mailbox = world->mailbox};
        sv_world_report(world, &report);
        assert_int_equal(worker->env.outbox_count, i + 1);
    }
    world->mailbox->number = 0; /* its end is not recorded, so it waits for nothing */
    assert_true(sv_ring_push(&worker->messages, &message));
    durable_sim_step(&sim, true);
    assert_int_equal(worker->world_count, 0);
    assert_int_equal(worker->env.outbox_count, 0);
    durable_sim_close(&sim);
    durable_sim_finish(&sim);
}

/* An input that was packed and unpacked, as it is while it waits, is unchanged. */
static void
test_packed(void **state)
{
    (void)state;
    static const enum cn_command_kind kinds[] = {CN_COMMAND_HOLD_FORCE, CN_COMMAND_HOLD_TORQUE,
        CN_COMMAND_HOLD_DRAG, CN_COMMAND_HOLD_ACTUATOR, CN_COMMAND_RELEASE};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        struct wire_input input = {
            .seq = 7, .client_tick = 8, .at_tick = 9, .hold_ticks = 10};
        struct cn_hold_drag *drag = &input.command.hold_drag; /* the largest */
        for (size_t k = 0; k < sizeof(*drag); k++) {
            ((unsigned char *)drag)[k] = (unsigned char)(k * 37 + i);
        }
        input.command.kind = kinds[i];
        struct sv_input packed = sv_input_pack(&input);
        struct cn_command command = sv_input_command(&packed);
        assert_int_equal(command.kind, kinds[i]);
        assert_memory_equal(&command.hold_drag, drag, sizeof(*drag));
        assert_true(packed.seq == 7 && packed.client_tick == 8 && packed.at_tick == 9);
        assert_int_equal(packed.hold_ticks, 10);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_given_back),
        cmocka_unit_test(test_room_of_removed_worlds),
        cmocka_unit_test(test_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
