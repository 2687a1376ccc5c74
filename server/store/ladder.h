/*
 * ladder.h: which checkpoints of a world are kept.
 *
 * The newest two are recovery's and always stay.  Those before them are the world's past, by which
 * any of its ticks is made again: from the newest one before it.  They go
 *
 *     where the records after them are gone from the journal;
 *     oldest first, when the next one is older than the past that is kept, too;
 *     oldest first, when files and records take more bytes than it may;
 *     from the middle, when they are older than SV_LADDER_DENSE_MS and their neighbours are less
 *     than SV_LADDER_GAP_MS of the world's time and SV_LADDER_GAP_STEPPED_MS of steps apart.
 *
 * Ages are of the world's own clock: a world that stands still gets no older.
 *
 * Threads: values.
 */
#ifndef SERVER_STORE_LADDER_H
#define SERVER_STORE_LADDER_H

#include "server/store/manifest.h"

#define SV_LADDER_DENSE_MS UINT64_C(60000)
#define SV_LADDER_GAP_MS UINT64_C(30000)
#define SV_LADDER_GAP_STEPPED_MS UINT64_C(2000)

/* Checkpoints of one world, whatever else holds: a folder has to be listed, too. */
#define SV_LADDER_COUNT_MAX 256

struct sv_ladder_limits {
    uint64_t history_ms;   /* 0: no past is kept */
    uint64_t size_max;     /* bytes of a world's past */
    uint64_t first_commit; /* the oldest that the journal has */
    uint64_t record_bytes; /* that the world has had so far */
};

/*
 * Sorts `list`, oldest first, into those that stay, in their order, and behind them those that go.
 * Returns how many stay.
 */
int sv_ladder_thin(struct sv_manifest *list, int count, const struct sv_ladder_limits *limits);

#endif
