#include "server/session/grant.h"

#include "server/base/limits.h"

#include <string.h>

struct sv_grant
sv_grant_open(void)
{
    return (struct sv_grant){.role = AC_ROLE_OPERATOR, .world = "*"};
}

static bool
is_same_quota(const struct ac_quota *a, const struct ac_quota *b)
{
    for (int i = 0; i < AC_QUOTA_COUNT; i++) {
        if ((a->said >> i & 1) != 0 && a->most[i] != b->most[i]) {
            return false;
        }
    }
    return a->said == b->said;
}

bool
sv_grant_is_equal(const struct sv_grant *a, const struct sv_grant *b)
{
    return a->role == b->role && strcmp(a->world, b->world) == 0 && strcmp(a->id, b->id) == 0 &&
        strcmp(a->subject, b->subject) == 0 && strcmp(a->tenant, b->tenant) == 0 &&
        a->limits.force == b->limits.force && a->limits.torque == b->limits.torque &&
        a->limits.messages == b->limits.messages && is_same_quota(&a->quota, &b->quota) &&
        a->expires_ns == b->expires_ns && memcmp(a->key, b->key, sizeof(a->key)) == 0 &&
        a->room == b->room && a->seat == b->seat && a->seat_serial == b->seat_serial;
}

bool
sv_grant_is_same_bearer(const struct sv_grant *grant, const struct sv_grant *other)
{
    return strcmp(grant->subject, other->subject) == 0;
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

bool
sv_grant_is_revoked(
    const struct sv_grant *grant, const struct ac_revoked *revoked, int64_t now_s)
{
    return ac_revoked_has(revoked, grant->id, grant->subject, now_s);
}

/* The rank of a role, in the order of its table; 0: no rights. */
static int
rank_of_role(enum ac_role role)
{
    static const enum ac_role order[] = {
#define X(NAME, number, name, text) AC_ROLE_##NAME,
        AC_ROLE_TABLE(X)
#undef X
    };
    int count = (int)(sizeof(order) / sizeof(order[0]));
    for (int i = 0; i < count; i++) {
        if (order[i] == role) {
            return i + 1;
        }
    }
    return 0;
}

bool
sv_role_covers(enum ac_role role, enum ac_role least)
{
    if (role == AC_ROLE_LOGIC) {
        return least == AC_ROLE_LOGIC || least == AC_ROLE_OBSERVER;
    }
    if (least == AC_ROLE_LOGIC) {
        return role == AC_ROLE_OPERATOR;
    }
    return rank_of_role(role) > 0 && rank_of_role(role) >= rank_of_role(least);
}

bool
sv_grant_covers(const struct sv_grant *grant, enum ac_role least, struct wire_error *error)
{
    if (sv_role_covers(grant->role, least)) {
        return true;
    }
    const char *role = ac_role_name(grant->role);
    wire_error_set(error, "RIGHTS", "", "is for the role %s and above; this one is %s",
        ac_role_name(least), role != NULL ? role : "none");
    return false;
}

bool
sv_grant_has_world(
    const struct sv_grant *grant, const char *id, const char *path, struct wire_error *error)
{
    if (ac_pattern_fits(grant->world, id)) {
        return true;
    }
    wire_error_set(error, "RIGHTS", path, "is not a world of this token, which has %s",
        grant->world);
    return false;
}

const char *
sv_replay_of(const struct sv_host_world *world)
{
    return world->origin != 0 ? world->status.origin : NULL;
}

bool
sv_grant_covers_world(const struct sv_grant *grant, const struct sv_host_world *world)
{
    const char *origin = sv_replay_of(world);
    if (world->room != 0 && world->room != grant->room &&
        !sv_role_covers(grant->role, AC_ROLE_INSTRUCTOR) && grant->role != AC_ROLE_LOGIC) {
        return false;
    }
    return ac_pattern_fits(grant->world, world->mailbox.id) ||
        (origin != NULL && ac_pattern_fits(grant->world, origin));
}
