/* world_run.c: runs a world: its messages, its ticks on the grid, its publications. */
#include "server/world/act/world_run.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/world/act/world_entries.h"
#include "server/world/act/world_full.h"
#include "server/world/act/world_lease.h"
#include "server/world/act/world_logic.h"
#include "server/world/act/world_messages.h"
#include "server/world/act/world_orders.h"
#include "server/world/act/world_orphans.h"
#include "server/world/act/world_persistence.h"
#include "server/world/act/world_query.h"
#include "server/world/act/world_watch.h"
#include "server/world/data/env.h"
#include "server/world/data/watch.h"
#include "server/world/state/world_change.h"
#include "server/world/state/world_clock.h"
#include "server/world/state/world_deeds.h"
#include "server/world/state/world_news.h"
#include "server/world/state/world_publish.h"
#include "server/world/state/world_reach.h"
#include "server/world/state/world_record.h"
#include "server/world/state/world_say.h"
#include "server/world/state/world_steps.h"

#include <inttypes.h>

static void
measure_rate(struct sv_world *world, uint64_t now_ns)
{
    world->window_tick_count++;
    uint64_t elapsed_ns = now_ns - world->window_start_ns;
    if (elapsed_ns >= SV_NS_PER_S) {
        world->real_time_factor =
            (double)(world->window_tick_count * world->period_ns) / (double)elapsed_ns;
        world->window_start_ns = now_ns;
        world->window_tick_count = 0;
    }
}

/*
 * Starts the clock at the world's next instant of the grid.  Periods are counted from the origin of
 * the monotonic clock, so worlds of one rate meet whenever they begin.  A replay begins at once:
 * its periods may be long, and a client waits.
 */
static void
start_clock(struct sv_world *world, uint64_t now_ns)
{
    CN_ASSERT(world->phase >= 0 && world->phase < SV_PHASES);
    uint64_t period = sv_world_period_ns(world);
    uint64_t offset_ns = period * (uint64_t)world->phase / SV_PHASES;
    uint64_t since_ns = (now_ns + period - offset_ns) % period;
    bool is_now = since_ns == 0 || world->playing != NULL;
    world->next_tick_ns = is_now ? now_ns : now_ns + period - since_ns;
    world->period_ns = period;
    world->window_start_ns = now_ns;
    world->window_tick_count = 0;
}

/* Drops whole periods that could not be computed in time: the world's clock runs slower. */
static void
lose_ticks(struct sv_world *world, uint64_t now_ns, uint64_t spent_ns)
{
    CN_ASSERT(now_ns >= world->next_tick_ns);
    uint64_t count = (now_ns - world->next_tick_ns) / world->period_ns;
    SV_COUNT(world->env->metrics, ticks_late, count);
    world->next_tick_ns += count * world->period_ns;
    bool is_in_row =
        world->lost_ns != 0 && now_ns - world->lost_ns < SV_OVERRUN_GAP_NS + spent_ns;
    world->overrun_ns = is_in_row ? world->overrun_ns : now_ns;
    world->lost_ns = now_ns;
}

/* Ends a tick: computes when the next one is due, and whether this one is published. */
static void
finish_tick(struct sv_world *world, uint64_t now_ns)
{
    CN_ASSERT(!sv_world_is_mid_tick(world));
    struct sv_metrics *metrics = world->env->metrics;
    world->durations_ns[world->duration_count++ % SV_DURATIONS_COUNT] = world->spent_ns;
    SV_COUNT(metrics, ticks, 1);
    SV_OBSERVE(metrics, tick_ns, world->spent_ns);
    if (now_ns >= world->next_tick_ns) { /* single steps need not wait until they are due */
        SV_OBSERVE(metrics, tick_delay_ns, now_ns - world->next_tick_ns);
    }
    const uint64_t spent_ns = world->spent_ns;
    world->spent_ns = 0;
    world->moment++;
    world->is_pushed = false;
    sv_watch_look(&world->watch, world->engine, false);
    sv_world_grow_older(world, spent_ns);
    measure_rate(world, now_ns);
    uint64_t period = world->period_ns;
    world->next_tick_ns += period;
    if (world->next_tick_ns + SV_CATCH_UP_TICKS_MAX * period < now_ns) {
        lose_ticks(world, now_ns, spent_ns);
    }
    sv_world_mark(world);
    sv_world_say_deeds_tick(world);
    sv_world_ask_logic_tick(world);
    sv_world_commit(world);
    sv_world_remember(world, now_ns, world->member_count > 0);
    if (sv_world_is_to_be_shown(world, now_ns)) {
        sv_world_publish(world, now_ns);
    }
}

