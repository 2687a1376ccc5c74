/*
 * token.h: who may do what, and for how long: a signed text that a client presents.
 *
 * A token is a JSON Web Token in compact form (jws.h).  It has one algorithm, so that there is
 * nothing to choose and nothing to confuse.  Members of header and payload:
 *
 *   header   exactly {"alg":"EdDSA","typ":"JWT"}, with or without "kid".  The kid is only compared
 *            with the kids of the valid keys.  Without it each key (AC_KEYS_MAX) is tried.
 *   sub      the person that it is for: 1 to 64 bytes of UTF-8 without control characters
 *   world    which worlds: an id in which '*' stands for any characters
 *   role     observer, player, instructor or operator
 *   exp      when it expires, Unix seconds; at most AC_LIFETIME_S_MAX from now, and from iat
 *   jti      its own id, the only part of a token that logs show
 *   nbf, iat when it becomes valid, when it was made; may be absent
 *   limits   {"force": N, "torque": N m, "messages": 1/s}; each member may be absent
 *   iss, aud the issuer, and the daemon that it is for.  aud is a text or up to AC_AUDIENCES_MAX
 *            texts of up to 128 bytes.  A daemon without an issuer or audience of its own refuses
 *            tokens with iss or aud.  A daemon with them requires them.
 *   tenant   whose quota it shares, 1 to 64 bytes; without it `sub` is the tenant
 *   quota    {"worlds": 4, ...}: limits of use, with the names and ranges of quota.h
 *
 * Departures from RFC 7519: typ, exp, jti and sub are required.  Times are whole numbers.  An
 * unknown claim is refused, because a misspelt limit would otherwise be no limit.  Repeated names
 * are refused at every depth.
 *
 * The payload is not read before the signature has been verified.
 */
#ifndef ACCESS_TOKEN_H
#define ACCESS_TOKEN_H

#include "access/key.h"
#include "access/quota.h"
#include "access/revoked.h"

/* Enumerator, number on the wire, name; each may do what the one before may, and more. */
#define AC_ROLE_TABLE(X)                                                                           \
    X(OBSERVER, 2, "observer", "sees worlds")                                                      \
    X(PLAYER, 1, "player", "sees worlds and pushes bodies")                                        \
    X(INSTRUCTOR, 3, "instructor", "plays, and controls the world that is joined")                 \
    X(OPERATOR, 4, "operator", "may do everything")

#define X(NAME, number, name, text) AC_ROLE_##NAME = number,
enum ac_role { AC_ROLE_NONE = 0, AC_ROLE_TABLE(X) };
#undef X
#define AC_ROLE_COUNT 5 /* with NONE */

/* 0: no cap but the daemon's own. */
struct ac_limits {
    double force;      /* N, of one input */
    double torque;     /* N m */
    unsigned messages; /* 1/s */
};

struct ac_claims {
    char subject[AC_SUBJECT_SIZE];
    char world[AC_PATTERN_SIZE];
    char id[AC_ID_SIZE];
    enum ac_role role;
    struct ac_limits limits;
    struct ac_quota quota;
    char tenant[AC_SUBJECT_SIZE]; /* ""; not said */
    char issuer[AC_NAME_SIZE];    /* as well */
    char audience[AC_AUDIENCES_MAX][AC_NAME_SIZE];
    int audience_count;
    int64_t expires_s, not_before_s, issued_s; /* Unix seconds; 0: not said (never of expires_s) */
    uint8_t key[AC_PUBLIC_SIZE]; /* that has signed it, when that was verified */
};

/* Enumerator, what is wrong with the token. */
#define AC_REASON_TABLE(X)                                                                         \
    X(GOOD, "is good")                                                                             \
    X(FORM, "is not three parts of base64url within 2048 bytes")                                   \
    X(HEADER, "has a header other than {\"alg\":\"EdDSA\",\"typ\":\"JWT\"} and a kid")             \
    X(KEY, "is of a key that is not in force here")                                                \
    X(SIGNATURE, "has a signature that does not fit")                                              \
    X(CLAIM, "has a claim that is missing, unknown or can not be used")                            \
    X(LIFETIME, "would be good for more than a day")                                               \
    X(EARLY, "is not good yet")                                                                    \
    X(EXPIRED, "has expired")                                                                      \
    X(ISSUER, "is not of the issuer whose tokens are good here")                                   \
    X(AUDIENCE, "is made for somebody else")                                                       \
    X(REVOKED, "has been revoked")

#define X(NAME, text) AC_REASON_##NAME,
enum ac_reason { AC_REASON_TABLE(X) AC_REASON_COUNT };
#undef X

/* What went wrong: a sentence's end, static text. */
const char *ac_reason_text(enum ac_reason reason);

/*
 * Verifies a token at `now_s`, Unix seconds.  GOOD fills *claims; LIFETIME, EARLY and EXPIRED fill
 * its subject and id, all else is zero, so that a log can tell whose it was.  On CLAIM *claim names
 * it, static text (also on these three); claim may be NULL.  Bytes after `size` are not read.
 */
enum ac_reason ac_token_verify(const struct ac_keys *keys, const char *text, size_t size,
    int64_t now_s, struct ac_claims *claims, const char **claim);

/* What a daemon asks of tokens beside a good signature; all zero: no more. */
struct ac_policy {
    const char *issuer, *audience;    /* NULL: was told none, and refuses tokens that have one */
    const struct ac_revoked *revoked; /* NULL: none */
};

/* GOOD, or ISSUER, AUDIENCE, REVOKED; of claims that ac_token_verify has found good. */
enum ac_reason ac_policy_check(
    const struct ac_policy *policy, const struct ac_claims *claims, int64_t now_s);

/*
 * Reads a token without keys and without a clock, for who made it and wants to look: GOOD, or why
 * its form, header or claims could not be.  *kid is "" where the header has none.
 */
enum ac_reason ac_token_read(const char *text, size_t size, struct ac_claims *claims,
    char kid[AC_ID_SIZE], const char **claim);

/* Signs a token; `expires_s` and the texts have to be good. False without memory or room. */
bool ac_token_mint(const struct ac_private_key *key, const struct ac_claims *claims,
    char out[AC_TOKEN_SIZE_MAX + 1]);

/* Which claim of these would be refused at `now_s`, or NULL: what ac_token_mint wants. */
const char *ac_claims_check(const struct ac_claims *claims, int64_t now_s);

/* NONE when no role has that name; NULL when the number is no role's. */
enum ac_role ac_role_find(const char *name);
const char *ac_role_name(enum ac_role role);

/* Whether a world's id fits a pattern, in time that grows with the product of their lengths. */
bool ac_pattern_fits(const char *pattern, const char *id);

#endif
