/* world_persistence.c: worlds in the store: charters, seeds and checkpoints. */
#include "server/world/act/world_persistence.h"

#include "engine/base/assert.h"
#include "engine/base/little_endian.h"
#include "engine/state/image.h"
#include "proto/scene_live.h"
#include "server/base/limits.h"
#include "server/store/history.h"
#include "server/world/act/world_entries.h"
#include "deed/entry.h"
#include "server/world/data/sections.h"
#include "server/world/state/portable.h"
#include "server/world/state/world_clock.h"
#include "server/world/state/world_record.h"
#include "server/world/state/world_sessions.h"

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
        cn_put_u32(bytes, LAYOUT_VERSION);
        bytes[4] = (unsigned char)world->persist.durability;
        memcpy(bytes + 5, world->persist.content, SV_CONTENT_SIZE);
        snprintf((char *)bytes + 5 + SV_CONTENT_SIZE, WIRE_NAME_SIZE, "%s", world->mailbox->id);
    }
    return bytes;
}

bool
sv_charter_read(const unsigned char *bytes, size_t size, struct sv_charter *charter)
{
    const char *id = (const char *)bytes + 5 + SV_CONTENT_SIZE;
    if (size != CHARTER_SIZE || cn_get_u32(bytes) != LAYOUT_VERSION ||
        bytes[4] > WIRE_DURABILITY_NONE || memchr(id, '\0', WIRE_NAME_SIZE) == NULL) {
        return false;
    }
    memcpy(charter->id, id, WIRE_NAME_SIZE);
    charter->durability = (enum wire_durability)bytes[4];
    memcpy(charter->content, bytes + 5, SV_CONTENT_SIZE);
    return wire_name_is_id(charter->id);
}

void
sv_world_store_by(struct sv_world *world, enum wire_durability durability)
{
    struct sv_env *env = world->env;
    world->persist.lane = env->lane;
    world->persist.durability = durability;
    world->persist.checkpoint_ns = sv_clock_now_ns(&env->clock);
}

bool
sv_world_persist(struct sv_world *world, struct wire_error *error)
{
    CN_ASSERT(world->persist.lane == NULL); /* it is not stored yet */
    struct sv_env *env = world->env;
    enum wire_durability durability =
        wire_scene_durability(world->scene->scene, env->durability);
    if (env->lane == NULL || durability == WIRE_DURABILITY_NONE) {
        return true;
    }
    if (!sv_world_ready_outbox(world)) { /* so that there is memory for its CREATED */
        wire_error_set(error, "MEMORY", "", "no memory");
        return false;
    }
    sv_world_store_by(world, durability);
    world->persist.trail =
        sv_store_trail(env->store, world->mailbox->number, cn_physics_version());
    if (!sv_world_put_scene(world, world->scene, true, world->persist.content, error)) {
        world->persist.lane = NULL;
        return false;
    }
    unsigned char *bytes = write_charter(world);
    uint64_t ticket = bytes != NULL ? sv_lane_put_charter(world->persist.lane,
                                          world->mailbox->number, bytes, CHARTER_SIZE)
                                    : 0;
    if (ticket == 0) {
        if (bytes != NULL) {
            sv_world_refuse_unkept(world, error);
        } else {
            wire_error_set(error, "MEMORY", "", "no memory");
        }
        free(bytes);
        world->persist.lane = NULL;
        return false;
    }
    sv_world_wait_for(world, ticket);
    sv_lane_flush(world->persist.lane);
    return true;
}

/* Removes all members: their held inputs end, with log entries. */
static void
remove_sessions(struct sv_world *world)
{
    struct wire_error ignored;
    for (uint64_t session = sv_world_session_after(world, 0); session != UINT64_MAX;
        session = sv_world_session_after(world, session)) {
        struct dd_entry left = {.kind = DD_ENTRY_LEFT, .settled = {.session = session}};
        (void)sv_world_do(world, &left, NULL, &ignored);
    }
}

