#include "server/world/state/world_clock.h"

#include "server/base/limits.h"

bool
sv_world_is_mid_tick(const struct sv_world *world)
{
    return cn_world_is_mid_tick(world->engine) || world->rules.is_pending || world->is_look_due;
}

bool
sv_world_is_stepping(const struct sv_world *world)
{
    return cn_world_tick(world->engine) < world->step_until_tick;
}

bool
sv_world_is_running(const struct sv_world *world)
{
    bool is_wanted = world->member_count > 0 || world->env->keep_running;
    if (world->playing != NULL) {
        return world->member_count > 0 && world->play_speed > 0.0 &&
            cn_world_tick(world->engine) < world->play_end;
    }
    return (world->state == WIRE_WORLD_RUNNING && is_wanted) || sv_world_is_stepping(world) ||
        sv_world_is_mid_tick(world);
}

uint64_t
sv_world_period_ns(const struct sv_world *world)
{
    double speed = world->playing != NULL ? world->play_speed : 1.0;
    return (uint64_t)((double)SV_NS_PER_S / (speed * cn_world_tick_rate(world->engine)) + 0.5);
}

void
sv_world_grow_older(struct sv_world *world, uint64_t stepped_ns)
{
    world->persist.age_us += sv_world_period_ns(world) / SV_NS_PER_US;
    world->persist.aged_ns += stepped_ns;
}
