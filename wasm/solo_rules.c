/* solo_rules.c: the rules of the scene in the world without a daemon, and the scene as it is. */
#include "wasm/solo_inside.h"

#include "deed/apply.h"

bool
solo_show(struct solo *solo, const struct wire_change *change, const struct dd_slots *slots,
    struct wire_error *error)
{
    struct wire_scene *shown = wire_scene_follow(
        solo->shown, solo->engine, change, slots->body, slots->joint);
    solo->generation++;
    if (shown == NULL) {
        wire_error_set(error, "MEMORY", "", "no memory for the changed scene");
        return false;
    }
    const struct wire_changed changed = {.generation = solo->generation, .before = solo->shown,
        .now = shown, .body_slots = slots->body, .joint_slots = slots->joint,
        .body_count = slots->body_count, .joint_count = slots->joint_count};
    solo_say_changed(solo, &changed);
    if (solo->shown != solo->scene) {
        wire_scene_destroy(solo->shown);
    }
    solo->shown = shown;
    solo_forget_state(solo);
    return true;
}

/* Tells the rules of the scene that the client has joined or left. */
void
solo_note_session(struct solo *solo, enum dd_entry_kind kind)
{
    struct dd_entry note;
    struct wire_error ignored;
    if (solo->is_joined && dd_rules_note(solo->scene, kind, SESSION, &note)) {
        (void)dd_apply(&note, solo->engine, &ignored);
    }
}

static const struct wire_scene *
shown_scene(void *context)
{
    const struct solo *solo = context;
    return solo->shown;
}

static bool
show_rule(void *context, const struct wire_change *change, const struct dd_slots *slots)
{
    struct wire_error ignored;
    return solo_show(context, change, slots, &ignored);
}

bool
solo_step(struct solo *solo)
{
    const struct dd_rules_host host = {
        .context = solo, .scene = solo->scene, .shown = shown_scene, .show = show_rule};
    return dd_rules_step(&solo->rules, solo->engine, &host, CN_WORK_UNLIMITED) == CN_STEP_DONE;
}
