/*
 * load.h: how busy a worker has been over the last seconds.
 *
 * The worker adds the times in which it works.  Each second is a window, and the load that others
 * see is the smallest of the last SV_LOAD_WINDOWS windows: a worker counts as loaded only when it
 * was loaded in all of them.
 *
 * Threads: one thread adds, any thread reads.
 */
#ifndef SERVER_HOST_LOAD_H
#define SERVER_HOST_LOAD_H

#include "server/base/limits.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct sv_load {
    uint64_t window_ns; /* when the current window began; 0: before the first */
    uint64_t busy_ns;   /* working time in the current window */
    uint32_t permille[SV_LOAD_WINDOWS]; /* of the last windows, in no order */
    unsigned count;
    _Atomic uint32_t shown_permille;
    _Atomic uint64_t shown_ns; /* when the shown load was computed */
};

/* The worker has worked from start_ns to end_ns.  The times of successive calls ascend. */
void sv_load_add(struct sv_load *load, uint64_t start_ns, uint64_t end_ns);

/* The worker has worked at least this many thousandths of its time; 0 without recent figures. */
uint32_t sv_load_permille(const struct sv_load *load, uint64_t now_ns);

#endif
