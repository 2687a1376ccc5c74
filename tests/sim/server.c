/* The daemon: starts it, kills it, and checks it while it runs. */
#include "tests/sim/sim.h"

#include "engine/state/image.h"
#include "server/snapshot/publication.h"
#include "server/store/store_inside.h"
#include "tests/support/server/disk_vfs.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* ---- calls that the daemon gets ---- */

static uint64_t
clock_now(void *context)
{
    const struct sim *sim = context;
    return sim->now_ns + (uint64_t)(int64_t)((double)sim->now_ns * sim->plan.drift);
}

static int64_t
clock_wall(void *context)
{
    const struct sim *sim = context;
    return SV_CLOCK_SIMULATED_S + (int64_t)(sim->now_ns / SV_NS_PER_S) + sim->skew_s;
}

static void
no_wake(void *context, int worker)
{
    (void)context;
    (void)worker;
}

static void
drop_line(void *context, const char *line, size_t size)
{
    (void)context;
    (void)line;
    (void)size;
}

/*
 * Reads the durable entries before the store can prune them.  Then the gateway sends what became
 * durable, as the network thread does in the daemon.
 */
static void
on_woken(void *context)
{
    struct sim *sim = context;
    if (sim->server.is_up && !sim->disk.is_dead) {
        sim_ledger_read(sim, false);
        sv_gateway_poll(&sim->server.gateway);
    }
}

/* ---- starting ---- */

struct sv_store_config
sim_server_store_config(struct sim *sim)
{
    return (struct sv_store_config){.folder = "data",
        .lane_count = sim->server.worker_count,
        .lane_size = sim->plan.lane_size,
        .reserve_size = 65536,
        .history_size = sim->plan.history_size,
        .free_min = 4096,
        .clock = {clock_now, clock_wall, sim},
        .disk = sim_disk_calls(&sim->disk),
        .log = &sim->server.log,
        .vfs = DISK_VFS_NAME,
        .wake = on_woken,
        .wake_context = sim};
}

/* If the folder does not open, without a fault of the disk, all its data is lost. */
static bool
open_store(struct sim *sim)
{
    struct sv_fault fault;
    struct sim_server *server = &sim->server;
    struct sv_store_config config = sim_server_store_config(sim);
    uint64_t failed = sim->disk.failed_count;
    if (!sv_store_claim(&config.disk, config.folder, &fault)) {
        sim_fail(sim, SIM_ACK_KEPT, "nobody holds the folder, and: %s", fault.text);
    }
    server->store = sv_store_open(&config, &fault);
    if (server->store == NULL && sim->disk.failed_count == failed) {
        sim_fail(sim, SIM_ACK_KEPT, "the folder does not open: %s", fault.text);
    }
    return server->store != NULL;
}

static void
init_parts(struct sim *sim)
{
    struct sim_server *server = &sim->server;
    struct sv_clock clock = {clock_now, clock_wall, sim};
    bool is_good = true;
    for (int i = 0; i < server->worker_count; i++) {
        struct sv_worker *worker = &server->worker[i];
        is_good = is_good &&
            sv_worker_init(
                worker, clock, &server->log, &server->metrics, sim->plan.keep_running);
        CN_ASSERT(is_good);
        worker->env.store = server->store;
        worker->env.lane = sv_store_lane(server->store, i);
        server->workers[i] = worker;
    }
    sv_host_init(&server->host, server->workers, server->worker_count, 8);
    for (int i = 0; i < server->worker_count; i++) {
        server->worker[i].env.meshes = server->host.meshes;
    }
    server->host.wake = no_wake;
    is_good = sv_gateway_init(&server->gateway, &server->host, clock, &server->log,
        &server->metrics, "sim", SIM_CONNECTIONS_MAX);
    CN_ASSERT(is_good);
    sim->net.events = sv_gateway_events(&server->gateway);
    server->gateway.transport = sim_net_transport(&sim->net);
    server->gateway.random = sv_random_simulated(&server->random);
    server->gateway.access.random = server->gateway.random;
    server->host.random = server->gateway.random;
}

