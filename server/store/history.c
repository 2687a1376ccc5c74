#include "server/store/history.h"

#include "engine/base/assert.h"
#include "engine/base/little_endian.h"
#include "server/store/store.h"
#include "server/store/store_inside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes read at once, including commits without data of the world. */
#define PIECE_SIZE ((size_t)256 * 1024)
#define PIECE_COMMITS 1024

struct sv_history {
    struct sv_store *store;
    struct sv_checkpoint *checkpoint; /* NULL: not read */
    struct sv_trail trail;
    uint64_t next_commit, last_commit;
    unsigned char *bytes; /* records of this world */
    size_t size, capacity, at;
    int piece_commits;
    struct sv_fault *fault; /* within a scan */
    struct {
        bool is_there;
        enum sv_recovery_step step;
        struct sv_record record;
        struct sv_fault fault;
    } ahead; /* the next record, already read */
};

int
sv_store_history(struct sv_store *store, uint64_t world, struct sv_manifest **list_give)
{
    int count = 0;
    *list_give = NULL;
    pthread_mutex_lock(&store->mutex);
    const struct sv_world_entry *entry = sv_worlds_find(&store->worlds, world);
    if (entry != NULL && entry->manifest_count > 0) {
        size_t size = (size_t)entry->manifest_count * sizeof(**list_give);
        *list_give = malloc(size);
        count = *list_give != NULL ? entry->manifest_count : -1;
        if (count > 0) {
            memcpy(*list_give, entry->manifest, size);
        }
    }
    pthread_mutex_unlock(&store->mutex);
    return count;
}

size_t
sv_store_charter(struct sv_store *store, uint64_t world, unsigned char *charter, size_t size_max)
{
    size_t size = 0;
    pthread_mutex_lock(&store->mutex);
    const struct sv_world_entry *entry = sv_worlds_find(&store->worlds, world);
    if (entry != NULL && entry->charter != NULL && entry->charter_size <= size_max) {
        size = entry->charter_size;
        memcpy(charter, entry->charter, size);
    }
    pthread_mutex_unlock(&store->mutex);
    return size;
}

struct sv_history *
sv_history_open(struct sv_store *store, uint64_t world, const struct sv_manifest *from,
    struct sv_fault *fault)
{
    struct sv_history *history = calloc(1, sizeof(*history));
    if (history == NULL) {
        sv_fault_set(fault, SV_FAULT_MEMORY, "the past of world %" PRIu64, world);
        return NULL;
    }
    history->store = store;
    history->trail.world = world;
    if (from != NULL) {
        history->trail = from->trail;
    }
    pthread_mutex_lock(&store->mutex);
    history->next_commit = from != NULL ? from->commit : store->durable_head.first_commit;
    history->last_commit = store->durable_head.commit;
    pthread_mutex_unlock(&store->mutex);
    history->next_commit += history->next_commit == 0 ? 1 : 0; /* before the very first commit */
    return history;
}

static bool
keep_row(struct sv_history *history, const unsigned char *bytes, size_t size)
{
    if (history->size + size > history->capacity) {
        size_t capacity = 2 * (history->size + size) + 4096;
        unsigned char *larger = realloc(history->bytes, capacity);
        if (larger == NULL) {
            sv_fault_set(history->fault, SV_FAULT_MEMORY, "records");
            return false;
        }
        history->bytes = larger;
        history->capacity = capacity;
    }
    CN_ASSERT(history->size + size <= history->capacity);
    memcpy(history->bytes + history->size, bytes, size);
    history->size += size;
    return true;
}

