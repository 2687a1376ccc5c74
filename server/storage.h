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
    struct sv_store *store; /* NULL: worlds are not stored */
    struct sv_log *log;
    enum sv_store_state state; /* the state that was logged last */
    struct sv_slow_disk slow;
};

/* Opens and locks the folder.  Returns 0, or an exit status after logging the reason. */
int sv_storage_open(struct sv_storage *storage, const struct sv_config *config,
    const struct sv_store_config *how);

/* The durability of worlds whose scene does not set one. */
enum wire_durability sv_storage_durability(const struct sv_config *config);

/*
 * Gives the workers their lanes, recovers the worlds, and starts the store's threads.  Returns 0,
 * or an exit status.
 */
int sv_storage_recover(struct sv_storage *storage, struct sv_host *host,
    enum wire_durability durability, bool has_past);

/* Logs changes of the store's state.  Returns an exit status if the store has failed, else 0. */
int sv_storage_tend(
    struct sv_storage *storage, const struct sv_host *host, uint64_t now_ns);

/* Commits everything and stores a checkpoint of every world; the workers must have stopped. */
bool sv_storage_close(struct sv_storage *storage, struct sv_host *host);

#endif
