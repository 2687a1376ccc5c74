/*
 * The keeper's thread: checkpoint files, merging, the watermark, free space.
 */
#include "engine/base/assert.h"
#include "server/store/store.h"
#include "server/store/store_inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void
log_text(struct sv_store *store, enum sv_log_level level, const char *text)
{
    if (store->config.log != NULL) {
        sv_log(store->config.log, level, "store: %s", text);
    }
}

static void
write_checkpoint(struct sv_store *store, struct sv_task *task)
{
    CN_ASSERT(task->checkpoint != NULL && sv_lane_checkpoints_busy(task->lane) > 0);
    struct sv_fault fault;
    task->manifest.trail = task->checkpoint->trail;
    task->manifest.tick = task->checkpoint->tick;
    task->manifest.age_ms = task->checkpoint->age_ms;
    task->manifest.stepped_ms = task->checkpoint->stepped_ms;
    bool is_written = sv_checkpoint_write(&store->config.disk, store->config.folder,
        task->checkpoint, &task->manifest.file_size, &fault);
    sv_checkpoint_destroy(task->checkpoint);
    task->checkpoint = NULL;
    atomic_fetch_sub(&task->lane->checkpoints_busy, 1);
    if (!is_written) {
        log_text(store, SV_LOG_ERROR, fault.text);
        atomic_fetch_add(&store->checkpoints_failed, 1);
        sv_task_destroy(task);
        return;
    }
    atomic_fetch_add(&store->checkpoints, 1);
    atomic_fetch_add(&store->checkpoint_bytes, task->manifest.file_size);
    task->kind = SV_TASK_MANIFEST;
    sv_store_give(store, &store->to_journal, task);
    sv_store_want(store);
}

static void
remove_checkpoint(struct sv_store *store, const struct sv_manifest *manifest)
{
    CN_ASSERT(manifest->trail.world != 0);
    char path[SV_CHECKPOINT_PATH_SIZE];
    const struct sv_disk *disk = &store->config.disk;
    if (sv_checkpoint_path(path, store->config.folder, &manifest->trail)) {
        enum sv_disk_result result = disk->remove(disk->context, path);
        if (result != SV_DISK_OK && result != SV_DISK_MISSING) {
            log_text(store, SV_LOG_WARN, path);
        }
    }
}

/* Whether a backup is running, which may need files that the store no longer needs. */
bool
sv_store_is_held(const struct sv_store *store)
{
    const struct sv_disk *disk = &store->config.disk;
    return disk->is_held != NULL && disk->is_held(disk->context, store->config.folder);
}

bool
sv_store_keep_one(struct sv_store *store)
{
    struct sv_task *task = sv_store_take(store, &store->to_keeper);
    if (task == NULL) {
        return false;
    }
    if (task->kind == SV_TASK_WRITE) {
        write_checkpoint(store, task);
    } else if (sv_store_is_held(store)) {
        sv_store_give(store, &store->put_off, task);
    } else {
        CN_ASSERT(task->kind == SV_TASK_REMOVE && task->checkpoint == NULL);
        remove_checkpoint(store, &task->manifest);
        sv_task_destroy(task);
    }
    return true;
}

/* A backup has ended: removes files that it might have needed. */
void
sv_store_remove_put_off(struct sv_store *store)
{
    struct sv_task *task;
    if (store->put_off.first == NULL || sv_store_is_held(store)) {
        return;
    }
    while ((task = sv_store_take(store, &store->put_off)) != NULL) {
        remove_checkpoint(store, &task->manifest);
        sv_task_destroy(task);
    }
}

bool
sv_store_mark_now(struct sv_store *store, bool is_closed, struct sv_fault *fault)
{
    pthread_mutex_lock(&store->mutex);
    const struct sv_journal_head head = store->durable_head;
    pthread_mutex_unlock(&store->mutex);
    struct sv_watermark *mark = &store->mark;
    CN_ASSERT(head.commit >= mark->commit && head.epoch >= mark->epoch); /* checked at opening */
    if (store->has_mark && mark->commit == head.commit && mark->epoch == head.epoch &&
        mark->is_closed == is_closed) {
        return true;
    }
    struct sv_watermark next = {.sequence = mark->sequence,
        .commit = head.commit,
        .chain = head.chain,
        .epoch = head.epoch,
        .is_closed = is_closed};
    if (!sv_watermark_write(&store->config.disk, store->config.folder, &next, fault)) {
        return false;
    }
    *mark = next;
    store->has_mark = true;
    return true;
}

