/* world_status.c: makes the status of a world, for its members and for lists of worlds. */
#include "server/world/state/world_status.h"

#include "deed/settings.h"
#include "server/base/limits.h"
#include "server/world/state/world_clock.h"

#include <stdlib.h>
#include <string.h>

static int
compare_u64(const void *a, const void *b)
{
    uint64_t left, right;
    memcpy(&left, a, sizeof(left));
    memcpy(&right, b, sizeof(right));
    return left < right ? -1 : left > right;
}

static double
tick_duration_us(const struct sv_world *world)
{
    uint64_t sorted[SV_DURATIONS_COUNT];
    unsigned count =
        world->duration_count < SV_DURATIONS_COUNT ? world->duration_count : SV_DURATIONS_COUNT;
    if (count == 0) {
        return 0.0;
    }
    memcpy(sorted, world->durations_ns, count * sizeof(sorted[0]));
    qsort(sorted, count, sizeof(sorted[0]), compare_u64);
    return (double)sorted[count / 2] / (double)SV_NS_PER_US;
}

/* The outcome that a game has written into the world, for its room's webhook. */
static void
fill_result(const struct sv_world *world, struct wire_status *status)
{
    const struct cn_owner owner = {.kind = CN_OWNER_WORLD};
    const struct cn_attribute *result = cn_world_attribute(world->engine, owner, "result");
    if (result != NULL) {
        status->result = result->value;
    }
}

void
sv_world_fill_status(const struct sv_world *world, struct wire_status *status)
{
    memset(status, 0, sizeof(*status));
    memcpy(status->id, world->mailbox->id, sizeof(status->id));
    wire_status_name(status, world->scene->scene);
    status->state = world->state;
    status->durability =
        world->persist.lane != NULL ? world->persist.durability : WIRE_DURABILITY_NONE;
    memcpy(status->failure, world->failure, sizeof(status->failure));
    status->idle = world->state == WIRE_WORLD_RUNNING && !sv_world_is_running(world);
    status->tick = cn_world_tick(world->engine);
    status->time = cn_world_time(world->engine);
    status->tick_rate = cn_world_tick_rate(world->engine);
    status->body_count = (uint32_t)cn_world_present_count(world->engine);
    status->contact_count = cn_world_is_looked_at(world->engine)
        ? (uint32_t)cn_world_contact_count(world->engine)
        : world->contact_count;
    status->client_count = (uint32_t)world->member_count;
    dd_settings_of(world->engine, &status->settings);
    status->real_time_factor = world->real_time_factor;
    status->frozen_count = world->watch.frozen_count;
    status->tick_duration_us = tick_duration_us(world);
    status->generation = world->generation;
    status->series = world->series;
    status->moment = world->moment;
    fill_result(world, status);
    memcpy(status->origin, world->origin, sizeof(status->origin));
    status->origin_tick = world->origin_tick;
    if (world->playing != NULL) {
        status->state = WIRE_WORLD_REPLAY;
        status->idle = world->member_count == 0;
        status->speed = world->play_speed;
        status->end_tick = world->play_end;
    }
}

void
sv_world_status(const struct sv_world *world, struct wire_status *status)
{
    sv_world_fill_status(world, status);
    bool is_amid = cn_world_is_mid_tick(world->engine);
    status->hash = is_amid ? world->tick_hash : cn_world_hash(world->engine);
}
