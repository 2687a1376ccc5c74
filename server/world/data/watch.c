#include "server/world/data/watch.h"
#include "engine/base/assert.h"

#include <math.h>

static double
potential_of(const struct cn_world *world, const struct cn_world_motion *motion)
{
    return motion->has_store ? cn_world_energy(world).potential : 0.0;
}

static bool
is_pushed(const struct cn_world *world)
{
    const struct cn_held *held;
    return cn_world_held(world, &held) > 0;
}

void
sv_watch_begin(struct sv_watch *watch, const struct cn_world *world)
{
    if (!watch->is_open) {
        CN_ASSERT(!cn_world_is_mid_tick(world)); /* its energy is that of a tick */
        watch->is_open = true;
        watch->was_pushed = is_pushed(world);
        watch->tick = cn_world_tick(world);
        watch->motion = cn_world_motion(world);
        watch->potential = potential_of(world, &watch->motion);
    }
}

/* F, as defined in watch.h. */
static double
floor_of(const struct sv_watch *watch, const struct cn_world *world, uint64_t ticks)
{
    const struct cn_settings *settings = cn_world_settings(world);
    double duration =
        (double)ticks / cn_world_tick_rate(world) * settings->time_rate;
    double gravity = sqrt(cn_vec3_dot(settings->gravity, settings->gravity));
    bool is_driven = watch->motion.has_drive || watch->motion.has_store;
    double speed = is_driven ? SV_WATCH_SPEED_DRIVEN : SV_WATCH_SPEED;
    speed += 2.0 * gravity * duration;
    return 0.5 * watch->motion.mass * speed * speed;
}

static bool
has_exploded(const struct sv_watch *watch, const struct cn_world *world, uint64_t ticks)
{
    CN_ASSERT(ticks > 0);
    struct cn_world_motion now = cn_world_motion(world);
    double bound = SV_WATCH_GROWTH * (watch->motion.kinetic + floor_of(watch, world, ticks));
    if (!(now.kinetic > bound) || watch->was_pushed || is_pushed(world)) {
        return false;
    }
    double released = watch->motion.has_store
        ? watch->potential - potential_of(world, &watch->motion)
        : 0.0;
    return now.kinetic > bound + 2.0 * fmax(released, 0.0);
}

void
sv_watch_look(struct sv_watch *watch, const struct cn_world *world, bool is_last)
{
    uint64_t ticks = cn_world_tick(world) - watch->tick;
    if (!watch->is_open || cn_world_is_mid_tick(world) ||
        (!is_last && ticks < SV_WATCH_TICKS)) {
        return;
    }
    watch->is_open = false;
    watch->has_exploded =
        watch->has_exploded || (ticks > 0 && has_exploded(watch, world, ticks));
}
