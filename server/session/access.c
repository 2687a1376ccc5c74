#include "server/session/access.h"

#include "engine/base/assert.h"
#include "server/base/limits.h"

#include <stdio.h>
#include <string.h>

/* Verifies a token and fills its claims.  False with *error filled. */
static bool
verify_token(struct sv_access *access, const char *token, struct ac_claims *claims,
    struct wire_error *error)
{
    CN_ASSERT(access->keys != NULL); /* without keys there are no tokens */
    memset(claims, 0, sizeof(*claims));
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
    int64_t now_s = sv_clock_wall_s(&access->clock);
    enum ac_reason reason =
        ac_token_verify(access->keys, token, strlen(token), now_s, claims, &claim);
    if (reason == AC_REASON_GOOD) {
        reason = ac_policy_check(&access->policy, claims, now_s);
    }
    if (reason == AC_REASON_GOOD) {
        return true;
    }
    wire_error_set(error, reason == AC_REASON_EXPIRED ? "EXPIRED" : "TOKEN", "",
        "the token %s%s%s", ac_reason_text(reason), claim != NULL ? ": " : "",
        claim != NULL ? claim : "");
    return false;
}

/* Fills the names of the bearer, also if it has no rights. */
static void
fill_names(struct sv_grant *grant, const struct ac_claims *claims)
{
    memset(grant, 0, sizeof(*grant));
    memcpy(grant->id, claims->id, sizeof(grant->id));
    memcpy(grant->subject, claims->subject, sizeof(grant->subject));
}

/* The rights of the seat whose token this is.  False with *error filled. */
static bool
grant_seat(const struct sv_access *access, const char *token, struct sv_grant *grant,
    struct wire_error *error)
{
    struct sv_room_pass pass;
    memset(grant, 0, sizeof(*grant));
    if (!sv_rooms_admit(access->rooms, token, &pass, error)) {
        return false;
    }
    grant->role = (enum ac_role)pass.of->role;
    grant->limits = (struct ac_limits){.force = pass.of->force,
        .torque = pass.of->torque,
        .messages = pass.of->messages};
    grant->room = pass.room;
    grant->seat = pass.place;
    grant->seat_serial = pass.serial;
    snprintf(grant->world, sizeof(grant->world), "%s", pass.id);
    /* Nobody else has this subject, so nobody else resumes the session. */
    snprintf(grant->subject, sizeof(grant->subject), "%.48s#%u.%u", pass.id, (unsigned)pass.place,
        (unsigned)pass.serial);
    return true;
}

bool
sv_access_grant(struct sv_access *access, const char *token, enum ac_role asked,
    struct sv_grant *grant, struct wire_error *error)
{
    struct ac_claims claims;
    *grant = sv_grant_open();
    if (access->rooms != NULL && token != NULL && sv_seat_token_is(token)) {
        if (!grant_seat(access, token, grant, error)) {
            return false;
        }
    } else if (access->keys != NULL) {
        bool is_good = verify_token(access, token, &claims, error);
        fill_names(grant, &claims);
        if (!is_good) {
            return false;
        }
        int64_t left_s = claims.expires_s - sv_clock_wall_s(&access->clock);
        grant->role = claims.role;
        memcpy(grant->world, claims.world, sizeof(grant->world));
        memcpy(grant->tenant, claims.tenant[0] != '\0' ? claims.tenant : claims.subject,
            sizeof(grant->tenant));
        memcpy(grant->key, claims.key, sizeof(grant->key));
        grant->limits = claims.limits;
        grant->quota = claims.quota;
        grant->expires_ns = sv_clock_now_ns(&access->clock) +
            (uint64_t)(left_s > 0 ? left_s : 1) * SV_NS_PER_S;
    }
    if (asked != AC_ROLE_NONE) {
        if (!sv_role_covers(grant->role, asked)) {
            wire_error_set(error, "RIGHTS", "", "the role %s is asked for; the token's is %s",
                ac_role_name(asked), ac_role_name(grant->role));
            grant->role = AC_ROLE_NONE;
            return false;
        }
        grant->role = asked;
    }
    return true;
}

bool
sv_access_renew(struct sv_access *access, const char *token,
    const struct sv_host_world *world, struct sv_grant *grant, struct wire_error *error)
{
    struct sv_grant renewed;
    if (!sv_access_grant(access, token, grant->role, &renewed, error)) {
        return false;
    }
    if (!sv_grant_is_same_bearer(&renewed, grant)) {
        wire_error_set(error, "RIGHTS", "", "the new token is somebody else's");
        return false;
    }
    if (world != NULL && !sv_grant_covers_world(&renewed, world)) {
        wire_error_set(error, "RIGHTS", "", "the new token is not for this world");
        return false;
    }
    *grant = renewed;
    return true;
}
