#include "server/session/access.h"

#include "server/base/limits.h"
#include "server/session/rights.h"

#include <string.h>

struct sv_grant
sv_grant_open(void)
{
    return (struct sv_grant){.role = AC_ROLE_OPERATOR, .world = "*"};
}

bool
sv_grant_is_over(const struct sv_grant *grant, uint64_t now_ns)
{
    return grant->expires_ns != 0 && now_ns >= grant->expires_ns;
}

uint32_t
sv_grant_left_s(const struct sv_grant *grant, uint64_t now_ns)
{
    if (grant->expires_ns == 0) {
        return 0;
    }
    uint64_t left_ns = grant->expires_ns > now_ns ? grant->expires_ns - now_ns : 1;
    return (uint32_t)((left_ns + SV_NS_PER_S - 1) / SV_NS_PER_S);
}

/* The claims of a good token; false with *error filled. */
static bool
verify(struct sv_access *access, const char *token, struct ac_claims *claims,
    struct wire_error *error)
{
    if (token == NULL || token[0] == '\0') {
        wire_error_set(error, "TOKEN", "", "this daemon wants a token; cairn token makes one");
        return false;
    }
    uint64_t now_ns = sv_clock_now_ns(&access->clock);
    if (!sv_rate_take(
            &access->verified, now_ns, SV_NS_PER_S / SV_VERIFY_RATE, SV_VERIFY_BURST)) {
        wire_error_set(error, "CAPACITY", "", "too many tokens come at once; try again");
        error->retry_ms = SV_RETRY_MS;
        if (access->random.fill != NULL) {
            error->retry_ms = sv_random_retry_ms(&access->random, SV_RETRY_MS);
        }
        return false;
    }
    const char *claim;
    enum ac_reason reason = ac_token_verify(access->keys, token, strlen(token),
        sv_clock_wall_s(&access->clock), claims, &claim);
    if (reason == AC_REASON_GOOD) {
        return true;
    }
    wire_error_set(error, reason == AC_REASON_EXPIRED ? "EXPIRED" : "TOKEN", "",
        "the token %s%s%s", ac_reason_text(reason), claim != NULL ? ": " : "",
        claim != NULL ? claim : "");
    return false;
}

bool
sv_access_grant(struct sv_access *access, const char *token, enum ac_role asked,
    struct sv_grant *grant, struct wire_error *error)
{
    struct ac_claims claims;
    *grant = sv_grant_open();
    if (access->keys != NULL) {
        memset(grant, 0, sizeof(*grant));
        if (!verify(access, token, &claims, error)) {
            return false;
        }
        int64_t left_s = claims.expires_s - sv_clock_wall_s(&access->clock);
        grant->role = claims.role;
        memcpy(grant->world, claims.world, sizeof(grant->world));
        memcpy(grant->id, claims.id, sizeof(grant->id));
        memcpy(grant->subject, claims.subject, sizeof(grant->subject));
        memcpy(grant->key, claims.key, sizeof(grant->key));
        grant->limits = claims.limits;
        grant->expires_ns = sv_clock_now_ns(&access->clock) +
            (uint64_t)(left_s > 0 ? left_s : 1) * SV_NS_PER_S;
    }
    if (asked != AC_ROLE_NONE) {
        if (!sv_role_covers(grant->role, asked)) {
            wire_error_set(error, "RIGHTS", "", "the role %s is asked for; the token's is %s",
                ac_role_name(asked), ac_role_name(grant->role));
            memset(grant, 0, sizeof(*grant));
            return false;
        }
        grant->role = asked;
    }
    return true;
}

bool
sv_access_renew(struct sv_access *access, const char *token, const char *world,
    struct sv_grant *grant, struct wire_error *error)
{
    struct sv_grant renewed;
    if (!sv_access_grant(access, token, grant->role, &renewed, error)) {
        return false;
    }
    if (strcmp(renewed.subject, grant->subject) != 0) {
        wire_error_set(error, "RIGHTS", "", "the new token is somebody else's");
        return false;
    }
    if (world[0] != '\0' && !ac_pattern_fits(renewed.world, world)) {
        wire_error_set(error, "RIGHTS", "", "the new token is not for this world");
        return false;
    }
    *grant = renewed;
    return true;
}
