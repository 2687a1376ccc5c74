/*
 * Restores one world.
 */
#include "engine/base/assert.h"
#include "server/store/store.h"
#include "server/store/store_inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sv_recovery {
    struct sv_store *store;
    struct sv_world_entry *entry;
    struct sv_checkpoint *checkpoint; /* or NULL */
    struct sv_trail trail;
    int index;            /* of the next commit of the entry's */
    uint64_t commit;      /* the commit that has `bytes` */
    uint64_t next_commit; /* without an index: the next one to read */
    bool has_index;
    unsigned char *bytes;
    size_t size, at;
};

int
sv_store_world_count(const struct sv_store *store)
{
    return store->worlds.count;
}

struct sv_store_world
sv_store_world(const struct sv_store *store, int index)
{
    CN_ASSERT(0 <= index && index < store->worlds.count);
    const struct sv_world_entry *entry = &store->worlds.entries[index];
    return (struct sv_store_world){.world = entry->world,
        .charter = entry->charter,
        .charter_size = entry->charter_size,
        .crash_count = entry->crash_count,
        .crash_tick = entry->crash_tick};
}

uint64_t
sv_store_world_next(const struct sv_store *store)
{
    return store->head.world_last + 1;
}

struct sv_trail
sv_store_trail(const struct sv_store *store, uint64_t world, uint32_t physics)
{
    return (struct sv_trail){.world = world, .epoch = store->gate.epoch, .physics = physics};
}

struct copy {
    unsigned char *bytes;
    size_t size;
    uint64_t number;
    bool is_there, is_good;
};

static bool
copy_row(void *context, const struct sv_row *row)
{
    struct copy *copy = context;
    CN_ASSERT(copy->bytes == NULL); /* a scan shows one row */
    copy->is_there = true;
    copy->number = row->number;
    copy->size = row->size;
    copy->bytes = malloc(row->size + 1);
    copy->is_good = copy->bytes != NULL;
    if (copy->is_good && row->size > 0) {
        memcpy(copy->bytes, row->bytes, row->size);
    }
    return false;
}

bool
sv_store_scene(struct sv_store *store, const unsigned char content[SV_CONTENT_SIZE],
    unsigned char **bytes_give, size_t *size, struct sv_fault *fault)
{
    struct copy copy = {0};
    unsigned char found[SV_CONTENT_SIZE];
    if (!store->journal.scan(
            store->journal.context, SV_ROW_SCENE, 0, content, copy_row, &copy, fault)) {
        return false;
    }
    if (!copy.is_there) {
        return sv_fault_set(fault, SV_FAULT_MISSING, "a scene that a world names is not stored");
    }
    if (!copy.is_good) {
        return sv_fault_set(fault, SV_FAULT_MEMORY, "a scene");
    }
    sv_content_hash(found, copy.bytes, copy.size);
    if (memcmp(found, content, sizeof(found)) != 0) {
        free(copy.bytes);
        return sv_fault_set(fault, SV_FAULT_CRC, "journal.db: a scene is not what was written");
    }
    *bytes_give = copy.bytes;
    *size = copy.size;
    return true;
}

static void
warn_of_fault(struct sv_store *store, const struct sv_fault *fault)
{
    if (store->config.log != NULL) {
        sv_log(store->config.log, SV_LOG_ERROR, "store: %s; the one before is taken", fault->text);
    }
}

/* ---- records ---- */

/*
 * Reads the next commit that may hold a record of the world.  False: no more commits, or a fault.
 */
static bool
next_commit(struct sv_recovery *recovery, struct sv_fault *fault)
{
    struct sv_store *store = recovery->store;
    const struct sv_world_entry *entry = recovery->entry;
    CN_ASSERT(recovery->at == recovery->size && recovery->index <= entry->commit_count);
    struct copy copy = {0};
    fault->kind = SV_FAULT_NONE;
    if (recovery->has_index ? recovery->index >= entry->commit_count
                            : recovery->next_commit > store->head.commit) {
        return false;
    }
    uint64_t number =
        recovery->has_index ? entry->commits[recovery->index++] : recovery->next_commit++;
    free(recovery->bytes);
    recovery->bytes = NULL;
    recovery->size = recovery->at = 0;
    recovery->commit = number;
    if (number == 0) {
        return false;
    }
    if (!store->journal.scan(
            store->journal.context, SV_ROW_RECORDS, number, NULL, copy_row, &copy, fault)) {
        return false;
    }
    if (copy.is_there && copy.is_good && copy.number == number) {
        recovery->bytes = copy.bytes;
        recovery->size = copy.size;
        return true;
    }
    free(copy.bytes);
    return sv_fault_set(fault, copy.is_there && !copy.is_good ? SV_FAULT_MEMORY : SV_FAULT_CHAIN,
        "journal.db: commit %" PRIu64 " can not be read", number);
}

/* A recovery from an older checkpoint must come as far as the newest one was. */
static bool
reaches_newest(const struct sv_recovery *recovery, struct sv_fault *fault)
{
    const struct sv_world_entry *entry = recovery->entry;
    uint64_t newest = entry->manifest_count > 0
                          ? entry->manifest[entry->manifest_count - 1].trail.number
                          : 0;
    return recovery->trail.number >= newest ||
           sv_fault_set(fault, SV_FAULT_CHAIN,
               "journal.db: the records of world %" PRIu64 " end at %" PRIu64
               ", and its newest checkpoint was of %" PRIu64,
               entry->world, recovery->trail.number, newest);
}

