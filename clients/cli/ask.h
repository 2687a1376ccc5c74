/*
 * ask.h: a request to a daemon by HTTP, for what goes by no session: recordings.
 *
 * These are an operator's, whom a daemon that others can reach hears on a listener of its own, on
 * loopback (--admin-listen).  So the request goes in the clear; https is refused by name.
 */
#ifndef CLIENTS_CLI_ASK_H
#define CLIENTS_CLI_ASK_H

#include "clients/cli/remote.h"

struct cli_request {
    const char *method, *path;
    const char *type; /* of the body; NULL: there is none */
    const void *body;
    size_t size;
};

/* The body of an answer with 200 or 201, to be freed; else a message with what the daemon says. */
enum cli_exit cli_ask(const struct cli_remote *remote, const struct cli_request *request,
    unsigned char **body_give, size_t *size);

#endif
