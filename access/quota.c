#include "access/quota.h"

#include "engine/base/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *unit;
    int64_t least, largest;
} rows[AC_QUOTA_COUNT] = {
#define X(NAME, name, least, largest, unit) {name, unit, least, largest},
    AC_QUOTA_TABLE(X)
#undef X
};

const char *
ac_quota_name(enum ac_quota_kind kind)
{
    CN_ASSERT((unsigned)kind < AC_QUOTA_COUNT);
    return rows[kind].name;
}

const char *
ac_quota_unit(enum ac_quota_kind kind)
{
    CN_ASSERT((unsigned)kind < AC_QUOTA_COUNT);
    return rows[kind].unit;
}

bool
ac_quota_has(const struct ac_quota *quota, enum ac_quota_kind kind, uint32_t *most)
{
    CN_ASSERT((unsigned)kind < AC_QUOTA_COUNT);
    *most = quota->most[kind];
    return (quota->said >> kind & 1U) != 0;
}

/* The index of a name; AC_QUOTA_COUNT if the name is unknown. */
static int
find_name(const char *name, size_t length)
{
    int kind = 0;
    while (kind < AC_QUOTA_COUNT &&
        (strlen(rows[kind].name) != length || memcmp(rows[kind].name, name, length) != 0)) {
        kind++;
    }
    return kind;
}

static bool
set_number(struct ac_quota *quota, int kind, int64_t most)
{
    if (most < rows[kind].least || most > rows[kind].largest) {
        return false;
    }
    CN_ASSERT(most >= 0 && most <= UINT32_MAX); /* every row's range is within */
    quota->said |= 1U << kind;
    quota->most[kind] = (uint32_t)most;
    return true;
}

bool
ac_quota_set(struct ac_quota *quota, const char *name, int64_t most)
{
    int kind = find_name(name, strlen(name));
    return kind < AC_QUOTA_COUNT && set_number(quota, kind, most);
}

static bool
refuse_name(const char *name, size_t length, char error[AC_QUOTA_ERROR_SIZE])
{
    int used = snprintf(error, AC_QUOTA_ERROR_SIZE,
        "has \"%.*s\"; accepted are NAME=NUMBER with commas between, each name once:",
        length < 32 ? (int)length : 32, name);
    for (int kind = 0; kind < AC_QUOTA_COUNT; kind++) {
        used += snprintf(error + used, AC_QUOTA_ERROR_SIZE - (size_t)used, "%s %s",
            kind > 0 ? "," : "", rows[kind].name);
        CN_ASSERT(used > 0 && used < AC_QUOTA_ERROR_SIZE); /* all names of the table fit */
    }
    return false;
}

bool
ac_quota_parse(struct ac_quota *quota, const char *text, char error[AC_QUOTA_ERROR_SIZE])
{
    unsigned seen = 0;
    for (;;) {
        size_t length = strcspn(text, "=,");
        int kind = find_name(text, length);
        if (kind == AC_QUOTA_COUNT || text[length] != '=' || (seen >> kind & 1U) != 0) {
            return refuse_name(text, strcspn(text, ","), error);
        }
        const char *digits = text + length + 1;
        size_t count = strspn(digits, "0123456789");
        int64_t most = count > 0 && count < 12 ? strtoll(digits, NULL, 10) : -1;
        if (strchr(",", digits[count]) == NULL || !set_number(quota, kind, most)) {
            int shown = (int)strcspn(digits, ",");
            snprintf(error, AC_QUOTA_ERROR_SIZE,
                "has %s=%.*s; accepted is a number from %lld to %lld", rows[kind].name,
                shown < 32 ? shown : 32, digits, (long long)rows[kind].least,
                (long long)rows[kind].largest);
            return false;
        }
        seen |= 1U << kind;
        if (digits[count] == '\0') {
            return true;
        }
        text = digits + count + 1;
    }
}
