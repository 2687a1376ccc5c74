/*
 * daemon.h: the whole server: one network thread, the workers, and what they share.
 *
 *     network thread (libuv)                          worker threads
 *     sockets -> sessions -> messages ---------------> worlds
 *     sockets <- gateway  <- reports, publications <- worlds
 *     HTTP   <-> admin                  uv_async, eventfd
 */
#ifndef SERVER_DAEMON_H
#define SERVER_DAEMON_H

#include "server/base/config.h"

/* Exit status of a daemon whose configuration is bad, files of keys included: EX_CONFIG. */
#define SV_EXIT_CONFIG 78

/* And of one for which there is no memory, or which may open too few files: EX_OSERR. */
#define SV_EXIT_OS 71

/* Whether the files that say who is let in are good; what is wrong is said on standard error. */
bool sv_daemon_check(const struct sv_config *config);

/*
 * Runs until a signal stops it. Returns the exit status: 0 stopped as asked, else 2, 3, 71, 78, or
 * a fault of the store's.
 */
int sv_daemon_run(const struct sv_config *config);

#endif
