/*
 * physical.h: how much memory the machine has, or as much of it as the daemon's control group may
 * use, where that is less.
 */
#ifndef SERVER_BASE_PHYSICAL_H
#define SERVER_BASE_PHYSICAL_H

#include <stdint.h>

/* Memory in bytes; 0: unknown.  root: mount point of cgroup2; self: a file with the own group. */
uint64_t sv_physical_memory_of(const char *root, const char *self);

/* The same for this process, from /sys/fs/cgroup and /proc/self/cgroup. */
uint64_t sv_physical_memory(void);

#endif
