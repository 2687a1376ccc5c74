#include "access/token.h"

#include "engine/base/assert.h"

#include <stdlib.h>
#include <string.h>

const char *
ac_reason_text(enum ac_reason reason)
{
    static const char *const texts[] = {
#define X(NAME, text) text,
        AC_REASON_TABLE(X)
#undef X
    };
    CN_ASSERT((unsigned)reason < AC_REASON_COUNT);
    return texts[reason];
}

/* ---- worlds ---- */

/*
 * After a mismatch the last '*' takes one character more.  So the search only needs to go back to
 * that '*'.
 */
bool
ac_pattern_fits(const char *pattern, const char *id)
{
    const char *star = NULL, *resume = NULL;
    while (*id != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            resume = id;
        } else if (*pattern == *id) {
            pattern++;
            id++;
        } else if (star != NULL) {
            pattern = star + 1;
            id = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == '\0';
}

/* ---- verifying ---- */

static enum ac_reason
check_signature(const struct ac_keys *keys, const struct ac_jws *jws, const char *kid,
    const struct ac_public_key **by)
{
    bool is_known = false;
    CN_ASSERT(0 <= keys->count && keys->count <= AC_KEYS_MAX);
    for (int i = 0; i < keys->count; i++) {
        if (kid[0] == '\0' || strcmp(keys->key[i].kid, kid) == 0) {
            is_known = true;
            if (ac_jws_is_signed(jws, keys->key[i].public_key)) {
                *by = &keys->key[i];
                return AC_REASON_GOOD;
            }
        }
    }
    return is_known ? AC_REASON_SIGNATURE : AC_REASON_KEY;
}

static enum ac_reason
check_times(const struct ac_claims *claims, int64_t now_s, const char **claim)
{
    int64_t soon_s = now_s + AC_CLOCK_SKEW_S;
    *claim = "exp";
    if (claims->expires_s <= now_s) {
        return AC_REASON_EXPIRED;
    }
    if (claims->expires_s - now_s > AC_LIFETIME_S_MAX ||
        (claims->issued_s != 0 && claims->expires_s - claims->issued_s > AC_LIFETIME_S_MAX)) {
        return AC_REASON_LIFETIME;
    }
    *claim = claims->not_before_s > soon_s ? "nbf" : "iat";
    return claims->not_before_s > soon_s || claims->issued_s > soon_s ? AC_REASON_EARLY
                                                                      : AC_REASON_GOOD;
}

enum ac_reason
ac_token_verify(const struct ac_keys *keys, const char *text, size_t size, int64_t now_s,
    struct ac_claims *claims, const char **claim)
{
    const char *ignored;
    struct ac_jws jws;
    char kid[AC_ID_SIZE];
    if (claim == NULL) {
        claim = &ignored;
    }
    *claim = NULL;
    if (!ac_jws_split(&jws, text, size)) {
        return AC_REASON_FORM;
    }
    if (!ac_header_read(jws.header, jws.header_size, kid)) {
        return AC_REASON_HEADER;
    }
    const struct ac_public_key *by = NULL;
    enum ac_reason reason = check_signature(keys, &jws, kid, &by);
    if (reason != AC_REASON_GOOD) {
        return reason;
    }
    struct ac_claims read;
    *claim = ac_claims_read(jws.payload, jws.payload_size, &read);
    if (*claim != NULL) {
        return AC_REASON_CLAIM;
    }
    reason = check_times(&read, now_s, claim);
    if (reason == AC_REASON_GOOD) {
        CN_ASSERT(by != NULL && read.expires_s > now_s);
        *claims = read;
        memcpy(claims->key, by->public_key, sizeof(claims->key));
        *claim = NULL;
    } else {
        memset(claims, 0, sizeof(*claims));
        memcpy(claims->subject, read.subject, sizeof(claims->subject));
        memcpy(claims->id, read.id, sizeof(claims->id));
    }
    return reason;
}

static bool
is_for(const struct ac_claims *claims, const char *audience)
{
    CN_ASSERT(claims->audience_count <= AC_AUDIENCES_MAX);
    for (int i = 0; i < claims->audience_count; i++) {
        if (strcmp(claims->audience[i], audience) == 0) {
            return true;
        }
    }
    return false;
}

enum ac_reason
ac_policy_check(const struct ac_policy *policy, const struct ac_claims *claims, int64_t now_s)
{
    const char *issuer = policy->issuer != NULL ? policy->issuer : "";
    if (strcmp(claims->issuer, issuer) != 0) {
        return AC_REASON_ISSUER;
    }
    bool is_ours = policy->audience != NULL ? is_for(claims, policy->audience)
                                            : claims->audience_count == 0;
    if (!is_ours) {
        return AC_REASON_AUDIENCE;
    }
    return ac_revoked_has(policy->revoked, claims->id, claims->subject, now_s)
        ? AC_REASON_REVOKED
        : AC_REASON_GOOD;
}

enum ac_reason
ac_token_read(const char *text, size_t size, struct ac_claims *claims, char kid[AC_ID_SIZE],
    const char **claim)
{
    struct ac_jws jws;
    *claim = NULL;
    kid[0] = '\0';
    if (!ac_jws_split(&jws, text, size)) {
        return AC_REASON_FORM;
    }
    if (!ac_header_read(jws.header, jws.header_size, kid)) {
        return AC_REASON_HEADER;
    }
    *claim = ac_claims_read(jws.payload, jws.payload_size, claims);
    return *claim == NULL ? AC_REASON_GOOD : AC_REASON_CLAIM;
}

/* ---- making ---- */

bool
ac_token_mint(const struct ac_private_key *key, const struct ac_claims *claims,
    char out[AC_TOKEN_SIZE_MAX + 1])
{
    char *header = ac_header_print(key->kid), *payload = ac_claims_print(claims);
    bool is_good = header != NULL && payload != NULL &&
        ac_jws_sign(header, strlen(header), payload, strlen(payload), key->seed, out);
    free(header);
    free(payload);
    return is_good;
}
