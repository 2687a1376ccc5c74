/* log_reader.c: reads the stored data of a world as a past (recorder.h). */
#include "engine/base/assert.h"
#include "server/past/recorder.h"
#include "server/world/state/portable.h"
#include "server/world/state/world_sessions.h"

#include <stdlib.h>
#include <string.h>

static bool
fetch_remembered(void *context, const unsigned char content[SV_CONTENT_SIZE],
    unsigned char **bytes_give, size_t *size, struct sv_fault *fault)
{
    struct sv_log_reader *reader = context;
    return sv_store_scene(reader->store, content, bytes_give, size, fault);
}

static enum sv_recovery_step
next_remembered(void *context, struct sv_record *record, struct sv_fault *fault)
{
    struct sv_log_reader *reader = context;
    enum sv_recovery_step step = SV_RECOVERY_RECORD;
    if (reader->has_first) {
        reader->has_first = false;
        *record = reader->first;
    } else {
        step = reader->is_ended ? SV_RECOVERY_END
                                : sv_history_next(reader->history, record, fault);
    }
    if (step == SV_RECOVERY_RECORD) {
        reader->last_number = record->number;
        reader->last_tick = record->tick;
    } else if (step == SV_RECOVERY_END) {
        bool is_newer = reader->has_end && reader->end.number == reader->last_number + 1;
        reader->is_ended = true;
        reader->has_end = false;
        if (is_newer) {
            *record = reader->end;
            step = SV_RECOVERY_RECORD;
        }
    }
    return step;
}

/* Prepares the newest checkpoint's hash, as a record after all records that it contains. */
static void
see_end(struct sv_log_reader *reader, uint64_t world, const struct sv_manifest *newest)
{
    struct sv_fault ignored;
    struct sv_history *history = sv_history_open(reader->store, world, newest, &ignored);
    const struct sv_checkpoint *checkpoint =
        history != NULL ? sv_history_checkpoint(history, &ignored) : NULL;
    if (checkpoint != NULL) {
        reader->has_end = true;
        reader->known_tick = checkpoint->tick;
        reader->newest_number = checkpoint->trail.number;
        reader->newest_reach = sv_sessions_part_reach(checkpoint);
        reader->end = (struct sv_record){.tick = checkpoint->tick,
            .state_hash = checkpoint->state_hash,
            .number = checkpoint->trail.number + 1,
            .physics = checkpoint->trail.physics,
            .flags = SV_RECORD_HASH};
    }
    sv_history_close(history);
}

void
sv_log_reader_settle_reach(
    const struct sv_log_reader *reader, struct sv_world *world, uint64_t number)
{
    if (reader->newest_number > 0 && number <= reader->newest_number) {
        world->persist.reach_tick = reader->newest_reach;
    }
}

/* Opens the log from the world's beginning.  False if that part was pruned. */
static bool
open_whole(struct sv_log_reader *reader, uint64_t world, const struct sv_manifest *newest,
    struct sv_fault *fault)
{
    CN_ASSERT(reader->history == NULL && !reader->has_first);
    reader->history = sv_history_open(reader->store, world, NULL, fault);
    if (reader->history == NULL) {
        return false;
    }
    enum sv_recovery_step step = sv_history_next(reader->history, &reader->first, fault);
    reader->has_first = step == SV_RECOVERY_RECORD;
    reader->is_ended = step == SV_RECOVERY_END;
    bool has_none = reader->is_ended && (newest == NULL || newest->trail.number == 0);
    bool is_old = reader->has_first && newest != NULL &&
        reader->first.physics != newest->trail.physics;
    if ((reader->has_first && !is_old) || has_none) {
        return true;
    }
    reader->has_first = false;
    if (is_old) {
        reader->old_physics = reader->first.physics;
        sv_fault_set(fault, SV_FAULT_SCHEMA, "the beginning of the world is of physics %u",
            (unsigned)reader->old_physics);
    } else if (reader->is_ended) {
        sv_fault_set(fault, SV_FAULT_CHAIN, "the beginning of the world is not stored any more");
    }
    sv_history_close(reader->history);
    reader->history = NULL;
    reader->is_ended = false;
    return false;
}

/* Opens the log from the oldest readable checkpoint; the store may remove some meanwhile. */
static bool
open_oldest(struct sv_log_reader *reader, uint64_t world, const struct sv_manifest *list, int count,
    struct sv_fault *fault)
{
    CN_ASSERT(reader->history == NULL && reader->past.checkpoint == NULL);
    for (int i = 0; i < count; i++) {
        reader->history = sv_history_open(reader->store, world, &list[i], fault);
        if (reader->history == NULL) {
            return false;
        }
        reader->past.checkpoint = sv_history_checkpoint(reader->history, fault);
        if (reader->past.checkpoint != NULL) {
            reader->last_number = reader->past.checkpoint->trail.number;
            reader->last_tick = reader->past.checkpoint->tick;
            return true;
        }
        sv_history_close(reader->history);
        reader->history = NULL;
    }
    return false;
}

bool
sv_log_reader_init(struct sv_log_reader *reader, struct sv_store *store, uint64_t world,
    const unsigned char content[SV_CONTENT_SIZE], struct sv_fault *fault)
{
    struct sv_manifest *list;
    *reader = (struct sv_log_reader){.store = store,
        .past = {.context = reader, .fetch = fetch_remembered, .next = next_remembered}};
    if (content != NULL) {
        memcpy(reader->past.content, content, SV_CONTENT_SIZE);
    }
    int count = sv_store_history(store, world, &list);
    if (count < 0) {
        return sv_fault_set(fault, SV_FAULT_MEMORY, "a world's past");
    }
    const struct sv_manifest *newest = count > 0 ? &list[count - 1] : NULL;
    int first = newest != NULL ? sv_portable_first(list, count, newest->trail.physics) : 0;
    CN_ASSERT(first >= 0 && first <= count);
    if (newest != NULL) {
        see_end(reader, world, newest);
    }
    sv_fault_set(fault, SV_FAULT_MISSING, "no checkpoint of the world is stored");
    bool is_open =
        (content != NULL && first == 0 && open_whole(reader, world, newest, fault)) ||
        open_oldest(reader, world, list + first, count - first, fault);
    if (first > 0) {
        reader->old_physics = list[first - 1].trail.physics;
    }
    free(list);
    reader->past.physics = reader->has_first ? reader->first.physics : 0;
    return is_open;
}

void
sv_log_reader_finish(struct sv_log_reader *reader)
{
    sv_history_close(reader->history);
}
