#include "server/store/check/scrub.h"

#include "engine/base/assert.h"
#include "engine/base/little_endian.h"
#include "server/store/format/checkpoint.h"
#include "server/store/format/content.h"
#include "server/store/format/crc32c.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROW_BYTES 128 /* least cost of a row, to limit the work of a step */

static void
report_find(struct sv_scrub *scrub, enum sv_find_kind kind, uint64_t world, uint64_t number,
    const struct sv_fault *fault)
{
    const struct sv_find found = {kind, world, number, fault};
    scrub->find_count++;
    scrub->tell(scrub->context, &found);
}

/* ---- checkpoints ---- */

struct files {
    struct sv_scrub *scrub;
    int capacity;
    bool is_good;
};

static bool
see_file(void *context, const struct sv_row *row)
{
    struct files *files = context;
    struct sv_scrub *scrub = files->scrub;
    struct sv_manifest manifest;
    struct sv_fault fault;
    if (!sv_manifest_decode(row, &manifest)) {
        sv_fault_set(&fault, SV_FAULT_CRC,
            "journal.db: the row of checkpoint %" PRIu64 " of world %" PRIu64 " is damaged",
            row->number, row->world);
        report_find(scrub, SV_FIND_CHECKPOINT, row->world, row->number, &fault);
        return true;
    }
    if (scrub->file_count == files->capacity) {
        files->capacity = 2 * files->capacity + 64;
        struct sv_manifest *larger =
            realloc(scrub->files, (size_t)files->capacity * sizeof(*larger));
        if (larger == NULL) {
            files->is_good = false;
            return false;
        }
        scrub->files = larger;
    }
    CN_ASSERT(scrub->file_count < files->capacity);
    scrub->files[scrub->file_count++] = manifest;
    return true;
}

static bool
list_files(struct sv_scrub *scrub, struct sv_fault *fault)
{
    struct files files = {.scrub = scrub, .is_good = true};
    return scrub->journal->scan(scrub->journal->context, SV_ROW_CHECKPOINT, 0, NULL, see_file,
               &files, fault) &&
        (files.is_good || sv_fault_set(fault, SV_FAULT_MEMORY, "the list of checkpoints"));
}

struct sought {
    const struct sv_manifest *manifest;
    bool is_there;
};

static bool
see_sought(void *context, const struct sv_row *row)
{
    struct sought *sought = context;
    sought->is_there = sought->is_there || (row->world == sought->manifest->trail.world &&
                                               row->number == sought->manifest->trail.number);
    return !sought->is_there && row->world == sought->manifest->trail.world;
}

/* An error in a file that the journal has released meanwhile is not reported. */
static void
tell_file(struct sv_scrub *scrub, const struct sv_manifest *manifest,
    const struct sv_fault *fault)
{
    struct sought sought = {.manifest = manifest};
    struct sv_fault ignored;
    bool is_read = scrub->journal->scan(scrub->journal->context, SV_ROW_CHECKPOINT,
        manifest->trail.world, NULL, see_sought, &sought, &ignored);
    if (!is_read || sought.is_there) {
        report_find(
            scrub, SV_FIND_CHECKPOINT, manifest->trail.world, manifest->trail.number, fault);
    }
}

static void
close_file(struct sv_scrub *scrub)
{
    CN_ASSERT(scrub->file_at < scrub->file_count);
    if (scrub->file >= 0) {
        scrub->disk->close(scrub->disk->context, scrub->file);
    }
    free(scrub->head);
    scrub->head = NULL;
    scrub->file = -1;
    scrub->file_at++;
}

static bool
read_head(struct sv_scrub *scrub, const struct sv_manifest *manifest, const char *path,
    struct sv_fault *fault)
{
    size_t got = 0;
    struct sv_checkpoint_head head;
    scrub->head = malloc(SV_CHECKPOINT_HEAD_MAX);
    if (scrub->head == NULL) {
        return sv_fault_set(fault, SV_FAULT_MEMORY, "%s", path);
    }
    enum sv_disk_result result = scrub->disk->read_at(
        scrub->disk->context, scrub->file, 0, scrub->head, SV_CHECKPOINT_HEAD_MAX, &got);
    if (result != SV_DISK_OK) {
        return sv_fault_set_disk(fault, result, path);
    }
    scrub->done_bytes += got;
    if (!sv_checkpoint_head_read(scrub->head, got, path, &head, fault)) {
        return false;
    }
    if (head.trail.world != manifest->trail.world ||
        head.trail.number != manifest->trail.number ||
        head.trail.chain != manifest->trail.chain) {
        return sv_fault_set(fault, SV_FAULT_CHAIN, "%s is another checkpoint", path);
    }
    scrub->head_size = head.size;
    scrub->body_size = head.body_size;
    scrub->body_at = 0;
    scrub->checks = scrub->head + head.checks_at;
    return true;
}

