/*
 * role_rates.h: rates of messages for single roles, as the option role-rate gives them.
 *
 * Messages are those of all kinds; says are those to other members, which count among them.
 */
#ifndef SERVER_BASE_ROLE_RATES_H
#define SERVER_BASE_ROLE_RATES_H

#include "access/claims.h"

#include <stdbool.h>

/* Indexed by role; 0: the rate of all roles. */
struct sv_role_rates {
    unsigned messages[AC_ROLE_COUNT]; /* [1/s], at most SV_MESSAGE_RATE_MAX */
    unsigned says[AC_ROLE_COUNT];     /* [1/s], at most SV_SAY_RATE_MAX */
};

/* Reads ROLE=MESSAGES or ROLE=MESSAGES/SAYS.  False, with nothing changed, if it is not that. */
bool sv_role_rates_add(struct sv_role_rates *rates, const char *text);

#endif
