/* Worlds done again. */
#include "server/host/replay.h"

#include "engine/state/image.h"
#include "proto/scene_live.h"
#include "server/host/worker.h"

#include <inttypes.h>
#include <stdarg.h>
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
    const struct wire_mesh_tools tools = {.library = replay->worker->meshes, .is_own = true};
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
fetch_seed(struct sv_replay *replay, const struct sv_deed *deed, struct sv_matter *matter,
    struct wire_error *error)
{
    unsigned char *bytes;
    size_t size;
    struct sv_fault fault;
    const struct sv_past *past = &replay->past;
    if (!past->fetch(past->context, deed->matter.content, &bytes, &size, &fault)) {
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

/* What a deed names or holds, read by the decoders that read it first. */
static bool
fetch_matter(struct sv_replay *replay, const struct sv_deed *deed, struct sv_matter *matter,
    struct wire_error *error)
{
    struct cn_defect defect = {.status = CN_MEMORY};
    struct sv_fault fault;
    unsigned char *bytes = NULL;
    const unsigned char *change = deed->matter.bytes;
    size_t size = deed->matter.size;
    *matter = (struct sv_matter){0};
    if (deed->kind == SV_DEED_LOAD) {
        matter->scene = fetch_scene(replay, deed->matter.content, error);
        return matter->scene != NULL;
    }
    if (deed->kind == SV_DEED_SEED) {
        return fetch_seed(replay, deed, matter, error);
    }
    if (deed->kind != SV_DEED_CHANGE && deed->kind != SV_DEED_CHANGE_OF) {
        return true;
    }
    if (deed->kind == SV_DEED_CHANGE_OF) {
        if (!replay->past.fetch(
                replay->past.context, deed->matter.content, &bytes, &size, &fault)) {
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

bool
sv_replay_diverged(struct sv_world *world, const char *format, ...)
{
    char text[CN_DEFECT_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    snprintf(world->failure, sizeof(world->failure), "DIVERGED: tick %" PRIu64 ": %.*s",
        cn_world_tick(world->engine), (int)sizeof(world->failure) - 64, text);
    return false;
}

bool
sv_replay_step(struct sv_world *world)
{
    if (cn_world_step(world->engine, CN_WORK_UNLIMITED) == CN_STEP_DONE) {
        sv_world_grow_older(world, 0);
        return true;
    }
    snprintf(world->failure, sizeof(world->failure),
        "MEMORY: there is none to do tick %" PRIu64 " again", cn_world_tick(world->engine) + 1);
    return false;
}

static bool
redo(struct sv_replay *replay, const struct sv_record *record)
{
    struct sv_world *world = replay->world;
    struct sv_deed deed;
    struct sv_matter matter;
    struct wire_error error;
    size_t at = 0;
    while (at < record->deeds_size) {
        if (!sv_deed_read(record->deeds, record->deeds_size, &at, &deed)) {
            return sv_replay_diverged(
                world, "record %" PRIu64 " holds no deed at byte %zu", record->number, at);
        }
        if (!fetch_matter(replay, &deed, &matter, &error)) {
            return sv_replay_diverged(world, "record %" PRIu64 ", %s: %.200s", record->number,
                sv_deed_name(deed.kind), error.text);
        }
        bool is_done = sv_world_apply(world, &deed, &matter, &error);
        bool is_change = deed.kind == SV_DEED_CHANGE || deed.kind == SV_DEED_CHANGE_OF;
        bool was_done = !is_change || deed.matter.is_done;
        sv_scene_unref(matter.scene);
        wire_change_destroy(matter.change);
        sv_checkpoint_destroy(matter.seed);
        if (is_done && !was_done) {
            return sv_replay_diverged(world, "record %" PRIu64 ", %s: was refused", record->number,
                sv_deed_name(deed.kind));
        }
        if (!is_done && was_done) {
            return sv_replay_diverged(world,
                "record %" PRIu64 ", %s: was done, and now refused: %.100s", record->number,
                sv_deed_name(deed.kind), error.text);
        }
    }
    return true;
}

/* Compares the record with the world that has come to its tick, and does what it holds. */
static bool
redo_record(struct sv_replay *replay)
{
    struct sv_world *world = replay->world;
    const struct sv_record *record = &replay->record;
    if ((record->flags & SV_RECORD_HASH) != 0 &&
        cn_world_hash(world->engine) != record->state_hash) {
        return sv_replay_diverged(world,
            "record %" PRIu64 ": the state's hash is %016" PRIx64 " and was %016" PRIx64,
            record->number, cn_world_hash(world->engine), record->state_hash);
    }
    sv_world_step_begins(world, record->tick);
    return redo(replay, record);
}

static bool
check_record(struct sv_replay *replay)
{
    struct sv_world *world = replay->world;
    const struct sv_record *record = &replay->record;
    if (record->physics != cn_physics_version()) {
        return sv_replay_diverged(world, "record %" PRIu64 " is of physics %u, this is physics %u",
            record->number, (unsigned)record->physics, (unsigned)cn_physics_version());
    }
    if (record->tick < cn_world_tick(world->engine)) {
        return sv_replay_diverged(
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
        sv_world_step_ends(world); /* a death while the disk is read is not this world's */
        switch (replay->past.next(replay->past.context, &replay->record, &fault)) {
        case SV_RECOVERY_RECORD:
            break;
        case SV_RECOVERY_END:
            return SV_REPLAY_END;
        case SV_RECOVERY_FAULT:
            sv_replay_diverged(world, "%.200s", fault.text);
            return SV_REPLAY_FAILED;
        }
        if (!check_record(replay)) {
            return SV_REPLAY_FAILED;
        }
        replay->has_record = true;
    }
    if (cn_world_tick(world->engine) < replay->record.tick) {
        sv_world_step_begins(world, cn_world_tick(world->engine) + 1);
        return sv_replay_step(world) ? SV_REPLAY_TICK : SV_REPLAY_MEMORY;
    }
    replay->has_record = false;
    return redo_record(replay) ? SV_REPLAY_RECORD : SV_REPLAY_FAILED;
}

bool
sv_replay_all(struct sv_replay *replay)
{
    enum sv_replay_step step;
    do {
        step = sv_replay_next(replay);
    } while (step == SV_REPLAY_TICK || step == SV_REPLAY_RECORD);
    return step == SV_REPLAY_END;
}

/* The host's part of a checkpoint. */
struct host_part {
    uint32_t generation, series;
    enum wire_world_state state;
    unsigned char content[SV_CONTENT_SIZE];
    struct wire_settings changed;
    const unsigned char *settled; /* pairs of u64 */
    uint32_t settled_count;
};

static bool
read_host(const unsigned char *bytes, size_t size, struct host_part *part)
{
    size_t at = 13 + SV_CONTENT_SIZE;
    if (size < at || sv_get_u32(bytes) != SV_HOST_PART_VERSION || bytes[12] > WIRE_WORLD_PAUSED) {
        return false;
    }
    part->generation = sv_get_u32(bytes + 4);
    part->series = sv_get_u32(bytes + 8);
    part->state = (enum wire_world_state)bytes[12];
    memcpy(part->content, bytes + 13, SV_CONTENT_SIZE);
    if (!sv_settings_read(bytes, size, &at, &part->changed) || size - at < 4) {
        return false;
    }
    part->settled_count = sv_get_u32(bytes + at);
    part->settled = bytes + at + 4;
    return (size - at - 4) % 16 == 0 && (size - at - 4) / 16 == part->settled_count;
}

static bool
restore_shown(struct sv_world *world, const struct sv_checkpoint *checkpoint)
{
    size_t size;
    const unsigned char *bytes = sv_checkpoint_find(checkpoint, SV_SECTION_SHOWN, &size);
    if (bytes == NULL) {
        return true;
    }
    struct wire_scene *shown = wire_scene_show(bytes, size, world->scene->scene);
    struct sv_scene *shared = shown != NULL ? sv_scene_create(shown) : NULL;
    if (shared == NULL) {
        return sv_replay_diverged(world, "the checkpoint's scene can not be read");
    }
    shared->origin = world->scene->origin;
    sv_scene_unref(world->shown);
    world->shown = shared;
    return true;
}

static bool
find_host(const struct sv_checkpoint *checkpoint, struct host_part *part)
{
    size_t size;
    const unsigned char *bytes = sv_checkpoint_find(checkpoint, SV_SECTION_HOST, &size);
    return bytes != NULL && read_host(bytes, size, part);
}

bool
sv_host_part_content(const struct sv_checkpoint *checkpoint, unsigned char content[SV_CONTENT_SIZE])
{
    struct host_part part;
    if (!find_host(checkpoint, &part)) {
        return false;
    }
    memcpy(content, part.content, SV_CONTENT_SIZE);
    return true;
}

/* Its age and where it comes from; a checkpoint of an older version does not say. */
static bool
restore_past(struct sv_world *world, const struct sv_checkpoint *checkpoint)
{
    size_t size;
    const unsigned char *bytes = sv_checkpoint_find(checkpoint, SV_SECTION_PAST, &size);
    if (bytes == NULL) {
        return true;
    }
    if (size != SV_PAST_PART_SIZE || sv_get_u32(bytes) != SV_HOST_PART_VERSION ||
        memchr(bytes + 28, '\0', WIRE_NAME_SIZE) == NULL) {
        return sv_replay_diverged(world, "the checkpoint's origin can not be read");
    }
    world->keep.age_us = sv_get_u64(bytes + 4);
    world->keep.aged_ns = sv_get_u64(bytes + 12);
    world->origin_tick = sv_get_u64(bytes + 20);
    memcpy(world->origin, bytes + 28, WIRE_NAME_SIZE);
    return true;
}

bool
sv_replay_restore(struct sv_world *world, const struct sv_checkpoint *checkpoint)
{
    struct cn_defect defect;
    struct host_part part;
    size_t size;
    if (!find_host(checkpoint, &part)) {
        return sv_replay_diverged(world, "the checkpoint is of another version");
    }
    const unsigned char *image = sv_checkpoint_find(checkpoint, SV_SECTION_IMAGE, &size);
    if (image == NULL) {
        return sv_replay_diverged(world, "the checkpoint's image: is missing");
    }
    enum cn_status status = cn_world_image_read(world->engine, image, size, &defect);
    if (status == CN_MEMORY) {
        snprintf(world->failure, sizeof(world->failure), "MEMORY: the checkpoint's image");
        return false;
    }
    if (status != CN_OK) {
        return sv_replay_diverged(world, "the checkpoint's image: %.200s", defect.text);
    }
    if (cn_world_hash(world->engine) != checkpoint->state_hash) {
        return sv_replay_diverged(world, "the checkpoint's hash is not that of its image");
    }
    world->generation = part.generation;
    world->series = part.series;
    world->state = part.state;
    world->changed = part.changed;
    for (uint32_t i = 0; i < part.settled_count; i++) {
        struct sv_deed deed = {.kind = SV_DEED_SETTLED,
            .settled = {sv_get_u64(part.settled + (size_t)16 * i),
                sv_get_u64(part.settled + (size_t)16 * i + 8)}};
        struct sv_matter none;
        struct wire_error error;
        if (!sv_world_apply(world, &deed, &none, &error)) {
            snprintf(world->failure, sizeof(world->failure), "MEMORY: %.100s", error.text);
            return false;
        }
    }
    return restore_past(world, checkpoint) && restore_shown(world, checkpoint);
}

static struct sv_world *
create(struct sv_replay *replay, struct sv_post *post, const unsigned char content[SV_CONTENT_SIZE],
    struct wire_error *error)
{
    struct sv_scene *scene = fetch_scene(replay, content, error);
    if (scene == NULL) {
        return NULL;
    }
    struct sv_world *world = sv_world_create(replay->worker, post, scene, error);
    if (world != NULL) {
        memcpy(world->keep.content, content, SV_CONTENT_SIZE);
        world->keep.is_replaying = true;
    }
    return world;
}

struct sv_world *
sv_replay_begin(struct sv_replay *replay, struct sv_worker *worker, struct sv_post *post,
    const struct sv_past *past, bool *is_good, struct wire_error *error)
{
    const struct sv_checkpoint *checkpoint = past->checkpoint;
    struct host_part part;
    bool has_host = checkpoint != NULL && find_host(checkpoint, &part);
    *replay = (struct sv_replay){.past = *past, .worker = worker};
    if (checkpoint != NULL && !has_host) {
        wire_error_set(error, "STATE", "", "the checkpoint is of another version");
        return NULL;
    }
    replay->world = create(replay, post, has_host ? part.content : past->content, error);
    if (replay->world != NULL) {
        replay->world->keep.lane = worker->lane; /* crashes are laid at its door */
        replay->world->keep.trail.world = post->number;
        *is_good = !has_host || sv_replay_restore(replay->world, checkpoint);
        replay->world->keep.has_checkpoint = has_host;
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
