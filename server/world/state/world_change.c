/*
 * world_change.c: makes and removes bodies and joints on behalf of a member or a program.
 *
 * Members get a Changed of a new generation, and later ones a Joined with the scene as it is now.
 * A reset gives back the scene that was loaded.
 */
#include "server/world/state/world_change.h"

#include "deed/change.h"
#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/world/state/world_deeds.h"
#include "server/world/state/world_lease_rules.h"
#include "server/world/state/world_say.h"

/*
 * Updates the shown scene and tells the members.  Without memory they see the old scene until the
 * next change, and it is false.
 */
static bool
show_change(struct sv_world *world, const struct wire_change *change, const struct dd_slots *slots)
{
    struct sv_scene *before = world->shown;
    struct wire_scene *scene =
        wire_scene_follow(before->scene, world->engine, change, slots->body, slots->joint);
    struct sv_scene *shared = scene != NULL ? sv_scene_create(scene) : NULL;
    world->generation++;
    if (shared == NULL) {
        world->series = world->generation;
        sv_world_renew_images(world);
        sv_world_say_reloaded(world);
        return false;
    }
    shared->origin = before->origin;
    struct wire_changed changed = {
        .before = before->scene,
        .body_slots = slots->body,
        .joint_slots = slots->joint,
        .body_count = slots->body_count,
        .joint_count = slots->joint_count,
    };
    world->shown = shared;
    sv_world_say_changed(world, &changed);
    sv_scene_unref(before);
    return true;
}

bool
sv_world_change(struct sv_world *world, struct wire_change *change, bool *is_touched,
    struct wire_error *error)
{
    CN_ASSERT(!cn_world_is_mid_tick(world->engine));
    struct dd_slots slots;
    if (!dd_change_apply(
            change, world->shown->scene, world->engine, &slots, is_touched, error)) {
        return false;
    }
    (void)show_change(world, change, &slots);
    dd_slots_finish(&slots);
    return true;
}

/* ---- rules ---- */

static const struct wire_scene *
scene_shown(void *context)
{
    const struct sv_world *world = context;
    return world->shown->scene;
}

static bool
show_rule(void *context, const struct wire_change *change, const struct dd_slots *slots)
{
    struct sv_world *world = context;
    bool is_shown = show_change(world, change, slots);
    sv_world_leases_sift(world);
    return is_shown;
}

enum cn_step_result
sv_world_step(struct sv_world *world, int64_t work)
{
    const struct dd_rules_host host = {.context = world, .scene = world->scene->scene,
        .shown = scene_shown, .show = show_rule};
    enum cn_step_result result = dd_rules_step(&world->rules, world->engine, &host, work);
    if (world->rules.action_count > 0) { /* a cause of motion, like an input */
        world->watch.is_open = false;
    }
    return result;
}
