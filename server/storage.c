#include "server/storage.h"

#include "server/host/recover.h"

#include <stdlib.h>
#include <string.h>

#define EXIT_FAILED 3

enum wire_durability
sv_storage_durability(const struct sv_config *config)
{
    if (config->durability == NULL || strcmp(config->durability, "tick") == 0) {
        return WIRE_DURABILITY_TICK;
    }
    return strcmp(config->durability, "second") == 0 ? WIRE_DURABILITY_SECOND
                                                     : WIRE_DURABILITY_NONE;
}

int
sv_storage_open(struct sv_storage *storage, const struct sv_config *config,
    const struct sv_store_config *how)
{
    struct sv_fault fault;
    struct sv_store_config complete = *how;
    complete.folder = config->data != NULL ? config->data : "cairn-data";
    complete.lane_count = (int)config->workers + 1; /* the last one is the network thread's */
    complete.reserve_size = SV_STORE_RESERVE_SIZE;
    complete.history_size = SV_STORE_HISTORY_SIZE;
    complete.past_ms = (uint64_t)config->history * 1000;
    complete.past_size = config->history_bytes;
    complete.scrub_ms = (uint64_t)config->scrub * 1000;
    storage->log = how->log;
    storage->store = sv_store_open(&complete, &fault);
    if (storage->store == NULL) {
        sv_log(storage->log, SV_LOG_ERROR, "%s: %s", complete.folder, fault.text);
        return sv_fault_exit_code(fault.kind);
    }
    return 0;
}

int
sv_storage_recover(struct sv_storage *storage, struct sv_host *host,
    enum wire_durability durability, bool has_past)
{
    struct sv_recovered recovered;
    struct wire_error error;
    struct sv_fault fault;
    for (int i = 0; i < host->worker_count; i++) {
        host->workers[i]->env.store = storage->store;
        host->workers[i]->env.lane = sv_store_lane(storage->store, i);
        host->workers[i]->env.meshes = host->meshes;
        host->workers[i]->env.durability = durability;
        host->workers[i]->env.has_past = has_past;
    }
    if (!sv_recover_worlds(host, storage->store, storage->log, &recovered, &error)) {
        sv_log(storage->log, SV_LOG_ERROR, "worlds can not come back: %s", error.text);
        if (strcmp(error.code, "PHYSICS") == 0) {
            sv_store_abandon(storage->store); /* drops the changes made to worlds here */
            storage->store = NULL;
        }
        return EXIT_FAILED;
    }
    if (recovered.world_count > 0) {
        sv_log(storage->log, recovered.failed_count > 0 ? SV_LOG_ERROR : SV_LOG_INFO,
            "%d worlds are back, %d are not run",
            recovered.world_count - recovered.failed_count, recovered.failed_count);
    }
    if (!sv_store_start(storage->store, &fault)) {
        sv_log(storage->log, SV_LOG_ERROR, "%s", fault.text);
        return sv_fault_exit_code(fault.kind);
    }
    return 0;
}

/* Copies the store's counts to the metrics. */
static void
show_figures(struct sv_store *store, struct sv_metrics *metrics)
{
    const struct sv_store_figures figures = sv_store_figures(store);
    atomic_store_explicit(&metrics->scrub_passes, figures.scrub_passes, memory_order_relaxed);
    atomic_store_explicit(&metrics->scrub_bytes, figures.scrub_bytes, memory_order_relaxed);
    atomic_store_explicit(&metrics->scrub_finds, figures.scrub_finds, memory_order_relaxed);
    atomic_store_explicit(&metrics->scrub_mended, figures.scrub_mended, memory_order_relaxed);
    atomic_store_explicit(&metrics->scrub_damaged, figures.scrub_damaged, memory_order_relaxed);
}

int
sv_storage_tend(struct sv_storage *storage, const struct sv_host *host, uint64_t now_ns)
{
    uint64_t since_ns;
    if (storage->store == NULL) {
        return 0;
    }
    if (host->metrics != NULL) {
        show_figures(storage->store, host->metrics);
    }
    enum sv_store_state before = storage->state;
    storage->state = sv_store_look(storage->store, &since_ns);
    if (storage->state == SV_STORE_STALLED) {
        sv_slow_disk_look(&storage->slow, host, storage->log, since_ns, now_ns);
        return 0;
    }
    sv_slow_disk_end(&storage->slow, storage->log, now_ns);
    if (storage->state == before) {
        return 0;
    }
    switch (storage->state) {
    case SV_STORE_WRITING:
        if (before != SV_STORE_STALLED) {
            sv_log(storage->log, SV_LOG_INFO, "the data folder is written again");
        }
        break;
    case SV_STORE_STALLED:
        break;
    case SV_STORE_READ_ONLY:
        sv_log(storage->log, SV_LOG_ERROR, "%s; worlds can be watched, but not changed",
            sv_store_fault(storage->store)->text);
        break;
    case SV_STORE_FAILED:
        sv_log(storage->log, SV_LOG_ERROR, "%s; stopping, nothing acknowledged is lost",
            sv_store_fault(storage->store)->text);
        return sv_fault_exit_code(sv_store_fault(storage->store)->kind);
    }
    return 0;
}

bool
sv_storage_close(struct sv_storage *storage, struct sv_host *host)
{
    struct sv_fault fault;
    if (storage->store == NULL) {
        return true;
    }
    for (int i = 0; i < host->worker_count; i++) {
        sv_worker_settle(host->workers[i]);
    }
    bool is_good = sv_store_close(storage->store, &fault);
    if (!is_good) {
        sv_log(storage->log, SV_LOG_ERROR, "%s", fault.text);
    }
    storage->store = NULL;
    return is_good;
}
