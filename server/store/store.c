#include "server/store/store.h"

#include "engine/base/assert.h"
#include "server/store/journal/sentry.h"
#include "server/store/store_inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 4096

static void
release_store(struct sv_store *store)
{
    CN_ASSERT(store->journal_thread.wake_fd < 0 && store->keeper_thread.wake_fd < 0);
    const struct sv_disk *disk = &store->config.disk;
    for (int i = 0; store->lanes != NULL && i < store->config.lane_count; i++) {
        if (store->lanes[i].bytes != NULL) {
            sv_lane_finish(&store->lanes[i]);
        }
    }
    for (struct sv_task *task; (task = sv_store_take(store, &store->to_keeper)) != NULL;) {
        sv_task_destroy(task);
    }
    for (struct sv_task *task; (task = sv_store_take(store, &store->to_journal)) != NULL;) {
        sv_task_destroy(task);
    }
    if (store->scrubbing.is_reading) {
        sv_scrub_end(&store->scrubbing.scrub);
    }
    for (struct sv_task *task; (task = sv_store_take(store, &store->put_off)) != NULL;) {
        sv_task_destroy(task);
    }
    sv_batch_finish(&store->batch);
    sv_worlds_finish(&store->worlds);
    if (store->marks != NULL) {
        disk->unmap(disk->context, store->marks, SV_STORE_LANES_MAX * sizeof(*store->marks));
    }
    pthread_mutex_destroy(&store->mutex);
    free(store->lanes);
    free(store);
}

bool
sv_store_claim(const struct sv_disk *disk, const char *folder, struct sv_fault *fault)
{
    long holder = 0;
    enum sv_disk_result result = disk->lock(disk->context, folder, &holder);
    if (result == SV_DISK_BUSY) {
        return sv_fault_set(fault, SV_FAULT_BUSY,
            "%s is in use by the daemon with process id %ld; give this one another --data",
            folder, holder);
    }
    if (result == SV_DISK_OK || result == SV_DISK_BUSY) {
        return true;
    }
    char what[PATH_SIZE];
    snprintf(what, sizeof(what), "%.4000s can not be used", folder);
    return sv_fault_set_disk(fault, result, what);
}

/*
 * Checks the files before SQLite opens them, because SQLite would silently repair or create them.
 */
static bool
look_before(struct sv_store *store, const struct sv_watermark *mark, struct sv_fault *fault)
{
    char path[PATH_SIZE];
    int file;
    struct sv_sentry_report report;
    const struct sv_disk *disk = &store->config.disk;
    if ((size_t)snprintf(path, sizeof(path), "%s/journal.db", store->config.folder) >=
        sizeof(path)) {
        return sv_fault_set(fault, SV_FAULT_MISSING, "the folder's name is too long");
    }
    enum sv_disk_result result = disk->open(disk->context, path, SV_DISK_READ, &file);
    if (result == SV_DISK_OK) {
        disk->close(disk->context, file);
    } else if (result == SV_DISK_MISSING && mark->commit > 0) {
        return sv_fault_set(fault, SV_FAULT_JOURNAL_SHORT,
            "%s is gone, but the watermark has seen commit %" PRIu64, path, mark->commit);
    } else if (result != SV_DISK_MISSING) {
        return sv_fault_set_disk(fault, result, path);
    }
    bool is_good = sv_sentry_check(disk, store->config.folder, &report, fault);
    store->has_rest = is_good && report.frame_ours > report.frame_committed;
    return is_good;
}

/*
 * SQLite leaves the bytes of a torn commit after the last good one, and overwrites them later.  If
 * the next commit is torn too, the sentry would take the old rest for a later commit.  So the log
 * is emptied before anything is written.
 */
static bool
drop_rest(struct sv_store *store, struct sv_fault *fault)
{
    return !store->has_rest || store->journal.merge(store->journal.context, fault);
}

