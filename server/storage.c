#include "server/storage.h"

#include "server/host/recover.h"

#include <stdlib.h>
#include <string.h>

#define EXIT_NO_MEMORY 71

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
    complete.lane_count = (int)config->workers;
    complete.reserve_size = SV_STORE_RESERVE_SIZE;
    complete.history_size = SV_STORE_HISTORY_SIZE;
    complete.past_ms = (uint64_t)config->history * 1000;
    complete.past_size = config->history_bytes;
    storage->log = how->log;
    storage->store = sv_store_open(&complete, &fault);
    if (storage->store == NULL) {
        sv_log(storage->log, SV_LOG_ERROR, "%s: %s", complete.folder, fault.text);
        return sv_fault_exit_code(fault.kind);
    }
    return 0;
}

bool
sv_storage_recover(struct sv_storage *storage, struct sv_host *host,
    enum wire_durability durability, bool has_past)
{
    struct sv_recovered recovered;
    struct wire_error error;
    struct sv_fault fault;
    for (int i = 0; i < host->worker_count; i++) {
        host->workers[i]->store = storage->store;
        host->workers[i]->lane = sv_store_lane(storage->store, i);
        host->workers[i]->meshes = host->meshes;
        host->workers[i]->durability = durability;
        host->workers[i]->has_past = has_past;
    }
    if (!sv_recover_worlds(host, storage->store, storage->log, &recovered, &error)) {
        sv_log(storage->log, SV_LOG_ERROR, "worlds can not come back: %s", error.text);
        return false;
    }
    if (recovered.world_count > 0) {
        sv_log(storage->log, recovered.failed_count > 0 ? SV_LOG_ERROR : SV_LOG_INFO,
            "%d worlds are back, %d are not run",
            recovered.world_count - recovered.failed_count, recovered.failed_count);
    }
    if (!sv_store_start(storage->store, &fault)) {
        sv_log(storage->log, SV_LOG_ERROR, "%s", fault.text);
        return false;
    }
    return true;
}

int
sv_storage_tend(struct sv_storage *storage)
{
    if (storage->store == NULL) {
        return 0;
    }
    enum sv_store_state before = storage->state;
    storage->state = sv_store_look(storage->store, NULL);
    if (storage->state == before) {
        return 0;
    }
    switch (storage->state) {
    case SV_STORE_WRITING:
        sv_log(storage->log, SV_LOG_INFO, "the data folder is written again");
        break;
    case SV_STORE_STALLED:
        sv_log(storage->log, SV_LOG_WARN, "the disk is slow: worlds wait for it");
        break;
    case SV_STORE_READ_ONLY:
        sv_log(storage->log, SV_LOG_ERROR, "%s; worlds can be watched and not changed",
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
