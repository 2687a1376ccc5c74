/*
 * rights.h: what each role may send, as a table.
 *
 *     observer    sees: join, leave, subscribe, query, ping, acknowledge; the list of worlds; what
 *                 was, in replays
 *     player      and pushes: inputs, within the caps of its token; leases of what nobody holds
 *     instructor  and controls the world that is joined: settings, pause, resume, step, reset,
 *                 changes of its bodies; takes leases away, caps forces; forks worlds
 *     operator    and has worlds made, loaded and removed
 *
 * Worlds that a token's pattern does not fit are for its bearer as if they were not there.
 */
#ifndef SERVER_SESSION_RIGHTS_H
#define SERVER_SESSION_RIGHTS_H

#include "proto/codec.h"
#include "server/session/access.h"

/* Whether `role` may do all that `least` may; NONE covers nothing. */
bool sv_role_covers(enum ac_role role, enum ac_role least);

/* The least role that may send this; for Controls that of the control, for Leases the action's. */
enum ac_role sv_rights_of_message(enum wire_client_kind kind);
enum ac_role sv_rights_of_lease(enum wire_lease_action action);
enum ac_role sv_rights_of_control(enum wire_control_kind kind);

/* Whether the grant reaches that far and to that world; else *error is RIGHTS. */
bool sv_grant_covers(
    const struct sv_grant *grant, enum ac_role least, struct wire_error *error);
bool sv_grant_has_world(
    const struct sv_grant *grant, const char *id, const char *path, struct wire_error *error);

/*
 * Everybody may watch a past; who makes worlds of it instructs.  The second also when the world has
 * been found: what is made of it without a name of its own is a world of the grant, too.
 */
bool sv_rights_fork(
    const struct sv_grant *grant, const struct wire_fork *fork, struct wire_error *error);
bool sv_rights_fork_name(const struct sv_grant *grant, const struct wire_fork *fork,
    const char *origin, struct wire_error *error);

/*
 * Whether a decoded message is within the grant; else *error is RIGHTS, or RANGE where a cap of the
 * token is passed.  An input that drags is given the token's cap, which the world then keeps.
 */
bool sv_rights_admit(const struct sv_grant *grant, struct wire_client_message *message,
    struct wire_error *error);

#endif
