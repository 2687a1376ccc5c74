/*
 * world_reach.c: after a crash a world is never before a tick that a client was shown.
 *
 * After a crash a world is recovered from its log entries.  A tick without changes has no entry, so
 * the last entry alone does not say how far the world had come.  Therefore a running world promises
 * a tick ahead of time: the log entry REACH {R} says that the world may be shown up to tick R, and
 * recovery steps it to R (replay.h).
 *
 *     entry REACH {R}      durable               recovery runs to here
 *         |                   |                          |
 *     ----+-------------------+------ ticks shown -------R
 *
 * 1. No tick beyond the highest durable R is shown: each publication waits for the ticket of the
 *    entry that covers its tick.
 * 2. R is written early enough that a healthy disk never delays a tick (SV_REACH_MARGIN_S).
 * 3. Whatever stops or renumbers the ticks (pause, reset, load, seed) ends the promise, because
 *    that entry comes after it in the log.
 *
 * Ticks between the last one shown and R are new after a crash: no client has seen them.  A record
 * that is made anyway, for an input or a hash, takes a REACH along, so that an idle world needs no
 * more commits than without REACH.  The jump after a crash is half a second in a world with inputs,
 * and at most 1.4 s in one that is only watched.
 *
 * Threads: its world's worker.
 */
#include "server/world/state/world_reach.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/world/data/env.h"
#include "server/world/state/world_record.h"

#include <string.h>

static uint64_t
clamp_ticks(double ticks, uint64_t most)
{
    CN_ASSERT(most >= SV_REACH_TICKS_MIN);
    return ticks < SV_REACH_TICKS_MIN ? SV_REACH_TICKS_MIN
        : ticks > (double)most        ? most
                                      : (uint64_t)ticks;
}

/* Ticks before the end of a promise at which the next one is written: time for a commit. */
static uint64_t
margin_ticks(const struct sv_world *world)
{
    return clamp_ticks(SV_REACH_MARGIN_S * cn_world_tick_rate(world->engine), SV_HASH_TICKS);
}

/* Ticks of a promise that needs an entry of its own. */
static uint64_t
span_ticks(const struct sv_world *world)
{
    double watched = SV_REACH_SPAN_S * cn_world_tick_rate(world->engine);
    return world->member_count > 0 ? clamp_ticks(watched, SV_HASH_TICKS)
                                   : SV_REACH_UNWATCHED_TICKS;
}

/* The tick that the next entry promises; 0: the present promise suffices. */
static uint64_t
choose_reach(const struct sv_world *world)
{
    uint64_t next = cn_world_tick(world->engine) + 1;
    uint64_t margin = margin_ticks(world), now = world->persist.reach_tick;
    if (world->state == WIRE_WORLD_PAUSED) { /* single steps: no tick beyond the requested ones */
        return now >= world->step_until_tick ? 0 : world->step_until_tick;
    }
    if (now >= next + margin) {
        return 0;
    }
    return next + margin + (world->persist.is_loud ? margin : span_ticks(world)) - 1;
}

static void
promise_tick(struct sv_world *world, uint64_t tick)
{
    struct wire_error ignored;
    struct dd_entry entry = {.kind = DD_ENTRY_REACH, .reach_tick = tick};
    if (world->persist.lane != NULL && tick > 0 && !sv_env_is_read_only(world->env)) {
        if (sv_world_reserve_entry(world, &entry, &ignored)) { /* else the clock waits */
            world->persist.reach_tick = tick;
            CN_ASSERT(!cn_world_is_mid_tick(world->engine)); /* its record comes before the step */
            sv_world_log_entry(world, &entry, cn_world_tick(world->engine));
        }
    }
}

void
sv_world_write_reach(struct sv_world *world)
{
    promise_tick(world, choose_reach(world));
}

void
sv_world_write_reach_with_mark(struct sv_world *world)
{
    const struct sv_persistence *persist = &world->persist;
    uint64_t margin = margin_ticks(world);
    uint64_t tick = cn_world_tick(world->engine) + margin + span_ticks(world);
    /* records with inputs come soon anyway */
    bool is_busy = persist->step_count - persist->loud_step <= margin;
    if (world->state == WIRE_WORLD_RUNNING && !is_busy && persist->reach_tick < tick) {
        promise_tick(world, tick);
    }
}

bool
sv_world_cover(struct sv_world *world, uint64_t tick)
{
    struct sv_persistence *persist = &world->persist;
    int done = 0;
    while (done < persist->reach_count && persist->reaches[done].tick < tick) {
        done++;
    }
    CN_ASSERT(done <= persist->reach_count);
    persist->reach_count -= done;
    memmove(persist->reaches, persist->reaches + done,
        (size_t)persist->reach_count * sizeof(persist->reaches[0]));
    persist->is_uncovered = persist->reach_count == 0;
    if (persist->reach_count > 0 && persist->reaches[0].ticket > persist->ticket) {
        bool is_durable = persist->reaches[0].ticket <= sv_lane_durable(persist->lane);
        sv_world_depend_on(world, persist->reaches[0].ticket);
        world->env->is_flush_due |=
            !is_durable && persist->durability == WIRE_DURABILITY_TICK;
    }
    return !persist->is_uncovered || persist->durability != WIRE_DURABILITY_TICK;
}
