/*
 * storage.h: the data folder of a daemon: opened, read back, watched, closed.
 *
 * Threads: the network thread.
 */
#ifndef SERVER_STORAGE_H
#define SERVER_STORAGE_H

#include "server/base/config.h"
#include "server/host/host.h"
#include "server/host/slow_disk.h"
#include "server/store/store.h"

struct sv_storage {
    struct sv_store *store; /* NULL: nothing is kept */
    struct sv_log *log;
    enum sv_store_state state; /* that was told last */
    struct sv_slow_disk slow;
};

/* Opens the folder, which is locked; 0, or what to exit with, and why is in the log. */
int sv_storage_open(struct sv_storage *storage, const struct sv_config *config,
    const struct sv_store_config *how);

/* What worlds are kept as whose scene does not say. */
enum wire_durability sv_storage_durability(const struct sv_config *config);

/*
 * Gives the workers their lanes and brings the worlds back; then its threads start.  0, or what to
 * exit with.
 */
int sv_storage_recover(struct sv_storage *storage, struct sv_host *host,
    enum wire_durability durability, bool has_past);

/* Tells what has become of the folder; what to exit with when it has failed, else 0. */
int sv_storage_tend(
    struct sv_storage *storage, const struct sv_host *host, uint64_t now_ns);

/* Everything is committed and every world has a checkpoint; the workers run no more. */
bool sv_storage_close(struct sv_storage *storage, struct sv_host *host);

#endif
