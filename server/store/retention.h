/*
 * retention.h: decides which checkpoints of a world are kept.
 *
 * The newest two are for recovery and always stay.  The older ones are the world's past: any tick
 * is rebuilt from the newest checkpoint before it.  They are removed
 *
 *     where the records after them have been pruned from the journal;
 *     oldest first, when the next one is older than the limit, too;
 *     oldest first, when files and records take more bytes than the limit;
 *     from the middle, when they are older than SV_RETENTION_DENSE_MS and their neighbours are less
 *     than SV_RETENTION_GAP_MS of the world's time and SV_RETENTION_GAP_STEPPED_MS of steps apart.
 *
 * Ages are of the world's own clock: a world that does not run gets no older.
 *
 * Threads: values.
 */
#ifndef SERVER_STORE_RETENTION_H
#define SERVER_STORE_RETENTION_H

#include "server/store/journal/manifest.h"

#define SV_RETENTION_DENSE_MS UINT64_C(60000)
#define SV_RETENTION_GAP_MS UINT64_C(30000)
#define SV_RETENTION_GAP_STEPPED_MS UINT64_C(2000)

/* Checkpoints of one world, whatever the other limits: a folder must be quick to list. */
#define SV_RETENTION_COUNT_MAX 256

struct sv_retention_limits {
    uint64_t history_ms;   /* 0: no past is stored */
    uint64_t size_max;     /* bytes of a world's past */
    uint64_t first_commit; /* the oldest in the journal */
    uint64_t record_bytes; /* of all the world's records so far */
};

/*
 * Sorts `list`, oldest first, into the checkpoints that stay, in their order, and behind them those
 * to remove.  Returns how many stay.
 */
int
sv_retention_thin(struct sv_manifest *list, int count, const struct sv_retention_limits *limits);

#endif
