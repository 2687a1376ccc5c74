/*
 * listeners.h: opens the doors that the configuration names.
 */
#ifndef SERVER_LISTENERS_H
#define SERVER_LISTENERS_H

#include "server/base/config.h"
#include "server/net/lws/lws_server.h"

/*
 * Whether the daemon can listen on all addresses.  False after logging the reason.  Call it before
 * the data folder is used, so that a start with a bad address leaves nothing there.
 */
CN_MUST_USE bool sv_listeners_check(const struct sv_config *config, struct sv_log *log);

/* Whether the proxies of the configuration are valid.  False with *error filled. */
CN_MUST_USE bool sv_listeners_check_proxies(
    const struct sv_config *config, char error[SV_CONFIG_ERROR_SIZE]);

/* Listens on all addresses.  False after logging the reason, if one cannot be used. */
bool sv_listeners_open(struct sv_lws *lws, const struct sv_config *config, struct sv_log *log);

#endif
