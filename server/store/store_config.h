/*
 * store_config.h: what a store is opened with, its bounds, and the states that it can be in.
 *
 * store.h explains the states.
 */
#ifndef SERVER_STORE_STORE_CONFIG_H
#define SERVER_STORE_STORE_CONFIG_H

#include "server/base/clock.h"
#include "server/base/disk.h"
#include "server/base/log.h"
#include "server/base/metrics.h"
#include "server/store/journal/journal.h"

/* The most worlds that sv_store_stale lists at a time. */
#define SV_STORE_STALE_MAX 64

enum sv_store_state { SV_STORE_WRITING, SV_STORE_STALLED, SV_STORE_READ_ONLY, SV_STORE_FAILED };

/*
 * Commits begin at least this far apart, so that many worlds share one: at most 67 commits a
 * second, while a single world at 60 Hz never waits.
 */
#define SV_STORE_SPACING_NS (UINT64_C(15) * 1000 * 1000)
#define SV_STORE_STALL_NS (UINT64_C(100) * 1000 * 1000)
#define SV_STORE_LANES_MAX 65 /* of each worker, and of the network thread */

/*
 * Sizes: of the reserve that is given up when the disk is full; of the write-ahead log beyond which
 * it is merged; of free space below which sv_store_is_low.  On a disk with less than four times the
 * first and the last together, these are a quarter of the free space.
 */
#define SV_STORE_RESERVE_SIZE (UINT64_C(256) << 20)
#define SV_STORE_WAL_SIZE_MAX (UINT64_C(64) << 20)
#define SV_STORE_FREE_MIN (UINT64_C(1) << 30)

/* Bytes of the journal beyond which it keeps only what recovery needs, by default. */
#define SV_STORE_HISTORY_SIZE (UINT64_C(1) << 30)

struct sv_store_config {
    const char *folder; /* borrowed for the store's life */
    int lane_count;
    size_t lane_size;      /* 0: SV_LANE_SIZE */
    uint64_t spacing_ns;   /* 0: SV_STORE_SPACING_NS */
    uint64_t reserve_size; /* of the reserve file; 0: none */
    uint64_t history_size; /* see above; 0: only what recovery needs */
    uint64_t past_ms;      /* how much of each world's time can be rebuilt; 0: none */
    uint64_t past_size;    /* and the most bytes for one world's past */
    uint64_t free_min;     /* 0: SV_STORE_FREE_MIN */
    uint64_t scrub_ms;     /* how often all stored data is verified; 0: never */
    struct sv_metrics *metrics; /* borrowed; may be NULL */
    struct sv_clock clock;
    struct sv_disk disk;
    struct sv_log *log; /* borrowed; may be NULL */

    /* The journal: open and not yet claimed; NULL: SQLite in the folder, with this VFS. */
    const struct sv_journal *journal; /* taken over by an open that succeeds */
    struct sv_journal_head head;      /* of a journal that is given */
    const char *vfs;

    /* Called on the journal's thread after tickets have become durable or the state has changed. */
    void (*wake)(void *context);
    void *wake_context;
};

#endif
