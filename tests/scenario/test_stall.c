/*
 * test_stall.c: what a time without the disk has needed is given back when it is over.
 *
 * Each world of a daemon has its own worst moment.  If each kept what it needed in it, the daemon
 * would grow for as long as it runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "tests/support/durable_client.h"

#include "server/store/store_inside.h"

#define INPUTS 1500
#define RECORDS_SIZE ((size_t)64 * 1024) /* bytes of their deeds, at least */
#define USUAL_LETTERS 32

/* As the gateway would, at once: no client may send so many. */
static void
push(struct sv_world *world, uint64_t seq)
{
    const struct sv_member *member = &world->members[0];
    struct wire_input input = {.seq = seq,
        .hold_ticks = 5,
        .command = {.kind = CN_COMMAND_HOLD_FORCE,
            .hold_force = {.body = 1, .force = {.x = 1.0}}}};
    struct sv_letter letter = {.kind = SV_LETTER_INPUT,
        .asker = {.session = member->session, .seat = member->seat},
        .input = sv_input_pack(&input)};
    sv_world_receive(world, &letter);
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
    int letters = world->letter_capacity;
    assert_in_range(letters, 1, USUAL_LETTERS);
    assert_int_equal(world->keep.deeds.capacity, SV_DEEDS_KEPT);
    size_t records = sim.store->batch.capacity;

    for (uint64_t seq = 2; seq <= INPUTS; seq++) {
        push(world, seq);
        if (seq % 100 == 0) { /* the worker goes on, the disk does not */
            durable_sim_step(&sim, false);
            durable_sim_step(&sim, false);
        }
    }
    assert_true(world->letter_capacity > 4 * USUAL_LETTERS);
    uint64_t before = atomic_load(&sim.store->record_bytes);
    durable_sim_run(&sim, 50);
    assert_true(atomic_load(&sim.store->record_bytes) - before >= RECORDS_SIZE);
    server_read(&sim.server, connection, see, &ann);
    assert_int_equal(ann.durable_seq, INPUTS);

    push(world, INPUTS + 1);
    durable_sim_run(&sim, 50);
    push(world, INPUTS + 2);
    durable_sim_run(&sim, 50);
    assert_int_equal(world->letter_capacity, letters);
    assert_true(world->keep.deeds.capacity <= SV_DEEDS_KEPT);
    assert_int_equal(sim.store->batch.capacity, records);
    durable_sim_close(&sim);
    durable_sim_finish(&sim);
}

/* All that comes as an input is the same when it has waited. */
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
        cmocka_unit_test(test_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
