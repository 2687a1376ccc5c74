/*
 * token.h: tokens: signed texts that give a client rights for a limited time.
 *
 * A token is a JSON Web Token in compact form (jws.h).  It has one algorithm, so that there is
 * nothing to choose and nothing to confuse.  Members of header and payload:
 *
 *   header   exactly {"alg":"EdDSA","typ":"JWT"}, with or without "kid".  The kid is only compared
 *            with the kids of the valid keys.  Without it each key (AC_KEYS_MAX) is tried.
 *   sub      the person that it is for: 1 to 64 bytes of UTF-8 without control characters.
 *   world    the worlds: an id in which '*' stands for any characters.
 *   role     observer, player, instructor or operator.
 *   exp      when it expires, Unix seconds; at most AC_LIFETIME_S_MAX from now, and from iat.
 *   jti      its own id, the only part of a token that logs show.
 *   nbf, iat when it becomes valid, when it was made; may be absent.
 *   limits   {"force": N, "torque": N m, "messages": 1/s}; each member may be absent.
 *   iss, aud the issuer, and the daemon that it is for.  aud is a text or up to AC_AUDIENCES_MAX
 *            texts of up to 128 bytes.  A daemon without an issuer or audience of its own refuses
 *            tokens with iss or aud.  A daemon with them requires them.
 *   tenant   whose quota it shares, 1 to 64 bytes; without it `sub` is the tenant.
 *   quota    {"worlds": 4, ...}: limits of use, with the names and ranges of quota.h.
 *
 * Departures from RFC 7519: typ, exp, jti and sub are required.  Times are whole numbers.  An
 * unknown claim is refused, because a misspelt limit would otherwise be no limit.  Repeated names
 * are refused at every depth.
 *
 * The payload is not read before the signature has been verified.
 */
#ifndef ACCESS_TOKEN_H
#define ACCESS_TOKEN_H

#include "access/claims.h"
#include "access/revoked.h"

/* Enumerator, text about the token. */
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

/* The end of a sentence about the token, static text. */
const char *ac_reason_text(enum ac_reason reason);

/*
 * Verifies a token at `now_s`, Unix seconds.  GOOD fills *claims.  LIFETIME, EARLY and EXPIRED fill
 * only its subject and id, so that a log can name the owner.  CLAIM and these three set *claim to
 * the name of the claim, static text; claim may be NULL.  Bytes after `size` are not read.
 */
enum ac_reason ac_token_verify(const struct ac_keys *keys, const char *text, size_t size,
    int64_t now_s, struct ac_claims *claims, const char **claim);

/* A daemon's conditions on tokens besides a valid signature.  All zero: no conditions. */
struct ac_policy {
    const char *issuer, *audience;    /* NULL: not configured; tokens that have one are refused */
    const struct ac_revoked *revoked; /* NULL: no list */
};

/* GOOD, ISSUER, AUDIENCE or REVOKED.  ac_token_verify must have accepted the claims. */
enum ac_reason ac_policy_check(
    const struct ac_policy *policy, const struct ac_claims *claims, int64_t now_s);

/*
 * Reads a token without keys and without a clock, to show it to its maker.  GOOD, or the reason why
 * its form, header or claims are not valid.  *kid is "" if the header has none.
 */
enum ac_reason ac_token_read(const char *text, size_t size, struct ac_claims *claims,
    char kid[AC_ID_SIZE], const char **claim);

/* Signs a token; `expires_s` and the texts must be valid.  False without memory or room. */
bool ac_token_mint(const struct ac_private_key *key, const struct ac_claims *claims,
    char out[AC_TOKEN_SIZE_MAX + 1]);

/* Whether a world's id matches a pattern.  The time is at most the product of their lengths. */
bool ac_pattern_fits(const char *pattern, const char *id);

#endif
