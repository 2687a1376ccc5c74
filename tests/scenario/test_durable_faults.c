/*
 * test_durable_faults.c: a full disk, a tick that crashes, a world that does not recover exactly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/world/act/world_persistence.h"
#include "server/world/state/world_record.h"
#include "tests/support/server/durable_client.h"

#include <stdio.h>

static char refusal[WIRE_CODE_SIZE];

static void
hear(void *context, struct sv_host_world *world, const struct sv_report *report)
{
    (void)context;
    (void)world;
    if (report->kind == SV_REPORT_REFUSED && report->asker.request == 7) {
        snprintf(refusal, sizeof(refusal), "%s", report->outcome_take->error.code);
    }
}

/* A new world, or a fork of this one, is refused with READONLY. */
static void
refuse_world(struct durable_sim *sim, bool is_fork)
{
    struct wire_error error;
    const struct sv_asker asker = {.request = 7};
    struct sv_world *first = durable_sim_world(sim);
    struct sv_growth how = {.scene_take = sv_scene_ref(first->scene)};
    how.seed_take = is_fork ? sv_world_seed(first, "", &error) : NULL;
    refusal[0] = '\0';
    assert_true(sv_host_grow_world(&sim->server.host, "other", &how, &asker, &error));
    durable_sim_run(sim, 20);
    assert_string_equal(refusal, "READONLY");
    assert_false(sv_host_has(&sim->server.host, "other"));
}

/* On a full disk clients can watch the world but not change it, until the disk has room again. */
static void
test_disk_full(void **state)
{
    (void)state;
    struct durable_sim sim;
    struct client client = {0}, late = {0};
    memset(&sim, 0, sizeof(sim));
    durable_sim_boot(&sim, twin_scene_text);
    durable_sim_run(&sim, 20);
    int connection = server_enter(&sim.server, (char[]){"ann"});
    durable_sim_run(&sim, 100);
    sim.memory.fail_kind = SV_FAULT_FULL;
    sim.memory.fail_first = sim.memory.attempt_count + 1;
    sim.memory.fail_count = 1; /* the reserve holds the earlier records */
    sim.disk.free_size = 4096;
    for (int i = 0; i < 10; i++) {
        server_take_drag(&sim.server, connection, ++client.seq, 1, 0.0);
        durable_sim_run(&sim, 30);
    }
    int second = server_enter(&sim.server, (char[]){"bob"});
    durable_sim_run(&sim, 100);
    server_read(&sim.server, connection, see, &client);
    server_read(&sim.server, second, see, &late);
    assert_int_equal(sv_store_look(sim.store, NULL), SV_STORE_READ_ONLY);
    assert_true(client.rejected_count > 0);
    sim.server.gateway.http_reported = hear;
    refuse_world(&sim, false);
    refuse_world(&sim, true);
    uint64_t durable = client.durable_seq;
    sim.disk.free_size = 0; /* plenty */
    for (int i = 0; i < 200; i++) {
        server_take_drag(&sim.server, connection, ++client.seq, 1, 0.0);
        durable_sim_run(&sim, 30);
    }
    server_read(&sim.server, connection, see, &client);
    assert_int_equal(sv_store_look(sim.store, NULL), SV_STORE_WRITING);
    assert_true(client.durable_seq > durable);
    durable_sim_crash(&sim, 9);
    assert_true(stored_seq(&sim, client.session) >= client.durable_seq);
    durable_sim_boot(&sim, twin_scene_text);
    assert_string_equal(durable_sim_world(&sim)->failure, "");
    durable_sim_close(&sim);
    durable_sim_finish(&sim);
}

