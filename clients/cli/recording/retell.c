#include "clients/cli/recording/retell.h"

#include "clients/base/progress.h"
#include "engine/base/assert.h"

struct retell {
    const struct cli_retelling *how;
    struct cli_again again;
    struct cli_events events;
    struct cli_progress progress;
    uint64_t step_count;
    uint32_t shown_generation; /* of the last shown moment; 0: none yet */
    bool is_over, is_stopped;
};

static void
show_moment(struct retell *retell)
{
    const struct cli_retelling *how = retell->how;
    const struct sv_world *world = retell->again.world;
    const struct cli_moment moment = {.world = world->engine,
        .scene = world->shown->scene,
        .step_count = retell->step_count,
        .generation = world->generation,
        .events = &retell->events};
    retell->is_stopped = !how->show(how->context, &moment);
    retell->shown_generation = world->generation;
    retell->events.count = 0;
    retell->events.dropped_count = 0;
}

/* Shows the world if its tick is a requested one. */
static void
look_at_tick(struct retell *retell)
{
    const struct cli_retelling *how = retell->how;
    const struct sv_world *world = retell->again.world;
    uint64_t tick = cn_world_tick(world->engine);
    if (tick < how->from || tick > how->to) {
        retell->events.count = 0;
        retell->events.dropped_count = 0;
        return;
    }
    retell->is_over = tick == how->to;
    if ((tick - how->from) % how->every == 0 || retell->is_over) {
        show_moment(retell);
    }
}

/*
 * A tick is shown as it was when the step ended.  A change of bodies or a reset at the last tick
 * would not be visible in a later one.  So the last tick is shown again, after these changes.
 */
static void
look_back(struct retell *retell)
{
    const struct cli_retelling *how = retell->how;
    const struct sv_world *world = retell->again.world;
    uint64_t tick = cn_world_tick(world->engine);
    if (how->from <= tick && tick <= how->to && (tick - how->from) % how->every == 0 &&
        world->generation != retell->shown_generation) {
        show_moment(retell);
    }
}

static enum cli_exit
walk_ticks(struct retell *retell)
{
    look_at_tick(retell);
    while (!retell->is_over && !retell->is_stopped) {
        switch (sv_replay_next(&retell->again.replay)) {
        case SV_REPLAY_MORE: /* cannot occur: no slices are requested */
            break;
        case SV_REPLAY_TICK:
            cli_progress_show(&retell->progress, ++retell->step_count);
            if (!cli_events_add(&retell->events, retell->again.world->engine)) {
                retell->is_stopped = true;
            }
            look_at_tick(retell);
            break;
        case SV_REPLAY_RECORD:
            break;
        case SV_REPLAY_END:
            retell->is_over = true;
            look_back(retell);
            break;
        case SV_REPLAY_MEMORY:
        case SV_REPLAY_FAILED:
            cli_progress_finish(&retell->progress);
            cli_complain("%s: %s", retell->how->path, retell->again.world->failure);
            return CLI_NO;
        }
    }
    return retell->is_stopped ? CLI_COULD_NOT : CLI_DONE;
}

static enum cli_exit
retell_past(const struct cli_retelling *how, const struct cli_past *past)
{
    CN_ASSERT(how->every > 0); /* commands refuse 0 */
    struct retell retell = {.how = how};
    enum cli_exit result = cli_again_begin(&retell.again, past);
    if (result == CLI_DONE) {
        uint64_t last = past->last_tick < how->to ? past->last_tick : how->to;
        uint64_t first = cn_world_tick(retell.again.world->engine);
        cli_progress_init(&retell.progress, last > first ? last - first : 0);
        result = walk_ticks(&retell);
        cli_progress_finish(&retell.progress);
        if (result == CLI_DONE && retell.shown_generation == 0) {
            cli_complain("%s: none of its ticks, %llu to %llu, is asked for; see --from and --to",
                how->path, (unsigned long long)first, (unsigned long long)past->last_tick);
            result = CLI_BAD;
        }
    }
    cli_again_finish(&retell.again);
    cli_events_finish(&retell.events);
    return result;
}

enum cli_exit
cli_retell(const struct cli_retelling *how)
{
    struct cli_recording file;
    enum cli_exit result = cli_recording_open(&file, how->path);
    if (result == CLI_DONE) {
        struct cli_past past;
        cli_past_of_file(&past, &file);
        result = retell_past(how, &past);
        cli_past_finish(&past);
    }
    cli_recording_close(&file);
    return result;
}
