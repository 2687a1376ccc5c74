/*
 * rules.c: the ticks of a module's world, with the rules of its scene (deed/rules/rules.h).
 *
 * Rules name bodies, so they need the scene as it is.  An image does not contain it, and a client
 * that predicts goes back to images.  So the module keeps the scenes of the last ticks at which
 * rules made or removed bodies, and an image of one of these ticks finds its own.
 */
#include "wasm/inside.h"

#include "engine/base/assert.h"

#include <string.h>

static const struct wire_scene *
shown_scene(void *context)
{
    const struct cairn *cairn = context;
    return cairn->shown_count > 0 ? cairn->shown[cairn->shown_count - 1].scene
        : cairn->first != NULL    ? cairn->first
                                  : cairn->scene;
}

/* Forgets the oldest scene that is not the present one. */
static void
forget_oldest(struct cairn *cairn)
{
    wire_scene_destroy(cairn->first);
    cairn->first = cairn->shown[0].scene;
    cairn->first_tick = cairn->shown[0].tick;
    cairn->shown_count--;
    memmove(cairn->shown, cairn->shown + 1,
        (size_t)cairn->shown_count * sizeof(cairn->shown[0]));
}

static bool
show_change(void *context, const struct wire_change *change, const struct dd_slots *slots)
{
    struct cairn *cairn = context;
    const struct wire_scene *before = shown_scene(cairn);
    uint64_t tick = cn_world_tick(cairn->world);
    struct wire_scene *after =
        wire_scene_follow(before, cairn->world, change, slots->body, slots->joint);
    if (after == NULL) {
        return false;
    }
    if (cairn->shown_count > 0 && cairn->shown[cairn->shown_count - 1].tick == tick) {
        wire_scene_destroy(cairn->shown[--cairn->shown_count].scene);
    } else if (cairn->shown_count == WA_SHOWN_MAX) {
        forget_oldest(cairn);
    }
    CN_ASSERT(cairn->shown_count < WA_SHOWN_MAX);
    cairn->shown[cairn->shown_count++] = (struct wa_shown){.tick = tick, .scene = after};
    return true;
}

bool
wa_step(struct cairn *cairn)
{
    const struct dd_rules_host host = {.context = cairn, .scene = cairn->scene,
        .shown = shown_scene, .show = show_change};
    return dd_rules_step(&cairn->rules, cairn->world, &host, CN_WORK_UNLIMITED) == CN_STEP_DONE;
}

bool
wa_go_back(struct cairn *cairn)
{
    uint64_t tick = cn_world_tick(cairn->world);
    dd_rules_finish(&cairn->rules);
    while (cairn->shown_count > 0 && cairn->shown[cairn->shown_count - 1].tick > tick) {
        wire_scene_destroy(cairn->shown[--cairn->shown_count].scene);
    }
    return cairn->shown_count > 0 || tick >= cairn->first_tick;
}

void
wa_forget_scenes(struct cairn *cairn)
{
    while (cairn->shown_count > 0) {
        wire_scene_destroy(cairn->shown[--cairn->shown_count].scene);
    }
    wire_scene_destroy(cairn->first);
    cairn->first = NULL;
    cairn->first_tick = 0;
    dd_rules_finish(&cairn->rules);
}

bool
wa_show(struct cairn *cairn, const uint8_t *bytes, size_t size)
{
    struct wire_scene *scene = wire_scene_show(bytes, size, cairn->scene);
    if (scene == NULL) {
        return false;
    }
    wa_forget_scenes(cairn);
    cairn->first = scene;
    cairn->first_tick = cn_world_tick(cairn->world);
    return true;
}