/* Notes that there is no memory for a tick: the tick waits, and so do all messages to the world. */
static void
note_memory(struct sv_world *world, bool is_starved)
{
    if (is_starved) {
        SV_COUNT(world->env->metrics, ticks_starved, 1);
    }
    if (is_starved != world->is_starved) {
        sv_log(world->env->log, is_starved ? SV_LOG_WARN : SV_LOG_INFO,
            "%s: tick %" PRIu64 " %s", world->mailbox->id,
            cn_world_tick(world->engine) + (is_starved ? 1 : 0),
            is_starved ? "waits: it needs more memory than it may have (world-memory, memory)"
                       : "has got its memory and is done");
    }
    world->is_starved = is_starved;
}

/* Runs one slice of the step itself; false: no further tick can follow. */
static bool
step_engine(struct sv_world *world)
{
    CN_ASSERT(!world->is_look_due);
    enum cn_step_result result = CN_STEP_DONE;
    bool begins = !cn_world_is_mid_tick(world->engine) && !world->rules.is_pending;
    if (begins) {
        sv_world_say_deeds(world);
    }
    if (begins) { /* a status sent during a long tick has the hash of the tick before */
        world->tick_hash = world->was_sliced ? cn_world_hash(world->engine) : 0;
    }
    sv_world_step_begins(world, cn_world_tick(world->engine) + 1);
    if (world->playing == NULL) {
        sv_watch_begin(&world->watch, world->engine);
        result = sv_world_step(world, SV_SLICE_WORK);
    } else if (!world->player->tick(world, &result)) {
        world->is_dirty = true; /* it is shown standing still from now on */
        return false;
    }
    sv_world_step_ends(world);
    note_memory(world, result == CN_STEP_MEMORY);
    world->was_sliced = result == CN_STEP_DONE ? !begins : world->was_sliced;
    if (result == CN_STEP_DONE) {
        sv_world_note_events(world);
    }
    world->is_look_due = result == CN_STEP_DONE;
    return true;
}

/* Runs one slice of the due or unfinished tick, or of its publication. */
static void
advance_world(struct sv_world *world)
{
    const struct sv_clock *clock = &world->env->clock;
    uint64_t start_ns = sv_clock_now_ns(clock);
    if (!world->is_look_due && !step_engine(world)) {
        return;
    }
    bool is_done =
        world->is_look_due && (!sv_world_is_to_be_shown(world, start_ns) || sv_world_look(world));
    uint64_t end_ns = sv_clock_now_ns(clock);
    world->spent_ns += end_ns - start_ns;
    world->persist.stepped_ns += end_ns - start_ns;
    if (is_done) {
        world->is_look_due = false;
        finish_tick(world, end_ns);
        sv_world_answer_steps(world);
    }
}

/* Sends leases and presences when they have changed, and not too often. */
static uint64_t
say_who_is_here(struct sv_world *world, uint64_t now_ns)
{
    uint64_t leases_ns = world->leases_ns + SV_LEASES_PERIOD_NS;
    if (world->is_lease_due && now_ns >= leases_ns && sv_env_has_room(world->env)) {
        world->is_lease_due = false;
        world->leases_ns = now_ns;
        sv_world_say_leases(world, NULL);
    }
    uint64_t presence_ns = world->presence_ns + SV_PRESENCE_PERIOD_NS;
    if (world->is_presence_due && now_ns >= presence_ns && sv_env_has_room(world->env)) {
        world->is_presence_due = false;
        world->presence_ns = now_ns;
        sv_world_say_presence(world);
    }
    uint64_t lease_wanted_ns = world->is_lease_due ? leases_ns : UINT64_MAX;
    uint64_t presence_wanted_ns = world->is_presence_due ? presence_ns : UINT64_MAX;
    return lease_wanted_ns < presence_wanted_ns ? lease_wanted_ns : presence_wanted_ns;
}

/* Sends statuses and presences; returns when the next of them is due. */
static uint64_t
say_what_is_due(struct sv_world *world, uint64_t now_ns)
{
    bool is_second = world->member_count > 0 && now_ns - world->status_ns >= SV_NS_PER_S &&
        sv_world_is_running(world);
    bool has_hash = !cn_world_is_mid_tick(world->engine) || world->tick_hash != 0;
    if ((world->is_status_due || is_second) && has_hash && sv_env_has_room(world->env)) {
        world->is_status_due = false;
        world->status_ns = now_ns;
        sv_world_say_status(world);
    }
    if (world->is_reload_due && sv_env_has_room(world->env)) {
        sv_world_say_reloaded(world);
    }
    uint64_t wanted_ns = say_who_is_here(world, now_ns);
    uint64_t image_ns = sv_world_say_images(world, now_ns);
    wanted_ns = image_ns < wanted_ns ? image_ns : wanted_ns;
    bool is_left = (world->is_status_due && has_hash) || world->is_reload_due; /* no room */
    return is_left ? now_ns : wanted_ns;
}

