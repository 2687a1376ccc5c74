/* world_recover.c: recovers a stored world from its checkpoint and its log. */
#include "server/past/world_recover.h"

#include "engine/base/assert.h"
#include "server/past/replay.h"
#include "server/store/store.h"
#include "server/world/act/world_entries.h"
#include "server/world/act/world_orphans.h"
#include "server/world/act/world_persistence.h"
#include "server/world/state/world_record.h"

#include <stdio.h>

/* Makes the world at its recovery's start, and finds the rest of its log. */
static struct sv_world *
begin_replay(struct sv_way *way, struct sv_replay *replay, struct sv_env *env,
    struct sv_mailbox *mailbox, const struct sv_charter *charter, bool *is_good,
    struct wire_error *error)
{
    CN_ASSERT(env->store != NULL);
    const struct sv_checkpoint *checkpoint;
    struct sv_fault fault;
    way->store = env->store;
    way->recovery = sv_recovery_begin(way->store, mailbox->number, &checkpoint, &fault);
    if (way->recovery == NULL) {
        wire_error_set(error, "STATE", "", "%.200s", fault.text);
        return NULL;
    }
    struct sv_past past = sv_way_past(way, checkpoint, charter->content);
    past.is_carried = true;
    return sv_replay_begin(replay, env, mailbox, &past, is_good, error);
}

/*
 * After the replay: writes an UPGRADE if the state is from another version of the physics.  False
 * with the world's failure filled.
 */
static bool
finish_upgrade(struct sv_world *world)
{
    struct sv_persistence *persist = &world->persist;
    CN_ASSERT(!persist->is_replaying && persist->lane == world->env->lane);
    struct wire_error error;
    persist->is_carrying = false;
    if (persist->old_physics == 0) {
        return true;
    }
    struct dd_entry entry = {.kind = DD_ENTRY_UPGRADE,
        .upgrade = {.physics = persist->old_physics, .lost_count = persist->lost_count}};
    if (!sv_world_do(world, &entry, NULL, &error)) {
        snprintf(world->failure, sizeof(world->failure), "MEMORY: %.200s", error.text);
        return false;
    }
    persist->upgrade_physics = entry.upgrade.physics;
    return true;
}

struct sv_world *
sv_world_recover(struct sv_env *env, struct sv_mailbox *mailbox, struct wire_error *error)
{
    struct sv_way way = {0};
    struct sv_replay replay;
    struct sv_charter charter;
    bool is_good = false;
    if (!sv_charter_of(env->store, mailbox->number, &charter)) {
        wire_error_set(error, "STATE", "", "its charter is of another version");
        return NULL;
    }
    uint64_t start_ns = sv_clock_now_ns(&env->clock);
    struct sv_world *world =
        begin_replay(&way, &replay, env, mailbox, &charter, &is_good, error);
    if (world != NULL) {
        is_good = is_good && sv_replay_all(&replay);
        sv_world_step_ends(world);
        world->persist.is_replaying = false;
        world->persist.trail =
            is_good ? sv_recovery_trail(way.recovery) : (struct sv_trail){0};
        if (is_good) {
            sv_world_store_by(world, charter.durability);
            world->persist.trail.physics = cn_physics_version(); /* 0 in a world without records */
            /* The replay counts as stepped time, so that frequent restarts make a checkpoint. */
            world->persist.stepped_ns = sv_clock_now_ns(&env->clock) - start_ns;
            is_good = finish_upgrade(world);
        }
        if (is_good) {
            sv_world_begin_orphans(world);
        }
        if (!is_good) {
            world->persist.lane = NULL;
            world->state = WIRE_WORLD_FAILED;
        }
    }
    sv_recovery_end(way.recovery);
    return world;
}
