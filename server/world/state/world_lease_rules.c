/*
 * world_lease_rules.c: inputs that leases forbid, and updates of the table of leases with the
 * bodies.
 *
 * A target that nobody leases may be pushed by everybody, unless the scene requires leases.  A
 * body's lease covers its thrusters, except those that are leased by themselves.
 */
#include "server/world/state/world_lease_rules.h"

#include "server/world/data/cap.h"
#include "server/world/data/lease.h"
#include "server/world/state/world_member_table.h"

const char *
sv_lease_kind_name(enum dd_lease_kind kind)
{
    return kind == DD_LEASE_BODY ? "body" : "actuator";
}

bool
sv_world_has_target(const struct sv_world *world, struct dd_lease_target target)
{
    if (target.kind == DD_LEASE_ACTUATOR) {
        return cn_world_has_actuator(world->engine, target.index);
    }
    if (target.index < 0 || target.index >= cn_world_body_count(world->engine)) {
        return false;
    }
    struct cn_body_view view;
    cn_world_body_state(world->engine, target.index, &view);
    return !view.absent;
}

/* The target that the command pushes; false: it pushes none. */
static bool
target_of_command(const struct cn_command *command, struct dd_lease_target *target)
{
    *target = (struct dd_lease_target){.kind = DD_LEASE_BODY};
    switch (command->kind) {
    case CN_COMMAND_HOLD_FORCE:
        target->index = command->hold_force.body;
        return true;
    case CN_COMMAND_HOLD_TORQUE:
        target->index = command->hold_torque.body;
        return true;
    case CN_COMMAND_HOLD_DRAG:
        target->index = command->hold_drag.body;
        return true;
    case CN_COMMAND_HOLD_ACTUATOR:
        *target = (struct dd_lease_target){DD_LEASE_ACTUATOR, command->hold_actuator.actuator};
        return true;
    default:
        return false;
    }
}

/* The session that holds the target's lease, and alone may push it; 0 without a lease. */
static uint64_t
holder_of(const struct sv_world *world, struct dd_lease_target target)
{
    uint64_t holder = sv_leases_holder(&world->leases, target);
    if (holder == 0 && target.kind == DD_LEASE_ACTUATOR &&
        cn_world_has_actuator(world->engine, target.index)) {
        int body = cn_world_actuator_body(world->engine, target.index);
        struct dd_lease_target whole = {DD_LEASE_BODY, body};
        holder = body >= 0 ? sv_leases_holder(&world->leases, whole) : 0;
    }
    return holder;
}

bool
sv_world_may_push(struct sv_world *world, uint64_t session, const struct cn_command *command,
    struct wire_error *error)
{
    struct dd_lease_target target;
    if (!target_of_command(command, &target)) {
        return true;
    }
    uint64_t holder = holder_of(world, target);
    if (holder != 0 && holder != session) {
        wire_error_set(error, "LEASED", "input", "%s %d is held by %s",
            sv_lease_kind_name(target.kind), target.index, sv_world_member_name(world, holder));
        return false;
    }
    if (holder == 0 && sv_world_has_target(world, target) &&
        wire_scene_wants_leases(world->scene->scene)) {
        wire_error_set(error, "LEASED", "input",
            "%s %d can be pushed in this world only with a lease", sv_lease_kind_name(target.kind),
            target.index);
        return false;
    }
    return true;
}

/* Whether leases let the source of this held input hold it. */
bool
sv_world_may_hold(const struct sv_world *world, const struct cn_held *held)
{
    struct dd_lease_target target = {
        held->kind == CN_HELD_ACTUATOR ? DD_LEASE_ACTUATOR : DD_LEASE_BODY, held->target};
    uint64_t holder = holder_of(world, target);
    return holder == held->holder.source ||
        (holder == 0 && !wire_scene_wants_leases(world->scene->scene));
}

void
sv_world_refuse_held(
    struct sv_world *world, struct dd_lease_target target, struct wire_error *error)
{
    wire_error_set(error, "LEASED", "lease", "%s %d is held by %s", sv_lease_kind_name(target.kind),
        target.index, sv_world_member_name(world, sv_leases_holder(&world->leases, target)));
}

/* Removes the caps of bodies that no longer exist. */
static void
sift_caps(struct sv_world *world)
{
    for (int i = world->caps.count - 1; i >= 0; i--) {
        struct dd_lease_target target = {DD_LEASE_BODY, world->caps.entries[i].body};
        if (!sv_world_has_target(world, target)) {
            sv_caps_set(&world->caps, target.index, &(struct wire_caps){0});
        }
    }
}

void
sv_world_leases_sift(struct sv_world *world)
{
    for (int i = world->leases.count - 1; i >= 0; i--) {
        if (i < world->leases.count &&
            !sv_world_has_target(world, world->leases.entries[i].target)) {
            sv_leases_forget(&world->leases, world->leases.entries[i].target);
        }
    }
    sift_caps(world);
}

void
sv_world_leases_clear(struct sv_world *world, bool is_other_scene)
{
    world->caps.count = is_other_scene ? 0 : world->caps.count;
    sift_caps(world);
    world->is_lease_due =
        world->is_lease_due || world->leases.count > 0 || world->caps.count > 0;
    world->leases.count = 0;
}

bool
sv_world_has_leases(const struct sv_world *world)
{
    return world->leases.count > 0 || world->caps.count > 0;
}