/* Recovers every stored world; false if the power was cut meanwhile. */
static bool
recover_worlds(struct sim *sim)
{
    struct sim_server *server = &sim->server;
    struct wire_error error;
    bool is_back = sv_recover_worlds(
        &server->host, server->store, &server->log, &server->recovered, &error);
    if (sim->disk.is_dead) {
        return false;
    }
    if (!is_back) {
        sim_fail(sim, SIM_ACK_KEPT, "worlds do not come back: %s", error.text);
    }
    for (int i = 0; i < server->host.world_count; i++) {
        const struct sv_host_world *world = server->host.worlds[i];
        if (world->is_failed || world->status.state == WIRE_WORLD_FAILED) {
            sim_fail(sim, SIM_REPLAY_EQUAL, "%s: %s", world->mailbox.id, world->status.failure);
        }
    }
    return true;
}

void
sim_promise(struct sim_world *world, uint32_t generation, uint64_t tick)
{
    bool is_later = generation > world->kept_generation ||
        (generation == world->kept_generation && tick > world->kept_tick);
    if (is_later) {
        world->kept_generation = generation;
        world->kept_tick = tick;
    }
}

/* No world is before the tick that was promised to its clients. */
static void
check_promises(struct sim *sim)
{
    const struct sim_server *server = &sim->server;
    for (int i = 0; i < server->host.world_count; i++) {
        const struct sv_world *live = server->host.worlds[i]->mailbox.world;
        const struct sim_world *world =
            live != NULL ? sim_world_find(sim, live->mailbox->number) : NULL;
        if (world == NULL) {
            continue;
        }
        uint64_t tick = cn_world_tick(live->engine);
        bool is_before = live->generation < world->kept_generation ||
            (live->generation == world->kept_generation && tick < world->kept_tick);
        if (is_before) {
            sim_fail(sim, SIM_SHOWN_KEPT,
                "w%d is back at tick %" PRIu64 " of generation %" PRIu32 ", and tick %" PRIu64
                " of generation %" PRIu32 " was promised",
                world->index, tick, live->generation, world->kept_tick, world->kept_generation);
        }
    }
}

static void
drop_parts(struct sim *sim)
{
    struct sim_server *server = &sim->server;
    if (server->store != NULL) {
        sv_store_abandon(server->store);
        server->store = NULL;
    }
    for (int i = 0; i < server->worker_count; i++) {
        sv_worker_finish(&server->worker[i]);
    }
    sv_gateway_finish(&server->gateway);
    sv_host_finish(&server->host);
}

/* Starts the daemon; false if the disk failed or the power was cut, and it is tried again. */
bool
sim_server_boot(struct sim *sim)
{
    struct sim_server *server = &sim->server;
    uint64_t random = server->random;
    memset(server, 0, sizeof(*server));
    server->random = random;
    server->worker_count = 1;
    if (sim->plan.has[SIM_CROWD]) {
        server->worker_count += (int)sim_random_below(&sim->turns, SIM_WORKERS_MAX);
    }
    sv_log_init(&server->log, SV_LOG_ERROR, (struct sv_clock){clock_now, clock_wall, sim});
    server->log.write = drop_line;
    if (!open_store(sim)) {
        return false;
    }
    server->epoch = sv_store_trail(server->store, 1, 0).epoch;
    if (server->epoch <= sim->epoch) {
        sim_fail(sim, SIM_TICK_ORDER, "epoch %" PRIu64 " after %" PRIu64, server->epoch,
            sim->epoch);
    }
    sim->epoch = server->epoch;
    init_parts(sim);
    if (!recover_worlds(sim)) {
        drop_parts(sim);
        return false;
    }
    sim->count.boots++;
    sim_note(sim, "boot", server->epoch);
    check_promises(sim);
    sim_ledger_read(sim, true);
    sim_ledger_check(sim);
    server->is_up = true;
    return true;
}

/* ---- working ---- */

static void
create_missing(struct sim *sim)
{
    struct sim_server *server = &sim->server;
    struct wire_error error;
    struct sv_asker nobody = {0};
    if (sim->now_ns < server->create_ns) {
        return;
    }
    server->create_ns = sim->now_ns + 500 * SV_NS_PER_MS;
    for (int i = 0; i < sim->plan.world_count; i++) {
        char id[] = {'w', (char)('0' + i), '\0'};
        if (!sv_host_has(&server->host, id)) {
            bool is_asked = sv_host_create_world(
                &server->host, id, sim_scene(&sim->plan, i), &nobody, &error);
            sim_note(sim, is_asked ? "create" : error.code, (uint64_t)i);
        }
    }
}

