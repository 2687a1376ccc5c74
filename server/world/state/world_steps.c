/* world_steps.c: whether a world may step, and the hashes of its ticks in the log. */
#include "server/world/state/world_steps.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/world/state/world_clock.h"
#include "server/world/state/world_reach.h"
#include "server/world/state/world_record.h"

#include <string.h>

bool
sv_world_may_step(struct sv_world *world)
{
    CN_ASSERT(!sv_world_is_mid_tick(world));
    struct sv_persistence *persist = &world->persist;
    if (persist->lane == NULL) {
        return true;
    }
    sv_world_write_reach(world);
    if (!sv_world_commit(world) ||
        !sv_world_cover(world, cn_world_tick(world->engine) + 1)) {
        persist->is_stalled = true;
        return false;
    }
    uint64_t durable = sv_lane_durable(persist->lane);
    int done = 0;
    while (done < persist->ahead_count && persist->ahead[done].ticket <= durable) {
        done++;
    }
    CN_ASSERT(done <= persist->ahead_count);
    persist->ahead_count -= done;
    memmove(persist->ahead, persist->ahead + done,
        (size_t)persist->ahead_count * sizeof(persist->ahead[0]));
    persist->is_stalled = persist->durability == WIRE_DURABILITY_TICK && persist->ahead_count > 0 &&
                       persist->step_count - persist->ahead[0].step >= SV_AHEAD_TICKS_MAX;
    return !persist->is_stalled;
}

void
sv_world_mark(struct sv_world *world)
{
    CN_ASSERT(!cn_world_is_mid_tick(world->engine));
    struct sv_persistence *persist = &world->persist;
    uint64_t tick = cn_world_tick(world->engine);
    persist->step_count++;
    if (persist->lane == NULL || tick % SV_HASH_TICKS != 0 || persist->entries.size > 0) {
        return;
    }
    persist->has_mark = true;
    persist->record_tick = tick;
    persist->mark_hash = cn_world_hash(world->engine);
    sv_world_write_reach_with_mark(world);
}

void
sv_world_renew(struct sv_world *world)
{
    struct sv_persistence *persist = &world->persist;
    if (persist->lane == NULL || persist->is_checkpoint_due || sv_world_is_mid_tick(world)) {
        return;
    }
    persist->is_checkpoint_due = true;
    if (persist->entries.size == 0 && !persist->has_mark) {
        persist->has_mark = true;
        persist->record_tick = cn_world_tick(world->engine);
        persist->mark_hash = cn_world_hash(world->engine);
    }
}