static bool
open_journal(struct sv_store *store, const struct sv_watermark *mark, struct sv_fault *fault)
{
    const struct sv_store_config *config = &store->config;
    const struct sv_journal_sqlite_config sqlite = {.folder = config->folder, .vfs = config->vfs};
    if (config->journal != NULL) {
        store->journal = *config->journal;
        store->head = config->head;
    } else if (!look_before(store, mark, fault) ||
               !sv_journal_sqlite_open(&store->journal, &sqlite, &store->head, fault)) {
        return false;
    }
    /*
     * SQLite removes the rollback journal of a new database and does not flush the folder: if it
     * came back after a power cut, it would undo everything since.
     */
    enum sv_disk_result flushed = config->disk.sync_folder(config->disk.context, config->folder);
    if (flushed != SV_DISK_OK) {
        return sv_fault_set_disk(fault, flushed, config->folder);
    }
    bool is_short = mark->commit > store->head.commit || mark->epoch > store->head.epoch;
    if (is_short) {
        return sv_fault_set(fault, SV_FAULT_JOURNAL_SHORT,
            "the journal ends at commit %" PRIu64 " of epoch %" PRIu64
            ", but the watermark has seen commit %" PRIu64 " of epoch %" PRIu64,
            store->head.commit, store->head.epoch, mark->commit, mark->epoch);
    }
    return true;
}

static bool
make_lanes(struct sv_store *store, struct sv_fault *fault)
{
    CN_ASSERT(store->lanes == NULL && store->marks != NULL);
    size_t count = (size_t)store->config.lane_count;
    store->lanes = aligned_alloc(64, count * sizeof(*store->lanes));
    if (store->lanes != NULL) {
        memset(store->lanes, 0, count * sizeof(*store->lanes));
    }
    bool is_good = store->lanes != NULL;
    for (size_t i = 0; i < count && is_good; i++) {
        is_good = sv_lane_init(
            &store->lanes[i], &store->gate, &store->marks[i], store->config.lane_size);
    }
    return is_good || sv_fault_set(fault, SV_FAULT_MEMORY, "the lanes");
}

static bool
map_marks(struct sv_store *store, struct sv_fault *fault)
{
    CN_ASSERT(store->marks == NULL);
    char path[PATH_SIZE];
    void *memory = NULL;
    const struct sv_disk *disk = &store->config.disk;
    snprintf(path, sizeof(path), "%s/stepping", store->config.folder);
    enum sv_disk_result result =
        disk->map(disk->context, path, SV_STORE_LANES_MAX * sizeof(*store->marks), &memory);
    if (result != SV_DISK_OK) {
        return sv_fault_set_disk(fault, result, path);
    }
    store->marks = memory;
    return true;
}

/* Whether this is a checkpoint's file that no row of the journal names. */
static bool
is_unnamed(struct sv_store *store, const char *name)
{
    uint64_t world, number;
    int end = 0;
    if (sscanf(name, "world-%" SCNu64 "-%" SCNu64 ".ckpt%n", &world, &number, &end) != 2 ||
        end == 0 || name[end] != '\0') {
        return false;
    }
    const struct sv_world_entry *entry = sv_worlds_find(&store->worlds, world);
    for (int i = 0; entry != NULL && i < entry->manifest_count; i++) {
        if (entry->manifest[i].trail.number == number) {
            return false;
        }
    }
    return true;
}

/*
 * Removes unfinished checkpoint files, and files that a process which died was about to name or to
 * remove.  The journal is complete and claimed here, so only a backup that began before can need
 * these files; then a later start removes them.
 */
static bool
sweep_file(void *context, const char *name)
{
    struct sv_store *store = context;
    char path[PATH_SIZE + 256];
    size_t size = strlen(name);
    bool is_half =
        strncmp(name, "world-", 6) == 0 && size > 9 && strcmp(name + size - 9, ".ckpt.tmp") == 0;
    if (is_half || (!sv_store_is_held(store) && is_unnamed(store, name))) {
        snprintf(path, sizeof(path), "%s/%s", store->config.folder, name);
        enum sv_disk_result result = store->config.disk.remove(store->config.disk.context, path);
        (void)result; /* a leftover file is harmless */
    }
    return true;
}

/*
 * On a small disk the reserve, and the space that must be free before writing resumes, are a
 * quarter each of the free space.  Else there would be none, and a disk that was once full would
 * stay full.
 */