static bool
open_file(struct sv_scrub *scrub, const struct sv_manifest *manifest, const char *path,
    struct sv_fault *fault)
{
    enum sv_disk_result result =
        scrub->disk->open(scrub->disk->context, path, SV_DISK_READ, &scrub->file);
    if (result != SV_DISK_OK) {
        scrub->file = -1;
        return sv_fault_set_disk(fault, result, path);
    }
    if (scrub->disk->forget != NULL) {
        scrub->disk->forget(scrub->disk->context, scrub->file);
    }
    return read_head(scrub, manifest, path, fault);
}

/* Reads the next block; at the end nothing may follow it. */
static bool
read_block(struct sv_scrub *scrub, const char *path, struct sv_fault *fault)
{
    CN_ASSERT(scrub->file >= 0 && scrub->body_at <= scrub->body_size);
    unsigned char block[SV_CHECKPOINT_BLOCK_SIZE];
    uint64_t left = scrub->body_size - scrub->body_at;
    size_t part = left < sizeof(block) ? (size_t)left : sizeof(block), got = 0;
    uint64_t at = scrub->head_size + scrub->body_at;
    enum sv_disk_result result = scrub->disk->read_at(
        scrub->disk->context, scrub->file, at, block, part > 0 ? part : 1, &got);
    scrub->done_bytes += got;
    if (result != SV_DISK_OK) {
        return sv_fault_set_disk(fault, result, path);
    }
    if (got != part) {
        return sv_fault_set(
            fault, SV_FAULT_CRC, "%s: it is shorter or longer than it says", path);
    }
    if (part > 0 && cn_get_u32(scrub->checks) != sv_crc32c(0, block, part)) {
        return sv_fault_set(
            fault, SV_FAULT_CRC, "%s: the block at byte %" PRIu64 " is damaged", path, at);
    }
    scrub->checks += 4;
    scrub->body_at += part;
    return true;
}

static void
step_checkpoints(struct sv_scrub *scrub)
{
    CN_ASSERT(scrub->file_at <= scrub->file_count);
    char path[SV_CHECKPOINT_PATH_SIZE];
    struct sv_fault fault;
    if (scrub->file_at == scrub->file_count) {
        scrub->phase = SV_SCRUB_COMMITS;
        return;
    }
    const struct sv_manifest *manifest = &scrub->files[scrub->file_at];
    bool is_good = sv_checkpoint_path(path, scrub->folder, &manifest->trail) &&
        (scrub->file >= 0 || open_file(scrub, manifest, path, &fault));
    bool is_end = is_good && scrub->body_at == scrub->body_size;
    is_good = is_good && read_block(scrub, path, &fault);
    if (!is_good && fault.kind != SV_FAULT_MEMORY && fault.kind != SV_FAULT_FILES) {
        tell_file(scrub, manifest, &fault);
    }
    if (!is_good || is_end) {
        close_file(scrub);
    }
}

/* ---- commits ---- */

struct commits {
    struct sv_scrub *scrub;
    uint64_t until_bytes;
    bool is_any;
};

static void
check_records(struct sv_scrub *scrub, const struct sv_row *row)
{
    for (size_t at = 0, size; at < row->size; at += size) {
        struct sv_record record;
        struct sv_fault fault;
        if (sv_record_read(row->bytes + at, row->size - at, &record, &size) != SV_RECORD_GOOD) {
            sv_fault_set(&fault, SV_FAULT_CRC,
                "journal.db: a record of commit %" PRIu64 ", at its byte %zu, is damaged",
                row->number, at);
            report_find(scrub, SV_FIND_COMMIT, 0, row->number, &fault);
            return;
        }
    }
}

