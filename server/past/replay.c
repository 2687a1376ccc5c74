/* replay.c: repeats the log of a world (replay.h). */
#include "server/past/replay.h"

#include "engine/base/assert.h"
#include "engine/state/image.h"
#include "proto/scene_live.h"
#include "server/world/act/world_entries.h"
#include "server/world/act/world_life.h"
#include "deed/entry.h"
#include "server/world/state/world_change.h"
#include "server/world/state/portable.h"
#include "server/world/state/world_clock.h"
#include "server/world/state/world_news.h"
#include "server/world/state/world_record.h"
#include "server/world/state/world_restore.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sv_scene *
fetch_scene(struct sv_replay *replay, const unsigned char content[SV_CONTENT_SIZE],
    struct wire_error *error)
{
    unsigned char *bytes;
    size_t size;
    struct sv_fault fault;
    struct wire_text_error wrong;
    if (!replay->past.fetch(replay->past.context, content, &bytes, &size, &fault)) {
        wire_error_set(error, "STATE", "scene", "%.200s", fault.text);
        return NULL;
    }
    const struct wire_mesh_tools tools = {.library = replay->env->meshes, .is_own = true};
    struct wire_scene *scene = wire_scene_unpack_with(bytes, size, &tools, &wrong);
    free(bytes);
    if (scene == NULL) {
        wire_error_from_defect(error, &wrong.defect);
        return NULL;
    }
    struct sv_scene *shared = sv_scene_create(scene);
    if (shared == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory");
    }
    return shared;
}

static bool
fetch_seed(struct sv_replay *replay, const struct dd_entry *entry, struct sv_matter *matter,
    struct wire_error *error)
{
    unsigned char *bytes;
    size_t size;
    struct sv_fault fault;
    const struct sv_past *past = &replay->past;
    if (!past->fetch(past->context, entry->matter.content, &bytes, &size, &fault)) {
        wire_error_set(error, "STATE", "seed", "%.200s", fault.text);
        return false;
    }
    bool is_read = sv_checkpoint_decode(bytes, size, "a seed", &matter->seed, &fault);
    free(bytes);
    if (!is_read) {
        wire_error_set(error, "STATE", "seed", "%.200s", fault.text);
    }
    return is_read;
}

/* Decodes the data of an entry, with the decoders that first read it from the client. */
static bool
fetch_matter(struct sv_replay *replay, const struct dd_entry *entry, struct sv_matter *matter,
    struct wire_error *error)
{
    struct cn_defect defect = {.status = CN_MEMORY};
    struct sv_fault fault;
    unsigned char *bytes = NULL;
    const unsigned char *change = entry->matter.bytes;
    size_t size = entry->matter.size;
    *matter = (struct sv_matter){0};
    if (entry->kind == DD_ENTRY_LOAD) {
        matter->scene = fetch_scene(replay, entry->matter.content, error);
        return matter->scene != NULL;
    }
    if (entry->kind == DD_ENTRY_SEED) {
        return fetch_seed(replay, entry, matter, error);
    }
    if (entry->kind != DD_ENTRY_CHANGE && entry->kind != DD_ENTRY_CHANGE_OF) {
        return true;
    }
    if (entry->kind == DD_ENTRY_CHANGE_OF) {
        if (!replay->past.fetch(
                replay->past.context, entry->matter.content, &bytes, &size, &fault)) {
            wire_error_set(error, "STATE", "change", "%.200s", fault.text);
            return false;
        }
        change = bytes;
    }
    matter->change = wire_change_unpack(change, size, replay->world->shown->scene, &defect);
    free(bytes);
    if (matter->change == NULL) {
        wire_error_from_defect(error, &defect);
    }
    return matter->change != NULL;
}

/* Steps a tick, or this much work of it. */
static enum sv_replay_step
step_tick(struct sv_world *world, int64_t work)
{
    switch (sv_world_step(world, work)) {
    case CN_STEP_DONE:
        sv_world_note_events(world);
        sv_world_grow_older(world, 0);
        return SV_REPLAY_TICK;
    case CN_STEP_MORE:
        return SV_REPLAY_MORE;
    case CN_STEP_MEMORY:
        break;
    }
    snprintf(world->failure, sizeof(world->failure),
        "MEMORY: there is not enough to repeat tick %" PRIu64 " again",
        cn_world_tick(world->engine) + 1);
    return SV_REPLAY_MEMORY;
}

