/*
 * access.h: the rights that a token gives its bearer in this daemon.
 *
 * Without keys the daemon is open: every client is operator of every world, without end.  With keys
 * a client has no rights without a token that one of them has signed.
 *
 * The end of a session is computed once from its token's, and then compared with the monotonic
 * clock: setting the wall clock back does not prolong a session.
 */
#ifndef SERVER_SESSION_ACCESS_H
#define SERVER_SESSION_ACCESS_H

#include "access/token.h"
#include "proto/wire.h"
#include "server/base/clock.h"
#include "server/base/random.h"
#include "server/base/rate.h"

/* The rights of a session, or of the sender of a request.  All zero: none. */
struct sv_grant {
    enum ac_role role;
    char world[AC_PATTERN_SIZE]; /* pattern of the worlds */
    char id[AC_ID_SIZE];         /* the token's jti; "" without tokens */
    char subject[AC_SUBJECT_SIZE]; /* the token's sub; "" without tokens */
    char tenant[AC_SUBJECT_SIZE];  /* the tenant whose quota it shares: the token's, or its sub */
    struct ac_limits limits;
    struct ac_quota quota; /* of the token */
    uint64_t expires_ns; /* 0: never */
    uint8_t key[AC_PUBLIC_SIZE]; /* the key that signed the token */
};

struct sv_host_world;

struct sv_access {
    const struct ac_keys *keys; /* borrowed; NULL: everything is allowed */
    struct ac_policy policy;    /* its pointers are borrowed too */
    struct sv_clock clock;
    struct sv_random random; /* for times of retries; without `fill` clients retry at once */
    struct sv_rate verified; /* tokens: each takes computing time */
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

/*
 * Whether two grants have the same bearer, that is tokens with the same `sub`.  Without tokens all
 * are the same.  Only the bearer of a session can resume it.
 */
bool sv_grant_is_same_bearer(const struct sv_grant *grant, const struct sv_grant *other);

/* A grant with all rights in all worlds. */
struct sv_grant sv_grant_open(void);

/* Seconds until the grant ends, rounded up; 0: it never ends. */
uint32_t sv_grant_left_s(const struct sv_grant *grant, uint64_t now_ns);

/* Whether the grant's token is revoked now. */
bool sv_grant_is_revoked(
    const struct sv_grant *grant, const struct ac_revoked *revoked, int64_t now_s);

/* Whether the grant has ended. */
bool sv_grant_is_over(const struct sv_grant *grant, uint64_t now_ns);

#endif