static void
run_worker(struct sim *sim, int index)
{
    struct sim_server *server = &sim->server;
    struct sv_worker *worker = &server->worker[index];
    uint64_t now_ns = clock_now(sim);
    if (sim->plan.has[SIM_LAG] && !sim_is_calm(sim)) {
        if (sim->now_ns < server->lag_until_ns[index]) {
            return;
        }
        if (sim_random_is(&sim->turns, 1e-3)) {
            double ms = sim_random_scale(&sim->turns, 1.0, 1000.0);
            server->lag_until_ns[index] = sim->now_ns + (uint64_t)(ms * 1e6);
        }
    }
    for (int i = 0; i < 32 && sv_worker_run(worker) <= now_ns; i++) {
        sim_server_sample(sim, worker);
    }
    sim_server_sample(sim, worker);
}

void
sim_server_step(struct sim *sim)
{
    struct sim_server *server = &sim->server;
    uint64_t count = (uint64_t)server->worker_count;
    create_missing(sim);
    uint64_t first = count > 1 ? sim_random_below(&sim->turns, count) : 0;
    for (uint64_t i = 0; i < count; i++) {
        run_worker(sim, (int)((first + i) % count));
    }
    sv_gateway_poll(&server->gateway);
    sv_gateway_tend(&server->gateway);
}

void
sim_server_pump(struct sim *sim)
{
    struct sim_server *server = &sim->server;
    (void)sv_store_run_journal(server->store);
    if (!sim->disk.is_dead) {
        (void)sv_store_run_keeper(server->store);
    }
}

/* ---- dying ---- */

void
sim_server_drop(struct sim *sim)
{
    if (sim->server.is_up) {
        sim->server.is_up = false;
        drop_parts(sim);
    }
}

void
sim_server_crash(struct sim *sim, bool is_power_cut)
{
    sim->disk.is_dead = true; /* nothing is flushed on the way out */
    sim->count.crashes++;
    sim_note(sim, is_power_cut ? "power" : "kill", sim->disk.calls);
    if (sim->server.is_up) {
        sim_net_server_died(&sim->net);
        sim_server_drop(sim);
    }
    disk_vfs_reset();
    sim->disk.state.is_locked = false;
    if (is_power_cut) {
        sv_disk_sim_crash(&sim->disk.state, sim_random_next(&sim->disk.random));
    }
    sim->disk.is_dead = false;
    sim->disk.die_at = 0;
    sim->server.start_ns = sim->now_ns + sim_random_below(&sim->random, 300 * SV_NS_PER_MS);
}

void
sim_server_stop(struct sim *sim)
{
    struct sv_fault fault;
    struct sim_server *server = &sim->server;
    sim_note(sim, "stop", 0);
    for (int i = 0; i < server->worker_count; i++) {
        sv_worker_settle(&server->worker[i]);
    }
    (void)sv_store_close(server->store, &fault);
    server->store = NULL;
    sim_net_server_died(&sim->net);
    sim_server_drop(sim);
    disk_vfs_reset();
    sim->disk.state.is_locked = false;
    server->start_ns = sim->now_ns + sim_random_below(&sim->random, 300 * SV_NS_PER_MS);
}

/* ---- looking ---- */

/* Checks how many ticks the world is ahead of the oldest record that is not durable. */
static void
look_ahead(struct sim *sim, struct sim_world *world, const struct sv_world *live, bool is_step)
{
    uint64_t durable = sv_lane_durable(live->persist.lane);
    int done = 0;
    world->step_count += is_step ? 1 : 0;
    while (done < world->ahead_count && world->ahead[done].ticket <= durable) {
        done++;
    }
    world->ahead_count -= done;
    memmove(world->ahead, world->ahead + done,
        (size_t)world->ahead_count * sizeof(world->ahead[0]));
    int last = world->ahead_count - 1;
    bool is_new = live->persist.ticket > durable &&
        (last < 0 || world->ahead[last].ticket < live->persist.ticket);
    if (is_new && last + 1 < 64) {
        world->ahead[last + 1].ticket = live->persist.ticket;
        world->ahead[last + 1].step = world->step_count;
        world->ahead_count++;
    }
    if (world->ahead_count > 0 && live->persist.durability == WIRE_DURABILITY_TICK &&
        world->step_count - world->ahead[0].step > SV_AHEAD_TICKS_MAX) {
        sim_fail(sim, SIM_BOUNDS, "%s is %" PRIu64 " ticks ahead of the disk",
            live->mailbox->id, world->step_count - world->ahead[0].step);
    }
}

