/*
 * seek.h: rebuilds a world as it was at a tick, and lists its stored past.
 *
 *     checkpoint before T, records up to T  --repeated, hashes compared-->  seed at T
 *
 * Ticks are those of the world's present series, since its last reset or load.  The state at T is
 * the one that was shown at T: before the entries between T and T + 1.
 *
 * Threads: a thread of the host's pool, with an environment of its own (env.h).  It may wait for
 * the disk, and takes as long as the ticks from the checkpoint on.
 */
#ifndef SERVER_PAST_SEEK_H
#define SERVER_PAST_SEEK_H

#include "proto/codec_json.h"
#include "server/store/store.h"
#include "server/world/data/world.h"

/* Records that a replay fetches at once [B], and marks of a timeline. */
#define SV_SEEK_RECORDS_SIZE ((size_t)4 * 1024 * 1024)
#define SV_TIMELINE_MARKS_MAX 512

/*
 * Spans of inputs; and the number of ticks without input that separates two spans when they are
 * few.
 */
#define SV_TIMELINE_SPANS_MAX 256
#define SV_TIMELINE_GAP_TICKS 30

struct sv_seek {
    struct sv_store *store;
    struct sv_clock clock;
    struct sv_metrics *metrics;
    const char *simd;
    struct as_library *meshes;
    uint64_t number; /* the world's number in the store */
    char id[WIRE_NAME_SIZE];
    uint32_t series;
    uint64_t newest;     /* the last tick that has been shown ... */
    bool is_durable;     /* ... and cannot be lost; else the last record's tick is the newest */
    uint64_t tick;       /* the wanted tick; at most the newest */
    bool wants_newest;   /* wanted instead: the state after all records */
    bool wants_records;  /* wanted as well: the records that follow */
    double tick_rate;
};

/* NULL with *error filled; TICK if the tick is not stored, or no longer. */
struct sv_seed *sv_seek_seed(const struct sv_seek *seek, struct wire_error *error);

/* The last tick that is certain: the last record's, or one that was shown and cannot be lost. */
uint64_t sv_seek_newest(const struct sv_seek *seek, uint64_t last);

/* The timeline as JSON; NULL with *error filled. */
char *sv_seek_timeline(const struct sv_seek *seek, struct wire_error *error);

#endif
