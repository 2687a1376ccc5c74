/*
 * The size of the stored data depends on the worlds, not on how long the daemon runs: a resting
 * world does not keep old log segments of other worlds alive.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "tests/support/server/durable_client.h"

#include <stdio.h>

#define JOURNAL_SIZE (UINT64_C(64) * 1024)

#define RESTING 20 /* worlds beside the one that somebody plays in */

static uint64_t
journal_size(const struct durable_sim *sim)
{
    const struct sv_memory_rows *commits = &sim->memory.kept[SV_ROW_RECORDS];
    uint64_t size = 0;
    for (int i = 0; i < commits->count; i++) {
        size += commits->rows[i].row.size;
    }
    return size;
}

static int
checkpoint_count(const struct durable_sim *sim)
{
    return sim->memory.kept[SV_ROW_CHECKPOINT].count;
}

/* It is reset, so that it has a record, and paused. */
static void
add_resting(struct durable_sim *sim, int number)
{
    struct wire_text_error wrong;
    struct wire_error error;
    struct sv_asker nobody = {0};
    char id[WIRE_NAME_SIZE];
    static const enum wire_control_kind kinds[] = {WIRE_CONTROL_RESET, WIRE_CONTROL_PAUSE};
    struct wire_scene *scene =
        wire_scene_parse(twin_scene_text, strlen(twin_scene_text), &wrong);
    snprintf(id, sizeof(id), "rest-%d", number);
    assert_true(
        sv_host_create_world(&sim->server.host, id, sv_scene_create(scene), &nobody, &error));
    durable_sim_run(sim, 40);
    struct sv_host_world *world = sv_host_find(&sim->server.host, id);
    assert_non_null(world);
    for (int i = 0; i < 2; i++) {
        struct sv_message message = {.kind = SV_MESSAGE_ORDER,
            .order_take = calloc(1, sizeof(struct sv_order))};
        assert_non_null(message.order_take);
        message.order_take->kind = kinds[i];
        assert_true(sv_host_send(&sim->server.host, world, &message, &error));
        durable_sim_run(sim, 40);
    }
    assert_int_equal(world->status.state, WIRE_WORLD_PAUSED);
}

/* Somebody plays for so long; the largest that the journal was in its second half. */
static uint64_t
play(struct durable_sim *sim, int connection, struct client *client, int duration_ms)
{
    uint64_t largest = 0;
    for (int ms = 0; ms < duration_ms; ms++) {
        if (ms % 16 == 0) {
            server_take_drag(&sim->server, connection, ++client->seq, 1, 0.01 * (ms % 100));
        }
        durable_sim_step(sim, true);
        if (ms % 1000 == 0) {
            uint64_t size = journal_size(sim);
            server_read(&sim->server, connection, see, client);
            largest = ms > duration_ms / 2 && size > largest ? size : largest;
        }
    }
    return largest;
}

static void
test_resting_worlds(void **state)
{
    (void)state;
    struct durable_sim sim;
    struct client client = {0};
    uint64_t hashes[RESTING];
    memset(&sim, 0, sizeof(sim));
    sim.history_size = JOURNAL_SIZE;
    sim.worlds_max = RESTING + 1;
    durable_sim_boot(&sim, twin_scene_text);
    durable_sim_run(&sim, 20);
    for (int i = 0; i < RESTING; i++) {
        add_resting(&sim, i);
    }
    int connection = server_enter(&sim.server, (char[]){"ann"});
    durable_sim_run(&sim, 60);
    uint64_t largest = play(&sim, connection, &client, 150 * 1000);
    print_message("journal: %d KiB at most, %d checkpoints of %d worlds\n",
        (int)(largest / 1024), checkpoint_count(&sim), RESTING + 1);
    assert_true(largest < 4 * JOURNAL_SIZE);
    assert_true(checkpoint_count(&sim) <= 3 * (RESTING + 1));
    assert_true(sim.server.worker.world_count == RESTING + 1);
    for (int i = 0; i < RESTING; i++) {
        hashes[i] = cn_world_hash(sim.server.worker.worlds[1 + i]->engine);
    }
    durable_sim_crash(&sim, 7);
    durable_sim_boot(&sim, twin_scene_text);
    assert_int_equal(sim.server.worker.world_count, RESTING + 1);
    for (int i = 0; i < RESTING; i++) {
        const struct sv_world *world = sim.server.worker.worlds[1 + i];
        assert_int_equal(world->state, WIRE_WORLD_PAUSED);
        assert_int_equal(cn_world_hash(world->engine), hashes[i]);
    }
    durable_sim_close(&sim);
    durable_sim_finish(&sim);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resting_worlds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
