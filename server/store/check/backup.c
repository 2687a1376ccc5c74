#include "server/store/check/backup.h"

#include "server/store/format/checkpoint.h"
#include "server/store/journal/journal.h"
#include "server/store/journal/sentry.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PATH_SIZE 4096
#define NAME_MAX_SIZE 4000
#define PIECE_SIZE ((size_t)1 << 20)
#define FLUSH_PIECES 8 /* small requests let the device serve others in between */
#define SENTRY_TRIES 5
#define SENTRY_WAIT_MS 50

struct making {
    struct sv_backup *backup;
    char to[PATH_SIZE]; /* the copy, without '/' at its end, */
    char at[PATH_SIZE]; /* until it is complete */
    struct sv_watermark mark;
    struct sv_journal journal; /* of the copy */
    struct sv_journal_head head;
    struct sv_scrub scrub;
    unsigned char *piece; /* PIECE_SIZE */
    uint64_t began_ns, paced_bytes;
};

static void
wait_ms(uint64_t duration_ms)
{
    const struct timespec time = {
        .tv_sec = (time_t)(duration_ms / 1000), .tv_nsec = (long)(duration_ms % 1000) * 1000000};
    (void)nanosleep(&time, NULL);
}

static void
advance_progress(void *context, uint64_t bytes)
{
    struct making *making = context;
    struct sv_backup *backup = making->backup;
    backup->done_bytes += bytes;
    if (backup->total_bytes < backup->done_bytes) {
        backup->total_bytes = backup->done_bytes;
    }
    if (backup->progress != NULL) {
        backup->progress(backup->context, backup->done_bytes, backup->total_bytes);
    }
}

/* Waits until the rate allows this many copied bytes. */
static void
keep_rate(struct making *making, size_t bytes)
{
    const struct sv_backup *backup = making->backup;
    making->paced_bytes += bytes;
    if (backup->rate_bytes == 0) {
        return;
    }
    uint64_t due_ms = making->paced_bytes * 1000 / backup->rate_bytes;
    uint64_t now_ms = (sv_clock_now_ns(&backup->clock) - making->began_ns) / 1000000;
    if (due_ms > now_ms) {
        wait_ms(due_ms - now_ms);
    }
}

/* ---- the journal ---- */

/*
 * Checks the log, because SQLite silently drops the frames after a damaged one.  A log that is
 * being written may look damaged to another reader, so a damaged one is read a second time.
 */
static bool
look_at_log(const struct sv_backup *backup, struct sv_fault *fault)
{
    char path[PATH_SIZE];
    struct sv_sentry_file walked = {.disk = &backup->disk};
    struct sv_sentry_report report = {.verdict = SV_SENTRY_EMPTY};
    snprintf(path, sizeof(path), "%.4000s/journal.db-wal", backup->from);
    for (int i = 0; i < SENTRY_TRIES; i++) {
        enum sv_disk_result result =
            backup->disk.open(backup->disk.context, path, SV_DISK_READ, &walked.file);
        if (result == SV_DISK_MISSING) {
            return true;
        }
        if (result != SV_DISK_OK) {
            return sv_fault_set_disk(fault, result, path);
        }
        bool is_read = sv_sentry_walk(sv_sentry_read_file, &walked, &report);
        backup->disk.close(backup->disk.context, walked.file);
        if (is_read && report.verdict != SV_SENTRY_DAMAGED) {
            return true;
        }
        wait_ms(SENTRY_WAIT_MS);
    }
    return sv_fault_set(fault, SV_FAULT_WAL_DAMAGED,
        "%s: frame %" PRIu64 " of %" PRIu64 " is damaged, and frame %" PRIu64
        " is a later commit",
        path, report.frame_good + 1, report.frame_count, report.frame_later);
}

static bool
copy_journal(struct making *making, struct sv_fault *fault)
{
    struct sv_backup *backup = making->backup;
    const struct sv_journal_sqlite_config config = {.folder = making->at};
    if (!sv_watermark_read(&backup->disk, backup->from, &making->mark, fault) ||
        !look_at_log(backup, fault) ||
        !sv_journal_sqlite_copy(backup->from, making->at, advance_progress, making, fault) ||
        !sv_journal_sqlite_open(&making->journal, &config, &making->head, fault)) {
        return false;
    }
    backup->commit = making->head.commit;
    const struct sv_watermark *mark = &making->mark;
    bool is_short =
        mark->commit > making->head.commit || mark->epoch > making->head.epoch;
    return !is_short ||
        sv_fault_set(fault, SV_FAULT_JOURNAL_SHORT,
            "the journal ends at commit %" PRIu64 " of epoch %" PRIu64
            ", but the watermark has seen commit %" PRIu64 " of epoch %" PRIu64,
            making->head.commit, making->head.epoch, mark->commit, mark->epoch);
}

