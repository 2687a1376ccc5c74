#include "server/past/seek.h"

#include "engine/base/assert.h"
#include "engine/state/image.h"
#include "server/past/replay.h"
#include "server/store/history.h"
#include "server/world/act/world_life.h"
#include "server/world/act/world_persistence.h"
#include "deed/entry.h"
#include "server/world/data/env.h"
#include "server/world/state/portable.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A past whose world is rebuilt here. */
struct way {
    const struct sv_seek *seek;
    struct sv_history *history;
    struct sv_env env; /* only for this thread */
    struct sv_mailbox mailbox;
    struct sv_replay replay;
    struct sv_world *world;
};

static bool
fetch_part(void *context, const unsigned char content[SV_CONTENT_SIZE], unsigned char **bytes_give,
    size_t *size, struct sv_fault *fault)
{
    const struct way *way = context;
    return sv_store_scene(way->seek->store, content, bytes_give, size, fault);
}

static enum sv_recovery_step
next_record(void *context, struct sv_record *record, struct sv_fault *fault)
{
    struct way *way = context;
    return sv_history_next(way->history, record, fault);
}

static void
finish_way(struct way *way)
{
    sv_world_destroy(way->world);
    way->world = NULL;
    sv_history_close(way->history);
    way->history = NULL;
}

/*
 * Makes the world from the checkpoint, or from its scene if `from` is NULL.  False with *error
 * filled.
 */