static bool
see_commit(void *context, const struct sv_row *row)
{
    struct commits *commits = context;
    struct sv_scrub *scrub = commits->scrub;
    struct sv_fault fault;
    commits->is_any = true;
    bool follows = scrub->next_commit == row->number;
    bool is_first = scrub->next_commit == 0;
    uint32_t before = row->number == 1 ? 0 : scrub->chain;
    uint32_t chain =
        sv_journal_chain(row->number, before, row->epoch, row->bytes, row->size);
    if (!follows && !is_first) {
        sv_fault_set(&fault, SV_FAULT_CHAIN,
            "journal.db: commit %" PRIu64 " does not follow the one before", row->number);
        report_find(scrub, SV_FIND_COMMIT, 0, row->number, &fault);
    } else if ((follows || row->number == 1) && chain != row->chain) {
        sv_fault_set(&fault, SV_FAULT_CRC, "journal.db: commit %" PRIu64
            " is not what was written", row->number);
        report_find(scrub, SV_FIND_COMMIT, 0, row->number, &fault);
    } else if (row->number == scrub->mark.commit && row->chain != scrub->mark.chain) {
        sv_fault_set(&fault, SV_FAULT_CHAIN,
            "journal.db: commit %" PRIu64 " is not the one that the watermark has seen",
            row->number);
        report_find(scrub, SV_FIND_COMMIT, 0, row->number, &fault);
    } else {
        check_records(scrub, row);
    }
    scrub->chain = row->chain;
    scrub->read_commit = row->number;
    scrub->next_commit = row->number + 1;
    scrub->done_bytes += row->size + ROW_BYTES;
    return scrub->done_bytes < commits->until_bytes;
}

static bool
see_first(void *context, const struct sv_row *row)
{
    *(uint64_t *)context = row->number;
    return false;
}

/* Where the oldest commits were pruned meanwhile, continues at the first that is left. */
static void
skip_pruned(struct sv_scrub *scrub)
{
    uint64_t first = 0;
    struct sv_fault ignored;
    if (scrub->next_commit > 1 &&
        scrub->journal->scan(scrub->journal->context, SV_ROW_RECORDS, 0, NULL, see_first, &first,
            &ignored) &&
        first > scrub->next_commit) {
        scrub->next_commit = 0;
    }
}

static int
compare_uses(const void *a, const void *b)
{
    const struct sv_scrub_use *left = a, *right = b;
    return memcmp(left->content, right->content, SV_CONTENT_SIZE);
}

static bool
see_use(void *context, const struct sv_row *row)
{
    struct sv_scrub *scrub = context;
    if (scrub->use_count == scrub->use_capacity) {
        int capacity = 2 * scrub->use_capacity + 64;
        struct sv_scrub_use *larger = realloc(scrub->uses, (size_t)capacity * sizeof(*larger));
        if (larger == NULL) {
            return false; /* the listed ones are checked */
        }
        scrub->uses = larger;
        scrub->use_capacity = capacity;
    }
    CN_ASSERT(scrub->use_count < scrub->use_capacity);
    scrub->uses[scrub->use_count].world = row->world;
    const unsigned char *content = row->content != NULL ? row->content : row->bytes;
    memcpy(scrub->uses[scrub->use_count++].content, content, SV_CONTENT_SIZE);
    return true;
}

static void
begin_scenes(struct sv_scrub *scrub)
{
    struct sv_fault fault;
    if (!scrub->journal->scan(
            scrub->journal->context, SV_ROW_USE, 0, NULL, see_use, scrub, &fault)) {
        report_find(scrub, SV_FIND_JOURNAL, 0, 0, &fault);
    }
    if (scrub->use_count > 0) {
        qsort(scrub->uses, (size_t)scrub->use_count, sizeof(scrub->uses[0]), compare_uses);
    }
    scrub->phase = SV_SCRUB_SCENES;
}

static void
step_commits(struct sv_scrub *scrub, uint64_t until_bytes)
{
    struct commits commits = {.scrub = scrub, .until_bytes = until_bytes};
    struct sv_fault fault;
    skip_pruned(scrub);
    if (!scrub->journal->scan(scrub->journal->context, SV_ROW_RECORDS, scrub->next_commit, NULL,
            see_commit, &commits, &fault)) {
        report_find(scrub, SV_FIND_JOURNAL, 0, scrub->next_commit, &fault);
        begin_scenes(scrub);
    } else if (!commits.is_any) {
        begin_scenes(scrub);
    }
}

