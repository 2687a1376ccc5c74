/*
 * second.c: starts a second daemon on the folder of a running one.
 *
 * The lock of the folder refuses it with a message, and it has changed nothing.  If the lock does
 * not stop it (a file system without locks, a removed lock), the epoch of the journal does.  A
 * daemon that opens the journal claims it, and the daemon that had it before writes nothing more.
 * Then the second daemon dies at once and loses its locks.  The first must notice this, end, and
 * recover.  All of this may happen while the first is within a disk call.
 */
#include "tests/sim/sim.h"

#include "server/store/store_inside.h"

#include <inttypes.h>
#include <string.h>

/* Of everything that is stored. */
static uint64_t
hash_files(const struct sv_disk_sim *state)
{
    struct cn_hash hash;
    cn_hash_init(&hash);
    for (int i = 0; i < state->name_count; i++) {
        const struct sv_disk_sim_name *name = &state->names[i];
        if (name->now >= 0) {
            const struct sv_disk_sim_file *file = &state->stored[name->now];
            cn_hash_bytes(&hash, name->path, strlen(name->path));
            cn_hash_bytes(&hash, file->now, file->now_size);
        }
    }
    return hash.state;
}

static void
come_to_lock(struct sim *sim, const struct sv_store_config *config)
{
    struct sv_fault fault;
    uint64_t before = hash_files(&sim->disk.state);
    if (sv_store_claim(&config->disk, config->folder, &fault)) {
        sim_fail(sim, SIM_ONE_DAEMON, "another daemon has got the folder that one holds");
    }
    if (fault.kind != SV_FAULT_BUSY) {
        sim_fail(sim, SIM_ONE_DAEMON, "another daemon is refused with: %s", fault.text);
    }
    if (hash_files(&sim->disk.state) != before) {
        sim_fail(sim, SIM_ONE_DAEMON, "another daemon was refused, and has changed something");
    }
    sim->count.refused++;
}

static void
come_past_lock(struct sim *sim, const struct sv_store_config *config)
{
    struct sv_fault fault;
    struct sv_store *store = sv_store_open(config, &fault);
    if (store == NULL) {
        sim_note(sim, sv_fault_name(fault.kind), 0);
        return;
    }
    uint64_t epoch = sv_store_trail(store, 1, 0).epoch;
    sim_note(sim, "claim", epoch);
    sim->epoch = epoch;
    sim->ledger.claim_epoch = epoch;
    sim->ledger.claim_commit = store->head.commit;
    sim->count.claims++;
    sv_store_abandon(store);
}

void
sim_second_step(struct sim *sim)
{
    const struct sim_plan *plan = &sim->plan;
    if (!plan->has[SIM_SECOND] || sim_is_calm(sim) || sim->disk.is_dead ||
        !sim_random_is(&sim->second, 2e-4)) {
        return;
    }
    struct sv_store_config config = sim_server_store_config(sim);
    bool is_past = plan->has[SIM_NO_LOCK] && sim_random_is(&sim->second, 0.5);
    bool was_quiet = sim->disk.is_quiet;
    config.lane_count = 1 + (int)sim_random_below(&sim->second, SIM_WORKERS_MAX);
    config.wake = NULL;
    sim->disk.is_quiet = true; /* its calls do not fail, and take no time */
    if (is_past) {
        come_past_lock(sim, &config);
    } else {
        come_to_lock(sim, &config);
    }
    sim->disk.is_quiet = was_quiet;
}
