/*
 * seek.h: a world as it was at a tick, made of what is kept of it, and what is kept at all.
 *
 *     checkpoint before T, records up to T  --done again, hashes compared-->  seed at T
 *
 * Ticks are of the world's present series: since it was reset or loaded last.  The state at T is
 * the one that was shown at T: before what was done between T and T + 1.
 *
 * Threads: a thread of the host's pool, with a worker of its own; it may wait for the disk, and
 * takes as long as the ticks from the checkpoint on.
 */
#ifndef SERVER_HOST_SEEK_H
#define SERVER_HOST_SEEK_H

#include "proto/codec_json.h"
#include "server/host/world.h"
#include "server/store/store.h"

/* Records of a replay that are fetched at once [B], and marks of a timeline. */
#define SV_SEEK_RECORDS_SIZE ((size_t)4 * 1024 * 1024)
#define SV_TIMELINE_MARKS_MAX 512

/* Spans of inputs, and ticks without one that part two of them where there are few. */
#define SV_TIMELINE_SPANS_MAX 256
#define SV_TIMELINE_GAP_TICKS 30

struct sv_seek {
    struct sv_store *store;
    struct sv_clock clock;
    struct sv_metrics *metrics;
    const char *simd;
    struct as_library *meshes;
    uint64_t number; /* of the world in the store */
    char id[WIRE_NAME_SIZE];
    uint32_t series;
    uint64_t newest;     /* the last tick that has been shown ... */
    bool is_durable;     /* ... and can not be lost; else the last record's is the newest */
    uint64_t tick;       /* wanted; at most the newest */
    bool wants_newest;   /* instead: all that was done */
    bool wants_records;  /* and what follows */
    double tick_rate;
};

/* NULL with *error filled; TICK where the tick is not kept (any more). */
struct sv_seed *sv_seek_seed(const struct sv_seek *seek, struct wire_error *error);

/* The last tick that is certain: of the last record, or one that was shown and can not be lost. */
uint64_t sv_seek_newest(const struct sv_seek *seek, uint64_t last);

/* The timeline as JSON; NULL with *error filled. */
char *sv_seek_timeline(const struct sv_seek *seek, struct wire_error *error);

#endif
