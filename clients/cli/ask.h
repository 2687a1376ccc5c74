/*
 * ask.h: an HTTP request to a daemon, for functions that no session has: recordings, rooms.
 *
 * They are for operators.  A daemon that other machines can reach answers them on a listener of its
 * own, on loopback (--admin-listen).  So the request is not encrypted; https is refused with a
 * message.
 */
#ifndef CLIENTS_CLI_ASK_H
#define CLIENTS_CLI_ASK_H

#include "clients/base/remote.h"

struct cli_request {
    const char *method, *path;
    const char *type; /* of the body; NULL: no body */
    const void *body;
    size_t size;
};

/*
 * Returns the body of an answer with 200, 201 or 204, which the caller frees.  Else NULL, after
 * printing the daemon's answer.
 */
enum cli_exit cli_ask(const struct cli_remote *remote, const struct cli_request *request,
    unsigned char **body_give, size_t *size);

#endif