/* Lets messages act if their entries can be stored. */
static void
act_on_mail(struct sv_world *world)
{
    if (!sv_world_commit(world)) {
        sv_world_refuse_changes(world);
        return;
    }
    if (world->persist.lane == NULL || !sv_env_is_read_only(world->env)) {
        sv_world_leases_expire(world);
        sv_world_end_orphans(world);
        sv_world_end_round(world);
        sv_world_watch_act(world);
    }
    sv_world_act(world);
    sv_world_answer_steps(world);
    sv_world_say_deeds(world);
    sv_world_tend_logic(world);
}

/* A world that does not run publishes at once when an entry has changed it. */
static uint64_t
rest_world(struct sv_world *world, uint64_t now_ns)
{
    world->next_tick_ns = 0;
    bool is_kept = sv_world_commit(world);
    if ((world->is_dirty || now_ns >= world->budget_ns) && is_kept) {
        if (!sv_world_look(world)) {
            return now_ns;
        }
        sv_world_publish(world, now_ns);
    }
    uint64_t wanted_ns = say_what_is_due(world, now_ns);
    wanted_ns = wanted_ns < world->budget_ns ? wanted_ns : world->budget_ns;
    is_kept = is_kept && sv_world_commit(world);
    sv_world_checkpoint(world, now_ns, false);
    if (!is_kept || (world->message_count > 0 && world->persist.lane != NULL)) {
        return now_ns + SV_STALL_PERIOD_NS;
    }
    if (world->message_count > 0) {
        return now_ns;
    }
    uint64_t checkpoint_ns = sv_world_checkpoint_ns(world, now_ns);
    wanted_ns = checkpoint_ns < wanted_ns ? checkpoint_ns : wanted_ns;
    return wanted_ns > now_ns ? wanted_ns : now_ns + SV_STALL_PERIOD_NS; /* no room for reports */
}

void
sv_world_prepare(struct sv_world *world, uint64_t now_ns)
{
    if (sv_world_is_mid_tick(world)) {
        return;
    }
    act_on_mail(world);
    if (sv_world_is_running(world) && now_ns >= world->next_tick_ns) {
        sv_world_write_reach(world);
        (void)sv_world_commit(world); /* it is called again before the step */
    }
}

uint64_t
sv_world_run(struct sv_world *world, uint64_t now_ns)
{
    if (!sv_world_is_running(world)) {
        return rest_world(world, now_ns);
    }
    if (world->next_tick_ns == 0) {
        start_clock(world, now_ns);
    }
    if (!world->persist.has_checkpoint || world->persist.is_checkpoint_due) {
        sv_world_checkpoint(world, now_ns, false); /* the past begins before the first tick */
    }
    bool is_due = sv_world_is_stepping(world) || now_ns >= world->next_tick_ns;
    uint64_t logic_ns = is_due && !sv_world_is_mid_tick(world)
        ? sv_world_logic_until_ns(world, now_ns)
        : 0; /* until when the tick waits for the logic */
    is_due = is_due && logic_ns == 0;
    if (sv_world_is_mid_tick(world) || (is_due && sv_world_may_step(world))) {
        advance_world(world);
    } else if (world->persist.is_stalled && world->is_dirty && world->persist.entries.size == 0) {
        /* its clock waits for the disk, and a client wants to see it */
        sv_world_publish(world, now_ns);
    }
    uint64_t wanted_ns = say_what_is_due(world, now_ns);
    if (world->persist.outbox_count > 0 && !sv_world_is_mid_tick(world)) {
        sv_world_commit(world);
    }
    sv_world_checkpoint(world, now_ns, false);
    bool is_hurried = sv_world_is_mid_tick(world) || sv_world_is_stepping(world);
    if (world->persist.is_stalled || world->is_starved) {
        return now_ns + SV_STALL_PERIOD_NS;
    }
    if (logic_ns != 0) {
        return wanted_ns > now_ns && wanted_ns < logic_ns ? wanted_ns : logic_ns;
    }
    if (is_hurried) {
        return now_ns;
    }
    bool is_later = wanted_ns <= now_ns || wanted_ns > world->next_tick_ns;
    return is_later ? world->next_tick_ns : wanted_ns;
}
