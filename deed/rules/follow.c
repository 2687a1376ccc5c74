#include "deed/rules/follow.h"

#include "engine/base/assert.h"

static const struct wire_scene *
shown_scene(void *context)
{
    const struct dd_follower *follower = context;
    return follower->shown;
}

static bool
show_change(void *context, const struct wire_change *change, const struct dd_slots *slots)
{
    struct wire_error ignored;
    return dd_follower_show(context, change, slots, &ignored);
}

enum cn_step_result
dd_follower_step(struct dd_follower *follower, struct dd_rules *rules, int64_t work)
{
    CN_ASSERT(follower->engine != NULL && follower->scene != NULL);
    const struct dd_rules_host host = {.context = follower, .scene = follower->scene,
        .shown = shown_scene, .show = show_change};
    return dd_rules_step(rules, follower->engine, &host, work);
}