static void
fit_disk(struct sv_store *store)
{
    struct sv_store_config *config = &store->config;
    uint64_t free_size;
    if (config->disk.space(config->disk.context, config->folder, &free_size) != SV_DISK_OK) {
        return;
    }
    uint64_t most = free_size / 4;
    config->reserve_size = config->reserve_size < most ? config->reserve_size : most;
    config->free_min = config->free_min < most ? config->free_min : most;
}

static bool
open_all(struct sv_store *store, struct sv_fault *fault)
{
    const struct sv_disk *disk = &store->config.disk;
    struct sv_watermark mark;
    bool is_open = sv_watermark_read(disk, store->config.folder, &mark, fault) &&
                   open_journal(store, &mark, fault);
    if (!is_open) {
        return false;
    }
    store->mark = mark;
    if (!sv_store_load(store, &mark, fault) || !map_marks(store, fault) ||
        !drop_rest(store, fault) ||
        !store->journal.claim(store->journal.context, &store->head, fault)) {
        return false;
    }
    store->gate.epoch = store->head.epoch;
    if (!sv_store_count_crashes(store, fault) || !make_lanes(store, fault)) {
        return false;
    }
    store->durable_head = store->head;
    fit_disk(store);
    sv_store_reserve(store);
    enum sv_disk_result listed = disk->list(disk->context, store->config.folder, sweep_file, store);
    return listed == SV_DISK_OK || sv_fault_set_disk(fault, listed, store->config.folder);
}

static void
flush_lanes(void *context)
{
    sv_store_want(context);
}

struct sv_store *
sv_store_open(const struct sv_store_config *config, struct sv_fault *fault)
{
    struct sv_store *store = calloc(1, sizeof(*store));
    CN_ASSERT(config->lane_count >= 1 && config->lane_count <= SV_STORE_LANES_MAX);
    *fault = (struct sv_fault){0};
    if (store == NULL) {
        sv_fault_set(fault, SV_FAULT_MEMORY, "the store");
        return NULL;
    }
    pthread_mutex_init(&store->mutex, NULL);
    store->gate.flush = flush_lanes;
    store->gate.context = store;
    store->journal_thread.wake_fd = store->keeper_thread.wake_fd = -1;
    store->config = *config;
    if (config->lane_size == 0) {
        store->config.lane_size = SV_LANE_SIZE;
    }
    if (config->spacing_ns == 0) {
        store->config.spacing_ns = SV_STORE_SPACING_NS;
    }
    if (config->free_min == 0) {
        store->config.free_min = SV_STORE_FREE_MIN;
    }
    if (!open_all(store, fault)) {
        if (config->journal == NULL && store->journal.close != NULL) {
            store->journal.close(store->journal.context);
        }
        release_store(store);
        return NULL;
    }
    return store;
}

struct sv_lane *
sv_store_lane(struct sv_store *store, int index)
{
    CN_ASSERT(index >= 0 && index < store->config.lane_count);
    return &store->lanes[index];
}

struct notes {
    uint32_t shelf;
    sv_note_visit *visit;
    void *context;
    bool is_damaged;
    uint64_t number; /* of the damaged note */
};

static bool
see_note(void *context, const struct sv_row *row)
{
    struct notes *notes = context;
    struct sv_note note;
    if (row->world != notes->shelf) {
        return false; /* those of the next shelf follow */
    }
    if (!sv_note_read(notes->shelf, row->number, row->bytes, row->size, &note)) {
        notes->is_damaged = true;
        notes->number = row->number;
        return false;
    }
    return notes->visit(notes->context, &note);
}

bool
sv_store_notes(struct sv_store *store, uint32_t shelf, sv_note_visit *visit, void *context,
    struct sv_fault *fault)
{
    struct notes notes = {.shelf = shelf, .visit = visit, .context = context};
    const struct sv_journal *journal = &store->journal;
    bool is_read =
        journal->scan(journal->context, SV_ROW_NOTE, shelf, NULL, see_note, &notes, fault);
    if (is_read && notes.is_damaged) {
        return sv_fault_set(fault, SV_FAULT_CRC,
            "journal.db: note %" PRIu64 " of shelf %" PRIu32 " is damaged", notes.number, shelf);
    }
    return is_read;
}

