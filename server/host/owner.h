/*
 * owner.h: counts the worlds that a session, token or tenant has had made.
 *
 * Threads: the network thread.
 */
#ifndef SERVER_HOST_OWNER_H
#define SERVER_HOST_OWNER_H

#include "server/host/host.h"

/*
 * Counts the worlds of that kind that the asker's session, token or tenant has had made and that
 * exist, including those that are still being made.
 */
int sv_host_made_count(const struct sv_host *host, enum sv_made made,
    const struct sv_asker *asker, enum sv_principal principal);

#endif
