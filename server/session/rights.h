/*
 * rights.h: the messages that each role may send, as a table.
 *
 *     observer    sees: join, leave, subscribe, query, ping, acknowledge; the list of worlds; the
 *                 past, in replays
 *     player      and pushes: inputs, within the caps of its token; leases of free targets
 *     instructor  and controls the world that is joined: settings, pause, resume, step, reset,
 *                 changes of its bodies; takes leases away, caps forces; forks worlds
 *     operator    and has worlds made, loaded and removed
 */
#ifndef SERVER_SESSION_RIGHTS_H
#define SERVER_SESSION_RIGHTS_H

#include "proto/codec.h"
#include "server/session/grant.h"

/* The lowest role that may send this message; for Controls and Leases it depends on the kind. */
enum ac_role sv_rights_of_message(enum wire_client_kind kind);
enum ac_role sv_rights_of_lease(enum wire_lease_action action);
enum ac_role sv_rights_of_control(enum wire_control_kind kind);

/*
 * Every role may watch a past; forking it needs the role instructor.  The second function takes the
 * world that was found.  It also checks the id that a fork without an id gets.
 */
bool sv_rights_fork(
    const struct sv_grant *grant, const struct wire_fork *fork, struct wire_error *error);
bool sv_rights_fork_name(const struct sv_grant *grant, const struct wire_fork *fork,
    const char *origin, struct wire_error *error);

/*
 * Whether the grant allows a decoded message; else *error is RIGHTS, or RANGE if the message
 * exceeds a cap of the token.  A drag gets the token's cap, which the world applies.  `replay_of`
 * is sv_replay_of for the world that a Join or Remove names, or NULL.
 */
bool sv_rights_admit(const struct sv_grant *grant, struct wire_client_message *message,
    const char *replay_of, struct wire_error *error);

#endif
