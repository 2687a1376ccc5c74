/*
 * credentials.h: the files that say who is let in, and as whom the daemon shows itself: token keys
 * and the certificate.
 *
 * They are read at start, and again when the daemon is told to; a file that is bad then replaces
 * nothing.
 *
 * Ownership: borrows all it is made of; owns the keys in force.
 */
#ifndef SERVER_CREDENTIALS_H
#define SERVER_CREDENTIALS_H

#include "access/key.h"
#include "server/base/clock.h"
#include "server/base/config.h"
#include "server/base/disk.h"
#include "server/net/tls.h"

struct sv_credentials {
    const struct sv_config *config;
    const struct sv_disk *disk;
    struct sv_log *log;
    struct sv_clock clock;
    struct ac_keys *keys; /* NULL: the daemon is open */
    struct sv_tls tls;
    int64_t told_s; /* Unix time when the certificate's end was last told */
};

/* Reads everything that the configuration names; false, and said why. */
bool sv_credentials_init(struct sv_credentials *credentials, const struct sv_config *config,
    const struct sv_disk *disk, struct sv_log *log, struct sv_clock clock);
void sv_credentials_finish(struct sv_credentials *credentials);

/* Whether there is anything that could be read again. */
bool sv_credentials_are_used(const struct sv_credentials *credentials);

/*
 * Reads the keys again.  True: *old are those that were in force, for the caller to destroy when
 * nothing points at them any more; false, and said why: they are in force still.
 */
bool sv_credentials_reload_keys(struct sv_credentials *credentials, struct ac_keys **old);

/* Looks at the certificate's files again; false, and said why: the old one is in force still. */
bool sv_credentials_check_tls(struct sv_credentials *credentials);

/* Tells once a day when the certificate ends soon. */
void sv_credentials_tend(struct sv_credentials *credentials);

#endif