bool
sv_world_sow(struct sv_world *world, const struct sv_seed *seed, bool is_paused,
    struct wire_error *error)
{
    struct sv_fault fault;
    struct dd_entry entry = {.kind = DD_ENTRY_SEED};
    struct dd_entry state = {.kind = DD_ENTRY_STATE,
        .state = is_paused ? WIRE_WORLD_PAUSED : WIRE_WORLD_RUNNING};
    struct sv_matter matter = {0};
    if (!sv_checkpoint_decode(seed->bytes, seed->size, "a seed", &matter.seed, &fault)) {
        bool is_starved = fault.kind == SV_FAULT_MEMORY;
        wire_error_set(error, is_starved ? "MEMORY" : "STATE", "", "%.200s", fault.text);
        return false;
    }
    bool is_done =
        sv_world_put_bytes(world, seed->bytes, seed->size, entry.matter.content, error) &&
        sv_world_do(world, &entry, &matter, error);
    sv_checkpoint_destroy(matter.seed);
    if (!is_done) {
        return false;
    }
    struct dd_entry stop = {.kind = DD_ENTRY_LOGIC, .logic = {.step = DD_LOGIC_STOP}};
    remove_sessions(world);
    return (world->logic == NULL || sv_world_do(world, &stop, NULL, error)) &&
        sv_world_do(world, &state, NULL, error);
}

/* ---- checkpoints ---- */

static bool
add_settled(const struct sv_world *world, struct dd_entries *out)
{
    bool is_good = true;
    uint32_t count = (uint32_t)world->persist.settled_count;
    for (int i = 0; i < world->member_count; i++) {
        count += world->members[i].applied_seq > 0 ? 1 : 0;
    }
    is_good = dd_entries_add_u32(out, count);
    for (int i = 0; i < world->persist.settled_count && is_good; i++) {
        is_good = dd_entries_add_u64(out, world->persist.settled[i].session) &&
            dd_entries_add_u64(out, world->persist.settled[i].seq);
    }
    for (int i = 0; i < world->member_count && is_good; i++) {
        const struct sv_member *member = &world->members[i];
        is_good = member->applied_seq == 0 || (dd_entries_add_u64(out, member->session) &&
                                                  dd_entries_add_u64(out, member->applied_seq));
    }
    return is_good;
}

static bool
write_host(const struct sv_world *world, struct dd_entries *out)
{
    unsigned char state = (unsigned char)world->state;
    return dd_entries_add_u32(out, SV_HOST_PART_VERSION) &&
        dd_entries_add_u32(out, world->generation) && dd_entries_add_u32(out, world->series) &&
        dd_entries_add_bytes(out, &state, 1) &&
        dd_entries_add_bytes(out, world->persist.content, SV_CONTENT_SIZE) &&
        dd_settings_add(out, &world->changed) && add_settled(world, out);
}

static bool
write_past(const struct sv_world *world, struct dd_entries *out)
{
    return dd_entries_add_u32(out, SV_HOST_PART_VERSION) &&
           dd_entries_add_u64(out, world->persist.age_us) &&
           dd_entries_add_u64(out, world->persist.aged_ns) &&
           dd_entries_add_u64(out, world->origin_tick) &&
           dd_entries_add_bytes(out, (const unsigned char *)world->origin, WIRE_NAME_SIZE);
}

