/* memory.c: what a store remembers of a world, as a past (tape.h). */
#include "server/host/tape.h"

#include <stdlib.h>
#include <string.h>

static bool
fetch_remembered(void *context, const unsigned char content[SV_CONTENT_SIZE],
    unsigned char **bytes_give, size_t *size, struct sv_fault *fault)
{
    struct sv_memory *memory = context;
    return sv_store_scene(memory->store, content, bytes_give, size, fault);
}

static enum sv_recovery_step
next_remembered(void *context, struct sv_record *record, struct sv_fault *fault)
{
    struct sv_memory *memory = context;
    enum sv_recovery_step step = SV_RECOVERY_RECORD;
    if (memory->has_first) {
        memory->has_first = false;
        *record = memory->first;
    } else {
        step = memory->is_ended ? SV_RECOVERY_END
                                : sv_history_next(memory->history, record, fault);
    }
    if (step == SV_RECOVERY_RECORD) {
        memory->last_number = record->number;
        memory->last_tick = record->tick;
    } else if (step == SV_RECOVERY_END) {
        bool is_newer = memory->has_end && memory->end.number == memory->last_number + 1;
        memory->is_ended = true;
        memory->has_end = false;
        if (is_newer) {
            *record = memory->end;
            step = SV_RECOVERY_RECORD;
        }
    }
    return step;
}

/* The newest checkpoint's hash, as a record behind all that it has seen. */
static void
see_end(struct sv_memory *memory, uint64_t world, const struct sv_manifest *newest)
{
    struct sv_fault ignored;
    struct sv_history *history = sv_history_open(memory->store, world, newest, &ignored);
    const struct sv_checkpoint *checkpoint =
        history != NULL ? sv_history_checkpoint(history, &ignored) : NULL;
    if (checkpoint != NULL) {
        memory->has_end = true;
        memory->known_tick = checkpoint->tick;
        memory->end = (struct sv_record){.tick = checkpoint->tick,
            .state_hash = checkpoint->state_hash,
            .number = checkpoint->trail.number + 1,
            .physics = checkpoint->trail.physics,
            .flags = SV_RECORD_HASH};
    }
    sv_history_close(history);
}

/* Opens it from the world's beginning; false where that is not there any more. */
static bool
open_whole(struct sv_memory *memory, uint64_t world, const struct sv_manifest *newest,
    struct sv_fault *fault)
{
    memory->history = sv_history_open(memory->store, world, NULL, fault);
    if (memory->history == NULL) {
        return false;
    }
    enum sv_recovery_step step = sv_history_next(memory->history, &memory->first, fault);
    memory->has_first = step == SV_RECOVERY_RECORD;
    memory->is_ended = step == SV_RECOVERY_END;
    bool has_none = memory->is_ended && (newest == NULL || newest->trail.number == 0);
    if (memory->has_first || has_none) {
        return true;
    }
    if (memory->is_ended) {
        sv_fault_set(fault, SV_FAULT_CHAIN, "the beginning of the world is not kept any more");
    }
    sv_history_close(memory->history);
    memory->history = NULL;
    memory->is_ended = false;
    return false;
}

/* From the oldest checkpoint that can be read; some may be let go meanwhile. */
static bool
open_oldest(struct sv_memory *memory, uint64_t world, const struct sv_manifest *list, int count,
    struct sv_fault *fault)
{
    for (int i = 0; i < count; i++) {
        memory->history = sv_history_open(memory->store, world, &list[i], fault);
        if (memory->history == NULL) {
            return false;
        }
        memory->past.checkpoint = sv_history_checkpoint(memory->history, fault);
        if (memory->past.checkpoint != NULL) {
            memory->last_number = memory->past.checkpoint->trail.number;
            memory->last_tick = memory->past.checkpoint->tick;
            return true;
        }
        sv_history_close(memory->history);
        memory->history = NULL;
    }
    return false;
}

bool
sv_memory_init(struct sv_memory *memory, struct sv_store *store, uint64_t world,
    const unsigned char content[SV_CONTENT_SIZE], struct sv_fault *fault)
{
    struct sv_manifest *list;
    *memory = (struct sv_memory){.store = store,
        .past = {.context = memory, .fetch = fetch_remembered, .next = next_remembered}};
    if (content != NULL) {
        memcpy(memory->past.content, content, SV_CONTENT_SIZE);
    }
    int count = sv_store_history(store, world, &list);
    if (count < 0) {
        return sv_fault_set(fault, SV_FAULT_MEMORY, "a world's past");
    }
    const struct sv_manifest *newest = count > 0 ? &list[count - 1] : NULL;
    if (newest != NULL) {
        see_end(memory, world, newest);
    }
    sv_fault_set(fault, SV_FAULT_MISSING, "no checkpoint of the world is kept");
    bool is_open = (content != NULL && open_whole(memory, world, newest, fault)) ||
        open_oldest(memory, world, list, count, fault);
    free(list);
    memory->past.physics = memory->has_first ? memory->first.physics : 0;
    return is_open;
}

void
sv_memory_finish(struct sv_memory *memory)
{
    sv_history_close(memory->history);
}
