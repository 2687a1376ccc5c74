/*
 * rewind.c: the largest age of the states that queries may ask about.
 */
#include "engine/base/assert.h"
#include "proto/scene/inside.h"

enum cn_status
scene_check_rewind(const Cairn__V1__Scene *message, struct cn_defect *defect)
{
    const Cairn__V1__World *world = message->world;
    if (world == NULL || world->rewind_set_case == 0 || world->rewind_ms <= WIRE_REWIND_MS_MAX) {
        return CN_OK;
    }
    return cn_defect_set(defect, CN_RANGE, "world.rewindMs",
        "is %u; from 0 to %d is accepted", world->rewind_ms, WIRE_REWIND_MS_MAX);
}

uint32_t
wire_scene_rewind_ms(const struct wire_scene *scene)
{
    const Cairn__V1__World *world = scene->message->world;
    return world != NULL && world->rewind_set_case != 0 ? world->rewind_ms : WIRE_REWIND_MS_MAX;
}

int
wire_scene_rewind_ticks(const struct wire_scene *scene)
{
    double ticks = 1e-3 * wire_scene_rewind_ms(scene) * wire_scene_world_def(scene)->tick_rate;
    int whole = (int)ticks;
    CN_ASSERT(whole >= 0);
    return (double)whole < ticks ? whole + 1 : whole;
}
