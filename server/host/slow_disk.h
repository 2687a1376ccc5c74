/*
 * slow_disk.h: log lines about a slow disk: how long a commit takes, and which worlds wait for it.
 *
 * One line when a commit has taken SV_SLOW_TOLD_NS and has not ended, and one when it has:
 *
 *     the disk is slow: a commit takes 1.2 s so far; 2 worlds wait: pile (1.1 s), wall (0.9 s)
 *     the disk was slow: a commit took 4.3 s; 2 worlds waited: pile (4.1 s), wall (3.9 s)
 *
 * Threads: the network thread.
 */
#ifndef SERVER_HOST_SLOW_DISK_H
#define SERVER_HOST_SLOW_DISK_H

#include "server/base/log.h"
#include "server/host/host.h"

#define SV_SLOW_TOLD_NS (UINT64_C(1000) * SV_NS_PER_MS)
#define SV_SLOW_NAMES_MAX 4 /* worlds that a line names: those that have waited longest */

struct sv_slow_disk {
    uint64_t since_ns; /* when the commit began; 0: the disk is not slow */
    bool is_told;
    int world_count;   /* worlds that wait */
    int name_count;
    struct {
        char id[WIRE_NAME_SIZE];
        uint32_t waited_ms;
    } names[SV_SLOW_NAMES_MAX]; /* the longest wait first */
};

/* Notes a commit that takes long and began at `since_ns`; call it several times a second. */
void sv_slow_disk_look(struct sv_slow_disk *slow, const struct sv_host *host, struct sv_log *log,
    uint64_t since_ns, uint64_t now_ns);

/* The commit has ended, or another one has begun. */
void sv_slow_disk_end(struct sv_slow_disk *slow, struct sv_log *log, uint64_t now_ns);

#endif
