/*
 * credentials.h: reads the files for access and identity: token keys, revoked tokens and the
 * certificate.
 *
 * They are read at start, and again on SIGHUP; a bad file then replaces nothing.
 *
 * Ownership: borrows all it is made of; owns the keys in force.
 */
#ifndef SERVER_CREDENTIALS_H
#define SERVER_CREDENTIALS_H

#include "access/token.h"
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
    struct ac_revoked *revoked; /* NULL: no file names any */
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

/*
 * The same of the revoked tokens; nothing to do, and true with *old NULL, where no file is named.
 */
bool sv_credentials_reload_revoked(
    struct sv_credentials *credentials, struct ac_revoked **old);

/* What is asked of tokens beside a signature; points into the credentials and the configuration. */
struct ac_policy sv_credentials_policy(const struct sv_credentials *credentials);

/* Looks at the certificate's files again; false, and said why: the old one is in force still. */
bool sv_credentials_check_tls(struct sv_credentials *credentials);

/* Tells once a day when the certificate ends soon. */
void sv_credentials_tend(struct sv_credentials *credentials);

#endif
