/*
 * world_keep.c: worlds as the store has them: charters, checkpoints, and the way back.
 */
#include "server/host/replay.h"

#include "engine/base/assert.h"
#include "engine/state/image.h"
#include "proto/scene_live.h"
#include "server/base/limits.h"
#include "server/base/mutant.h"
#include "server/host/worker.h"
#include "server/store/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAYOUT_VERSION 1
#define CHARTER_SIZE (4 + 1 + SV_CONTENT_SIZE + WIRE_NAME_SIZE)

/* ---- charters ---- */

static unsigned char *
write_charter(const struct sv_world *world)
{
    unsigned char *bytes = calloc(1, CHARTER_SIZE);
    if (bytes != NULL) {
        sv_put_u32(bytes, LAYOUT_VERSION);
        bytes[4] = (unsigned char)world->keep.durability;
        memcpy(bytes + 5, world->keep.content, SV_CONTENT_SIZE);
        snprintf((char *)bytes + 5 + SV_CONTENT_SIZE, WIRE_NAME_SIZE, "%s", world->post->id);
    }
    return bytes;
}

bool
sv_charter_read(const unsigned char *bytes, size_t size, struct sv_charter *charter)
{
    const char *id = (const char *)bytes + 5 + SV_CONTENT_SIZE;
    if (size != CHARTER_SIZE || sv_get_u32(bytes) != LAYOUT_VERSION ||
        bytes[4] > WIRE_DURABILITY_NONE || memchr(id, '\0', WIRE_NAME_SIZE) == NULL) {
        return false;
    }
    memcpy(charter->id, id, WIRE_NAME_SIZE);
    charter->durability = (enum wire_durability)bytes[4];
    memcpy(charter->content, bytes + 5, SV_CONTENT_SIZE);
    return wire_name_is_id(charter->id);
}

static void
keep_by(struct sv_world *world, enum wire_durability durability)
{
    struct sv_worker *worker = world->worker;
    world->keep.lane = worker->lane;
    world->keep.durability = durability;
    world->keep.checkpoint_ns = sv_clock_now_ns(&worker->clock);
}

