/*
 * daemon.h: the whole server: one network thread, the workers, and their shared data.
 *
 *     network thread (libuv)                          worker threads
 *     sockets -> sessions -> messages ---------------> worlds
 *     sockets <- gateway  <- reports, publications <- worlds
 *     HTTP   <-> admin                  uv_async, eventfd
 */
#ifndef SERVER_DAEMON_H
#define SERVER_DAEMON_H

#include "server/base/config.h"

/* Exit status for a bad configuration, including files of keys: EX_CONFIG. */
#define SV_EXIT_CONFIG 78

/* Exit status if memory runs out, or too few files may be opened: EX_OSERR. */
#define SV_EXIT_OS 71

/* Whether the files of keys, revoked tokens and TLS are good; errors go to standard error. */
bool sv_daemon_check(const struct sv_config *config);

/*
 * Runs until a signal stops it.  Returns the exit status: 0 after a signal, else 2, 3, 71, 78, or
 * that of a fault of the store.
 */
int sv_daemon_run(const struct sv_config *config);

#endif
