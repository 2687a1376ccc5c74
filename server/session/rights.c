#include "server/session/rights.h"

#include "server/host/fork.h"

#include <math.h>

/* ---- the table ---- */

/* The switch has no default, so that the compiler refuses a kind of message without a line here. */
enum ac_role
sv_rights_of_message(enum wire_client_kind kind)
{
    switch (kind) {
    case WIRE_CLIENT_HELLO:
    case WIRE_CLIENT_JOIN:
    case WIRE_CLIENT_LEAVE:
    case WIRE_CLIENT_SUBSCRIBE:
    case WIRE_CLIENT_PING:
    case WIRE_CLIENT_QUERY:
    case WIRE_CLIENT_ACK:
    case WIRE_CLIENT_FORK: /* for a replay; other forks are checked below */
    case WIRE_CLIENT_SEEK:
    case WIRE_CLIENT_DESYNC:
    case WIRE_CLIENT_LOBBY:
    case WIRE_CLIENT_CONTROL: /* the kind of control is checked below */
        return AC_ROLE_OBSERVER;
    case WIRE_CLIENT_INPUT:
    case WIRE_CLIENT_LEASE: /* the action is checked below */
        return AC_ROLE_PLAYER;
    case WIRE_CLIENT_SAY: /* the daemon may let observers do it, see session.h */
        return AC_ROLE_OBSERVER;
    case WIRE_CLIENT_LOGIC:
    case WIRE_CLIENT_LOGIC_DONE:
        return AC_ROLE_LOGIC;
    case WIRE_CLIENT_NONE:
        break;
    }
    return AC_ROLE_OPERATOR;
}

enum ac_role
sv_rights_of_lease(enum wire_lease_action action)
{
    bool takes = action == WIRE_LEASE_OVERRIDE || action == WIRE_LEASE_REVOKE ||
        action == WIRE_LEASE_CAP;
    return takes ? AC_ROLE_INSTRUCTOR : AC_ROLE_PLAYER;
}

enum ac_role
sv_rights_of_control(enum wire_control_kind kind)
{
    switch (kind) {
    case WIRE_CONTROL_LIST:
        return AC_ROLE_OBSERVER;
    case WIRE_CONTROL_SETTINGS:
    case WIRE_CONTROL_PAUSE:
    case WIRE_CONTROL_RESUME:
    case WIRE_CONTROL_STEP:
    case WIRE_CONTROL_RESET:
    case WIRE_CONTROL_CHANGE:
    case WIRE_CONTROL_BODIES:
    case WIRE_CONTROL_ATTRIBUTES:
        return AC_ROLE_INSTRUCTOR;
    case WIRE_CONTROL_LOAD:
    case WIRE_CONTROL_CREATE:
    case WIRE_CONTROL_REMOVE:
        return AC_ROLE_OPERATOR;
    }
    return AC_ROLE_OPERATOR;
}

/* ---- worlds ---- */

/* Whether a message may name the world, by its id or by the origin of a replay. */
static bool
has_named_world(const struct sv_grant *grant, const char *id, const char *replay_of,
    const char *path, struct wire_error *error)
{
    return (replay_of != NULL && ac_pattern_fits(grant->world, replay_of)) ||
        sv_grant_has_world(grant, id, path, error);
}

/* ---- messages ---- */

static bool
is_within(cn_vec3 vector, double cap, const char *path, const char *unit,
    struct wire_error *error)
{
    double size = sqrt(cn_vec3_dot(vector, vector));
    if (cap == 0 || size <= cap) {
        return true;
    }
    wire_error_set(
        error, "RANGE", path, "is %g %s; the token allows %g", size, unit, cap);
    return false;
}

static bool
admit_input(
    const struct sv_grant *grant, struct cn_command *command, struct wire_error *error)
{
    const struct ac_limits *limits = &grant->limits;
    switch (command->kind) {
    case CN_COMMAND_HOLD_FORCE:
        return is_within(
            command->hold_force.force, limits->force, "input.force.force", "N", error);
    case CN_COMMAND_HOLD_TORQUE:
        return is_within(
            command->hold_torque.torque, limits->torque, "input.torque.torque", "N m", error);
    case CN_COMMAND_HOLD_DRAG:
        command->hold_drag.force_max = limits->force;
        return true;
    default: /* the scene limits actuators */
        return true;
    }
}

static bool
admit_control(const struct sv_grant *grant, const struct wire_control *control,
    const char *replay_of, struct wire_error *error)
{
    if (!sv_grant_covers(grant, sv_rights_of_control(control->kind), error)) {
        return false;
    }
    switch (control->kind) {
    case WIRE_CONTROL_CREATE:
        return sv_grant_has_world(grant, control->source.id, "control.create.id", error);
    case WIRE_CONTROL_REMOVE:
        return has_named_world(grant, control->world, replay_of, "control.remove", error);
    default:
        return true; /* it is for the joined world */
    }
}

bool
sv_rights_fork(
    const struct sv_grant *grant, const struct wire_fork *fork, struct wire_error *error)
{
    return (fork->replay || sv_grant_covers(grant, AC_ROLE_INSTRUCTOR, error)) &&
        (fork->world[0] == '\0' || sv_grant_has_world(grant, fork->world, "fork.world", error)) &&
        (fork->id[0] == '\0' || sv_grant_has_world(grant, fork->id, "fork.id", error));
}

bool
sv_rights_fork_name(const struct sv_grant *grant, const struct wire_fork *fork,
    const char *origin, struct wire_error *error)
{
    if (fork->replay && fork->id[0] == '\0') {
        return true; /* it belongs to the origin, for which the grant is valid */
    }
    for (int number = 1; number <= 2; number++) { /* further ids differ only in the number */
        char id[WIRE_NAME_SIZE];
        sv_fork_name(fork, origin, number, id);
        if (!ac_pattern_fits(grant->world, id)) {
            wire_error_set(error, "RIGHTS", "fork.id",
                "would be %s, which is not a world of this token, which has %s", id, grant->world);
            return false;
        }
    }
    return true;
}

bool
sv_rights_admit(const struct sv_grant *grant, struct wire_client_message *message,
    const char *replay_of, struct wire_error *error)
{
    if (!sv_grant_covers(grant, sv_rights_of_message(message->kind), error)) {
        return false;
    }
    switch (message->kind) {
    case WIRE_CLIENT_JOIN:
        return has_named_world(grant, message->join_world, replay_of, "join.world", error);
    case WIRE_CLIENT_INPUT:
        return admit_input(grant, &message->input.command, error);
    case WIRE_CLIENT_LEASE:
        return sv_grant_covers(grant, sv_rights_of_lease(message->lease.action), error);
    case WIRE_CLIENT_CONTROL:
        return admit_control(grant, &message->control, replay_of, error);
    case WIRE_CLIENT_FORK:
        return sv_rights_fork(grant, &message->fork, error);
    default:
        return true;
    }
}
