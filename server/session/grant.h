/*
 * grant.h: the rights of a session, or of the sender of a request.
 *
 * For a bearer, worlds that do not match the token's pattern do not exist.  A replay only shows
 * another world's past, so a token for that world is valid for its replays, too, whatever their
 * names: with a token for exactly "one" a client may make and watch "one-replay".
 *
 * The world of a room exists for the tokens of its seats, and for instructors and operators.
 */
#ifndef SERVER_SESSION_GRANT_H
#define SERVER_SESSION_GRANT_H

#include "access/token.h"
#include "proto/wire.h"
#include "server/host/host.h"

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
    uint64_t room; /* the token is that of a seat in this room; 0: it is not */
    uint32_t seat, seat_serial;
};

/*
 * Whether two grants have the same bearer, that is tokens with the same `sub`.  Without tokens all
 * are the same.  Only the bearer of a session can resume it.
 */
bool sv_grant_is_same_bearer(const struct sv_grant *grant, const struct sv_grant *other);

/* Whether two grants give the same rights to the same bearer. */
bool sv_grant_is_equal(const struct sv_grant *a, const struct sv_grant *b);

/* A grant with all rights in all worlds. */
struct sv_grant sv_grant_open(void);

/* Seconds until the grant ends, rounded up; 0: it never ends. */
uint32_t sv_grant_left_s(const struct sv_grant *grant, uint64_t now_ns);

/* Whether the grant's token is revoked now. */
bool sv_grant_is_revoked(
    const struct sv_grant *grant, const struct ac_revoked *revoked, int64_t now_s);

/* Whether the grant has ended. */
bool sv_grant_is_over(const struct sv_grant *grant, uint64_t now_ns);

/* Whether `role` has all rights of `least`.  NONE has no rights. */
bool sv_role_covers(enum ac_role role, enum ac_role least);

/* Whether the grant has at least that role; else *error is RIGHTS. */
bool sv_grant_covers(
    const struct sv_grant *grant, enum ac_role least, struct wire_error *error);
bool sv_grant_has_world(
    const struct sv_grant *grant, const char *id, const char *path, struct wire_error *error);

/* The same for an existing world, which may be a replay. */
bool sv_grant_covers_world(const struct sv_grant *grant, const struct sv_host_world *world);

/* The id of the world that this one replays; NULL: it is not a replay. */
const char *sv_replay_of(const struct sv_host_world *world);

#endif
