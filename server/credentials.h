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
    struct ac_revoked *revoked; /* NULL: no file of revoked tokens */
    struct sv_tls tls;
    int64_t told_s; /* Unix time of the last warning about the certificate's expiry */
};

/* Reads all files that the configuration names.  False after logging the reason. */
bool sv_credentials_init(struct sv_credentials *credentials, const struct sv_config *config,
    const struct sv_disk *disk, struct sv_log *log, struct sv_clock clock);
void sv_credentials_finish(struct sv_credentials *credentials);

/* Whether the configuration names any of these files. */
bool sv_credentials_are_used(const struct sv_credentials *credentials);

/*
 * Reads the keys again.  True: *old are the former keys, which the caller destroys when nothing
 * points to them.  False after logging the reason: the former keys stay in force.
 */
bool sv_credentials_reload_keys(struct sv_credentials *credentials, struct ac_keys **old);

/*
 * The same for the revoked tokens.  Without such a file it does nothing, and returns true with *old
 * NULL.
 */
bool sv_credentials_reload_revoked(
    struct sv_credentials *credentials, struct ac_revoked **old);

/* The conditions on tokens besides the signature; points into credentials and configuration. */
struct ac_policy sv_credentials_policy(const struct sv_credentials *credentials);

/* Checks the certificate's files again.  False after logging why: the old one stays in force. */
bool sv_credentials_check_tls(struct sv_credentials *credentials);

/* Logs a warning once a day if the certificate expires soon. */
void sv_credentials_tend(struct sv_credentials *credentials);

#endif
