/*
 * access.h: the rights that a token gives its bearer in this daemon.
 *
 * Without keys the daemon is open: every client is operator of every world, without end.  With keys
 * a client has no rights without a token that one of them has signed.
 *
 * The token of a seat in a room (server/room/seat_token.h) is valid in either case, and gives the
 * rights of that seat.
 *
 * The end of a session is computed once from its token's, and then compared with the monotonic
 * clock: setting the wall clock back does not prolong a session.
 */
#ifndef SERVER_SESSION_ACCESS_H
#define SERVER_SESSION_ACCESS_H

#include "server/base/clock.h"
#include "server/base/random.h"
#include "server/base/rate.h"
#include "server/room/rooms.h"
#include "server/session/grant.h"

struct sv_access {
    const struct ac_keys *keys; /* borrowed; NULL: everything is allowed */
    struct ac_policy policy;    /* its pointers are borrowed too */
    struct sv_clock clock;
    struct sv_random random; /* for times of retries; without `fill` clients retry at once */
    struct sv_rate verified; /* tokens: each takes computing time */
    const struct sv_rooms *rooms; /* checks the tokens of seats; NULL: there are no rooms */
};

/*
 * Fills *grant.  False with *error filled: TOKEN, EXPIRED, RIGHTS, or CAPACITY if too many tokens
 * came lately and this one was not checked.  The grant is then empty; only subject and id are set,
 * if the signature is valid.  `token` may be NULL.  `asked` is the wanted role, NONE for the
 * token's own; a role above the token's is refused.
 */
bool sv_access_grant(struct sv_access *access, const char *token, enum ac_role asked,
    struct sv_grant *grant, struct wire_error *error);

/*
 * Renews *grant from a new token of a running session.  The bearer and the role must be the same,
 * and the token must be valid for the session's world (NULL: none).  False with *error filled, as
 * above; *grant is then unchanged.
 */
bool sv_access_renew(struct sv_access *access, const char *token,
    const struct sv_host_world *world, struct sv_grant *grant, struct wire_error *error);

#endif
