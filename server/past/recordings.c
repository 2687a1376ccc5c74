#include "server/past/recordings.h"

#include "engine/base/assert.h"
#include "server/past/recorder.h"
#include "server/past/replay.h"
#include "server/world/act/world_life.h"
#include "server/world/act/world_persistence.h"
#include "server/world/data/env.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Steps between two readings of the clock. */
#define STEPS_PER_LOOK 16

/* ---- recording ---- */

struct growing {
    unsigned char *bytes;
    size_t size, capacity, size_max;
    bool is_full;
};

static bool
put_bytes(void *context, const void *bytes, size_t size)
{
    struct growing *out = context;
    CN_ASSERT(out->size <= out->size_max && out->size <= out->capacity);
    if (size > out->size_max - out->size) {
        out->is_full = true;
        return false;
    }
    if (size > out->capacity - out->size) {
        size_t capacity = 2 * out->capacity + size;
        unsigned char *larger = realloc(out->bytes, capacity);
        if (larger == NULL) {
            return false;
        }
        out->bytes = larger;
        out->capacity = capacity;
    }
    CN_ASSERT(size <= out->capacity - out->size);
    memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
    return true;
}

static bool
write_all(struct sv_log_reader *reader, const char *id, struct growing *out, struct sv_fault *fault)
{
    struct sv_past_recorder recorder;
    struct sv_record record;
    enum sv_recovery_step step = SV_RECOVERY_FAULT;
    const struct sv_past *past = &reader->past;
    bool is_good = sv_past_recorder_begin(&recorder, past, id, false, put_bytes, out, fault);
    while (is_good &&
        (step = past->next(past->context, &record, fault)) == SV_RECOVERY_RECORD) {
        is_good = sv_past_recorder_record(&recorder, &record, fault);
    }
    is_good = is_good && step == SV_RECOVERY_END && sv_past_recorder_end(&recorder, fault);
    sv_past_recorder_finish(&recorder);
    return is_good;
}

/*
 * Opens the log from the oldest checkpoint.  A world without one has never run: its past is its
 * scene and the entries made to it.
 */
static bool
open_log(
    struct sv_log_reader *reader, struct sv_store *store, uint64_t number, struct sv_fault *fault)
{
    struct sv_charter charter;
    if (sv_log_reader_init(reader, store, number, NULL, fault)) {
        return true;
    }
    return fault->kind == SV_FAULT_MISSING && sv_charter_of(store, number, &charter) &&
        sv_log_reader_init(reader, store, number, charter.content, fault);
}

struct sv_buffer *
sv_recordings_export(struct sv_store *store, uint64_t number, const char *id, size_t size_max,
    struct wire_error *error)
{
    struct sv_log_reader reader;
    struct sv_fault fault;
    struct growing out = {.size_max = size_max};
    struct sv_buffer *buffer = NULL;
    if (!open_log(&reader, store, number, &fault)) {
        wire_error_set(error, "STATE", "", "%.200s", fault.text);
        return NULL;
    }
    bool is_good = write_all(&reader, id, &out, &fault);
    sv_log_reader_finish(&reader);
    if (is_good) {
        buffer = sv_buffer_create(out.size);
    }
    if (buffer != NULL) {
        memcpy(buffer->bytes, out.bytes, out.size);
    } else if (out.is_full) {
        wire_error_set(error, "SIZE", "",
            "the recording is larger than %zu bytes; `cairn record --data` has no such limit",
            size_max);
    } else {
        wire_error_set(error, "STATE", "", "%.200s", is_good ? "no memory" : fault.text);
    }
    free(out.bytes);
    return buffer;
}

/* ---- importing ---- */

static bool
play_recording(const struct sv_import *import, struct sv_replay *replay, struct wire_error *error)
{
    uint64_t start_ns = sv_clock_now_ns(&import->clock);
    for (unsigned count = 1;; count++) {
        switch (sv_replay_next(replay)) {
        case SV_REPLAY_TICK:
        case SV_REPLAY_MORE:
        case SV_REPLAY_RECORD:
            break;
        case SV_REPLAY_END:
            return true;
        case SV_REPLAY_FAILED:
            wire_error_set(error, "FIELD", "recording", "%.200s", replay->world->failure);
            return false;
        case SV_REPLAY_MEMORY:
            wire_error_set(error, "MEMORY", "", "%.200s", replay->world->failure);
            return false;
        }
        if (count % STEPS_PER_LOOK != 0) {
            continue;
        }
        if (atomic_load(import->is_stopping)) {
            wire_error_set(error, "STOPPING", "", "the daemon is stopping");
            return false;
        }
        if (sv_clock_now_ns(&import->clock) - start_ns > import->duration_max_ns) {
            wire_error_set(error, "LIMIT", "",
                "the replay takes longer than %.0f s; it had reached tick %" PRIu64,
                (double)import->duration_max_ns * 1e-9, cn_world_tick(replay->world->engine));
            return false;
        }
    }
}

static struct sv_seed *
import_recording(const struct sv_import *import, struct sv_recording *recording,
    struct wire_error *error)
{
    struct sv_env env = {.clock = import->clock,
        .metrics = import->metrics,
        .simd = import->simd,
        .meshes = import->meshes};
    struct sv_mailbox mailbox = {.number = 1};
    struct sv_past past = sv_recording_past(recording);
    struct sv_replay replay;
    struct sv_seed *seed = NULL;
    bool is_good = false;
    struct sv_world *world =
        sv_replay_begin(&replay, &env, &mailbox, &past, &is_good, error);
    if (world != NULL && !is_good) {
        wire_error_set(error, "FIELD", "recording", "%.200s", world->failure);
    }
    if (world != NULL && is_good && play_recording(import, &replay, error)) {
        seed = sv_world_seed(world, sv_recording_facts(recording)->start.name, error);
    }
    sv_world_destroy(world);
    sv_env_finish(&env);
    return seed;
}

struct sv_seed *
sv_recordings_import(const struct sv_import *import, struct wire_error *error)
{
    struct sv_fault fault;
    struct sv_seed *seed = NULL;
    struct sv_recording *recording = sv_recording_open(
        (const unsigned char *)import->bytes, import->size, "recording", &fault);
    if (recording == NULL) {
        wire_error_set(error, "FIELD", "recording", "%.200s", fault.text);
        return NULL;
    }
    const struct sv_recording_facts *facts = sv_recording_facts(recording);
    if (facts->is_cut) {
        wire_error_set(error, "FIELD", "recording",
            "it was cut after byte %zu, tick %" PRIu64, facts->good_size,
            facts->last_tick);
    } else if (facts->start.physics != cn_physics_version()) {
        wire_error_set(error, "FIELD", "recording", "it is of physics %u, this daemon has %u",
            (unsigned)facts->start.physics, (unsigned)cn_physics_version());
    } else {
        seed = import_recording(import, recording, error);
    }
    sv_recording_close(recording);
    return seed;
}
