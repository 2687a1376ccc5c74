/* solo_run.c: the world without a daemon, and its ticks. */
#include "wasm/solo_inside.h"

#include "deed/apply.h"
#include "engine/base/assert.h"

#include <stdlib.h>

#define STATUS_US 1e6

EXPORT(cairn_solo_destroy) void
cairn_solo_destroy(struct solo *solo)
{
    if (solo == NULL) {
        return;
    }
    solo->taken = solo->message_count;
    (void)cairn_solo_next(solo);
    dd_rules_finish(&solo->rules);
    cn_world_destroy(solo->engine);
    wire_state_unref(solo->state);
    if (solo->shown != solo->scene) {
        wire_scene_destroy(solo->shown);
    }
    wire_scene_destroy(solo->scene);
    free(solo->messages);
    free(solo);
}

/* Queries may ask about its last second. */
struct cn_world *
solo_make_engine(const struct wire_scene *scene, struct wire_error *error)
{
    struct cn_world *engine = NULL;
    struct cn_defect defect;
    bool is_made = cn_world_create(wire_scene_world_def(scene), &defect, &engine) == CN_OK;
    if (!is_made ||
        cn_world_remember(engine, wire_scene_rewind_ticks(scene), &defect) != CN_OK) {
        wire_error_from_defect(error, &defect);
        cn_world_destroy(engine);
        return NULL;
    }
    return engine;
}

struct wire_scene *
solo_read_scene(const uint8_t *bytes, size_t size, struct wire_error *error)
{
    const struct wire_mesh_tools tools = {.is_own = true};
    struct wire_text_error wrong;
    struct wire_scene *scene = wire_scene_unpack_with(bytes, size, &tools, &wrong);
    if (scene == NULL) {
        wire_error_from_defect(error, &wrong.defect);
    }
    return scene;
}

void
solo_begin_world(struct solo *solo, struct wire_scene *scene_take, struct cn_world *engine_take)
{
    CN_ASSERT(scene_take != NULL && engine_take != NULL);
    if (solo->shown != solo->scene) {
        wire_scene_destroy(solo->shown);
    }
    if (solo->scene != scene_take) {
        wire_scene_destroy(solo->scene);
    }
    dd_rules_finish(&solo->rules);
    cn_world_destroy(solo->engine);
    solo->engine = engine_take;
    solo->scene = solo->shown = scene_take;
    solo->generation++;
    solo->next_tick_us = 0.0;
    solo->step_until_tick = 0;
    solo->is_status_due = true;
    solo->is_attribute_due = true;
}

EXPORT(cairn_solo_create) struct solo *
cairn_solo_create(const uint8_t *scene, size_t size)
{
    struct wire_error error = {0};
    struct solo *solo = calloc(1, sizeof(*solo));
    struct wire_scene *read = solo != NULL ? solo_read_scene(scene, size, &error) : NULL;
    struct cn_world *engine = read != NULL ? solo_make_engine(read, &error) : NULL;
    if (engine == NULL) {
        wa_note_error(error.path, solo != NULL ? error.text : "no memory");
        wire_scene_destroy(read);
        free(solo);
        return NULL;
    }
    solo_begin_world(solo, read, engine);
    return solo;
}

bool
solo_reset(struct solo *solo, struct wire_error *error)
{
    struct cn_world *engine = solo_make_engine(solo->scene, error);
    struct wire_error ignored; /* these settings have been accepted before */
    if (engine == NULL) {
        return false;
    }
    (void)dd_settings_apply(&solo->changed, engine, &ignored);
    solo_begin_world(solo, solo->scene, engine);
    solo_note_session(solo, DD_ENTRY_JOINED);
    solo_say_joined(solo);
    return true;
}

/* ---- ticks ---- */

static void
end_round(struct solo *solo)
{
    struct wire_error ignored;
    if (dd_rules_want_reset(solo->scene, solo->engine)) {
        (void)solo_reset(solo, &ignored); /* without memory it is tried after the next tick */
    }
}

static void
answer_step(struct solo *solo)
{
    if (solo->step_request != 0 && cn_world_tick(solo->engine) >= solo->step_until_tick) {
        solo_say_done(solo, solo->step_request);
        solo->step_request = 0;
        solo->is_status_due = true;
    }
}

/* One tick; false without memory: it is tried again. */
static bool
step_once(struct solo *solo)
{
    if (!solo_step(solo)) {
        return false;
    }
    solo->is_dirty = true;
    solo->window_ticks++;
    solo->run_ticks++;
    answer_step(solo);
    return true;
}

static double
period_us(const struct solo *solo)
{
    return 1e6 / cn_world_tick_rate(solo->engine);
}

static void
measure_rate(struct solo *solo)
{
    double elapsed_us = solo->now_us - solo->window_us;
    if (elapsed_us >= STATUS_US) {
        solo->real_time_factor = solo->window_ticks * period_us(solo) / elapsed_us;
        solo->window_us = solo->now_us;
        solo->window_ticks = 0.0;
    }
}

/* The ticks of a running world that are due by now. */
static void
step_due(struct solo *solo)
{
    double period = period_us(solo);
    if (solo->next_tick_us == 0.0) {
        solo->next_tick_us = solo->now_us;
        solo->window_us = solo->now_us;
        solo->window_ticks = 0.0;
    }
    double late = (solo->now_us - solo->next_tick_us) / period;
    if (late > SOLO_CATCH_UP) {
        solo->next_tick_us = solo->now_us - SOLO_CATCH_UP * period;
    }
    while (solo->next_tick_us <= solo->now_us && step_once(solo)) {
        solo->next_tick_us += period;
    }
    measure_rate(solo);
    end_round(solo);
}

EXPORT(cairn_solo_run) double
cairn_solo_run(struct solo *solo, double now_us)
{
    solo->now_us = now_us > solo->now_us ? now_us : solo->now_us;
    solo->run_ticks = 0;
    if (!solo->is_joined) {
        solo->next_tick_us = 0.0;
        return solo->now_us + STATUS_US;
    }
    if (solo->run_state == WIRE_WORLD_RUNNING) {
        step_due(solo);
    } else {
        solo->next_tick_us = 0.0;
        while (cn_world_tick(solo->engine) < solo->step_until_tick && step_once(solo)) {
        }
    }
    if (solo->is_dirty) {
        solo_say_frames(solo);
    }
    if (solo->is_status_due || solo->now_us - solo->status_us >= STATUS_US) {
        solo_say_status(solo);
    }
    return solo->run_state == WIRE_WORLD_RUNNING ? solo->next_tick_us
                                                 : solo->now_us + STATUS_US;
}

EXPORT(cairn_solo_spent) void
cairn_solo_spent(struct solo *solo, double spent_us)
{
    if (solo->run_ticks > 0) {
        double tick_us = spent_us / solo->run_ticks;
        solo->tick_us += (tick_us - solo->tick_us) / (solo->tick_us > 0.0 ? 16.0 : 1.0);
    }
}
