/*
 * rights.h: the messages that each role may send, as a table.
 *
 *     observer    sees: join, leave, subscribe, query, ping, acknowledge; the list of worlds; the
 *                 past, in replays
 *     player      and pushes: inputs, within the caps of its token; leases of free targets
 *     instructor  and controls the world that is joined: settings, pause, resume, step, reset,
 *                 changes of its bodies; takes leases away, caps forces; forks worlds
 *     operator    and has worlds made, loaded and removed
 *
 * For a bearer, worlds that do not match the token's pattern do not exist.  A replay only shows
 * another world's past, so a token for that world is valid for its replays, too, whatever their
 * names: with a token for exactly "one" a client may make and watch "one-replay".
 */
#ifndef SERVER_SESSION_RIGHTS_H
#define SERVER_SESSION_RIGHTS_H

#include "proto/codec.h"
#include "server/host/host.h"
#include "server/session/access.h"

/* Whether `role` has all rights of `least`.  NONE has no rights. */
bool sv_role_covers(enum ac_role role, enum ac_role least);

/* The lowest role that may send this message; for Controls and Leases it depends on the kind. */
enum ac_role sv_rights_of_message(enum wire_client_kind kind);
enum ac_role sv_rights_of_lease(enum wire_lease_action action);
enum ac_role sv_rights_of_control(enum wire_control_kind kind);

/* Whether the grant has at least that role; else *error is RIGHTS. */
bool sv_grant_covers(
    const struct sv_grant *grant, enum ac_role least, struct wire_error *error);
bool sv_grant_has_world(
    const struct sv_grant *grant, const char *id, const char *path, struct wire_error *error);

/* The same for an existing world, which may be a replay. */
bool sv_grant_covers_world(const struct sv_grant *grant, const struct sv_host_world *world);

/* The id of the world that this one replays; NULL: it is not a replay. */
const char *sv_replay_of(const struct sv_host_world *world);

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
