/*
 * durable_sim.h: the daemon in memory with a store: simulated clock, transport, disk and journal.
 *
 * After a death only the durable parts of journal and disk remain.
 */
#ifndef TESTS_SUPPORT_SERVER_DURABLE_SIM_H
#define TESTS_SUPPORT_SERVER_DURABLE_SIM_H

#include "tests/support/server/twin_server.h"

#include "server/host/recover.h"
#include "server/store/journal/journal_memory.h"
#include "server/world/act/world_life.h"
#include "server/world/act/world_persistence.h"

struct durable_sim {
    struct server server; /* its clock continues from life to life */
    struct sv_disk_sim disk;
    struct sv_journal_memory memory;
    struct sv_store *store;
    struct sv_recovered recovered;
    enum wire_durability durability;
    uint64_t past_ms; /* that is kept of each world */
    int worlds_max;        /* 0: 4 */
    int lane_count;        /* 0: 1; the worker has the first one */
    uint64_t history_size; /* of the journal; 0: SV_STORE_HISTORY_SIZE */
    long blocks;           /* of the heap that were in use before the first life, and 1 */
};

static inline void
durable_sim_open(struct durable_sim *sim)
{
    long holder;
    struct sv_fault fault;
    struct sv_journal_head head;
    sim->blocks = sim->blocks == 0 ? live_blocks() + 1 : sim->blocks;
    struct sv_journal journal = sv_journal_memory_open(&sim->memory, &head);
    struct server *server = &sim->server;
    struct sv_store_config config = {.folder = "data",
        .lane_count = sim->lane_count > 0 ? sim->lane_count : 1,
        .history_size = sim->history_size > 0 ? sim->history_size : SV_STORE_HISTORY_SIZE,
        .past_ms = sim->past_ms,
        .past_size = SV_HISTORY_SIZE,
        .clock = sv_clock_simulated(&server->now_ns),
        .disk = sv_disk_simulated(&sim->disk),
        .journal = &journal,
        .head = head};
    assert_int_equal(config.disk.lock(config.disk.context, "data", &holder), SV_DISK_OK);
    sim->store = sv_store_open(&config, &fault);
    if (sim->store == NULL) {
        fail_msg("%s", fault.text);
    }
}

/* A new life, which recovers the stored worlds; false with *error filled. */
static inline bool
durable_sim_recover(struct durable_sim *sim, struct wire_error *error)
{
    struct server *server = &sim->server;
    uint64_t now_ns = server->now_ns;
    memset(server, 0, sizeof(*server));
    server->now_ns = now_ns > 0 ? now_ns : SV_NS_PER_S;
    struct sv_clock clock = sv_clock_simulated(&server->now_ns);
    sv_log_init(&server->log, SV_LOG_DEBUG, clock);
    server->log.write = drop_line;
    durable_sim_open(sim);
    assert_true(sv_worker_init(&server->worker, clock, &server->log, &server->metrics, true));
    server->workers[0] = &server->worker;
    sv_host_init(&server->host, server->workers, 1, sim->worlds_max > 0 ? sim->worlds_max : 4);
    server->host.wake = no_wake;
    assert_true(sv_gateway_init(&server->gateway, &server->host, clock, &server->log,
        &server->metrics, "durable", 8));
    struct sv_transport_events events = sv_gateway_events(&server->gateway);
    sv_sim_transport_init(&server->transport, &events);
    server->gateway.transport = sv_sim_transport(&server->transport);
    server->gateway.random = sv_random_simulated(&server->random);
    cn_hash_init(&server->hash);
    server->worker.env.store = sim->store;
    server->worker.env.lane = sv_store_lane(sim->store, 0);
    server->worker.env.meshes = server->host.meshes;
    server->worker.env.durability = sim->durability;
    server->worker.env.has_past = sim->past_ms > 0;
    return sv_recover_worlds(
        &server->host, sim->store, &server->log, &sim->recovered, error);
}

/* A new life: recovers the stored worlds, or makes one of the scene. */
static inline void
durable_sim_boot(struct durable_sim *sim, const char *scene_text)
{
    struct server *server = &sim->server;
    struct wire_text_error wrong;
    struct wire_error error;
    struct sv_asker nobody = {0};
    assert_true(durable_sim_recover(sim, &error));
    if (server->host.world_count == 0) {
        struct wire_scene *scene = wire_scene_parse(scene_text, strlen(scene_text), &wrong);
        assert_non_null(scene);
        assert_true(sv_host_create_world(
            &server->host, "", sv_scene_create(scene), &nobody, &error));
    }
}

/* A millisecond, at the end of which the disk may get its turn. */
static inline void
durable_sim_step(struct durable_sim *sim, bool is_disk_running)
{
    struct server *server = &sim->server;
    while (sv_worker_run(&server->worker) <= server->now_ns) {
    }
    if (is_disk_running) {
        (void)sv_store_run_journal(sim->store);
        (void)sv_store_run_keeper(sim->store);
    }
    sv_gateway_poll(&server->gateway);
    sv_gateway_tend(&server->gateway);
    server->now_ns += SV_NS_PER_MS;
    unsigned waiting = 0;
    for (int i = 0; i < server->worker.world_count; i++) {
        waiting += (unsigned)server->worker.worlds[i]->persist.outbox_count;
    }
    assert_int_equal(server->worker.env.outbox_count, waiting);
}

static inline void
durable_sim_run(struct durable_sim *sim, int duration_ms)
{
    for (int i = 0; i < duration_ms; i++) {
        durable_sim_step(sim, true);
    }
}

static inline void
durable_sim_drop(struct durable_sim *sim)
{
    struct server *server = &sim->server;
    sv_sim_transport_finish(&server->transport);
    sv_worker_finish(&server->worker);
    sv_gateway_finish(&server->gateway);
    sv_host_finish(&server->host);
}

/* The power is cut. */
static inline void
durable_sim_crash(struct durable_sim *sim, uint64_t seed)
{
    sv_store_abandon(sim->store);
    durable_sim_drop(sim);
    sv_journal_memory_crash(&sim->memory);
    sv_disk_sim_crash(&sim->disk, seed);
    sim->disk.is_locked = false;
}

/* The process has died, but the machine still runs. */
static inline void
durable_sim_kill(struct durable_sim *sim)
{
    sv_store_abandon(sim->store);
    durable_sim_drop(sim);
    sv_journal_memory_crash(&sim->memory);
    sim->disk.is_locked = false;
}

/* An orderly end of the daemon. */
static inline void
durable_sim_close(struct durable_sim *sim)
{
    struct sv_fault fault;
    sv_worker_settle(&sim->server.worker);
    assert_true(sv_store_close(sim->store, &fault));
    durable_sim_drop(sim);
    sim->disk.is_locked = false;
}

static inline void
durable_sim_finish(struct durable_sim *sim)
{
    sv_journal_memory_finish(&sim->memory);
    sv_disk_sim_finish(&sim->disk);
    assert_int_equal(live_blocks(), sim->blocks - 1); /* all that it took is given back */
}

static inline struct sv_world *
durable_sim_world(struct durable_sim *sim)
{
    assert_int_equal(sim->server.worker.world_count, 1);
    return sim->server.worker.worlds[0];
}

#endif
