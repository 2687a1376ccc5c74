/* world_orders.c: carries out controls of a world: pause, step, reset, load, change,
 * commands to bodies. */
#include "server/world/act/world_orders.h"

#include "deed/apply.h"
#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/world/act/world_entries.h"
#include "server/world/act/world_lease.h"
#include "server/world/data/env.h"
#include "server/world/state/world_engine.h"
#include "server/world/state/world_member_table.h"
#include "server/world/state/world_record.h"
#include "server/world/state/world_say.h"

#include <inttypes.h>
#include <stdio.h>

static bool
reload_world(struct sv_world *world, struct dd_entry *entry, struct sv_matter *matter,
    struct wire_error *error)
{
    if (!sv_world_do(world, entry, matter, error)) {
        return false;
    }
    sv_world_say_reloaded(world);
    return true;
}

static bool
load_scene(struct sv_world *world, struct sv_order *order, struct wire_error *error)
{
    struct dd_entry entry = {.kind = DD_ENTRY_LOAD};
    struct sv_matter matter = {.scene = order->scene};
    order->scene = NULL;
    bool is_done = sv_world_scene_is_apart(world->env, matter.scene, error) &&
        sv_world_put_scene(world, matter.scene, false, entry.matter.content, error) &&
        reload_world(world, &entry, &matter, error);
    sv_scene_unref(matter.scene);
    return is_done;
}

bool
sv_world_make_reset(struct sv_world *world, struct wire_error *error)
{
    struct dd_entry entry = {.kind = DD_ENTRY_RESET};
    return reload_world(world, &entry, NULL, error);
}

bool
sv_world_make_change(struct sv_world *world, struct wire_change *change, struct wire_error *error)
{
    struct dd_entry entry;
    struct sv_matter matter = {.change = change};
    if (!sv_world_put_change(world, change, &entry, error) ||
        !sv_world_do(world, &entry, &matter, error)) {
        return false;
    }
    sv_world_leases_changed(world);
    return true;
}

/* Applies a change, if it was checked against the scene that the world still has. */
static bool
change_world(struct sv_world *world, const struct sv_order *order, struct wire_error *error)
{
    if (order->origin != world->shown->origin) {
        wire_error_set(error, "STATE", "change", "the world has another scene now");
        return false;
    }
    return sv_world_make_change(world, order->change, error);
}

/* All commands act, or none: they are checked before the first is applied. */
static bool
command_bodies(
    struct sv_world *world, const struct wire_body_commands *bodies, struct wire_error *error)
{
    if (bodies->generation != 0 && bodies->generation != world->generation) {
        wire_error_set(error, "STALE", "bodies.generation", "is %u; the world has generation %u",
            bodies->generation, world->generation);
        return false;
    }
    if (!dd_commands_prepare(
            bodies->command, bodies->count, "bodies.commands", world->engine, error) ||
        !sv_world_reserve_entries(world, bodies->count, error)) {
        return false;
    }
    for (int i = 0; i < bodies->count; i++) {
        struct dd_entry entry = {.kind = DD_ENTRY_COMMAND, .command = bodies->command[i]};
        bool is_done = sv_world_do(world, &entry, NULL, error);
        CN_ASSERT(is_done); /* it was checked, and has its memory */
    }
    return true;
}

/* Whether every session that owns one of the attributes has joined. */
static bool
has_owners(struct sv_world *world, const struct cn_attribute *attributes, int count,
    struct wire_error *error)
{
    for (int i = 0; i < count; i++) {
        const struct cn_owner *owner = &attributes[i].owner;
        if (owner->kind == CN_OWNER_SESSION && sv_world_member(world, owner->id) == NULL) {
            char path[64];
            snprintf(path, sizeof(path), "changes[%d].session", i);
            wire_error_set(error, "REFERENCE", path,
                "is %" PRIu64 ", which is in this world no more", owner->id);
            return false;
        }
    }
    return true;
}

/* All are checked, and there is memory for all, before the first is set. */
bool
sv_world_set_attributes(struct sv_world *world, const struct cn_attribute *attributes, int count,
    struct wire_error *error)
{
    if (!has_owners(world, attributes, count, error) ||
        !dd_attributes_check(attributes, count, world->engine, error) ||
        !sv_world_reserve_entries(world, count, error)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        struct dd_entry entry = {.kind = DD_ENTRY_ATTRIBUTE, .attribute = attributes[i]};
        bool is_done = sv_world_do(world, &entry, NULL, error);
        CN_ASSERT(is_done); /* as it was checked */
    }
    return true;
}

