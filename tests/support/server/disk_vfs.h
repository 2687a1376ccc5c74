/*
 * disk_vfs.h: SQLite on the simulated disk, for one process that crashes and starts again.
 *
 * SQLite's files are on the simulated disk, so its failures, torn sectors and lost writes affect
 * SQLite too.  Locks and shared memory work for the connections of one thread; a crash drops them.
 */
#ifndef TESTS_SUPPORT_SERVER_DISK_VFS_H
#define TESTS_SUPPORT_SERVER_DISK_VFS_H

#include "server/base/disk.h"

#define DISK_VFS_NAME "cairn-disk-twin"

/* Registers the VFS, or gives it another disk. */
void disk_vfs_use(struct sv_disk_sim *disk);

/* The same, but by the given calls.  The random numbers start from the beginning. */
void disk_vfs_use_by(struct sv_disk_sim *disk, const struct sv_disk *calls);

/* Drops shared memory and locks, because the process has died or ends. */
void disk_vfs_reset(void);

#endif
