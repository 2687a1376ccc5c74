/*
 * recordings.h: recordings in a running daemon: made from a stored world, and as a new world.
 *
 * Threads: a thread of the host's pool; both may wait for the disk and take seconds.
 */
#ifndef SERVER_PAST_RECORDINGS_H
#define SERVER_PAST_RECORDINGS_H

#include "server/past/recorder.h"

#include <stdatomic.h>

/*
 * Makes a recording of the stored past of a world, from its oldest checkpoint; for a world that has
 * never run, from its scene.  NULL with *error filled: nothing is stored, or the recording is
 * larger than size_max.
 */
struct sv_buffer *sv_recordings_export(struct sv_store *store, uint64_t number, const char *id,
    size_t size_max, struct wire_error *error);

struct sv_import {
    const char *bytes; /* the recording */
    size_t size;
    struct sv_clock clock;
    uint64_t duration_max_ns; /* limit for the replay */
    const atomic_bool *is_stopping;
    struct sv_metrics *metrics;
    const char *simd;
    struct as_library *meshes;
};

/* The seed of a new world: the state at the end of the recording.  NULL with *error filled. */
struct sv_seed *sv_recordings_import(const struct sv_import *import, struct wire_error *error);

#endif