static bool
begin_way(struct way *way, const struct sv_manifest *from, struct wire_error *error)
{
    const struct sv_seek *seek = way->seek;
    struct sv_fault fault;
    struct sv_charter charter;
    struct sv_past past = {.context = way, .fetch = fetch_part, .next = next_record};
    bool is_good = false;
    CN_ASSERT(way->world == NULL && way->history == NULL);
    way->history = sv_history_open(seek->store, seek->number, from, &fault);
    if (way->history == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    if (from != NULL) {
        past.checkpoint = sv_history_checkpoint(way->history, &fault);
    } else if (sv_charter_of(seek->store, seek->number, &charter)) {
        memcpy(past.content, charter.content, SV_CONTENT_SIZE);
    } else {
        wire_error_set(error, "STATE", "", "nothing is stored of the world");
        return false;
    }
    if (from != NULL && past.checkpoint == NULL) {
        wire_error_set(error, "TICK", "tick", "%.200s", fault.text);
        return false;
    }
    way->world =
        sv_replay_begin(&way->replay, &way->env, &way->mailbox, &past, &is_good, error);
    if (way->world != NULL && !is_good) {
        wire_error_set(error, "STATE", "", "%.200s", way->world->failure);
    }
    return way->world != NULL && is_good;
}

/* Whether the world is still before the wanted tick. */
static bool
is_before(const struct way *way)
{
    const struct sv_seek *seek = way->seek;
    return way->world->series < seek->series ||
        (way->world->series == seek->series &&
            (seek->wants_newest || cn_world_tick(way->world->engine) <= seek->tick));
}

/* Begins at this checkpoint, if the tick is reached from there. */
static bool
begin_at(struct way *way, const struct sv_manifest *from, struct wire_error *error)
{
    if (begin_way(way, from, error) && is_before(way)) {
        return true;
    }
    finish_way(way);
    return false;
}

static void
refuse_tick(const struct sv_seek *seek, struct wire_error *error)
{
    wire_error_set(error, "TICK", "tick",
        "is %" PRIu64 ", which is not kept (any more); the newest is %" PRIu64, seek->tick,
        seek->newest);
}

/*
 * Begins with the scene.  A tick before the first checkpoint can be rebuilt while the log has all
 * entries of the world, as when the daemon died before a checkpoint was stored.  False with *error
 * TICK where the first entries have been pruned.
 */
static bool
begin_with_scene(struct way *way, const struct sv_manifest *list, struct wire_error *error)
{
    struct sv_record first;
    struct sv_fault fault;
    struct wire_error ignored;
    struct sv_history *history = NULL;
    bool is_whole = !way->seek->wants_newest && way->seek->tick < list[0].tick;
    if (is_whole) {
        history = sv_history_open(way->seek->store, way->seek->number, NULL, &fault);
        is_whole = history != NULL &&
            sv_history_next(history, &first, &fault) == SV_RECOVERY_RECORD && first.number == 1;
        sv_history_close(history);
    }
    if (is_whole && begin_at(way, NULL, &ignored)) {
        return true;
    }
    refuse_tick(way->seek, error);
    return false;
}

/*
 * Begins at the newest checkpoint from which the tick is reached.  A checkpoint of the tick itself
 * already contains the entries at that tick, so it is used only where no earlier one can be.  A
 * world without checkpoints has not run yet.
 */
static bool
begin_before(struct way *way, const struct sv_manifest *list, int count, struct wire_error *error)
{
    int passed_over = -1;
    refuse_tick(way->seek, error);
    for (int i = count - 1; i >= 0; i--) {
        bool has_before = list[0].tick < way->seek->tick; /* several may be of this tick */
        bool is_of_tick = list[i].tick == way->seek->tick;
        if (!way->seek->wants_newest && is_of_tick && has_before) {
            passed_over = i;
        } else if ((way->seek->wants_newest || list[i].tick <= way->seek->tick) &&
            begin_at(way, &list[i], error)) {
            return true;
        }
    }
    if (count == 0) {
        return begin_at(way, NULL, error);
    }
    return (passed_over >= 0 && begin_at(way, &list[passed_over], error)) ||
        begin_with_scene(way, list, error);
}

static bool
is_there(const struct way *way)
{
    const struct sv_seek *seek = way->seek;
    return way->world->series == seek->series && !seek->wants_newest &&
        cn_world_tick(way->world->engine) == seek->tick;
}

/* Steps to a tick.  False with world->failure without memory. */
static bool
step_to(struct sv_world *world, uint64_t tick)
{
    while (cn_world_tick(world->engine) < tick) {
        if (!sv_replay_step(world)) {
            return false;
        }
    }
    return true;
}

/* Repeats the log up to the tick; false with *error filled. */
static bool
come_to(struct way *way, struct wire_error *error)
{
    const struct sv_seek *seek = way->seek;
    struct sv_world *world = way->world;
    CN_ASSERT(world != NULL);
    enum sv_replay_step step = SV_REPLAY_RECORD;
    while (!is_there(way) && (step == SV_REPLAY_RECORD || step == SV_REPLAY_TICK)) {
        step = sv_replay_next(&way->replay);
    }
    bool is_good = step != SV_REPLAY_FAILED && step != SV_REPLAY_MEMORY;
    if (step == SV_REPLAY_END && world->series == seek->series) {
        uint64_t end = sv_seek_newest(seek, cn_world_tick(world->engine));
        is_good = step_to(world, seek->wants_newest || seek->tick > end ? end : seek->tick);
    }
    if (!is_good) {
        wire_error_set(error, "STATE", "", "%.200s", world->failure);
        return false;
    }
    if (seek->wants_newest ? world->series < seek->series : !is_there(way)) {
        refuse_tick(seek, error);
        return false;
    }
    return true;
}

/* ---- the seed and the records after it ---- */

/* Adds the parts that a record's entries name.  *is_end: ticks begin again at 0 in this record. */
static bool
add_parts(struct way *way, struct sv_seed *seed, const struct sv_record *record, bool *is_end,
    struct wire_error *error)
{
    struct dd_entry entry;
    struct sv_fault fault;
    unsigned char *bytes;
    size_t at = 0, size;
    *is_end = false;
    while (at < record->entries_size &&
        dd_entry_read(record->entries, record->entries_size, &at, &entry)) {
        if (entry.kind == DD_ENTRY_RESET || entry.kind == DD_ENTRY_LOAD ||
            entry.kind == DD_ENTRY_SEED) {
            *is_end = true;
        } else if (entry.kind == DD_ENTRY_CHANGE_OF &&
            sv_seed_find(seed, entry.matter.content) == NULL) {
            if (!fetch_part(way, entry.matter.content, &bytes, &size, &fault)) {
                wire_error_set(error, "STATE", "", "%.200s", fault.text);
                return false;
            }
            if (!sv_seed_add_part(seed, entry.matter.content, bytes, size)) {
                wire_error_set(error, "MEMORY", "", "no memory");
                return false;
            }
        }
    }
    return true;
}

/* Adds the records up to the newest tick, or as many as one fetch takes. */
static bool
add_records(struct way *way, struct sv_seed *seed, struct wire_error *error)
{
    const struct sv_seek *seek = way->seek;
    struct sv_record record = way->replay.record;
    struct sv_fault fault;
    bool has_record = way->replay.has_record, is_end = false;
    uint64_t last = seed->tick;
    for (;;) {
        enum sv_recovery_step step =
            has_record ? SV_RECOVERY_RECORD : next_record(way, &record, &fault);
        has_record = false;
        if (step == SV_RECOVERY_FAULT) {
            wire_error_set(error, "STATE", "", "%.200s", fault.text);
            return false;
        }
        if (step == SV_RECOVERY_END) {
            seed->end_tick = sv_seek_newest(seek, last);
            return true;
        }
        last = record.tick;
        if (!add_parts(way, seed, &record, &is_end, error)) {
            return false;
        }
        if (is_end || seed->record_size > SV_SEEK_RECORDS_SIZE) {
            seed->end_tick = last;
            return true;
        }
        if (!sv_seed_add(seed, record.entries - SV_RECORD_HEADER_SIZE,
                SV_RECORD_HEADER_SIZE + record.entries_size)) {
            wire_error_set(error, "MEMORY", "", "no memory");
            return false;
        }
    }
}

/* Drops the records at the end tick and after it: the next fetch brings them. */
static void
cut_seed(struct sv_seed *seed)
{
    size_t at = 0, size;
    struct sv_record record;
    while (at < seed->record_size &&
        sv_record_read(seed->records + at, seed->record_size - at, &record, &size) ==
            SV_RECORD_GOOD &&
        record.tick < seed->end_tick) {
        at += size;
    }
    CN_ASSERT(at <= seed->record_size);
    seed->record_size = at;
}

/* ---- the seed ---- */

/* Whether the tick lies before the first checkpoint of this physics version. */
static bool
is_of_old_physics(
    const struct sv_seek *seek, const struct sv_manifest *list, int count, int first)
{
    return first > 0 && (first == count || (!seek->wants_newest && seek->tick < list[first].tick));
}

/* Refuses the tick.  Right after an upgrade there is no checkpoint of this version yet. */
static void
refuse_old_physics(const struct sv_seek *seek, const struct sv_manifest *list, int count,
    int first, struct wire_error *error)
{
    if (first == count) {
        wire_error_set(error, "BUSY", "tick",
            "the world was upgraded just now, and its first checkpoint is being written");
        error->retry_ms = SV_BUSY_RETRY_MS;
        return;
    }
    wire_error_set(error, "TICK", "tick",
        "is %" PRIu64 ", which is of physics %u: this release has physics %u and can not make "
        "that tick again",
        seek->tick, (unsigned)list[first - 1].trail.physics, (unsigned)cn_physics_version());
}

static struct sv_seed *
take_seed(struct way *way, struct wire_error *error)
{
    struct sv_seed *seed = sv_world_seed(way->world, way->seek->id, error);
    if (seed == NULL) {
        return NULL;
    }
    if (way->seek->wants_records && !add_records(way, seed, error)) {
        sv_seed_destroy(seed);
        return NULL;
    }
    cut_seed(seed);
    return seed;
}

struct sv_seed *
sv_seek_seed(const struct sv_seek *seek, struct wire_error *error)
{
    struct sv_manifest *list;
    struct sv_seed *seed = NULL;
    struct way way = {.seek = seek,
        .env = {.clock = seek->clock,
            .metrics = seek->metrics,
            .simd = seek->simd,
            .meshes = seek->meshes}};
    memcpy(way.mailbox.id, seek->id, sizeof(way.mailbox.id));
    int count = sv_store_history(seek->store, seek->number, &list);
    if (count < 0) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return NULL;
    }
    int first = sv_portable_first(list, count, cn_physics_version());
    if (is_of_old_physics(seek, list, count, first)) {
        refuse_old_physics(seek, list, count, first, error);
    } else if (begin_before(&way, list + first, count - first, error) &&
        come_to(&way, error)) {
        seed = take_seed(&way, error);
    }
    finish_way(&way);
    sv_env_finish(&way.env);
    free(list);
    return seed;
}