bool
sv_replay_step(struct sv_world *world)
{
    return step_tick(world, CN_WORK_UNLIMITED) == SV_REPLAY_TICK;
}

/* Whether the record is of another version of the physics, so that it is carried over. */
static bool
is_old(const struct sv_record *record)
{
    return record->physics != cn_physics_version();
}

/* Whether the replay can skip a faulty entry.  A scene or a seed cannot be skipped. */
static bool
may_be_left_out(const struct sv_record *record, const struct dd_entry *entry)
{
    return is_old(record) && entry->kind != DD_ENTRY_LOAD && entry->kind != DD_ENTRY_SEED &&
        entry->kind != DD_ENTRY_RESET;
}

static bool
redo_entries(struct sv_replay *replay, const struct sv_record *record)
{
    struct sv_world *world = replay->world;
    CN_ASSERT(!cn_world_is_mid_tick(world->engine)); /* entries act between two ticks */
    struct dd_entry entry;
    struct sv_matter matter;
    struct wire_error error;
    size_t at = 0;
    while (at < record->entries_size) {
        if (!dd_entry_read(record->entries, record->entries_size, &at, &entry)) {
            return sv_world_diverged(
                world, "record %" PRIu64 " holds no log entry at byte %zu", record->number, at);
        }
        bool is_change = entry.kind == DD_ENTRY_CHANGE || entry.kind == DD_ENTRY_CHANGE_OF;
        bool was_done = !is_change || entry.matter.is_done;
        bool is_optional = may_be_left_out(record, &entry);
        if (is_optional && !was_done) {
            continue;
        }
        if (!fetch_matter(replay, &entry, &matter, &error)) {
            if (is_optional) {
                world->persist.lost_count++;
                continue;
            }
            return sv_world_diverged(world, "record %" PRIu64 ", %s: %.200s", record->number,
                dd_entry_name(entry.kind), error.text);
        }
        bool is_done = sv_world_apply(world, &entry, &matter, &error);
        sv_scene_unref(matter.scene);
        wire_change_destroy(matter.change);
        sv_checkpoint_destroy(matter.seed);
        if (is_optional) {
            world->persist.lost_count += is_done ? 0 : 1;
            continue;
        }
        if (is_done && !was_done) {
            return sv_world_diverged(world, "record %" PRIu64 ", %s: was refused", record->number,
                dd_entry_name(entry.kind));
        }
        if (!is_done && was_done) {
            return sv_world_diverged(world,
                "record %" PRIu64
                ", %s: was accepted when it was recorded, and is refused now: %.100s",
                record->number, dd_entry_name(entry.kind), error.text);
        }
    }
    return true;
}

/*
 * Compares the record's hash with the world, which has come to its tick, and repeats its entries.
 */
static bool
redo_record(struct sv_replay *replay)
{
    struct sv_world *world = replay->world;
    const struct sv_record *record = &replay->record;
    CN_ASSERT(cn_world_tick(world->engine) == record->tick);
    if ((record->flags & SV_RECORD_HASH) != 0 && !is_old(record) &&
        cn_world_hash(world->engine) != record->state_hash) {
        return sv_world_diverged(world,
            "record %" PRIu64 ": the state's hash is %016" PRIx64 " and was %016" PRIx64,
            record->number, cn_world_hash(world->engine), record->state_hash);
    }
    sv_world_step_begins(world, record->tick);
    if (!redo_entries(replay, record)) {
        return false;
    }
    if (is_old(record)) { /* an UPGRADE in an old record leads to that old version */
        world->persist.old_physics = record->physics;
    }
    return true;
}

static bool
check_record(struct sv_replay *replay)
{
    struct sv_world *world = replay->world;
    const struct sv_record *record = &replay->record;
    if (is_old(record) && !sv_portable_admit(world, record->physics, "what was done")) {
        return false;
    }
    if (record->tick < cn_world_tick(world->engine)) {
        return sv_world_diverged(
            world, "record %" PRIu64 " is of tick %" PRIu64, record->number, record->tick);
    }
    return true;
}

