/* store_open.c: reads and checks the stored data when a store is opened. */
#include "engine/base/assert.h"
#include "engine/base/little_endian.h"
#include "server/store/store.h"
#include "server/store/store_inside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CRASH_SIZE 12 /* of a row: how often, the epoch of the last */

struct load {
    struct sv_store *store;
    struct sv_fault *fault;
    const struct sv_watermark *mark;
    uint64_t next;  /* commit that is expected; 0: the first that comes */
    uint32_t chain; /* of the commit before */
    bool is_good;
};

static bool
no_memory(struct load *load)
{
    load->is_good = sv_fault_set(load->fault, SV_FAULT_MEMORY, "the table of worlds");
    return false;
}

static bool
see_charter(void *context, const struct sv_row *row)
{
    struct load *load = context;
    struct sv_world_entry *entry = sv_worlds_make(&load->store->worlds, row->world);
    if (entry == NULL || !sv_worlds_charter(entry, row->bytes, row->size)) {
        return no_memory(load);
    }
    return true;
}

static bool
see_manifest(void *context, const struct sv_row *row)
{
    struct load *load = context;
    struct sv_manifest manifest;
    struct sv_world_entry *entry = sv_worlds_find(&load->store->worlds, row->world);
    if (!sv_manifest_decode(row, &manifest)) {
        load->is_good = sv_fault_set(load->fault, SV_FAULT_CRC,
            "journal.db: the row of checkpoint %" PRIu64 " of world %" PRIu64 " is damaged",
            row->number, row->world);
        return false;
    }
    if (entry == NULL) {
        return true;
    }
    int count;
    struct sv_manifest *list = sv_worlds_with(entry, &manifest, &count);
    if (list == NULL) {
        return no_memory(load);
    }
    sv_worlds_checkpoints(entry, list, count);
    return true;
}

static bool
see_crash(void *context, const struct sv_row *row)
{
    struct load *load = context;
    struct sv_world_entry *entry = sv_worlds_find(&load->store->worlds, row->world);
    if (entry != NULL && row->size == CRASH_SIZE) {
        entry->crash_tick = row->number;
        entry->crash_count = (int)cn_get_u32(row->bytes);
        entry->crash_epoch = cn_get_u64(row->bytes + 4);
    }
    return true;
}

static uint64_t
newest_number(const struct sv_world_entry *entry)
{
    int last = entry->manifest_count - 1;
    return last >= 0 ? entry->manifest[last].trail.number : 0;
}

/* Every record of a commit must be complete; the trail of its world is followed at its recovery. */
static bool
see_records(struct load *load, const struct sv_row *row)
{
    for (size_t at = 0, size; at < row->size; at += size) {
        struct sv_record record;
        if (sv_record_read(row->bytes + at, row->size - at, &record, &size) != SV_RECORD_GOOD) {
            load->is_good = sv_fault_set(load->fault, SV_FAULT_CRC,
                "journal.db: a record of commit %" PRIu64 ", at its byte %zu, is damaged",
                row->number, at);
            return false;
        }
        struct sv_world_entry *entry = sv_worlds_find(&load->store->worlds, record.world);
        if (entry != NULL) {
            /* Bytes are counted from the newest checkpoint on, whose row has those before. */
            bool is_counted = record.number > newest_number(entry);
            sv_worlds_saw(entry, record.number, row->number, is_counted ? size : 0);
            if (!sv_worlds_index(entry, row->number)) {
                return no_memory(load);
            }
        }
    }
    return true;
}

/* The first commit left after pruning can be checked only by its records. */
static bool
see_commit(void *context, const struct sv_row *row)
{
    struct load *load = context;
    bool is_first = load->next == 0 && row->number != 1;
    uint32_t chain = sv_journal_chain(row->number, load->chain, row->epoch, row->bytes, row->size);
    if ((load->next != 0 && row->number != load->next) || (!is_first && chain != row->chain)) {
        load->is_good =
            sv_fault_set(load->fault, row->number == load->next ? SV_FAULT_CRC : SV_FAULT_CHAIN,
                "journal.db: commit %" PRIu64 " %s", row->number,
                row->number == load->next ? "is not what was written"
                                          : "does not follow the one before");
        return false;
    }
    if (row->number == load->mark->commit && row->chain != load->mark->chain) {
        load->is_good = sv_fault_set(load->fault, SV_FAULT_CHAIN,
            "journal.db: commit %" PRIu64 " is not the one that the watermark has seen",
            row->number);
        return false;
    }
    load->next = row->number + 1;
    load->chain = row->chain;
    return see_records(load, row);
}

/*
 * From where commits are read: the checkpoint before the newest of each world, or the beginning
 * for a world that has none; and the watermark's, to compare.
 */
