/*
 * world_caps.c: limits on how hard one person may push one body.
 *
 * Caps hold for everybody, whatever their role: an instructor who wants to push harder changes the
 * caps.  They limit sums, so that many small pushes do not add up to a large one: the magnitudes of
 * forces and drags (a drag counts with the most that it can pull), and the magnitudes of torques.
 * The torque of a force that acts beside the centre of mass is not counted.
 *
 * A force that is too large is refused, never reduced: a client that computes a force wants that
 * force or none.  A drag is reduced to the remaining force, because its pull depends on where the
 * body is.
 */
#include "server/world/act/world_caps.h"

#include "server/base/limits.h"
#include "server/world/act/world_entries.h"
#include "server/world/data/cap.h"

#include <math.h>

static struct wire_caps
caps_of(const struct sv_world *world, int32_t body)
{
    const struct wire_caps *caps = sv_caps_find(&world->caps, body);
    return caps != NULL ? *caps : wire_scene_caps(world->scene->scene);
}

static double
size_of(cn_vec3 vector)
{
    return sqrt(cn_vec3_dot(vector, vector));
}

/* The forces [N] or torques [N m] of the holder's other slots on the body. */
static double
held_beside(const struct sv_world *world, int32_t body, const struct cn_holder *holder,
    bool is_torque)
{
    const struct cn_held *held;
    int count = cn_world_held(world->engine, &held);
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        bool is_its = held[i].holder.source == holder->source && held[i].target == body &&
            held[i].holder.slot != holder->slot;
        if (!is_its) {
            continue;
        }
        if (is_torque) {
            sum += held[i].kind == CN_HELD_TORQUE ? size_of(held[i].vector) : 0.0;
        } else if (held[i].kind == CN_HELD_FORCE) {
            sum += size_of(held[i].vector);
        } else if (held[i].kind == CN_HELD_DRAG) {
            sum += held[i].force_max > 0.0 ? held[i].force_max : HUGE_VAL;
        }
    }
    return sum;
}

static bool
is_within(double value, double beside, double cap, int32_t body, const char *path,
    const char *unit, struct wire_error *error)
{
    if (value + beside <= cap) {
        return true;
    }
    if (beside > 0.0) {
        wire_error_set(error, "RANGE", path,
            "is %g %s beside %g that you hold there; body %d is capped at %g for each person",
            value, unit, beside, body, cap);
    } else {
        wire_error_set(error, "RANGE", path, "is %g %s; body %d is capped at %g for each person",
            value, unit, body, cap);
    }
    return false;
}

/* Limits a drag to the force that the target's cap still allows; refuses it at 0. */
static bool
cap_drag(struct sv_world *world, struct cn_hold_drag *drag, double cap, struct wire_error *error)
{
    double left = cap - held_beside(world, drag->body, &drag->holder, false);
    if (!(left > 0.0)) {
        wire_error_set(error, "RANGE", "input.drag",
            "has no force left; body %d is capped at %g N for each person", drag->body, cap);
        return false;
    }
    if (drag->force_max == 0.0 || drag->force_max > left) {
        drag->force_max = left;
    }
    return true;
}

bool
sv_world_cap(struct sv_world *world, struct cn_command *command, struct wire_error *error)
{
    struct wire_caps caps;
    switch (command->kind) {
    case CN_COMMAND_HOLD_FORCE: {
        const struct cn_hold_force *force = &command->hold_force;
        caps = caps_of(world, force->body);
        return !caps.has_force ||
            is_within(size_of(force->force),
                held_beside(world, force->body, &force->holder, false), caps.force, force->body,
                "input.force.force", "N", error);
    }
    case CN_COMMAND_HOLD_TORQUE: {
        const struct cn_hold_torque *torque = &command->hold_torque;
        caps = caps_of(world, torque->body);
        return !caps.has_torque ||
            is_within(size_of(torque->torque),
                held_beside(world, torque->body, &torque->holder, true), caps.torque,
                torque->body, "input.torque.torque", "N m", error);
    }
    case CN_COMMAND_HOLD_DRAG:
        caps = caps_of(world, command->hold_drag.body);
        return !caps.has_force ||
            cap_drag(world, &command->hold_drag, caps.force, error);
    default: /* the scene limits actuators itself */
        return true;
    }
}

/*
 * Ends inputs held on the body that these caps have not limited.  A client that continues to push
 * is limited from its next input on.
 */
static void
end_uncapped(struct sv_world *world, int32_t body, const struct wire_caps *caps)
{
    const struct cn_held *held;
    int count = cn_world_held(world->engine, &held), i = 0;
    while (i < count) {
        bool is_force = held[i].kind == CN_HELD_FORCE || held[i].kind == CN_HELD_DRAG;
        bool is_ended = held[i].target == body &&
            ((is_force && caps->has_force) ||
                (held[i].kind == CN_HELD_TORQUE && caps->has_torque));
        if (is_ended) {
            sv_world_let_go(world, &held[i].holder);
            count = cn_world_held(world->engine, &held);
        } else {
            i++;
        }
    }
}

bool
sv_world_caps_set(struct sv_world *world, int32_t body, const struct wire_caps *caps,
    struct wire_error *error)
{
    struct dd_entry entry = {.kind = DD_ENTRY_CAP, .cap = {.body = body, .caps = *caps}};
    if (!sv_world_do(world, &entry, NULL, error)) {
        return false;
    }
    struct wire_caps now = caps_of(world, body);
    end_uncapped(world, body, &now);
    return true;
}
