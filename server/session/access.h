/*
 * access.h: from a token to what its bearer may do here.
 *
 * Without keys the daemon is open: everybody is operator of every world, for ever.  With keys
 * nobody is anything without a token that one of them has signed.
 *
 * A session's end is reckoned from the token's once, at its beginning, and then by the monotonic
 * clock: who sets the wall clock back prolongs no session.
 */
#ifndef SERVER_SESSION_ACCESS_H
#define SERVER_SESSION_ACCESS_H

#include "access/token.h"
#include "proto/wire.h"
#include "server/base/clock.h"
#include "server/base/random.h"
#include "server/base/rate.h"

/* What a session, or the sender of a request, may do. All zero: nothing. */
struct sv_grant {
    enum ac_role role;
    char world[AC_PATTERN_SIZE]; /* which worlds */
    char id[AC_ID_SIZE];         /* the token's jti; "" without tokens */
    char subject[AC_SUBJECT_SIZE]; /* whom the token is for; "" without tokens */
    struct ac_limits limits;
    uint64_t expires_ns; /* 0: never */
    uint8_t key[AC_PUBLIC_SIZE]; /* that has signed the token */
};

struct sv_access {
    const struct ac_keys *keys; /* borrowed; NULL: the daemon is open */
    struct sv_clock clock;
    struct sv_random random; /* of when who is turned away shall come back; no `fill`: at once */
    struct sv_rate verified; /* tokens: each costs time */
};

/*
 * Fills *grant; false with *error filled: TOKEN, EXPIRED, RIGHTS, or CAPACITY when too many tokens
 * have come of late and this one was not looked at.  `token` may be NULL; `asked`
 * is the role that is wanted, NONE for the token's own, and never more than that.
 */
bool sv_access_grant(struct sv_access *access, const char *token, enum ac_role asked,
    struct sv_grant *grant, struct wire_error *error);

/*
 * A session whose grant is *grant shows a new token and goes on with that: the same bearer in the
 * same role, in the world that it is in ("": none).  False with *error filled, as above; then
 * *grant is as it was.
 */
bool sv_access_renew(struct sv_access *access, const char *token, const char *world,
    struct sv_grant *grant, struct wire_error *error);

/* Every right in every world. */
struct sv_grant sv_grant_open(void);

/* Seconds until it ends, rounded up; 0: it does not. */
uint32_t sv_grant_left_s(const struct sv_grant *grant, uint64_t now_ns);

/* Whether the time of the grant is over. */
bool sv_grant_is_over(const struct sv_grant *grant, uint64_t now_ns);

#endif