/* Stores the world's records of a commit; they are read and checked when they are returned. */
static bool
see_commit(void *context, const struct sv_row *row)
{
    struct sv_history *history = context;
    CN_ASSERT(history->next_commit <= history->last_commit);
    if (row->number != history->next_commit) {
        sv_fault_set(history->fault, SV_FAULT_CHAIN,
            "journal.db: commit %" PRIu64 " is gone, the next one is %" PRIu64,
            history->next_commit, row->number);
        return false;
    }
    for (size_t at = 0, size; at < row->size; at += size) {
        size_t left = row->size - at;
        size = left >= SV_RECORD_HEADER_SIZE ? cn_get_u32(row->bytes + at + 4) : 0;
        if (size < SV_RECORD_HEADER_SIZE || size > left) {
            sv_fault_set(history->fault, SV_FAULT_CRC,
                "journal.db: a record of commit %" PRIu64 " is damaged", row->number);
            return false;
        }
        if (cn_get_u64(row->bytes + at + 16) == history->trail.world &&
            !keep_row(history, row->bytes + at, size)) {
            return false;
        }
    }
    history->next_commit++;
    history->piece_commits++;
    return history->next_commit <= history->last_commit && history->size < PIECE_SIZE &&
           history->piece_commits < PIECE_COMMITS;
}

static bool
read_piece(struct sv_history *history, struct sv_fault *fault)
{
    CN_ASSERT(history->at == history->size);
    const struct sv_journal *journal = &history->store->journal;
    uint64_t from = history->next_commit;
    history->size = history->at = 0;
    history->piece_commits = 0;
    history->fault = fault;
    *fault = (struct sv_fault){0};
    if (!journal->scan(
            journal->context, SV_ROW_RECORDS, from, NULL, see_commit, history, fault) ||
        fault->kind != SV_FAULT_NONE) {
        return false;
    }
    return history->next_commit > from ||
           sv_fault_set(fault, SV_FAULT_CHAIN,
               "journal.db: commit %" PRIu64 " is not there", from);
}

static enum sv_recovery_step
read_next(struct sv_history *history, struct sv_record *record, struct sv_fault *fault)
{
    for (;;) {
        size_t size;
        CN_ASSERT(history->at <= history->size);
        if (history->at == history->size) {
            if (history->next_commit > history->last_commit) {
                return SV_RECOVERY_END;
            }
            if (!read_piece(history, fault)) {
                return SV_RECOVERY_FAULT;
            }
            continue;
        }
        if (sv_record_read(history->bytes + history->at, history->size - history->at, record,
                &size) != SV_RECORD_GOOD) {
            sv_fault_set(fault, SV_FAULT_CRC,
                "journal.db: a record before commit %" PRIu64 " is damaged", history->next_commit);
            return SV_RECOVERY_FAULT;
        }
        history->at += size;
        if (record->number <= history->trail.number) {
            continue;
        }
        if (!sv_trail_follow(&history->trail, record)) {
            sv_fault_set(fault, SV_FAULT_CHAIN,
                "journal.db: record %" PRIu64 " of world %" PRIu64 " does not follow record %"
                PRIu64, record->number, record->world, history->trail.number);
            return SV_RECOVERY_FAULT;
        }
        return SV_RECOVERY_RECORD;
    }
}

enum sv_recovery_step
sv_history_next(struct sv_history *history, struct sv_record *record, struct sv_fault *fault)
{
    if (!history->ahead.is_there) {
        return read_next(history, record, fault);
    }
    history->ahead.is_there = false;
    *record = history->ahead.record;
    *fault = history->ahead.fault;
    return history->ahead.step;
}

const struct sv_checkpoint *
sv_history_checkpoint(struct sv_history *history, struct sv_fault *fault)
{
    const struct sv_store_config *config = &history->store->config;
    if (!sv_checkpoint_read_of(
            &config->disk, config->folder, &history->trail, &history->checkpoint, fault)) {
        return NULL;
    }
    history->ahead.step = read_next(history, &history->ahead.record, &history->ahead.fault);
    history->ahead.is_there = true;
    uint64_t tick = history->checkpoint->tick;
    if (history->ahead.step == SV_RECOVERY_RECORD && history->ahead.record.tick < tick) {
        sv_fault_set(fault, SV_FAULT_CHAIN,
            "the checkpoint of world %" PRIu64 " at tick %" PRIu64 " is of a past that was left",
            history->trail.world, tick);
        return NULL;
    }
    return history->checkpoint;
}

void
sv_history_close(struct sv_history *history)
{
    if (history != NULL) {
        sv_checkpoint_destroy(history->checkpoint);
        free(history->bytes);
        free(history);
    }
}