enum sv_store_state
sv_store_look(struct sv_store *store, uint64_t *since_ns)
{
    uint64_t ignored;
    uint64_t *since = since_ns != NULL ? since_ns : &ignored;
    int state = atomic_load(&store->gate.state);
    uint64_t began_ns = atomic_load(&store->commit_began_ns);
    *since = atomic_load(&store->state_ns);
    if (state == SV_STORE_WRITING && began_ns != 0 &&
        sv_clock_now_ns(&store->config.clock) - began_ns > SV_STORE_STALL_NS) {
        *since = began_ns;
        return SV_STORE_STALLED;
    }
    return (enum sv_store_state)state;
}

uint64_t
sv_store_stall_ns(struct sv_store *store)
{
    uint64_t began_ns = atomic_load(&store->commit_began_ns);
    uint64_t now_ns = sv_clock_now_ns(&store->config.clock);
    return began_ns != 0 && now_ns > began_ns ? now_ns - began_ns : 0;
}

const struct sv_fault *
sv_store_fault(const struct sv_store *store)
{
    CN_ASSERT(atomic_load(&store->gate.state) <= SV_STORE_FAILED);
    return &store->fault[atomic_load(&store->gate.state)];
}

bool
sv_store_is_low(struct sv_store *store)
{
    return atomic_load(&store->is_low);
}

int
sv_store_stale(struct sv_store *store, uint64_t worlds[SV_STORE_STALE_MAX])
{
    pthread_mutex_lock(&store->mutex);
    int count = store->stale_count;
    CN_ASSERT(count >= 0 && count <= SV_STORE_STALE_MAX);
    memcpy(worlds, store->stale, (size_t)count * sizeof(worlds[0]));
    store->stale_count = 0;
    count = sv_store_add_renewals(
        store, worlds, count, sv_clock_now_ns(&store->config.clock));
    pthread_mutex_unlock(&store->mutex);
    return count;
}

struct sv_store_figures
sv_store_figures(struct sv_store *store)
{
    return (struct sv_store_figures){.commits = atomic_load(&store->commits),
        .records = atomic_load(&store->records),
        .record_bytes = atomic_load(&store->record_bytes),
        .checkpoints = atomic_load(&store->checkpoints),
        .checkpoint_bytes = atomic_load(&store->checkpoint_bytes),
        .checkpoints_failed = atomic_load(&store->checkpoints_failed),
        .commit_ns_last = atomic_load(&store->commit_ns_last),
        .commit_ns_sum = atomic_load(&store->commit_ns_sum),
        .free_size = atomic_load(&store->free_size),
        .scrub_passes = atomic_load(&store->scrub_passes),
        .scrub_bytes = atomic_load(&store->scrub_bytes),
        .scrub_finds = atomic_load(&store->scrub_finds),
        .scrub_mended = atomic_load(&store->scrub_mended),
        .scrub_damaged = atomic_load(&store->scrub_damaged)};
}

/* Commits and writes until neither has work for the other. */
static void
drain_store(struct sv_store *store)
{
    bool is_busy = true;
    while (is_busy) {
        is_busy = sv_store_commit_now(store);
        while (sv_store_keep_one(store)) {
            is_busy = true;
        }
    }
}

void
sv_store_abandon(struct sv_store *store)
{
    if (store != NULL) {
        sv_store_stop(store);
        store->journal.close(store->journal.context);
        release_store(store);
    }
}

bool
sv_store_close(struct sv_store *store, struct sv_fault *fault)
{
    if (store == NULL) {
        return true;
    }
    *fault = (struct sv_fault){0};
    sv_store_stop(store);
    drain_store(store);
    sv_store_remove_put_off(store);
    bool is_good = atomic_load(&store->gate.state) != SV_STORE_FAILED && !store->batch.is_held;
    CN_ASSERT(!is_good || (store->to_keeper.first == NULL && store->to_journal.first == NULL &&
              store->batch.size == 0 && store->batch.item_count == 0));
    if (!is_good) {
        *fault = *sv_store_fault(store);
    }
    for (int i = 0; is_good && i < SV_STORE_LANES_MAX; i++) {
        atomic_store(&store->marks[i].world, 0);
    }
    is_good = is_good && store->journal.merge(store->journal.context, fault) &&
              sv_store_mark_now(store, true, fault);
    sv_store_abandon(store);
    return is_good;
}
