/*
 * remote.h: the daemon that a command speaks to, and errands there: one connection, one control.
 *
 * The daemon is that of --server, else that of the environment's CAIRN_SERVER, else the one at
 * 127.0.0.1:7878.  A daemon that wants a token gets that of --token-file, else CAIRN_TOKEN's.
 */
#ifndef CLIENTS_BASE_REMOTE_H
#define CLIENTS_BASE_REMOTE_H

#include "clients/base/exit.h"
#include "clients/c/say.h"
#include "proto/peer.h"

#define CLI_CLIENT_NAME "cairn/" PACKAGE_VERSION

struct cli_remote {
    struct cnc_address address;
    const char *ca_file; /* NULL: the system's certificates */
    const char *token;   /* NULL: none; points to `token_room` or to the environment */
    char token_room[CNC_TOKEN_SIZE];
};

/*
 * CLI_DONE, or CLI_BAD with a message.  Any text may be NULL.  The token is the first line of the
 * file, else CAIRN_TOKEN from the environment.
 */
enum cli_exit cli_remote_init(struct cli_remote *remote, const char *server, const char *ca_file,
    const char *token_file);

/* Finds a mode by its name: quantised, delta, raw, json or deeds.  CLI_BAD with a message. */
enum cli_exit cli_remote_mode(const char *name, enum wire_mode *mode);

/*
 * Puts --area, --tag and --budget into a Subscribe; NULL, NULL and 0 mean that they are not given.
 * CLI_BAD with a message.  A budget sets the mode delta.
 */
enum cli_exit cli_remote_interest(const char *area, const char *tags, uint64_t budget,
    struct wire_client_message *subscribe);

/* Asks the daemon for its worlds; the caller frees *statuses.  A failure prints a message. */
enum cli_exit cli_remote_worlds(
    const struct cli_remote *remote, struct wire_status **statuses, size_t *count);

/*
 * Create `count` worlds of a bundled scene, or remove them.  Their names are PREFIX-1, PREFIX-2 and
 * so on.  A refusal prints a message and ends the call; earlier worlds stay created or removed.
 */
enum cli_exit cli_remote_create(
    const struct cli_remote *remote, const char *scene, const char *prefix, size_t count);
enum cli_exit cli_remote_remove(const struct cli_remote *remote, const char *prefix, size_t count);

/* Makes a name such as "load-12". */
void cli_remote_world_name(char name[WIRE_NAME_SIZE], const char *prefix, size_t number);

#endif