/* Three deaths at one tick: the world is not run any more, listed, and can be removed. */
static void
test_quarantine(void **state)
{
    (void)state;
    struct durable_sim sim;
    struct sv_asker nobody = {0};
    struct wire_error error;
    memset(&sim, 0, sizeof(sim));
    durable_sim_boot(&sim, twin_scene_text);
    durable_sim_run(&sim, 100);
    for (int i = 0; i < SV_CRASHES_MAX; i++) {
        struct sv_world *world = durable_sim_world(&sim);
        assert_string_equal(world->failure, "");
        sv_world_step_begins(world, 77);
        durable_sim_kill(&sim);
        durable_sim_boot(&sim, twin_scene_text);
    }
    assert_int_equal(sim.recovered.failed_count, 1);
    assert_int_equal(sim.server.worker.world_count, 0);
    struct sv_host_world *world = sv_host_find_listed(&sim.server.host, "pair");
    assert_non_null(world);
    assert_null(sv_host_find(&sim.server.host, "pair"));
    assert_int_equal(world->status.state, WIRE_WORLD_FAILED);
    assert_memory_equal(world->status.failure, "QUARANTINED: tick 77", 20);
    durable_sim_run(&sim, 20);
    assert_true(sv_host_remove_world(&sim.server.host, world, &nobody, &error));
    durable_sim_run(&sim, 20);
    assert_int_equal(sim.server.host.world_count, 0);
    durable_sim_crash(&sim, 0);
    durable_sim_boot(&sim, twin_scene_text);
    assert_int_equal(sim.recovered.world_count, 0);
    durable_sim_close(&sim);
    durable_sim_finish(&sim);
}

/* A world whose replay does not reach a stored hash stops, reports the tick, and stays stopped. */
static void
test_diverged(void **state)
{
    (void)state;
    struct durable_sim sim;
    memset(&sim, 0, sizeof(sim));
    durable_sim_boot(&sim, twin_scene_text);
    durable_sim_run(&sim, 500);
    struct sv_world *world = durable_sim_world(&sim);
    world->persist.has_mark = true;
    world->persist.record_tick = cn_world_tick(world->engine);
    world->persist.mark_hash = 1;
    durable_sim_run(&sim, 1100); /* without members a mark is stored once a second */
    durable_sim_crash(&sim, 0);
    for (int i = 0; i < 2; i++) {
        durable_sim_boot(&sim, twin_scene_text);
        assert_int_equal(sim.recovered.failed_count, 1);
        world = durable_sim_world(&sim);
        assert_memory_equal(world->failure, "DIVERGED: tick ", 15);
        assert_int_equal(world->state, WIRE_WORLD_FAILED);
        uint64_t tick = cn_world_tick(world->engine);
        durable_sim_run(&sim, 100);
        assert_int_equal(cn_world_tick(world->engine), tick);
        durable_sim_crash(&sim, 0);
    }
    durable_sim_finish(&sim);
}

/* A finer mesh than the wire allows, such as one from a file, is recovered. */
static void
test_fine_mesh(void **state)
{
    (void)state;
    static const char text[] =
        "name: fine\n"
        "world: {dimension: SPATIAL, stepper: time, solver: impulse}\n"
        "meshes:\n"
        "  - {name: ring, resolution: 65, sparse: true,\n"
        "     torus: {radius: 1, tubeRadius: 0.3, majorCount: 6, minorCount: 4}}\n"
        "bodies:\n"
        "  - {name: ring, mass: 1, shapes: [{mesh: {name: ring}}]}\n";
    struct durable_sim sim;
    struct wire_text_error wrong;
    struct wire_error error;
    struct sv_asker nobody = {0};
    const struct wire_mesh_tools tools = {.is_own = true};
    memset(&sim, 0, sizeof(sim));
    durable_sim_boot(&sim, twin_scene_text);
    assert_null(wire_scene_parse(text, sizeof(text) - 1, &wrong));
    struct wire_scene *scene = wire_scene_parse_with(text, sizeof(text) - 1, &tools, &wrong);
    if (scene == NULL) {
        fail_msg("%s %s", wrong.defect.path, wrong.defect.text);
    }
    assert_true(sv_host_create_world(
        &sim.server.host, "", sv_scene_create(scene), &nobody, &error));
    durable_sim_run(&sim, 30);
    durable_sim_crash(&sim, 0);
    durable_sim_boot(&sim, twin_scene_text);
    assert_int_equal(sim.recovered.world_count, 2);
    assert_int_equal(sim.recovered.failed_count, 0);
    durable_sim_close(&sim);
    durable_sim_finish(&sim);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disk_full),
        cmocka_unit_test(test_quarantine),
        cmocka_unit_test(test_diverged),
        cmocka_unit_test(test_fine_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