/* ---- checkpoints ---- */

static enum sv_disk_result
copy_pieces(struct making *making, int from, int to)
{
    const struct sv_disk *disk = &making->backup->disk;
    uint64_t at = 0;
    size_t got = PIECE_SIZE;
    enum sv_disk_result result = SV_DISK_OK;
    for (int i = 1; got == PIECE_SIZE && result == SV_DISK_OK; i++) {
        result = disk->read_at(disk->context, from, at, making->piece, PIECE_SIZE, &got);
        if (result == SV_DISK_OK && got > 0) {
            result = disk->write_at(disk->context, to, at, making->piece, got);
        }
        if (result == SV_DISK_OK && (i % FLUSH_PIECES == 0 || got < PIECE_SIZE)) {
            result = disk->datasync(disk->context, to);
        }
        at += got;
        keep_rate(making, got);
        advance_progress(making, got);
    }
    return result;
}

/* A file that is missing in the folder is missing in the copy; reading the copy back reports it. */
static bool
copy_file(struct making *making, const struct sv_trail *trail, struct sv_fault *fault)
{
    char from_path[SV_CHECKPOINT_PATH_SIZE], to_path[SV_CHECKPOINT_PATH_SIZE];
    const struct sv_disk *disk = &making->backup->disk;
    int from, to;
    if (!sv_checkpoint_path(from_path, making->backup->from, trail) ||
        !sv_checkpoint_path(to_path, making->at, trail)) {
        return sv_fault_set(fault, SV_FAULT_MISSING, "the folder's name is too long");
    }
    enum sv_disk_result result = disk->open(disk->context, from_path, SV_DISK_READ, &from);
    if (result == SV_DISK_MISSING) {
        return true;
    }
    if (result != SV_DISK_OK) {
        return sv_fault_set_disk(fault, result, from_path);
    }
    result = disk->open(disk->context, to_path, SV_DISK_REPLACE, &to);
    if (result == SV_DISK_OK) {
        result = copy_pieces(making, from, to);
        disk->close(disk->context, to);
    }
    disk->close(disk->context, from);
    making->backup->checkpoint_count++;
    return result == SV_DISK_OK || sv_fault_set_disk(fault, result, to_path);
}

static bool
copy_checkpoints(struct making *making, struct sv_fault *fault)
{
    const struct sv_scrub *scrub = &making->scrub;
    struct sv_backup *backup = making->backup;
    backup->total_bytes = backup->done_bytes;
    for (int i = 0; i < scrub->file_count; i++) {
        backup->total_bytes += scrub->files[i].file_size;
    }
    backup->total_bytes *= 2; /* it is read a second time */
    making->began_ns = sv_clock_now_ns(&backup->clock);
    for (int i = 0; i < scrub->file_count; i++) {
        if (!copy_file(making, &scrub->files[i].trail, fault)) {
            return false;
        }
    }
    return true;
}

/* ---- the whole ---- */

static bool
see_world(void *context, const struct sv_row *row)
{
    (void)row;
    ((struct sv_backup *)context)->world_count++;
    return true;
}

static void
report_find(void *context, const struct sv_find *find)
{
    const struct making *making = context;
    making->backup->tell(making->backup->context, find);
}

/* The checkpoints that the copy names, and then all of it read back. */
static bool
fill_backup(struct making *making, struct sv_fault *fault)
{
    struct sv_backup *backup = making->backup;
    struct sv_watermark mark = {.commit = making->head.commit,
        .chain = making->head.chain,
        .epoch = making->head.epoch};
    making->scrub = (struct sv_scrub){.disk = &backup->disk,
        .folder = making->at,
        .journal = &making->journal,
        .mark = making->mark,
        .tell = report_find,
        .context = making};
    if (!making->journal.scan(making->journal.context, SV_ROW_CHARTER, 0, NULL, see_world,
            backup, fault) ||
        !sv_scrub_begin(&making->scrub, fault)) {
        return false;
    }
    bool is_good = copy_checkpoints(making, fault) &&
        sv_watermark_write(&backup->disk, making->at, &mark, fault);
    if (is_good) {
        uint64_t before = 0;
        for (bool goes_on = true; goes_on; before = making->scrub.done_bytes) {
            goes_on = sv_scrub_step(&making->scrub, PIECE_SIZE);
            advance_progress(making, making->scrub.done_bytes - before);
        }
        backup->find_count = making->scrub.find_count;
    }
    sv_scrub_end(&making->scrub);
    return is_good;
}

