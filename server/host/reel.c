#include "server/host/reel.h"

#include "server/host/worker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* How often the clock is looked at. */
#define STEPS_PER_LOOK 16

/* ---- recording ---- */

struct growing {
    unsigned char *bytes;
    size_t size, capacity, size_max;
    bool is_full;
};

static bool
put(void *context, const void *bytes, size_t size)
{
    struct growing *out = context;
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
    memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
    return true;
}

static bool
write_all(struct sv_memory *memory, const char *id, struct growing *out, struct sv_fault *fault)
{
    struct sv_tape tape;
    struct sv_record record;
    enum sv_recovery_step step = SV_RECOVERY_FAULT;
    const struct sv_past *past = &memory->past;
    bool is_good = sv_tape_begin(&tape, past, id, false, put, out, fault);
    while (is_good &&
        (step = past->next(past->context, &record, fault)) == SV_RECOVERY_RECORD) {
        is_good = sv_tape_record(&tape, &record, fault);
    }
    is_good = is_good && step == SV_RECOVERY_END && sv_tape_end(&tape, fault);
    sv_tape_finish(&tape);
    return is_good;
}

/*
 * From the oldest checkpoint on; one that has none has not run, and is its scene and what was done
 * to it.
 */
static bool
remember(struct sv_memory *memory, struct sv_store *store, uint64_t number, struct sv_fault *fault)
{
    struct sv_charter charter;
    if (sv_memory_init(memory, store, number, NULL, fault)) {
        return true;
    }
    return fault->kind == SV_FAULT_MISSING && sv_charter_of(store, number, &charter) &&
        sv_memory_init(memory, store, number, charter.content, fault);
}

struct sv_buffer *
sv_reel_record(struct sv_store *store, uint64_t number, const char *id, size_t size_max,
    struct wire_error *error)
{
    struct sv_memory memory;
    struct sv_fault fault;
    struct growing out = {.size_max = size_max};
    struct sv_buffer *buffer = NULL;
    if (!remember(&memory, store, number, &fault)) {
        wire_error_set(error, "STATE", "", "%.200s", fault.text);
        return NULL;
    }
    bool is_good = write_all(&memory, id, &out, &fault);
    sv_memory_finish(&memory);
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
play(const struct sv_import *import, struct sv_replay *replay, struct wire_error *error)
{
    uint64_t start_ns = sv_clock_now_ns(&import->clock);
    for (unsigned count = 1;; count++) {
        switch (sv_replay_next(replay)) {
        case SV_REPLAY_TICK:
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
                "doing it again takes longer than %.0f s; it had come to tick %" PRIu64,
                (double)import->duration_max_ns * 1e-9, cn_world_tick(replay->world->engine));
            return false;
        }
    }
}

static struct sv_seed *
import_recording(const struct sv_import *import, struct sv_recording *recording,
    struct wire_error *error)
{
    struct sv_worker worker = {.clock = import->clock,
        .metrics = import->metrics,
        .simd = import->simd,
        .meshes = import->meshes};
    struct sv_post post = {.number = 1};
    struct sv_past past = sv_tape_past(recording);
    struct sv_replay replay;
    struct sv_seed *seed = NULL;
    bool is_good = false;
    struct sv_world *world =
        sv_replay_begin(&replay, &worker, &post, &past, &is_good, error);
    if (world != NULL && !is_good) {
        wire_error_set(error, "FIELD", "recording", "%.200s", world->failure);
    }
    if (world != NULL && is_good && play(import, &replay, error)) {
        seed = sv_world_seed(world, sv_recording_facts(recording)->start.name, error);
    }
    sv_world_destroy(world);
    sv_worker_finish(&worker);
    return seed;
}

struct sv_seed *
sv_reel_import(const struct sv_import *import, struct wire_error *error)
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
            "it has been cut behind byte %zu, tick %" PRIu64, facts->good_size,
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