/* ---- scenes ---- */

struct scene {
    unsigned char found[SV_CONTENT_SIZE];
    uint64_t size;
    bool is_there;
};

static bool
see_scene(void *context, const struct sv_row *row)
{
    struct scene *scene = context;
    scene->is_there = true;
    scene->size = row->size;
    sv_content_hash(scene->found, row->bytes, row->size);
    return false;
}

static bool
see_used(void *context, const struct sv_row *row)
{
    struct sv_scrub_use *use = context;
    const unsigned char *content = row->content != NULL ? row->content : row->bytes;
    if (memcmp(content, use->content, SV_CONTENT_SIZE) == 0) {
        use->world = UINT64_MAX;
        return false;
    }
    return true;
}

/* Whether the scene is still used: it may have been released after the list was made. */
static bool
is_used(struct sv_scrub *scrub, const struct sv_scrub_use *use)
{
    struct sv_scrub_use sought = *use;
    struct sv_fault ignored;
    return !scrub->journal->scan(
               scrub->journal->context, SV_ROW_USE, 0, NULL, see_used, &sought, &ignored) ||
        sought.world == UINT64_MAX;
}

static void
step_scenes(struct sv_scrub *scrub)
{
    CN_ASSERT(scrub->use_at <= scrub->use_count);
    if (scrub->use_at == scrub->use_count) {
        scrub->phase = SV_SCRUB_IDLE;
        return;
    }
    const struct sv_scrub_use *use = &scrub->uses[scrub->use_at++];
    struct scene scene = {.is_there = false};
    struct sv_fault fault;
    bool is_seen = scrub->use_at > 1 && compare_uses(use, use - 1) == 0;
    if (is_seen) {
        return;
    }
    bool is_read = scrub->journal->scan(scrub->journal->context, SV_ROW_SCENE, 0, use->content,
        see_scene, &scene, &fault);
    scrub->done_bytes += scene.size + ROW_BYTES;
    bool is_good = is_read && scene.is_there &&
        memcmp(scene.found, use->content, SV_CONTENT_SIZE) == 0;
    if (is_read && !is_good) {
        sv_fault_set(&fault, scene.is_there ? SV_FAULT_CRC : SV_FAULT_MISSING,
            "journal.db: a scene that world %" PRIu64 " uses %s", use->world,
            scene.is_there ? "is not what was written" : "is not stored");
    }
    if (!is_good && (scene.is_there || is_used(scrub, use))) {
        report_find(scrub, SV_FIND_SCENE, use->world, 0, &fault);
    }
}

/* ---- the whole ---- */

bool
sv_scrub_begin(struct sv_scrub *scrub, struct sv_fault *fault)
{
    CN_ASSERT(scrub->files == NULL && scrub->file_count == 0 && scrub->uses == NULL);
    scrub->file = -1;
    scrub->phase = SV_SCRUB_CHECKPOINTS;
    if (!list_files(scrub, fault)) {
        sv_scrub_end(scrub);
        return false;
    }
    return true;
}

bool
sv_scrub_step(struct sv_scrub *scrub, uint64_t budget_bytes)
{
    uint64_t until_bytes = scrub->done_bytes + budget_bytes;
    do {
        switch (scrub->phase) {
        case SV_SCRUB_IDLE:
            return false;
        case SV_SCRUB_CHECKPOINTS:
            step_checkpoints(scrub);
            break;
        case SV_SCRUB_COMMITS:
            step_commits(scrub, until_bytes);
            break;
        case SV_SCRUB_SCENES:
            step_scenes(scrub);
            break;
        }
    } while (scrub->done_bytes < until_bytes);
    return scrub->phase != SV_SCRUB_IDLE;
}

void
sv_scrub_end(struct sv_scrub *scrub)
{
    if (scrub->phase != SV_SCRUB_IDLE && scrub->file >= 0) {
        close_file(scrub);
    }
    free(scrub->head);
    free(scrub->files);
    free(scrub->uses);
    scrub->head = NULL;
    scrub->files = NULL;
    scrub->uses = NULL;
    scrub->file_count = scrub->file_at = scrub->use_count = scrub->use_capacity = 0;
    scrub->use_at = 0;
    scrub->next_commit = 0;
    scrub->phase = SV_SCRUB_IDLE;
}