static void
look_at_bodies(struct sim *sim, const struct sv_world *live)
{
    for (int i = 0; i < cn_world_body_count(live->engine); i++) {
        struct cn_body_view view;
        cn_world_body_view(live->engine, i, &view);
        double sum = view.position.x + view.position.y + view.velocity.x + view.velocity.y +
            view.angular_velocity.z + view.angle;
        if (!(sum - sum == 0.0)) { /* infinite or NaN */
            sim_fail(sim, SIM_FINITE, "%s: body %d", live->mailbox->id, i);
        }
    }
}

static void
look_at_view(struct sim *sim, const struct sv_world *live)
{
    const struct sv_publication *shown = atomic_load(&live->mailbox->newest);
    if (shown == NULL) {
        return;
    }
    const struct wire_state *state = shown->views[0].state;
    struct sim_sample *sample = sim_sample(
        sim, live->mailbox->number, sim->server.epoch, state->generation, state->tick);
    if (sample == NULL) {
        return;
    }
    if (sample->has_view && sample->view_hash != state->view_hash) {
        sample->is_changing = true;
    }
    if (shown->status.state != WIRE_WORLD_RUNNING || shown->status.idle) {
        sample->is_changing = true;
    }
    sample->view_hash = state->view_hash;
    sample->has_view = true;
}

/* Checks the world right after a step, before its next log entries. */
static void
look_at_world(struct sim *sim, struct sv_world *live)
{
    struct sim_world *world = sim_world_find(sim, live->mailbox->number);
    uint64_t tick = cn_world_tick(live->engine), epoch = sim->server.epoch;
    if (world == NULL || live->persist.lane == NULL) {
        return;
    }
    bool is_step = live->generation == world->seen_generation && tick == world->seen_tick + 1;
    bool is_new = live->generation != world->seen_generation || tick != world->seen_tick;
    look_ahead(sim, world, live, is_step);
    if (is_new && !cn_world_is_mid_tick(live->engine)) {
        struct sim_sample *sample =
            sim_sample(sim, live->mailbox->number, epoch, live->generation, tick);
        world->seen_generation = live->generation;
        world->seen_tick = tick;
        if (sample != NULL && is_step && live->persist.entries.size == 0) {
            sample->state_hash = cn_world_hash(live->engine);
            sample->has_hash = true;
            sim->count.ticks++;
            if (tick % 16 == 0) {
                look_at_bodies(sim, live);
            }
        }
        if (sim->now_ns >= world->checkpoint_ns) {
            world->checkpoint_ns = sim->now_ns + sim->plan.checkpoint_period_ns;
            live->persist.is_checkpoint_due = true;
        }
    }
    look_at_view(sim, live);
}

void
sim_server_sample(struct sim *sim, const struct sv_worker *worker)
{
    for (int i = 0; i < worker->world_count; i++) {
        look_at_world(sim, worker->worlds[i]);
    }
}

void
sim_bounds_check(struct sim *sim)
{
    struct sim_server *server = &sim->server;
    struct sv_gateway *gateway = &server->gateway;
    for (int i = 0; i < gateway->seat_count; i++) {
        const struct sv_seat *seat = gateway->seats[i];
        if (seat == NULL) {
            continue;
        }
        if (seat->queue_size > SV_QUEUE_SIZE_MAX + SV_MESSAGE_WHOLE_SIZE_MAX) {
            sim_fail(sim, SIM_BOUNDS, "%zu bytes wait for a client", seat->queue_size);
        }
        if (seat->is_away && clock_now(sim) - seat->away_ns > SV_GRACE_NS + SV_NS_PER_S) {
            sim_fail(sim, SIM_BOUNDS, "a seat is kept for one who went long ago");
        }
    }
    for (int i = 0; i < server->host.world_count; i++) {
        if (server->host.worlds[i]->held_count > SV_HELD_MAX) {
            sim_fail(sim, SIM_BOUNDS, "too many publications are held");
        }
    }
    size_t heap = mallinfo2().uordblks;
    if (heap > sim->heap_before + ((size_t)64 << 20)) {
        sim_fail(sim, SIM_BOUNDS, "%zu bytes of memory", heap - sim->heap_before);
    }
}
