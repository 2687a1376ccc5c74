/*
 * recordings.h: recordings in a daemon that runs: of what it keeps of a world, and as a new world.
 *
 * Threads: a thread of the host's pool; both may wait for the disk and take seconds.
 */
#ifndef SERVER_PAST_RECORDINGS_H
#define SERVER_PAST_RECORDINGS_H

#include "server/past/recorder.h"

#include <stdatomic.h>

/*
 * The recording of what the store keeps of the world, from its oldest checkpoint on, or of one that
 * has never run from its scene on; NULL with *error filled: nothing is kept, or it is larger than
 * size_max.
 */
struct sv_buffer *sv_recordings_export(struct sv_store *store, uint64_t number, const char *id,
    size_t size_max, struct wire_error *error);

struct sv_import {
    const char *bytes; /* of a recording */
    size_t size;
    struct sv_clock clock;
    uint64_t duration_max_ns; /* of doing it again */
    const atomic_bool *is_stopping;
    struct sv_metrics *metrics;
    const char *simd;
    struct as_library *meshes;
};

/* The world at the end of the recording, to grow another from; NULL with *error filled. */
struct sv_seed *sv_recordings_import(const struct sv_import *import, struct wire_error *error);

#endif
