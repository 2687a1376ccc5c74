/*
 * load.h: how busy a worker has been, for as long as it takes to be sure.
 *
 * The worker adds the times that it works; each second makes a window, and what others are shown is
 * the least of the last SV_LOAD_WINDOWS of them: a worker is loaded when it has been all the time.
 *
 * Threads: one adds, any reads.
 */
#ifndef SERVER_HOST_LOAD_H
#define SERVER_HOST_LOAD_H

#include "server/base/limits.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct sv_load {
    uint64_t window_ns; /* when it began; 0: there is none yet */
    uint64_t busy_ns;   /* in it */
    uint32_t permille[SV_LOAD_WINDOWS]; /* of the last ones, in no order */
    unsigned count;
    _Atomic uint32_t shown_permille;
    _Atomic uint64_t shown_ns; /* since when */
};

/* The worker has worked from then till then; the times of all calls ascend. */
void sv_load_add(struct sv_load *load, uint64_t start_ns, uint64_t end_ns);

/* Thousandths of its time that it has worked, at least; 0 when it has not been heard of lately. */
uint32_t sv_load_permille(const struct sv_load *load, uint64_t now_ns);

#endif
