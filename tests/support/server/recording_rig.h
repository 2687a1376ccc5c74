/*
 * recording_rig.h: recordings in memory, of two boxes that fall freely side by side.
 *
 * Box `a` falls at x = -2, `b` at x = 2, and they never touch.  So a change of one never affects
 * the other.
 */
#ifndef TESTS_SUPPORT_SERVER_RECORDING_RIG_H
#define TESTS_SUPPORT_SERVER_RECORDING_RIG_H

#include "engine/base/assert.h"
#include "proto/scene_live.h"
#include "server/host/worker.h"
#include "server/past/recorder.h"

#include <stdlib.h>
#include <string.h>

static const char recording_scene[] =
    "name: pair\n"
    "world: {stepper: time, solver: impulse, gravity: {y: -10}}\n"
    "bodies:\n"
    "  - {name: a, mass: 2, position: {x: -2, y: 50},\n"
    "     shapes: [{box: {size: {x: 1, y: 1}}}]}\n"
    "  - {name: b, mass: 2, position: {x: 2, y: 50},\n"
    "     shapes: [{box: {size: {x: 1, y: 1}}}]}\n";

struct recording_bytes {
    unsigned char *bytes;
    size_t size, capacity;
};

static inline bool
recording_put(void *context, const void *bytes, size_t size)
{
    struct recording_bytes *out = context;
    if (out->capacity - out->size < size) {
        out->capacity = 2 * out->capacity + size;
        out->bytes = realloc(out->bytes, out->capacity);
        CN_ASSERT(out->bytes != NULL);
    }
    memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
    return true;
}

/* Forces of `force` newtons along x on body 0, held from tick `at` on. */
static inline void
recording_push(struct sv_recorder *recorder, struct cn_world *world, double force)
{
    struct dd_entry entry = {.kind = DD_ENTRY_COMMAND,
        .command = {.kind = CN_COMMAND_HOLD_FORCE,
            .hold_force = {.holder = {.source = 7, .slot = 1, .until_tick = UINT64_MAX},
                .body = 0,
                .frame = CN_FRAME_WORLD,
                .force = {force, 0.0, 0.0}}}};
    struct dd_entries entries = {0};
    struct cn_defect defect;
    if (world != NULL) {
        enum cn_status status = cn_world_command_apply(world, &entry.command, &defect);
        CN_ASSERT(status == CN_OK);
    }
    bool is_good = dd_entries_add(&entries, &entry) &&
        sv_recorder_record(
            recorder, recorder->tick, 0, 0, entries.bytes, entries.size);
    CN_ASSERT(is_good);
    dd_entries_finish(&entries);
}

/*
 * `ticks` ticks, with a push of 4 N at tick 5: `pushed` N is written down for it.  Hashes are those
 * of the world that is pushed by 4 N, at every `every`th tick.
 */
static inline void
recording_make(
    struct recording_bytes *out, uint64_t ticks, uint64_t every, bool has_prints, double pushed)
{
    struct wire_text_error error;
    struct cn_defect defect;
    struct cn_world *world;
    size_t size;
    struct sv_recording_start start = {
        .physics = cn_physics_version(), .has_bodies = has_prints, .name = "pair"};
    struct sv_recorder recorder = {.put = recording_put, .context = out};
    struct wire_scene *scene = wire_scene_parse(recording_scene, strlen(recording_scene), &error);
    CN_ASSERT(scene != NULL);
    uint8_t *bytes = wire_scene_pack(scene, &size);
    enum cn_status status = cn_world_create(wire_scene_world_def(scene), &defect, &world);
    CN_ASSERT(bytes != NULL && status == CN_OK);
    sv_content_hash(start.content, bytes, size);
    bool is_good = sv_recorder_begin(&recorder, &start) &&
        sv_recorder_scene(&recorder, start.content, bytes, size);
    for (uint64_t tick = 0; is_good && tick <= ticks; tick++) {
        if (tick > 0) {
            (void)cn_world_step(world, CN_WORK_UNLIMITED);
        }
        if (tick % every == 0) {
            is_good = sv_recorder_mark_world(&recorder, world, has_prints);
        }
        if (tick == 5) {
            recorder.tick = tick;
            struct sv_recorder aside = {
                .put = recording_put, .context = &(struct recording_bytes){0}};
            aside.trail = recorder.trail;
            recording_push(&aside, world, 4.0);
            free(((struct recording_bytes *)aside.context)->bytes);
            recording_push(&recorder, NULL, pushed);
        }
    }
    CN_ASSERT(is_good && sv_recorder_end(&recorder));
    cn_world_destroy(world);
    free(bytes);
    wire_scene_destroy(scene);
}

#endif