static bool
remove_name(void *context, const char *name)
{
    const struct making *making = context;
    char path[2 * PATH_SIZE];
    if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
        snprintf(path, sizeof(path), "%s/%.255s", making->at, name);
        (void)unlink(path);
    }
    return true;
}

/* Removes the files of an unfinished copy, which has no subfolders. */
static void
remove_copy(struct making *making)
{
    const struct sv_disk *disk = &making->backup->disk;
    enum sv_disk_result listed =
        disk->list(disk->context, making->at, remove_name, making);
    (void)listed; /* on failure the folder stays */
    (void)rmdir(making->at);
}

/* Closes the copy, and removes its empty log. */
static void
close_copy(struct making *making)
{
    static const char *const names[] = {"journal.db-wal", "journal.db-shm"};
    char path[2 * PATH_SIZE];
    struct stat about;
    if (making->journal.close == NULL) {
        return;
    }
    making->journal.close(making->journal.context);
    snprintf(path, sizeof(path), "%s/%s", making->at, names[0]);
    if (stat(path, &about) == 0 && about.st_size == 0) {
        for (int i = 0; i < 2; i++) {
            snprintf(path, sizeof(path), "%s/%s", making->at, names[i]);
            (void)unlink(path);
        }
    }
}

static bool
give_name(const struct making *making, struct sv_fault *fault)
{
    const struct sv_backup *backup = making->backup;
    const struct sv_disk *disk = &backup->disk;
    char parent[PATH_SIZE];
    snprintf(parent, sizeof(parent), "%s", making->to);
    char *slash = strrchr(parent, '/');
    if (slash == NULL) {
        strcpy(parent, ".");
    } else {
        slash[slash == parent ? 1 : 0] = '\0';
    }
    enum sv_disk_result result = disk->sync_folder(disk->context, making->at);
    if (result == SV_DISK_OK && access(making->to, F_OK) == 0) {
        errno = EEXIST;
        result = SV_DISK_FAILED;
    }
    if (result == SV_DISK_OK) {
        result = disk->rename(disk->context, making->at, making->to);
    }
    if (result == SV_DISK_OK) {
        result = disk->sync_folder(disk->context, parent);
    }
    return result == SV_DISK_OK || sv_fault_set_disk(fault, result, making->to);
}

static bool
begin_backup(struct making *making, struct sv_fault *fault)
{
    const struct sv_backup *backup = making->backup;
    struct stat about;
    char path[2 * PATH_SIZE];
    size_t length = strlen(backup->to);
    while (length > 1 && backup->to[length - 1] == '/') {
        length--;
    }
    if (length == 0 || length > NAME_MAX_SIZE) {
        return sv_fault_set(fault, SV_FAULT_MISSING, "\"%.100s\" is no name for a folder: 1 to %d "
            "bytes", backup->to, NAME_MAX_SIZE);
    }
    memcpy(making->to, backup->to, length);
    snprintf(making->at, sizeof(making->at), "%.*s.partial-%ld", NAME_MAX_SIZE, making->to,
        (long)getpid());
    if (lstat(making->to, &about) == 0) {
        return sv_fault_set(
            fault, SV_FAULT_BUSY, "%s is there already: a backup replaces nothing", backup->to);
    }
    snprintf(path, sizeof(path), "%s/journal.db", backup->from);
    if (stat(path, &about) != 0) {
        return sv_fault_set(fault, SV_FAULT_MISSING,
            "%s is no data folder of a daemon: it has no journal.db", backup->from);
    }
    making->backup->total_bytes = 2 * (uint64_t)about.st_size;
    if (mkdir(making->at, 0700) != 0) {
        return sv_fault_set_disk(fault, sv_disk_result_of(errno), making->at);
    }
    enum sv_disk_result result = backup->disk.hold(backup->disk.context, backup->from);
    return result == SV_DISK_OK || sv_fault_set_disk(fault, result, backup->from);
}

bool
sv_backup_make(struct sv_backup *backup, struct sv_fault *fault)
{
    struct making *making = calloc(1, sizeof(*making));
    *fault = (struct sv_fault){0};
    if (making == NULL) {
        return sv_fault_set(fault, SV_FAULT_MEMORY, "the backup");
    }
    making->backup = backup;
    making->piece = malloc(PIECE_SIZE);
    bool is_good = (making->piece != NULL || sv_fault_set(fault, SV_FAULT_MEMORY, "the backup"));
    bool is_begun = is_good && begin_backup(making, fault);
    is_good = is_begun && copy_journal(making, fault) && fill_backup(making, fault);
    backup->disk.let_go(backup->disk.context);
    close_copy(making);
    is_good = is_good && give_name(making, fault);
    if (!is_good && making->at[0] != '\0') {
        remove_copy(making);
    }
    free(making->piece);
    free(making);
    return is_good;
}
