/*
 * physical.h: how much memory the machine has, or as much of it as the daemon's control group may
 * use, where that is less.
 */
#ifndef SERVER_BASE_PHYSICAL_H
#define SERVER_BASE_PHYSICAL_H

#include <stdint.h>

/* Bytes; 0 when nothing says. `root` is where cgroup2 is mounted, `self` lists the own group. */
uint64_t sv_physical_memory_of(const char *root, const char *self);

/* The same of this process: /sys/fs/cgroup and /proc/self/cgroup. */
uint64_t sv_physical_memory(void);

#endif
