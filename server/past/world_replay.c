/* world_replay.c: replays: worlds that show another world's past and cannot be changed. */
#include "server/past/world_replay.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/past/replay.h"
#include "server/world/state/world_change.h"
#include "server/world/state/world_news.h"
#include "server/world/state/world_restore.h"
#include "server/world/state/world_say.h"
#include "server/world/state/world_settings.h"

#include <stdlib.h>
#include <string.h>

struct sv_playing {
    struct sv_seed *seed;
    struct sv_replay replay;
    size_t at; /* position of the next record in the seed's records */
};

static bool
fetch_part(void *context, const unsigned char content[SV_CONTENT_SIZE], unsigned char **bytes_give,
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
next_record(void *context, struct sv_record *record, struct sv_fault *fault)
{
    struct sv_playing *playing = context;
    const struct sv_seed *seed = playing->seed;
    CN_ASSERT(playing->at <= seed->record_size);
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

/* Sets the world to the seed's state; its engine was made from the seed's scene. */
static bool
put_seed(struct sv_world *world, const struct sv_seed *seed, struct wire_error *error)
{
    struct sv_checkpoint *checkpoint;
    struct sv_fault fault;
    uint32_t generation = world->generation;
    if (!sv_checkpoint_decode(seed->bytes, seed->size, "a seed", &checkpoint, &fault)) {
        wire_error_set(error, "STATE", "", "%.200s", fault.text);
        return false;
    }
    bool is_good = sv_world_restore(world, checkpoint);
    sv_checkpoint_destroy(checkpoint);
    if (!is_good) {
        wire_error_set(error, "STATE", "", "%.200s", world->failure);
        world->failure[0] = '\0';
        return false;
    }
    sv_world_drop_logic(world);
    /* This world counts its own generations, because its clients have seen others since. */
    world->generation = world->series = generation;
    world->persist.settled_count = 0;
    return true;
}

static void
start_replay(struct sv_world *world, struct sv_seed *seed_take)
{
    struct sv_playing *playing = world->playing;
    CN_ASSERT(playing != NULL && playing->seed != seed_take);
    sv_seed_destroy(playing->seed);
    playing->seed = seed_take;
    playing->at = 0;
    world->play_end = seed_take->end_tick;
    playing->replay = (struct sv_replay){
        .past = {.context = playing, .fetch = fetch_part, .next = next_record},
        .env = world->env,
        .world = world};
    world->next_tick_ns = 0;
    world->is_dirty = true;
}

/* Appends the records that follow those that the replay has, without a gap. */
static bool
append_seed(struct sv_world *world, const struct sv_seed *seed)
{
    struct sv_seed *own = world->playing->seed;
    if (seed->tick != own->end_tick) {
        return false;
    }
    struct sv_playing *playing = world->playing;
    /* The record points into bytes that are about to move, so it is read again. */
    if (playing->replay.has_record) {
        CN_ASSERT(playing->at >= SV_RECORD_HEADER_SIZE + playing->replay.record.entries_size);
        playing->at -= SV_RECORD_HEADER_SIZE + playing->replay.record.entries_size;
        playing->replay.has_record = false;
    }
    CN_ASSERT(playing->at <= own->record_size);
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
    own->end_tick = world->play_end = seed->end_tick;
    return true;
}

static bool
jump_to_seed(struct sv_world *world, struct sv_seed *seed, struct wire_error *error)
{
    struct sv_scene *scene = sv_scene_ref(seed->scene);
    bool is_done = sv_world_load(world, &scene, error) && put_seed(world, seed, error);
    sv_scene_unref(scene);
    return is_done;
}

/* Goes to the tick that the message asks for; answers its asker. */
static void
seek_tick(struct sv_world *world, struct sv_message *message)
{
    struct wire_error error;
    struct sv_seed *seed = message->seek.seed_take;
    message->seek.seed_take = NULL;
    if (message->seek.has_speed) {
        world->play_speed = message->seek.speed;
        world->next_tick_ns = 0;
        world->is_status_due = true;
    }
    if (seed != NULL && message->seek.is_more) {
        (void)append_seed(world, seed); /* records that do not fit are fetched again */
        world->is_dirty = true;
        sv_seed_destroy(seed);
    } else if (seed != NULL && jump_to_seed(world, seed, &error)) {
        start_replay(world, seed);
        sv_world_say_reloaded(world);
    } else if (seed != NULL) {
        sv_seed_destroy(seed);
        sv_world_answer(world, SV_REPORT_REFUSED, &message->asker, 0, &error);
    }
}

/* Plays a tick, see struct sv_player. */
static bool
play_tick(struct sv_world *world, enum cn_step_result *result)
{
    struct sv_playing *playing = world->playing;
    enum sv_replay_step step;
    if (cn_world_tick(world->engine) >= playing->seed->end_tick) {
        return false;
    }
    playing->replay.slice_work = SV_SLICE_WORK;
    do {
        step = sv_replay_next(&playing->replay);
    } while (step == SV_REPLAY_RECORD);
    *result = step == SV_REPLAY_MORE ? CN_STEP_MORE
        : step == SV_REPLAY_MEMORY   ? CN_STEP_MEMORY
        : step == SV_REPLAY_END      ? sv_world_step(world, SV_SLICE_WORK)
                                     : CN_STEP_DONE;
    if (*result == CN_STEP_MEMORY) {
        world->failure[0] = '\0'; /* the tick is tried again */
    }
    if (step == SV_REPLAY_FAILED) {
        playing->seed->end_tick = world->play_end = cn_world_tick(world->engine);
    }
    return step != SV_REPLAY_FAILED;
}

static void
finish_playing(struct sv_world *world)
{
    if (world->playing != NULL) {
        sv_seed_destroy(world->playing->seed);
        free(world->playing);
        world->playing = NULL;
    }
}

static const struct sv_player player = {
    .tick = play_tick, .seek = seek_tick, .finish = finish_playing};

bool
sv_world_play(struct sv_world *world, struct sv_seed *seed_take, double speed,
    struct wire_error *error)
{
    if (!put_seed(world, seed_take, error)) {
        return false;
    }
    CN_ASSERT(world->playing == NULL && world->persist.lane == NULL);
    world->playing = calloc(1, sizeof(*world->playing));
    if (world->playing == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    world->player = &player;
    world->play_speed = speed;
    start_replay(world, seed_take);
    return true;
}