static bool
set_state(struct sv_world *world, enum wire_world_state state, struct wire_error *error)
{
    struct dd_entry entry = {.kind = DD_ENTRY_STATE, .state = state};
    return sv_world_do(world, &entry, NULL, error);
}

/* The answer is sent when the ticks are done. */
static bool
step_world(struct sv_world *world, const struct sv_asker *asker, uint32_t ticks,
    struct wire_error *error)
{
    if (world->state != WIRE_WORLD_PAUSED) {
        wire_error_set(error, "STATE", "step", "the world is not paused; pause it first");
        return false;
    }
    if (ticks > SV_STEP_TICKS_MAX) {
        wire_error_set(error, "RANGE", "step.ticks", "is %u; at most %d are accepted", ticks,
            SV_STEP_TICKS_MAX);
        return false;
    }
    if (world->step_wait_count == SV_STEP_WAITS_MAX) {
        wire_error_set(error, "BUSY", "step", "%d steps wait already", SV_STEP_WAITS_MAX);
        return false;
    }
    uint64_t tick = cn_world_tick(world->engine);
    uint64_t from = world->step_until_tick > tick ? world->step_until_tick : tick;
    world->step_until_tick = from + (ticks > 0 ? ticks : 1);
    CN_ASSERT(world->step_wait_count < SV_STEP_WAITS_MAX);
    world->step_waits[world->step_wait_count++] =
        (struct sv_step_wait){.asker = *asker, .until_tick = world->step_until_tick};
    return true;
}

void
sv_world_answer_steps(struct sv_world *world)
{
    int kept = 0;
    bool is_over = cn_world_tick(world->engine) >= world->step_until_tick;
    for (int i = 0; i < world->step_wait_count; i++) {
        struct sv_step_wait *wait = &world->step_waits[i];
        bool is_done = is_over || cn_world_tick(world->engine) >= wait->until_tick;
        if (is_done && sv_env_has_room(world->env)) {
            sv_world_answer(world, SV_REPORT_DONE, &wait->asker, 0, NULL);
        } else {
            world->step_waits[kept++] = *wait;
        }
    }
    CN_ASSERT(kept <= world->step_wait_count);
    world->step_wait_count = kept;
}

void
sv_world_obey(struct sv_world *world, const struct sv_asker *asker, struct sv_order *order)
{
    struct wire_error error;
    struct dd_entry entry;
    bool is_done = true;
    switch (order->kind) {
    case WIRE_CONTROL_SETTINGS:
        entry = (struct dd_entry){.kind = DD_ENTRY_SETTINGS, .settings = order->settings};
        is_done = sv_world_do(world, &entry, NULL, &error);
        break;
    case WIRE_CONTROL_PAUSE:
        is_done = set_state(world, WIRE_WORLD_PAUSED, &error);
        break;
    case WIRE_CONTROL_RESUME:
        is_done = set_state(world, WIRE_WORLD_RUNNING, &error);
        world->step_until_tick = 0;
        break;
    case WIRE_CONTROL_STEP:
        is_done = step_world(world, asker, order->step_ticks, &error);
        break;
    case WIRE_CONTROL_RESET:
        is_done = sv_world_make_reset(world, &error);
        break;
    case WIRE_CONTROL_LOAD:
        is_done = load_scene(world, order, &error);
        break;
    case WIRE_CONTROL_CHANGE:
        is_done = change_world(world, order, &error);
        break;
    case WIRE_CONTROL_BODIES:
        is_done = command_bodies(world, &order->bodies, &error);
        break;
    case WIRE_CONTROL_ATTRIBUTES:
        is_done = sv_world_set_attributes(
            world, order->attributes, order->attribute_count, &error);
        if (!is_done) {
            wire_error_prefix(&error, "control.attributes.");
        }
        break;
    default:
        wire_error_set(&error, "FIELD", "control", "is not an order to a world");
        is_done = false;
    }
    world->is_dirty = world->is_dirty || is_done;
    world->is_status_due = world->is_status_due || is_done;
    if (!is_done) {
        sv_world_answer(world, SV_REPORT_REFUSED, asker, 0, &error);
    } else if (order->kind != WIRE_CONTROL_STEP) {
        sv_world_answer(world, SV_REPORT_DONE, asker, 0, NULL);
    }
}
