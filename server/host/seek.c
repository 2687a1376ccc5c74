#include "server/host/seek.h"

#include "engine/state/image.h"
#include "server/host/replay.h"
#include "server/host/worker.h"
#include "server/store/history.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A past whose world is made again here. */
struct way {
    const struct sv_seek *seek;
    struct sv_history *history;
    struct sv_worker worker; /* of this thread's own */
    struct sv_post post;
    struct sv_replay replay;
    struct sv_world *world;
};

static bool
fetch(void *context, const unsigned char content[SV_CONTENT_SIZE], unsigned char **bytes_give,
    size_t *size, struct sv_fault *fault)
{
    const struct way *way = context;
    return sv_store_scene(way->seek->store, content, bytes_give, size, fault);
}

static enum sv_recovery_step
next(void *context, struct sv_record *record, struct sv_fault *fault)
{
    struct way *way = context;
    return sv_history_next(way->history, record, fault);
}

static void
finish(struct way *way)
{
    sv_world_destroy(way->world);
    way->world = NULL;
    sv_history_close(way->history);
    way->history = NULL;
}

/* The world as the checkpoint has it, NULL: as its scene does; false with *error filled. */
static bool
begin(struct way *way, const struct sv_manifest *from, struct wire_error *error)
{
    const struct sv_seek *seek = way->seek;
    struct sv_fault fault;
    struct sv_charter charter;
    struct sv_past past = {.context = way, .fetch = fetch, .next = next};
    bool is_good = false;
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
        wire_error_set(error, "STATE", "", "nothing is kept of the world");
        return false;
    }
    if (from != NULL && past.checkpoint == NULL) {
        wire_error_set(error, "TICK", "tick", "%.200s", fault.text);
        return false;
    }
    way->world =
        sv_replay_begin(&way->replay, &way->worker, &way->post, &past, &is_good, error);
    if (way->world != NULL && !is_good) {
        wire_error_set(error, "STATE", "", "%.200s", way->world->failure);
    }
    return way->world != NULL && is_good;
}

/* Whether the wanted tick lies behind where the world is now. */
static bool
is_before(const struct way *way)
{
    const struct sv_seek *seek = way->seek;
    return way->world->series < seek->series ||
        (way->world->series == seek->series &&
            (seek->wants_newest || cn_world_tick(way->world->engine) <= seek->tick));
}

/* From this checkpoint, if the tick is reached from there. */
static bool
begin_at(struct way *way, const struct sv_manifest *from, struct wire_error *error)
{
    if (begin(way, from, error) && is_before(way)) {
        return true;
    }
    finish(way);
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
 * The newest checkpoint from which the tick is reached.  One of the tick itself has what was done
 * at it, too: it is taken where there is none before it alone, or none of these can be.  A world
 * that has none has not run yet.
 */
static bool
begin_before(struct way *way, const struct sv_manifest *list, int count, struct wire_error *error)
{
    int passed_over = -1;
    refuse_tick(way->seek, error);
    for (int i = count - 1; i >= 0; i--) {
        bool has_before = i > 0 && list[i - 1].tick < way->seek->tick;
        bool is_of_tick = list[i].tick == way->seek->tick;
        if (!way->seek->wants_newest && is_of_tick && has_before) {
            passed_over = i;
        } else if ((way->seek->wants_newest || list[i].tick <= way->seek->tick) &&
            begin_at(way, &list[i], error)) {
            return true;
        }
    }
    return count == 0 ? begin_at(way, NULL, error)
                      : passed_over >= 0 && begin_at(way, &list[passed_over], error);
}

static bool
is_there(const struct way *way)
{
    const struct sv_seek *seek = way->seek;
    return way->world->series == seek->series && !seek->wants_newest &&
        cn_world_tick(way->world->engine) == seek->tick;
}

/* False with world->failure when there is no memory. */
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

/* Does everything again up to the tick; false with *error filled. */
static bool
come_to(struct way *way, struct wire_error *error)
{
    const struct sv_seek *seek = way->seek;
    struct sv_world *world = way->world;
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

/* ---- what follows ---- */

/* Adds what the deeds of a record name; *is_end where the ticks begin anew. */
static bool
add_parts(struct way *way, struct sv_seed *seed, const struct sv_record *record, bool *is_end,
    struct wire_error *error)
{
    struct sv_deed deed;
    struct sv_fault fault;
    unsigned char *bytes;
    size_t at = 0, size;
    *is_end = false;
    while (at < record->deeds_size &&
        sv_deed_read(record->deeds, record->deeds_size, &at, &deed)) {
        if (deed.kind == SV_DEED_RESET || deed.kind == SV_DEED_LOAD ||
            deed.kind == SV_DEED_SEED) {
            *is_end = true;
        } else if (deed.kind == SV_DEED_CHANGE_OF &&
            sv_seed_find(seed, deed.matter.content) == NULL) {
            if (!fetch(way, deed.matter.content, &bytes, &size, &fault)) {
                wire_error_set(error, "STATE", "", "%.200s", fault.text);
                return false;
            }
            if (!sv_seed_add_part(seed, deed.matter.content, bytes, size)) {
                wire_error_set(error, "MEMORY", "", "no memory");
                return false;
            }
        }
    }
    return true;
}

/* Up to the newest tick, or as much as is fetched at once. */
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
            has_record ? SV_RECOVERY_RECORD : next(way, &record, &fault);
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
        if (!sv_seed_add(seed, record.deeds - SV_RECORD_HEADER_SIZE,
                SV_RECORD_HEADER_SIZE + record.deeds_size)) {
            wire_error_set(error, "MEMORY", "", "no memory");
            return false;
        }
    }
}

/* What is at the end tick or after it comes with what is fetched next. */
static void
cut(struct sv_seed *seed)
{
    size_t at = 0, size;
    struct sv_record record;
    while (at < seed->record_size &&
        sv_record_read(seed->records + at, seed->record_size - at, &record, &size) ==
            SV_RECORD_GOOD &&
        record.tick < seed->end_tick) {
        at += size;
    }
    seed->record_size = at;
}

/* ---- the seed ---- */

static struct sv_seed *
take(struct way *way, struct wire_error *error)
{
    struct sv_seed *seed = sv_world_seed(way->world, way->seek->id, error);
    if (seed == NULL) {
        return NULL;
    }
    if (way->seek->wants_records && !add_records(way, seed, error)) {
        sv_seed_destroy(seed);
        return NULL;
    }
    cut(seed);
    return seed;
}

struct sv_seed *
sv_seek_seed(const struct sv_seek *seek, struct wire_error *error)
{
    struct sv_manifest *list;
    struct sv_seed *seed = NULL;
    struct way way = {.seek = seek,
        .worker = {.clock = seek->clock,
            .metrics = seek->metrics,
            .simd = seek->simd,
            .meshes = seek->meshes}};
    memcpy(way.post.id, seek->id, sizeof(way.post.id));
    int count = sv_store_history(seek->store, seek->number, &list);
    if (begin_before(&way, list, count, error) && come_to(&way, error)) {
        seed = take(&way, error);
    }
    finish(&way);
    sv_worker_finish(&way.worker);
    free(list);
    return seed;
}
