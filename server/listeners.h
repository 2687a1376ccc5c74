/*
 * listeners.h: opens the doors that the configuration names.
 */
#ifndef SERVER_LISTENERS_H
#define SERVER_LISTENERS_H

#include "server/base/config.h"
#include "server/net/lws_server.h"

/* Listens everywhere; false, and said why, when one of the listeners can not be had. */
bool sv_listeners_open(struct sv_lws *lws, const struct sv_config *config, struct sv_log *log);

#endif
