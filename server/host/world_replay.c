/*
 * world_replay.c: a world that shows another one's past, and is changed by nobody.
 */
#include "server/host/replay.h"

#include "server/base/limits.h"
#include "server/host/worker.h"

#include <stdlib.h>
#include <string.h>

struct sv_playing {
    struct sv_seed *seed;
    struct sv_replay replay;
    size_t at; /* of the next record in the seed's */
    double speed;
};

static bool
fetch(void *context, const unsigned char content[SV_CONTENT_SIZE], unsigned char **bytes_give,
    size_t *size, struct sv_fault *fault)
{
    const struct sv_playing *playing = context;
    const struct sv_seed_part *part = sv_seed_find(playing->seed, content);
    *bytes_give = part != NULL ? malloc(part->size + 1) : NULL;
    if (*bytes_give == NULL) {
        return sv_fault_set(fault, part != NULL ? SV_FAULT_MEMORY : SV_FAULT_MISSING,
            "what a record names");
    }
    memcpy(*bytes_give, part->bytes, part->size);
    *size = part->size;
    return true;
}

static enum sv_recovery_step
next(void *context, struct sv_record *record, struct sv_fault *fault)
{
    struct sv_playing *playing = context;
    const struct sv_seed *seed = playing->seed;
    size_t size;
    if (playing->at == seed->record_size) {
        return SV_RECOVERY_END;
    }
    if (sv_record_read(seed->records + playing->at, seed->record_size - playing->at, record,
            &size) != SV_RECORD_GOOD) {
        sv_fault_set(fault, SV_FAULT_CRC, "a record is damaged");
        return SV_RECOVERY_FAULT;
    }
    playing->at += size;
    return SV_RECOVERY_RECORD;
}

/* Puts the world, whose engine is of the seed's scene, to where the seed is. */
static bool
put(struct sv_world *world, const struct sv_seed *seed, struct wire_error *error)
{
    struct sv_checkpoint *checkpoint;
    struct sv_fault fault;
    uint32_t generation = world->generation;
    if (!sv_checkpoint_decode(seed->bytes, seed->size, "a seed", &checkpoint, &fault)) {
        wire_error_set(error, "STATE", "", "%.200s", fault.text);
        return false;
    }
    bool is_good = sv_replay_restore(world, checkpoint);
    sv_checkpoint_destroy(checkpoint);
    if (!is_good) {
        wire_error_set(error, "STATE", "", "%.200s", world->failure);
        world->failure[0] = '\0';
        return false;
    }
    /* Generations are this world's own: its clients have seen others since. */
    world->generation = world->series = generation;
    world->keep.settled_count = 0;
    return true;
}

static void
start(struct sv_world *world, struct sv_seed *seed_take)
{
    struct sv_playing *playing = world->playing;
    sv_seed_destroy(playing->seed);
    playing->seed = seed_take;
    playing->at = 0;
    playing->replay = (struct sv_replay){
        .past = {.context = playing, .fetch = fetch, .next = next},
        .worker = world->worker,
        .world = world};
    world->next_tick_ns = 0;
    world->is_dirty = true;
}

bool
sv_world_play(struct sv_world *world, struct sv_seed *seed_take, double speed,
    struct wire_error *error)
{
    if (!put(world, seed_take, error)) {
        return false;
    }
    world->playing = calloc(1, sizeof(*world->playing));
    if (world->playing == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    world->playing->speed = speed;
    start(world, seed_take);
    return true;
}

/* What follows the end of what is there, without a gap. */
static bool
append(struct sv_world *world, const struct sv_seed *seed)
{
    struct sv_seed *own = world->playing->seed;
    if (seed->tick != own->end_tick) {
        return false;
    }
    struct sv_playing *playing = world->playing;
    if (playing->replay.has_record) { /* it lies in what is about to move: it is read again */
        playing->at -= SV_RECORD_HEADER_SIZE + playing->replay.record.deeds_size;
        playing->replay.has_record = false;
    }
    memmove(own->records, own->records + playing->at, own->record_size - playing->at);
    own->record_size -= playing->at;
    playing->at = 0;
    for (int i = 0; i < seed->part_count; i++) {
        const struct sv_seed_part *part = &seed->parts[i];
        unsigned char *bytes = malloc(part->size + 1);
        if (bytes == NULL) {
            return false;
        }
        memcpy(bytes, part->bytes, part->size);
        if (!sv_seed_add_part(own, part->content, bytes, part->size)) {
            return false;
        }
    }
    if (seed->record_size > 0 && !sv_seed_add(own, seed->records, seed->record_size)) {
        return false;
    }
    own->end_tick = seed->end_tick;
    return true;
}

static bool
jump(struct sv_world *world, struct sv_seed *seed, struct wire_error *error)
{
    struct sv_scene *scene = sv_scene_ref(seed->scene);
    bool is_done = sv_world_load(world, &scene, error) && put(world, seed, error);
    sv_scene_unref(scene);
    return is_done;
}

void
sv_world_seek(struct sv_world *world, struct sv_letter *letter)
{
    struct wire_error error;
    struct sv_seed *seed = letter->seek.seed_take;
    letter->seek.seed_take = NULL;
    if (world->playing == NULL) {
        sv_seed_destroy(seed);
        return;
    }
    if (letter->seek.has_speed) {
        world->playing->speed = letter->seek.speed;
        world->next_tick_ns = 0;
        world->is_status_due = true;
    }
    if (seed != NULL && letter->seek.is_more) {
        (void)append(world, seed); /* what does not fit is asked for again */
        world->is_dirty = true;
        sv_seed_destroy(seed);
    } else if (seed != NULL && jump(world, seed, &error)) {
        start(world, seed);
        sv_world_say_reloaded(world);
    } else if (seed != NULL) {
        sv_seed_destroy(seed);
        sv_world_answer(world, SV_REPORT_REFUSED, &letter->asker, 0, &error);
    }
}

bool
sv_world_play_tick(struct sv_world *world, enum cn_step_result *result)
{
    struct sv_playing *playing = world->playing;
    enum sv_replay_step step;
    if (cn_world_tick(world->engine) >= playing->seed->end_tick) {
        return false;
    }
    do {
        step = sv_replay_next(&playing->replay);
    } while (step == SV_REPLAY_RECORD);
    *result = CN_STEP_DONE;
    if (step == SV_REPLAY_MEMORY ||
        (step == SV_REPLAY_END &&
            cn_world_step(world->engine, CN_WORK_UNLIMITED) != CN_STEP_DONE)) {
        world->failure[0] = '\0'; /* it is tried again */
        *result = CN_STEP_MEMORY;
    }
    if (step == SV_REPLAY_FAILED) {
        playing->seed->end_tick = cn_world_tick(world->engine);
    }
    return step != SV_REPLAY_FAILED;
}

double
sv_world_play_speed(const struct sv_world *world)
{
    return world->playing->speed;
}

uint64_t
sv_world_play_end(const struct sv_world *world)
{
    return world->playing->seed->end_tick;
}

void
sv_world_play_finish(struct sv_world *world)
{
    if (world->playing != NULL) {
        sv_seed_destroy(world->playing->seed);
        free(world->playing);
        world->playing = NULL;
    }
}
