#include "server/base/role_rates.h"

#include "server/base/limits.h"

#include <stdlib.h>
#include <string.h>

#define ROLE_NAME_SIZE 16

/* Reads a number from 1 to `most` that ends at `end`, and moves *at behind it. */
static bool
read_rate(const char **at, char end, unsigned long most, unsigned *rate)
{
    char *after;
    if (**at < '1' || **at > '9') {
        return false;
    }
    unsigned long number = strtoul(*at, &after, 10);
    *rate = (unsigned)number;
    *at = after + (*after != '\0' ? 1 : 0);
    return number <= most && *after == end;
}

bool
sv_role_rates_add(struct sv_role_rates *rates, const char *text)
{
    char name[ROLE_NAME_SIZE] = "";
    unsigned messages = 0, says = 0;
    size_t length = strcspn(text, "=");
    if (text[length] != '=' || length >= sizeof(name)) {
        return false;
    }
    memcpy(name, text, length);
    enum ac_role role = ac_role_find(name);
    const char *at = text + length + 1;
    bool has_says = strchr(at, '/') != NULL;
    if (role == AC_ROLE_NONE ||
        !read_rate(&at, has_says ? '/' : '\0', SV_MESSAGE_RATE_MAX, &messages) ||
        (has_says && !read_rate(&at, '\0', SV_SAY_RATE_MAX, &says))) {
        return false;
    }
    rates->messages[role] = messages;
    rates->says[role] = says;
    return true;
}
