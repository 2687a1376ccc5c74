/* Runs one seed from beginning to end. */
#include "tests/sim/sim.h"

#include "server/world/state/world_record.h"
#include "tests/support/server/disk_vfs.h"

#include <inttypes.h>
#include <malloc.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void
sim_fail(struct sim *sim, enum sim_oracle oracle, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sim->failure, sizeof(sim->failure), format, arguments);
    va_end(arguments);
    sim->failed = oracle;
    sim->failed_tick = sim->count.ticks;
    longjmp(sim->way_out, 1);
}

static bool is_told;

void
sim_note(struct sim *sim, const char *what, uint64_t number)
{
    cn_hash_u64(&sim->trace, sim->now_ns);
    cn_hash_bytes(&sim->trace, what, strlen(what));
    cn_hash_u64(&sim->trace, number);
    if (is_told) {
        printf("%10.3f  %s %" PRIu64 "\n", (double)sim->now_ns * 1e-9, what, number);
    }
}

void
sim_tell(bool is_wanted)
{
    is_told = is_wanted;
}

void
sim_others(struct sim *sim)
{
    sim->now_ns += SV_NS_PER_MS;
    sim_net_step(&sim->net);
    for (int i = 0; i < sim->plan.client_count; i++) {
        sim_client_step(sim, &sim->clients[i]);
    }
    if (sim->server.is_up) {
        sim_server_step(sim);
        sim_second_step(sim);
    }
}

/* ---- what happens to the daemon ---- */

static bool
is_time(struct sim *sim, enum sim_fault fault, double rate)
{
    return sim->plan.has[fault] && sim_random_is(&sim->random, rate * 1e-3);
}

/* The process dies where it makes that world's next tick; never three times at the same one. */
static void
die_in_step(struct sim *sim)
{
    const struct sim_server *server = &sim->server;
    const struct sv_worker *worker =
        &server->worker[sim_random_below(&sim->turns, (uint64_t)server->worker_count)];
    if (worker->world_count == 0) {
        return;
    }
    struct sv_world *world = worker->worlds[0];
    uint64_t tick = cn_world_tick(world->engine) + 1;
    uint64_t slot = world->mailbox->number % SIM_STEPPING_WORLDS;
    int before = tick == sim->stepping_tick[slot] ? sim->stepping_count[slot] : 0;
    sim->stepping_tick[slot] = tick;
    sim->stepping_count[slot] = before + 1;
    if (before < 2) {
        sv_world_step_begins(world, tick);
    }
    sim_server_crash(sim, false);
}

static void
crash_server(struct sim *sim, bool is_power_cut)
{
    if (sim->plan.has[SIM_INSIDE] && sim_random_is(&sim->random, 0.6)) {
        sim->disk.die_at = sim->disk.calls + 1 + sim_random_below(&sim->random, 60);
        return; /* and then within that call */
    }
    sim_server_crash(sim, is_power_cut);
}

static void
inject_fault(struct sim *sim)
{
    const struct sim_plan *plan = &sim->plan;
    if (is_time(sim, SIM_SKEW, 0.2)) {
        sim->skew_s = (int64_t)sim_random_below(&sim->random, 7200) - 3600;
    }
    if (is_time(sim, SIM_FULL, plan->full_rate) && sim->now_ns >= sim->disk.full_until_ns) {
        double ms = sim_random_scale(&sim->random, 200.0, 5000.0);
        sim->disk.full_until_ns = sim->now_ns + (uint64_t)(ms * 1e6);
        sim->disk.room = sim_random_below(&sim->random, 60000);
        sim_note(sim, "full", sim->disk.room);
    }
    bool is_power_cut = is_time(sim, SIM_POWER, plan->crash_rate);
    bool is_kill = is_time(sim, SIM_KILL, plan->crash_rate);
    if (is_power_cut || is_kill) {
        crash_server(sim, is_power_cut);
    } else if (is_time(sim, SIM_STEPPING, plan->crash_rate * 0.5)) {
        die_in_step(sim);
    } else if (is_time(sim, SIM_STOP, plan->crash_rate * 0.5) && sim->disk.die_at == 0) {
        sim_server_stop(sim);
    }
}

/* The cut that was meant for a call of the disk has come, or the store has given up. */
static void
look_at_store(struct sim *sim)
{
    if (sim->disk.is_dead) {
        bool is_power_cut = sim->plan.has[SIM_POWER] &&
            (!sim->plan.has[SIM_KILL] || sim_random_is(&sim->random, 0.5));
        sim->count.inside++;
        sim_note(sim, sim->disk.died_in, sim->disk.calls);
        sim_server_crash(sim, is_power_cut);
    } else if (sv_store_look(sim->server.store, NULL) == SV_STORE_FAILED) {
        sim_note(sim, "exit", 74);
        sim_server_crash(sim, false);
    }
}

