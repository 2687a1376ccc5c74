/*
 * listeners.h: opens the doors that the configuration names.
 */
#ifndef SERVER_LISTENERS_H
#define SERVER_LISTENERS_H

#include "server/base/config.h"
#include "server/net/lws_server.h"

/*
 * Whether the addresses can be listened on: false, and said why, when one can not.  It comes before
 * the data folder is touched, so that a start that is refused for its address leaves nothing there.
 */
CN_MUST_USE bool sv_listeners_check(const struct sv_config *config, struct sv_log *log);

/* Whether the proxies are named as they have to be; false with *error filled. */
CN_MUST_USE bool sv_listeners_check_proxies(
    const struct sv_config *config, char error[SV_CONFIG_ERROR_SIZE]);

/* Listens everywhere; false, and said why, when one of the listeners can not be had. */
bool sv_listeners_open(struct sv_lws *lws, const struct sv_config *config, struct sv_log *log);

#endif
