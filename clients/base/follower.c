#include "clients/base/follower.h"

#include "proto/state.h"

void
cli_follower_finish(struct cli_follower *follower)
{
    dd_follower_finish(&follower->followed);
    dd_rules_finish(&follower->rules);
}

enum cli_follow
cli_follower_join(struct cli_follower *follower, const struct wire_heard_joined *joined)
{
    const struct dd_image image = {
        .scene = joined->scene.bytes,
        .scene_size = joined->scene.size,
        .shown = joined->shown.bytes,
        .shown_size = joined->shown.size,
        .image = joined->image.bytes,
        .image_size = joined->image.size,
        .tick = joined->image_tick,
        .hash = joined->image_hash,
        .generation = joined->generation,
    };
    if (image.image == NULL) {
        return CLI_FOLLOW_GOOD;
    }
    dd_rules_finish(&follower->rules);
    follower->image_count++;
    follower->shown_tick = joined->image_tick; /* a deed may have changed it already */
    return dd_follower_begin(&follower->followed, &image, &follower->error) ? CLI_FOLLOW_GOOD
                                                                             : CLI_FOLLOW_FAILED;
}

/* False if the tick has passed, or without memory for a tick. */
static bool
step_to(struct cli_follower *follower, uint64_t tick)
{
    struct cn_world *engine = follower->followed.engine;
    if (cn_world_tick(engine) > tick) {
        wire_error_set(&follower->error, "STATE", "deeds.tick", "is before the last one's");
        return false;
    }
    while (cn_world_tick(engine) < tick) {
        if (dd_follower_step(&follower->followed, &follower->rules, CN_WORK_UNLIMITED) !=
            CN_STEP_DONE) {
            wire_error_set(&follower->error, "MEMORY", "", "no memory for a tick");
            return false;
        }
        follower->tick_count++;
    }
    return true;
}

/*
 * Whether the follower has the generation of the deeds.  Rules begin generations, too, so it steps
 * as far as the deeds until it has; an image follows where that was of no use.
 */
static bool
reach_generation(struct cli_follower *follower, const struct wire_heard_deeds *deeds)
{
    const struct dd_follower *followed = &follower->followed;
    while (followed->generation < deeds->generation && wire_scene_rules(followed->scene) != NULL &&
        cn_world_tick(followed->engine) < deeds->tick) {
        if (!step_to(follower, cn_world_tick(followed->engine) + 1)) {
            break;
        }
    }
    return followed->generation == deeds->generation;
}

/*
 * Records the bodies as a client is shown them.  Deeds may change a tick that was recorded, so each
 * tick is recorded once, before its deeds.
 */
static void
record_shown(struct cli_follower *follower, struct cli_shown_stay *stay)
{
    const struct dd_follower *followed = &follower->followed;
    uint64_t tick = cn_world_tick(followed->engine);
    if (stay->out == NULL || tick <= follower->shown_tick) {
        return;
    }
    const struct wire_precision precision = wire_scene_precision(followed->shown);
    struct wire_state *state =
        wire_state_take(followed->engine, followed->generation, &precision, NULL);
    if (state != NULL) {
        follower->shown_tick = tick;
        cli_shown_hear_state(stay, state);
        wire_state_unref(state);
    }
}

enum cli_follow
cli_follower_deeds(struct cli_follower *follower, const struct wire_heard_deeds *deeds,
    struct cli_shown_stay *stay, uint64_t *hash)
{
    struct dd_follower *followed = &follower->followed;
    *hash = 0;
    if (followed->engine == NULL || !reach_generation(follower, deeds)) {
        return CLI_FOLLOW_GOOD; /* the image of a new generation is on its way */
    }
    if (!step_to(follower, deeds->tick)) {
        dd_follower_finish(followed);
        return CLI_FOLLOW_FAILED;
    }
    if (deeds->has_hash) {
        *hash = cn_world_hash(followed->engine);
        bool is_equal = *hash == deeds->hash;
        follower->equal_count += is_equal ? 1 : 0;
        follower->differ_count += is_equal ? 0 : 1;
        if (!is_equal) {
            dd_follower_finish(followed);
            return CLI_FOLLOW_DIFFERS;
        }
    }
    record_shown(follower, stay);
    follower->deed_bytes += deeds->deeds_size;
    return dd_follower_apply(followed, deeds->deeds, deeds->deeds_size, &follower->error)
        ? CLI_FOLLOW_GOOD
        : CLI_FOLLOW_FAILED;
}
