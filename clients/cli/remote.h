/*
 * remote.h: the daemon that a command speaks to, and errands there: one connection, one control.
 *
 * The daemon is that of --server, else that of the environment's CAIRN_SERVER, else the one at
 * 127.0.0.1:7878.
 */
#ifndef CLIENTS_CLI_REMOTE_H
#define CLIENTS_CLI_REMOTE_H

#include "clients/c/connection.h"
#include "clients/cli/cli.h"
#include "proto/peer.h"

#define CLI_CLIENT_NAME "cairn/" PACKAGE_VERSION

struct cli_remote {
    struct cnc_address address;
    const char *ca_file; /* NULL: the system's certificates */
};

/* CLI_DONE, or CLI_BAD with a message; either may be NULL. */
enum cli_exit cli_remote_init(struct cli_remote *remote, const char *server, const char *ca_file);

/* The daemon's worlds, to be freed; with a message when it can not be asked. */
enum cli_exit cli_remote_worlds(
    const struct cli_remote *remote, struct wire_status **statuses, size_t *count);

/*
 * Creates `count` worlds of a bundled scene, or removes them; called PREFIX-1, PREFIX-2 and so on.
 * With a message when one is refused; those before it stay as they are.
 */
enum cli_exit cli_remote_create(
    const struct cli_remote *remote, const char *scene, const char *prefix, size_t count);
enum cli_exit cli_remote_remove(const struct cli_remote *remote, const char *prefix, size_t count);

/* "load-12" */
void cli_remote_world_name(char name[WIRE_NAME_SIZE], const char *prefix, size_t number);

#endif