enum sv_recovery_step
sv_recovery_next(struct sv_recovery *recovery, struct sv_record *record, struct sv_fault *fault)
{
    for (;;) {
        size_t size;
        CN_ASSERT(recovery->at <= recovery->size);
        if (recovery->at == recovery->size) {
            if (next_commit(recovery, fault)) {
                continue;
            }
            return fault->kind == SV_FAULT_NONE && reaches_newest(recovery, fault)
                       ? SV_RECOVERY_END
                       : SV_RECOVERY_FAULT;
        }
        if (sv_record_read(recovery->bytes + recovery->at, recovery->size - recovery->at, record,
                &size) != SV_RECORD_GOOD) {
            sv_fault_set(fault, SV_FAULT_CRC,
                "journal.db: a record of commit %" PRIu64 " is damaged", recovery->commit);
            return SV_RECOVERY_FAULT;
        }
        recovery->at += size;
        if (record->world != recovery->trail.world || record->number <= recovery->trail.number) {
            continue;
        }
        if (record->epoch > recovery->store->gate.epoch ||
            !sv_trail_follow(&recovery->trail, record)) {
            sv_fault_set(fault, SV_FAULT_CHAIN,
                "journal.db: record %" PRIu64 " of world %" PRIu64 " in commit %" PRIu64
                " does not follow record %" PRIu64,
                record->number, record->world, recovery->commit, recovery->trail.number);
            return SV_RECOVERY_FAULT;
        }
        return SV_RECOVERY_RECORD;
    }
}

/* ---- checkpoints ---- */

/* Goes back to a checkpoint, or to the very beginning. */
static void
go_to(struct sv_recovery *recovery, struct sv_checkpoint *checkpoint_take)
{
    free(recovery->bytes);
    recovery->bytes = NULL;
    recovery->size = recovery->at = 0;
    recovery->index = 0;
    sv_checkpoint_destroy(recovery->checkpoint);
    recovery->checkpoint = checkpoint_take;
    CN_ASSERT(recovery->trail.world == recovery->entry->world);
    recovery->trail = checkpoint_take != NULL
                          ? checkpoint_take->trail
                          : (struct sv_trail){.world = recovery->entry->world};
    /* With a checkpoint the index is enough; without one all commits are read. */
    recovery->has_index = checkpoint_take != NULL;
    recovery->next_commit = recovery->store->head.first_commit;
}

/*
 * Suppose a checkpoint could not be read once, and the one before was taken instead.  Then it
 * belongs to a past that was left: the next records came at an earlier tick.  If they came later,
 * nothing had been done until then, and the checkpoint belongs to this past, too.  A fault is
 * handled by the caller that reads on.
 */
static bool
is_of_this_past(struct sv_recovery *recovery, struct sv_fault *fault)
{
    struct sv_record next;
    struct sv_checkpoint *checkpoint = recovery->checkpoint;
    bool is_there = sv_recovery_next(recovery, &next, fault) == SV_RECOVERY_RECORD;
    bool is_later = !is_there || next.tick >= checkpoint->tick;
    recovery->checkpoint = NULL;
    go_to(recovery, checkpoint);
    return is_later || sv_fault_set(fault, SV_FAULT_CHAIN,
                           "the checkpoint of world %" PRIu64 " at tick %" PRIu64
                           " is of a past that was left",
                           recovery->entry->world, checkpoint->tick);
}

static bool
read_one(
    struct sv_recovery *recovery, const struct sv_trail *trail, struct sv_fault *fault)
{
    const struct sv_store_config *config = &recovery->store->config;
    struct sv_checkpoint *found;
    if (!sv_checkpoint_read_of(&config->disk, config->folder, trail, &found, fault)) {
        return false;
    }
    go_to(recovery, found);
    return is_of_this_past(recovery, fault);
}

/* The newest checkpoint that is complete, matches its row, and belongs to this past. */
static bool
read_checkpoint(struct sv_recovery *recovery, struct sv_fault *fault)
{
    struct sv_store *store = recovery->store;
    int count = recovery->entry->manifest_count;
    for (int i = count - 1; i >= 0; i--) {
        if (read_one(recovery, &recovery->entry->manifest[i].trail, fault)) {
            return true;
        }
        if (fault->kind == SV_FAULT_MEMORY) {
            return false;
        }
        warn_of_fault(store, fault);
    }
    go_to(recovery, NULL);
    return count == 0 || store->head.first_commit == 1 || count == 1;
}

struct sv_recovery *
sv_recovery_begin(struct sv_store *store, uint64_t world, const struct sv_checkpoint **checkpoint,
    struct sv_fault *fault)
{
    struct sv_world_entry *entry = sv_worlds_find(&store->worlds, world);
    if (entry == NULL) {
        sv_fault_set(fault, SV_FAULT_MISSING, "world %" PRIu64 " is not stored", world);
        return NULL;
    }
    struct sv_recovery *recovery = calloc(1, sizeof(*recovery));
    if (recovery == NULL) {
        sv_fault_set(fault, SV_FAULT_MEMORY, "the recovery of world %" PRIu64, world);
        return NULL;
    }
    recovery->store = store;
    recovery->entry = entry;
    recovery->trail.world = world;
    if (!read_checkpoint(recovery, fault)) {
        sv_recovery_end(recovery);
        return NULL;
    }
    *checkpoint = recovery->checkpoint;
    return recovery;
}

struct sv_trail
sv_recovery_trail(const struct sv_recovery *recovery)
{
    struct sv_trail trail = recovery->trail;
    trail.epoch = recovery->store->gate.epoch;
    return trail;
}

void
sv_recovery_end(struct sv_recovery *recovery)
{
    if (recovery != NULL) {
        sv_checkpoint_destroy(recovery->checkpoint);
        free(recovery->bytes);
        free(recovery);
    }
}