static void
start_server(struct sim *sim)
{
    if (sim->now_ns < sim->server.start_ns) {
        return;
    }
    if (!sim_is_calm(sim) && sim->count.boots > 0) {
        sim_disk_rot(&sim->disk);
        if (sim->plan.has[SIM_PROBE] && sim_random_is(&sim->random, 0.3)) {
            sim_probe(sim);
        }
        if (sim->plan.has[SIM_RECOVERY] && sim_random_is(&sim->random, 0.5)) {
            sim->disk.die_at = sim->disk.calls + 1 + sim_random_below(&sim->random, 16);
        }
    }
    if (!sim_server_boot(sim)) {
        bool is_power_cut = sim->plan.has[SIM_POWER] && sim_random_is(&sim->random, 0.5);
        sim_server_crash(sim, is_power_cut);
    }
}

/* ---- the seed ---- */

static void
init_sim(struct sim *sim)
{
    const struct sim_plan *plan = &sim->plan;
    uint64_t seed = plan->seed;
    sim->now_ns = SV_NS_PER_S;
    sim->end_ns = sim->now_ns + plan->duration_ns;
    sim->random.state = seed * 3 + 1;
    sim->disk.random.state = seed * 5 + 2;
    sim->turns.state = seed * 13 + 5;
    sim->second.state = seed * 17 + 6;
    sim->net.random.state = seed * 7 + 3;
    sim->net.sim = sim;
    sim->server.random = seed;
    cn_hash_init(&sim->trace);
    sim->ledger.samples = calloc(SIM_SAMPLES_MAX, sizeof(struct sim_sample));
    CN_ASSERT(sim->ledger.samples != NULL);
    for (int i = 0; i < plan->client_count; i++) {
        struct sim_client *client = &sim->clients[i];
        client->index = i;
        client->random.state = seed * 11 + (uint64_t)i;
        client->world = (int)sim_random_below(&client->random, (uint64_t)plan->world_count);
        client->mode = sim_random_is(&client->random, 0.5) ? 1 : 0;
        client->is_malicious = plan->has[SIM_MALICE] && i == plan->client_count - 1 && i > 0;
        client->retry_ns = sim->now_ns + sim_random_below(&client->random, SV_NS_PER_S);
    }
    sim_disk_init(&sim->disk, sim);
    sqlite3_vfs_register(sqlite3_vfs_find(DISK_VFS_NAME), 1); /* its chance, too */
    sqlite3_randomness(0, NULL);
    sim->heap_before = mallinfo2().uordblks;
}

void
sim_liveness_check(struct sim *sim)
{
    if (!sim->server.is_up) {
        sim_fail(sim, SIM_LIVENESS, "the daemon is not back");
    }
    for (int i = 0; i < sim->plan.client_count; i++) {
        const struct sim_client *client = &sim->clients[i];
        const struct sim_session *session = client->session;
        if (client->is_malicious) {
            continue;
        }
        if (client->state != SIM_INSIDE_WORLD) {
            sim_fail(sim, SIM_LIVENESS, "client %d is not in its world, but %d, %s", i,
                (int)client->state, client->connection != NULL ? "connected" : "away");
        }
        for (uint64_t k = session->shown_durable; k < session->count; k++) {
            if (!session->inputs[k].is_rejected) {
                sim_fail(sim, SIM_LIVENESS,
                    "client %d: input %" PRIu64 " of %" PRIu64 " is not acknowledged", i, k + 1,
                    session->count);
            }
        }
    }
}

static void
live_one_life(struct sim *sim)
{
    uint64_t look_ns = 0;
    while (sim->now_ns < sim->end_ns) {
        sim_others(sim);
        if (!sim->server.is_up) {
            start_server(sim);
            continue;
        }
        sim_server_pump(sim);
        look_at_store(sim);
        if (sim->server.is_up && !sim_is_calm(sim)) {
            inject_fault(sim);
        }
        if (sim_is_calm(sim)) {
            sim->disk.die_at = 0;
        }
        if (sim->server.is_up && sim->now_ns >= look_ns) {
            look_ns = sim->now_ns + 200 * SV_NS_PER_MS;
            sim_ledger_check(sim);
            sim_bounds_check(sim);
        }
    }
    sim_liveness_check(sim);
    sim_ledger_read(sim, false);
    sim_ledger_check(sim);
}

bool
sim_run(struct sim *sim)
{
    init_sim(sim);
    if (setjmp(sim->way_out) == 0) {
        live_one_life(sim);
        sim_server_drop(sim);
    }
    return sim->failed == SIM_NONE;
}

void
sim_finish(struct sim *sim)
{
    sim_net_finish(&sim->net);
    sim_ledger_finish(sim);
    sim_disk_finish(&sim->disk);
    for (int i = 0; i < sim->session_count; i++) {
        free(sim->sessions[i]->inputs);
        free(sim->sessions[i]);
    }
    free(sim->sessions);
}