static bool
reserve_path(const struct sv_store *store, char path[SV_CHECKPOINT_PATH_SIZE])
{
    return (size_t)snprintf(path, SV_CHECKPOINT_PATH_SIZE, "%s/reserve", store->config.folder) <
           SV_CHECKPOINT_PATH_SIZE;
}

void
sv_store_reserve(struct sv_store *store)
{
    char path[SV_CHECKPOINT_PATH_SIZE];
    const struct sv_disk *disk = &store->config.disk;
    int file;
    if (store->config.reserve_size == 0 || !reserve_path(store, path)) {
        return;
    }
    enum sv_disk_result result = disk->open(disk->context, path, SV_DISK_WRITE, &file);
    if (result == SV_DISK_OK) {
        result = disk->allocate(disk->context, file, store->config.reserve_size);
        disk->close(disk->context, file);
    }
    if (result != SV_DISK_OK) { /* removes the partly written file */
        log_text(store, SV_LOG_WARN, "there is no room for the reserve file");
        enum sv_disk_result removed = disk->remove(disk->context, path);
        (void)removed;
    }
    pthread_mutex_lock(&store->mutex);
    store->has_reserve = result == SV_DISK_OK;
    pthread_mutex_unlock(&store->mutex);
}

void
sv_store_give_up_reserve(struct sv_store *store)
{
    char path[SV_CHECKPOINT_PATH_SIZE];
    pthread_mutex_lock(&store->mutex);
    bool has_reserve = store->has_reserve;
    store->has_reserve = false;
    pthread_mutex_unlock(&store->mutex);
    if (has_reserve && reserve_path(store, path)) {
        enum sv_disk_result result = store->config.disk.remove(store->config.disk.context, path);
        (void)result; /* the following commit shows whether it succeeded */
    }
}

/* Ends READ_ONLY when there is room for the reserve and for the wanted size besides. */
static void
look_at_space(struct sv_store *store)
{
    uint64_t free_size;
    const struct sv_disk *disk = &store->config.disk;
    if (disk->space(disk->context, store->config.folder, &free_size) != SV_DISK_OK) {
        return;
    }
    atomic_store(&store->free_size, free_size);
    atomic_store(&store->is_low, free_size < store->config.free_min);
    if (atomic_load(&store->gate.state) == SV_STORE_READ_ONLY &&
        free_size >= store->config.free_min + store->config.reserve_size) {
        sv_store_reserve(store);
        CN_ASSERT(store->fault[SV_STORE_READ_ONLY].kind != SV_FAULT_NONE); /* since it entered it */
        sv_store_enter(store, SV_STORE_WRITING, NULL);
    }
}

/*
 * If the device refuses a merge or a watermark, the store fails for good.  SQLite would otherwise
 * assume next time that unflushed data was merged.
 */
static void
keep_up(struct sv_store *store)
{
    struct sv_fault fault;
    struct sv_journal_size size;
    bool is_merging = store->upkeep_count++ % SV_STORE_MERGE_PERIODS == 0;
    bool is_good = sv_store_mark_now(store, false, &fault);
    if (is_good && is_merging) {
        is_good = store->journal.upkeep(store->journal.context, &size, &fault);
        if (is_good) {
            atomic_store(&store->used_size, size.used);
            if (size.waiting > SV_STORE_WAL_SIZE_MAX) {
                atomic_store(&store->is_merge_wanted, true);
            }
        }
    }
    if (!is_good && fault.kind == SV_FAULT_FULL) {
        sv_store_enter(store, SV_STORE_READ_ONLY, &fault);
    } else if (!is_good && (fault.kind == SV_FAULT_FILES || fault.kind == SV_FAULT_MEMORY)) {
        log_text(store, SV_LOG_WARN, fault.text); /* nothing was begun: it is tried again */
    } else if (!is_good && fault.kind != SV_FAULT_BUSY) {
        sv_store_enter(store, SV_STORE_FAILED, &fault);
    }
    look_at_space(store);
    sv_store_remove_put_off(store);
}

uint64_t
sv_store_run_keeper(struct sv_store *store)
{
    uint64_t now_ns = sv_clock_now_ns(&store->config.clock);
    if (atomic_load(&store->gate.state) == SV_STORE_FAILED) {
        return UINT64_MAX;
    }
    if (now_ns >= store->upkeep_ns) {
        store->upkeep_ns = now_ns + SV_STORE_PERIOD_NS;
        keep_up(store);
    }
    if (sv_store_keep_one(store)) {
        return now_ns;
    }
    uint64_t scrub_ns = sv_store_scrub(store, now_ns);
    return scrub_ns < store->upkeep_ns ? scrub_ns : store->upkeep_ns;
}