enum sv_replay_step
sv_replay_next(struct sv_replay *replay)
{
    struct sv_world *world = replay->world;
    struct sv_fault fault;
    if (!replay->has_record) {
        sv_world_step_ends(world); /* a crash while reading the disk must not blame this world */
        switch (replay->past.next(replay->past.context, &replay->record, &fault)) {
        case SV_RECOVERY_RECORD:
            break;
        case SV_RECOVERY_END:
            return SV_REPLAY_END;
        case SV_RECOVERY_FAULT:
            sv_world_diverged(world, "%.200s", fault.text);
            return SV_REPLAY_FAILED;
        }
        if (!check_record(replay)) {
            return SV_REPLAY_FAILED;
        }
        replay->has_record = true;
    }
    if (cn_world_tick(world->engine) < replay->record.tick) {
        sv_world_step_begins(world, cn_world_tick(world->engine) + 1);
        return step_tick(
            world, replay->slice_work > 0 ? replay->slice_work : CN_WORK_UNLIMITED);
    }
    replay->has_record = false;
    return redo_record(replay) ? SV_REPLAY_RECORD : SV_REPLAY_FAILED;
}

static bool
step_to_reach(struct sv_world *world)
{
    CN_ASSERT(!cn_world_is_mid_tick(world->engine));
    uint64_t reach = world->persist.reach_tick;
    bool is_good = true;
    while (is_good && cn_world_tick(world->engine) < reach) {
        sv_world_step_begins(world, cn_world_tick(world->engine) + 1);
        is_good = sv_replay_step(world);
    }
    sv_world_step_ends(world);
    return is_good;
}

bool
sv_replay_all(struct sv_replay *replay)
{
    enum sv_replay_step step;
    do {
        step = sv_replay_next(replay);
    } while (step == SV_REPLAY_TICK || step == SV_REPLAY_RECORD);
    return step == SV_REPLAY_END && step_to_reach(replay->world);
}

static struct sv_world *
create_world(struct sv_replay *replay, struct sv_mailbox *mailbox,
    const unsigned char content[SV_CONTENT_SIZE], struct wire_error *error)
{
    struct sv_scene *scene = fetch_scene(replay, content, error);
    if (scene == NULL) {
        return NULL;
    }
    struct sv_world *world = sv_world_create(replay->env, mailbox, scene, error);
    if (world != NULL) {
        memcpy(world->persist.content, content, SV_CONTENT_SIZE);
        CN_ASSERT(world->persist.lane == NULL); /* nothing is stored twice */
        world->persist.is_replaying = true;
        world->persist.is_carrying = replay->past.is_carried;
    }
    return world;
}

struct sv_world *
sv_replay_begin(struct sv_replay *replay, struct sv_env *env, struct sv_mailbox *mailbox,
    const struct sv_past *past, bool *is_good, struct wire_error *error)
{
    const struct sv_checkpoint *checkpoint = past->checkpoint;
    unsigned char content[SV_CONTENT_SIZE];
    bool has_host = checkpoint != NULL && sv_host_part_content(checkpoint, content);
    *replay = (struct sv_replay){.past = *past, .env = env};
    if (checkpoint != NULL && !has_host) {
        wire_error_set(error, "STATE", "", "the checkpoint is of another version");
        return NULL;
    }
    replay->world = create_world(replay, mailbox, has_host ? content : past->content, error);
    if (replay->world != NULL) {
        replay->world->persist.lane = env->lane; /* a crash from now on is blamed on this world */
        replay->world->persist.trail.world = mailbox->number;
        *is_good = !has_host || sv_world_restore(replay->world, checkpoint);
        replay->world->persist.has_checkpoint = has_host;
    }
    return replay->world;
}

static bool
fetch_stored(void *context, const unsigned char content[SV_CONTENT_SIZE],
    unsigned char **bytes_give, size_t *size, struct sv_fault *fault)
{
    struct sv_way *way = context;
    return sv_store_scene(way->store, content, bytes_give, size, fault);
}

static enum sv_recovery_step
next_stored(void *context, struct sv_record *record, struct sv_fault *fault)
{
    struct sv_way *way = context;
    return sv_recovery_next(way->recovery, record, fault);
}

struct sv_past
sv_way_past(struct sv_way *way, const struct sv_checkpoint *checkpoint,
    const unsigned char content[SV_CONTENT_SIZE])
{
    struct sv_past past = {
        .context = way, .checkpoint = checkpoint, .fetch = fetch_stored, .next = next_stored};
    memcpy(past.content, content, SV_CONTENT_SIZE);
    return past;
}