bool
sv_world_keep(struct sv_world *world, struct wire_error *error)
{
    struct sv_worker *worker = world->worker;
    enum wire_durability durability =
        wire_scene_durability(world->scene->scene, worker->durability);
    if (worker->lane == NULL || durability == WIRE_DURABILITY_NONE) {
        return true;
    }
    if (!sv_world_ready_outbox(world)) { /* its CREATED must not want for it */
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    keep_by(world, durability);
    world->keep.trail =
        sv_store_trail(worker->store, world->post->number, cn_physics_version());
    if (!sv_world_put_scene(world, world->scene, true, world->keep.content, error)) {
        world->keep.lane = NULL;
        return false;
    }
    unsigned char *bytes = write_charter(world);
    uint64_t ticket = bytes != NULL ? sv_lane_put_charter(world->keep.lane,
                                          world->post->number, bytes, CHARTER_SIZE)
                                    : 0;
    if (ticket == 0) {
        if (bytes != NULL) {
            sv_world_refuse_unkept(world, error);
        } else {
            wire_error_set(error, "MEMORY", "", "no memory");
        }
        free(bytes);
        world->keep.lane = NULL;
        return false;
    }
    sv_world_wait_for(world, ticket);
    sv_lane_flush(world->keep.lane);
    return true;
}

bool
sv_world_sow(struct sv_world *world, const struct sv_seed *seed, bool is_paused,
    struct wire_error *error)
{
    struct sv_fault fault;
    struct sv_deed deed = {.kind = SV_DEED_SEED};
    struct sv_deed state = {.kind = SV_DEED_STATE,
        .state = is_paused ? WIRE_WORLD_PAUSED : WIRE_WORLD_RUNNING};
    struct sv_matter matter = {0};
    if (!sv_checkpoint_decode(seed->bytes, seed->size, "a seed", &matter.seed, &fault)) {
        bool is_starved = fault.kind == SV_FAULT_MEMORY;
        wire_error_set(error, is_starved ? "MEMORY" : "STATE", "", "%.200s", fault.text);
        return false;
    }
    bool is_done =
        sv_world_put_bytes(world, seed->bytes, seed->size, deed.matter.content, error) &&
        sv_world_do(world, &deed, &matter, error);
    sv_checkpoint_destroy(matter.seed);
    if (!is_done) {
        return false;
    }
    sv_world_empty(world);
    return sv_world_do(world, &state, NULL, error);
}

/* ---- checkpoints ---- */

static bool
add_u32(struct sv_deeds *out, uint32_t value)
{
    unsigned char bytes[4];
    sv_put_u32(bytes, value);
    return sv_deeds_add_bytes(out, bytes, sizeof(bytes));
}

static bool
add_u64(struct sv_deeds *out, uint64_t value)
{
    unsigned char bytes[8];
    sv_put_u64(bytes, value);
    return sv_deeds_add_bytes(out, bytes, sizeof(bytes));
}

static bool
add_settled(const struct sv_world *world, struct sv_deeds *out)
{
    bool is_good = true;
    uint32_t count = (uint32_t)world->keep.settled_count;
    for (int i = 0; i < world->member_count; i++) {
        count += world->members[i].applied_seq > 0 ? 1 : 0;
    }
    is_good = add_u32(out, count);
    for (int i = 0; i < world->keep.settled_count && is_good; i++) {
        is_good = add_u64(out, world->keep.settled[i].session) &&
            add_u64(out, world->keep.settled[i].seq);
    }
    for (int i = 0; i < world->member_count && is_good; i++) {
        const struct sv_member *member = &world->members[i];
        is_good = member->applied_seq == 0 ||
            (add_u64(out, member->session) && add_u64(out, member->applied_seq));
    }
    return is_good;
}

static bool
write_host(const struct sv_world *world, struct sv_deeds *out)
{
    unsigned char state = (unsigned char)world->state;
    return add_u32(out, SV_HOST_PART_VERSION) && add_u32(out, world->generation) &&
        add_u32(out, world->series) && sv_deeds_add_bytes(out, &state, 1) &&
        sv_deeds_add_bytes(out, world->keep.content, SV_CONTENT_SIZE) &&
        sv_settings_add(out, &world->changed) && add_settled(world, out);
}

static bool
write_past(const struct sv_world *world, struct sv_deeds *out)
{
    return add_u32(out, SV_HOST_PART_VERSION) && add_u64(out, world->keep.age_us) &&
        add_u64(out, world->keep.aged_ns) && add_u64(out, world->origin_tick) &&
        sv_deeds_add_bytes(out, (const unsigned char *)world->origin, WIRE_NAME_SIZE);
}

struct sv_checkpoint *
sv_world_take(const struct sv_world *world)
{
    struct sv_deeds host = {0}, past = {0};
    size_t shown_size = 0, image_size = cn_world_image_size(world->engine);
    bool is_followed = world->shown != world->scene;
    unsigned char *image = malloc(image_size);
    unsigned char *shown =
        is_followed ? wire_scene_pack(world->shown->scene, &shown_size) : NULL;
    struct sv_trail trail = world->keep.trail;
    trail.number -= CN_MUTANT(OLD_TRAIL) && trail.number > 1 ? 1 : 0;
    struct sv_checkpoint *checkpoint = sv_checkpoint_create(trail,
        cn_world_tick(world->engine), cn_world_hash(world->engine));
    if (image == NULL || (is_followed && shown == NULL) || checkpoint == NULL ||
        !write_host(world, &host) || !write_past(world, &past)) {
        free(image);
        free(shown);
        sv_deeds_finish(&host);
        sv_deeds_finish(&past);
        sv_checkpoint_destroy(checkpoint);
        return NULL;
    }
    size_t written = cn_world_image_write(world->engine, image, image_size);
    CN_ASSERT(written == image_size);
    sv_checkpoint_add(checkpoint, SV_SECTION_IMAGE, image, image_size);
    sv_checkpoint_add(checkpoint, SV_SECTION_HOST, host.bytes, host.size);
    sv_checkpoint_add(checkpoint, SV_SECTION_PAST, past.bytes, past.size);
    memcpy(checkpoint->content, world->keep.content, SV_CONTENT_SIZE);
    checkpoint->age_ms = world->keep.age_us / 1000;
    checkpoint->stepped_ms = world->keep.aged_ns / SV_NS_PER_MS;
    if (is_followed) {
        sv_checkpoint_add(checkpoint, SV_SECTION_SHOWN, shown, shown_size);
    }
    return checkpoint;
}

struct sv_seed *
sv_world_seed(struct sv_world *world, const char *origin, struct wire_error *error)
{
    if (wire_name_is_id(origin)) {
        memcpy(world->origin, origin, strlen(origin) + 1);
        world->origin_tick = cn_world_tick(world->engine);
    }
    struct sv_seed *seed = sv_seed_create();
    struct sv_checkpoint *checkpoint = sv_world_take(world);
    if (seed != NULL && checkpoint != NULL) {
        seed->scene = sv_scene_ref(world->scene);
        seed->tick = seed->end_tick = checkpoint->tick;
        seed->hash = checkpoint->state_hash;
        seed->bytes = sv_checkpoint_encode(checkpoint, &seed->size);
    }
    sv_checkpoint_destroy(checkpoint);
    if (seed == NULL || seed->bytes == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory");
        sv_seed_destroy(seed);
        return NULL;
    }
    return seed;
}

/* Whether anything has happened since the last one. */
static bool
is_wanted(const struct sv_keeping *keep)
{
    return keep->is_checkpoint_due || keep->stepped_ns > 0 ||
        keep->trail.number > keep->checkpoint_number;
}

/* Whether one would save work at the next start. */
static bool
is_due(const struct sv_world *world, uint64_t now_ns)
{
    const struct sv_keeping *keep = &world->keep;
    uint64_t since_ns = now_ns - keep->checkpoint_ns;
    bool is_new = keep->trail.number > keep->checkpoint_number;
    bool is_old = since_ns >= SV_CHECKPOINT_PERIOD_NS && is_new;
    bool is_rung = world->worker->has_past && since_ns >= SV_RUNG_PERIOD_NS &&
        keep->stepped_ns >= SV_RUNG_STEPS_NS && is_new;
    bool is_first = world->worker->has_past && !keep->has_checkpoint && sv_world_is_running(world);
    return keep->is_checkpoint_due || keep->stepped_ns >= SV_CHECKPOINT_STEPS_NS || is_old ||
        is_rung || is_first;
}

uint64_t
sv_world_checkpoint_ns(const struct sv_world *world, uint64_t now_ns)
{
    const struct sv_keeping *keep = &world->keep;
    if (keep->lane == NULL || !is_wanted(keep)) {
        return UINT64_MAX;
    }
    uint64_t old_ns = keep->checkpoint_ns + SV_CHECKPOINT_PERIOD_NS;
    uint64_t again_ns = now_ns + SV_CHECKPOINT_RETRY_NS;
    return is_due(world, now_ns) || old_ns < again_ns ? again_ns : old_ns;
}

void
sv_world_checkpoint(struct sv_world *world, uint64_t now_ns, bool is_now)
{
    struct sv_keeping *keep = &world->keep;
    if (keep->lane == NULL || cn_world_is_mid_tick(world->engine) || keep->deeds.size > 0 ||
        keep->has_mark) {
        return;
    }
    bool is_busy = sv_lane_checkpoints_busy(keep->lane) > 0;
    if (is_now ? !is_wanted(keep) : is_busy || !is_due(world, now_ns)) {
        return;
    }
    struct sv_checkpoint *checkpoint = sv_world_take(world);
    if (checkpoint == NULL) {
        return;
    }
    if (sv_lane_checkpoint(keep->lane, checkpoint) == 0) {
        sv_checkpoint_destroy(checkpoint);
        return;
    }
    world->worker->is_flush_due = true; /* the next one waits for this one */
    keep->is_checkpoint_due = false;
    keep->has_checkpoint = true;
    keep->stepped_ns = 0;
    keep->checkpoint_ns = now_ns;
    keep->checkpoint_number = keep->trail.number;
}

/* ---- the way back ---- */

void
sv_world_empty(struct sv_world *world)
{
    const struct cn_held *held;
    struct wire_error ignored;
    while (cn_world_held(world->engine, &held) > 0 || world->keep.settled_count > 0) {
        bool is_held = cn_world_held(world->engine, &held) > 0;
        struct sv_deed deed = {.kind = SV_DEED_LEFT,
            .settled = {.session = is_held ? held[0].holder.source
                                           : world->keep.settled[0].session}};
        (void)sv_world_do(world, &deed, NULL, &ignored);
    }
}

bool
sv_charter_of(struct sv_store *store, uint64_t number, struct sv_charter *charter)
{
    unsigned char bytes[CHARTER_SIZE];
    size_t size = sv_store_charter(store, number, bytes, sizeof(bytes));
    return sv_charter_read(bytes, size, charter);
}

/* The world as it begins on its way back, and where the rest lies. */
static struct sv_world *
begin(struct sv_way *way, struct sv_replay *replay, struct sv_worker *worker,
    struct sv_post *post, const struct sv_charter *charter, bool *is_good,
    struct wire_error *error)
{
    const struct sv_checkpoint *checkpoint;
    struct sv_fault fault;
    way->store = worker->store;
    way->recovery = sv_recovery_begin(way->store, post->number, &checkpoint, &fault);
    if (way->recovery == NULL) {
        wire_error_set(error, "STATE", "", "%.200s", fault.text);
        return NULL;
    }
    struct sv_past past = sv_way_past(way, checkpoint, charter->content);
    return sv_replay_begin(replay, worker, post, &past, is_good, error);
}

struct sv_world *
sv_world_recover(struct sv_worker *worker, struct sv_post *post, struct wire_error *error)
{
    struct sv_way way = {0};
    struct sv_replay replay;
    struct sv_charter charter;
    bool is_good = false;
    if (!sv_charter_of(worker->store, post->number, &charter)) {
        wire_error_set(error, "STATE", "", "its charter is of another version");
        return NULL;
    }
    uint64_t start_ns = sv_clock_now_ns(&worker->clock);
    struct sv_world *world = begin(&way, &replay, worker, post, &charter, &is_good, error);
    if (world != NULL) {
        is_good = is_good && sv_replay_all(&replay);
        sv_world_step_ends(world);
        world->keep.is_replaying = false;
        world->keep.trail =
            is_good ? sv_recovery_trail(way.recovery) : (struct sv_trail){0};
        if (is_good) {
            keep_by(world, charter.durability);
            world->keep.trail.physics = cn_physics_version(); /* of a world without records 0 */
            /* Short lives must not make the way back longer and longer. */
            world->keep.stepped_ns = sv_clock_now_ns(&worker->clock) - start_ns;
            sv_world_empty(world);
        } else {
            world->keep.lane = NULL;
            world->state = WIRE_WORLD_FAILED;
        }
    }
    sv_recovery_end(way.recovery);
    return world;
}
