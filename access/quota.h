/*
 * quota.h: how much one session, one token or one tenant may use, as a list of numbers.
 *
 * A count limits things that exist at the same time, so it falls when one of them is removed.  A
 * rate is in 1/s.  A number that is not given sets no limit here.
 */
#ifndef ACCESS_QUOTA_H
#define ACCESS_QUOTA_H

#include "access/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Enumerator, name, least and largest number, unit. */
#define AC_QUOTA_TABLE(X)                                                                          \
    X(WORLDS, "worlds", 0, AC_QUOTA_COUNT_MAX, "worlds that were made")                            \
    X(FORKS, "forks", 0, AC_QUOTA_COUNT_MAX, "worlds that were forked")                            \
    X(REPLAYS, "replays", 0, AC_QUOTA_COUNT_MAX, "replays")                                        \
    X(ROOMS, "rooms", 0, AC_QUOTA_COUNT_MAX, "rooms that were made")                               \
    X(SEATS, "seats", 0, AC_QUOTA_COUNT_MAX, "seats in rooms")                                     \
    X(CHECKS, "checks", 0, AC_QUOTA_COUNT_MAX, "scenes that are being checked")                    \
    X(REQUESTS, "requests", 1, AC_QUOTA_RATE_MAX, "HTTP requests a second")                        \
    X(SENT, "sent", AC_QUOTA_BYTES_MIN, AC_QUOTA_BYTES_MAX, "bytes sent a second")                 \
    X(RECEIVED, "received", AC_QUOTA_BYTES_MIN, AC_QUOTA_BYTES_MAX, "bytes received a second")

#define X(NAME, name, least, largest, unit) AC_QUOTA_##NAME,
enum ac_quota_kind { AC_QUOTA_TABLE(X) AC_QUOTA_COUNT };
#undef X

/* All zero: no limits. */
struct ac_quota {
    unsigned said;                 /* bit k: most[k] is a limit */
    uint32_t most[AC_QUOTA_COUNT]; /* the limits; unset ones are not used */
};

const char *ac_quota_name(enum ac_quota_kind kind);
const char *ac_quota_unit(enum ac_quota_kind kind);

/* Whether the quota limits this kind; then *most is the limit. */
bool ac_quota_has(const struct ac_quota *quota, enum ac_quota_kind kind, uint32_t *most);

/* Sets one number by its name.  False: no such name, or the number is out of range. */
bool ac_quota_set(struct ac_quota *quota, const char *name, int64_t most);

/*
 * Adds the limits of a text such as "worlds=4,replays=2" to *quota; a repeated name is refused.
 * False with *error filled: the end of a sentence with the wrong word and the accepted ones.
 */
bool ac_quota_parse(struct ac_quota *quota, const char *text, char error[AC_QUOTA_ERROR_SIZE]);

#endif
