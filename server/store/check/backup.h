/*
 * backup.h: a copy of a data folder that a daemon may be using, complete and compared.
 *
 *     1. hold the folder (disk.h): a daemon at work puts off removing files
 *     2. read the watermark: the journal must reach it
 *     3. copy the journal in one of SQLite's read transactions: it is that of one commit
 *     4. copy the checkpoints that this copy names
 *     5. write a watermark of the copy's last commit
 *     6. read the whole copy back and compare it with its checks (scrub.h)
 *
 * The copy is made under another name, flushed, and renamed at the end: it is there whole or not at
 * all.  It contains everything that was durable when the backup began.  A daemon can start with it.
 *
 * The daemon continues to work meanwhile.  During step 3 SQLite cannot restart its write-ahead log,
 * so that step runs as fast as it can; step 4 is limited to a rate.
 *
 * Threads: one, of a process that is not the daemon's.
 */
#ifndef SERVER_STORE_CHECK_BACKUP_H
#define SERVER_STORE_CHECK_BACKUP_H

#include "server/base/clock.h"
#include "server/base/disk.h"
#include "server/store/check/scrub.h"
#include "server/store/format/fault.h"

#include <stdbool.h>
#include <stdint.h>

struct sv_backup {
    const char *from, *to; /* folders; `to` does not exist yet */
    struct sv_disk disk;
    struct sv_clock clock;
    uint64_t rate_bytes; /* of checkpoints, per second; 0: as fast as possible */
    void (*progress)(void *context, uint64_t done_bytes, uint64_t total_bytes); /* may be NULL */
    void (*tell)(void *context, const struct sv_find *find); /* reports damage in the folder */
    void *context;

    /* The result of a backup. */
    uint64_t done_bytes, total_bytes;
    uint64_t commit;     /* the last commit in the copy */
    int world_count, checkpoint_count;
    uint64_t find_count; /* reported damages; the copy has them too */
};

/* False and a fault if no copy was made; a partial one is removed. */
bool sv_backup_make(struct sv_backup *backup, struct sv_fault *fault);

#endif