static uint64_t
read_from(struct sv_store *store, const struct sv_watermark *mark)
{
    const struct sv_journal_head *head = &store->head;
    uint64_t from =
        mark->commit >= head->first_commit && mark->commit > 0 ? mark->commit : head->commit;
    for (int i = 0; i < store->worlds.count; i++) {
        struct sv_world_entry *entry = &store->worlds.entries[i];
        int count = entry->manifest_count;
        uint64_t needed = head->first_commit;
        if (count > 0) {
            needed = entry->manifest[count > 1 ? count - 2 : 0].commit;
            entry->record_bytes = entry->manifest[count - 1].record_bytes;
        }
        /*
         * A commit that was pruned although it is younger than the checkpoint has no record of the
         * world.
         */
        needed = needed > head->first_commit ? needed : head->first_commit;
        entry->first_commit = count >= 2 ? needed : head->first_commit;
        from = needed < from ? needed : from;
    }
    return from > head->first_commit ? from - 1 : from;
}

static bool
check_commits(struct load *load)
{
    struct sv_store *store = load->store;
    const struct sv_journal_head *head = &store->head;
    uint64_t from = read_from(store, load->mark);
    if (head->commit == 0) {
        return true;
    }
    if (head->first_commit > head->commit) {
        return sv_fault_set(load->fault, SV_FAULT_CHAIN,
            "journal.db: its first commit is %" PRIu64 ", and its last %" PRIu64,
            head->first_commit, head->commit);
    }
    if (!store->journal.scan(
            store->journal.context, SV_ROW_RECORDS, from, NULL, see_commit, load, load->fault) ||
        !load->is_good) {
        return false;
    }
    return (load->next == head->commit + 1 && load->chain == head->chain) ||
           sv_fault_set(load->fault, SV_FAULT_CHAIN,
               "journal.db: its commits do not lead to the last one, %" PRIu64, head->commit);
}

bool
sv_store_load(struct sv_store *store, const struct sv_watermark *mark, struct sv_fault *fault)
{
    CN_ASSERT(store->worlds.count == 0 && store->lanes == NULL); /* no thread runs yet */
    struct load load = {.store = store, .fault = fault, .mark = mark, .is_good = true};
    struct sv_journal *journal = &store->journal;
    return journal->scan(journal->context, SV_ROW_CHARTER, 0, NULL, see_charter, &load, fault) &&
           load.is_good &&
           journal->scan(
               journal->context, SV_ROW_CHECKPOINT, 0, NULL, see_manifest, &load, fault) &&
           load.is_good &&
           journal->scan(journal->context, SV_ROW_CRASH, 0, NULL, see_crash, &load, fault) &&
           check_commits(&load);
}

/* Counts a crash of the process in `epoch`, during a step of that world. */
static bool
count_crash(struct sv_store *store, uint64_t world, uint64_t tick, uint64_t epoch,
    struct sv_fault *fault)
{
    CN_ASSERT(world != 0);
    unsigned char bytes[CRASH_SIZE];
    struct sv_world_entry *entry = sv_worlds_find(&store->worlds, world);
    if (entry == NULL || (epoch != 0 && entry->crash_epoch == epoch)) {
        return true;
    }
    bool is_again = entry->crash_count > 0 && entry->crash_tick == tick;
    entry->crash_count = is_again ? entry->crash_count + 1 : 1;
    entry->crash_tick = tick;
    entry->crash_epoch = epoch;
    cn_put_u32(bytes, (uint32_t)entry->crash_count);
    cn_put_u64(bytes + 4, epoch);
    const struct sv_row row = {.kind = SV_ROW_CRASH,
        .world = world,
        .number = tick,
        .bytes = bytes,
        .size = sizeof(bytes)};
    return store->journal.append(store->journal.context, &row, fault);
}

/*
 * A mark is removed before its crash is counted.  So a start that crashes in between does not count
 * it twice; a repeated crash makes a new mark.  A power cut may restore the mark, but its epoch
 * then shows that it is old.
 */
bool
sv_store_count_crashes(struct sv_store *store, struct sv_fault *fault)
{
    CN_ASSERT(store->marks != NULL && store->gate.epoch == store->head.epoch);
    bool has_crash = false;
    for (int i = 0; i < SV_STORE_LANES_MAX; i++) {
        struct sv_step_mark *mark = &store->marks[i];
        uint64_t world = atomic_exchange(&mark->world, 0);
        uint64_t epoch = atomic_exchange(&mark->epoch, store->gate.epoch);
        if (world != 0) {
            has_crash = true;
            if (!count_crash(store, world, atomic_load(&mark->tick), epoch, fault)) {
                return false;
            }
        }
    }
    return !has_crash || store->journal.commit(store->journal.context, &store->head, fault);
}