struct sv_checkpoint *
sv_world_take(const struct sv_world *world)
{
    CN_ASSERT(!cn_world_is_mid_tick(world->engine));
    struct dd_entries host = {0}, past = {0}, sessions = {0}, logic = {0};
    size_t shown_size = 0, image_size = cn_world_image_size(world->engine);
    bool is_followed = world->shown != world->scene;
    unsigned char *image = malloc(image_size);
    unsigned char *shown =
        is_followed ? wire_scene_pack(world->shown->scene, &shown_size) : NULL;
    struct sv_trail trail = world->persist.trail;
    struct sv_checkpoint *checkpoint = sv_checkpoint_create(trail,
        cn_world_tick(world->engine), cn_world_hash(world->engine));
    if (image == NULL || (is_followed && shown == NULL) || checkpoint == NULL ||
        !write_host(world, &host) || !write_past(world, &past) ||
        !sv_world_write_sessions(world, &sessions) ||
        (world->logic != NULL && !sv_logic_write(world->logic, &logic)) ||
        !sv_portable_add(world, checkpoint)) {
        free(image);
        free(shown);
        dd_entries_finish(&host);
        dd_entries_finish(&past);
        dd_entries_finish(&sessions);
        dd_entries_finish(&logic);
        sv_checkpoint_destroy(checkpoint);
        return NULL;
    }
    size_t written = cn_world_image_write(world->engine, image, image_size);
    CN_ASSERT(written == image_size);
    sv_checkpoint_add(checkpoint, SV_SECTION_IMAGE, image, image_size);
    sv_checkpoint_add(checkpoint, SV_SECTION_HOST, host.bytes, host.size);
    sv_checkpoint_add(checkpoint, SV_SECTION_PAST, past.bytes, past.size);
    sv_checkpoint_add(checkpoint, SV_SECTION_SESSIONS, sessions.bytes, sessions.size);
    if (world->logic != NULL) {
        sv_checkpoint_add(checkpoint, SV_SECTION_LOGIC, logic.bytes, logic.size);
    }
    memcpy(checkpoint->content, world->persist.content, SV_CONTENT_SIZE);
    checkpoint->age_ms = world->persist.age_us / 1000;
    checkpoint->stepped_ms = world->persist.aged_ns / SV_NS_PER_MS;
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

/* Whether anything has happened since the last checkpoint. */
static bool
is_wanted(const struct sv_persistence *persist)
{
    return persist->is_checkpoint_due || persist->stepped_ns > 0 ||
        persist->trail.number > persist->checkpoint_number;
}

/* Whether a checkpoint would save work at the next start. */
static bool
is_due(const struct sv_world *world, uint64_t now_ns)
{
    const struct sv_persistence *persist = &world->persist;
    uint64_t since_ns = now_ns - persist->checkpoint_ns;
    bool is_new = persist->trail.number > persist->checkpoint_number;
    bool is_old = since_ns >= SV_CHECKPOINT_PERIOD_NS && is_new;
    bool is_rung = world->env->has_past && since_ns >= SV_RUNG_PERIOD_NS &&
        persist->stepped_ns >= SV_RUNG_STEPS_NS && is_new;
    bool is_first =
        world->env->has_past && !persist->has_checkpoint && sv_world_is_running(world);
    return persist->is_checkpoint_due || persist->stepped_ns >= SV_CHECKPOINT_STEPS_NS || is_old ||
        is_rung || is_first;
}

uint64_t
sv_world_checkpoint_ns(const struct sv_world *world, uint64_t now_ns)
{
    const struct sv_persistence *persist = &world->persist;
    if (persist->lane == NULL || !is_wanted(persist)) {
        return UINT64_MAX;
    }
    uint64_t old_ns = persist->checkpoint_ns + SV_CHECKPOINT_PERIOD_NS;
    uint64_t again_ns = now_ns + SV_CHECKPOINT_RETRY_NS;
    return is_due(world, now_ns) || old_ns < again_ns ? again_ns : old_ns;
}

void
sv_world_checkpoint(struct sv_world *world, uint64_t now_ns, bool is_now)
{
    struct sv_persistence *persist = &world->persist;
    if (persist->lane == NULL || sv_world_is_mid_tick(world) || persist->entries.size > 0 ||
        persist->has_mark) {
        return;
    }
    bool is_busy = sv_lane_checkpoints_busy(persist->lane) > 0;
    if (is_now ? !is_wanted(persist) : is_busy || !is_due(world, now_ns)) {
        return;
    }
    CN_ASSERT(persist->trail.world != 0);
    struct sv_checkpoint *checkpoint = sv_world_take(world);
    if (checkpoint == NULL) {
        return;
    }
    if (sv_lane_checkpoint(persist->lane, checkpoint) == 0) {
        sv_checkpoint_destroy(checkpoint);
        return;
    }
    world->env->is_flush_due = true; /* the next checkpoint waits for this one */
    persist->is_checkpoint_due = false;
    persist->has_checkpoint = true;
    persist->stepped_ns = 0;
    persist->checkpoint_ns = now_ns;
    persist->checkpoint_number = persist->trail.number;
}

bool
sv_charter_of(struct sv_store *store, uint64_t number, struct sv_charter *charter)
{
    unsigned char bytes[CHARTER_SIZE];
    size_t size = sv_store_charter(store, number, bytes, sizeof(bytes));
    return sv_charter_read(bytes, size, charter);
}
