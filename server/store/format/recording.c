#include "server/store/format/recording.h"

#include "engine/base/assert.h"
#include "engine/base/little_endian.h"
#include "server/store/format/content.h"
#include "server/store/format/crc32c.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "CAIRNREC"
#define LAYOUT_VERSION 1
#define HAS_BODIES 1u
#define END_SIZE 16

/* ---- writing ---- */

/* Writes one frame of two parts; the second may be empty. */
static bool
put_frame(struct sv_recorder *recorder, enum sv_recording_frame kind, const void *first,
    size_t first_size, const void *second, size_t second_size)
{
    CN_ASSERT(second != NULL || second_size == 0);
    unsigned char head[SV_RECORDING_FRAME_SIZE];
    if (first_size + second_size > UINT32_MAX) {
        return false;
    }
    cn_put_u32(head, (uint32_t)kind);
    cn_put_u32(head + 4, (uint32_t)(first_size + second_size));
    cn_put_u32(head + 8, recorder->check);
    recorder->check = sv_crc32c(sv_crc32c(0, head, 12), first, first_size);
    if (second_size > 0) {
        recorder->check = sv_crc32c(recorder->check, second, second_size);
    }
    cn_put_u32(head + 12, recorder->check);
    return recorder->put(recorder->context, head, sizeof(head)) &&
           recorder->put(recorder->context, first, first_size) &&
           (second_size == 0 || recorder->put(recorder->context, second, second_size));
}

bool
sv_recorder_begin(struct sv_recorder *recorder, const struct sv_recording_start *start)
{
    unsigned char head[SV_RECORDING_HEAD_SIZE] = {0};
    memcpy(head, MAGIC, 8);
    cn_put_u32(head + 8, LAYOUT_VERSION);
    cn_put_u32(head + 12, start->physics);
    cn_put_u32(head + 16, start->has_bodies ? HAS_BODIES : 0);
    recorder->check = sv_crc32c(0, head, SV_RECORDING_HEAD_SIZE - 4);
    cn_put_u32(head + SV_RECORDING_HEAD_SIZE - 4, recorder->check);
    recorder->trail = (struct sv_trail){.world = 1, .epoch = 1, .physics = start->physics};
    recorder->record_count = recorder->tick = 0;
    return recorder->put(recorder->context, head, sizeof(head)) &&
           put_frame(recorder, SV_RECORDING_START, start->content, SV_CONTENT_SIZE, start->name,
               strlen(start->name));
}

bool
sv_recorder_scene(struct sv_recorder *recorder, const unsigned char content[SV_CONTENT_SIZE],
    const void *bytes, size_t size)
{
    return put_frame(recorder, SV_RECORDING_SCENE, content, SV_CONTENT_SIZE, bytes, size);
}

bool
sv_recorder_checkpoint(struct sv_recorder *recorder, const struct sv_checkpoint *checkpoint)
{
    size_t size;
    unsigned char *bytes = sv_checkpoint_encode(checkpoint, &size);
    bool is_good =
        bytes != NULL && put_frame(recorder, SV_RECORDING_CHECKPOINT, bytes, size, NULL, 0);
    free(bytes);
    recorder->trail = checkpoint->trail;
    recorder->tick = checkpoint->tick;
    return is_good;
}

bool
sv_recorder_record(struct sv_recorder *recorder, uint64_t tick, uint64_t state_hash,
    uint32_t flags, const void *entries, size_t entries_size)
{
    unsigned char header[SV_RECORD_HEADER_SIZE];
    struct sv_trail *trail = &recorder->trail;
    struct sv_record record = {.world = trail->world,
        .epoch = trail->epoch,
        .number = trail->number + 1,
        .chain = trail->chain,
        .tick = tick,
        .state_hash = state_hash,
        .physics = trail->physics,
        .flags = flags,
        .entries = entries,
        .entries_size = entries_size};
    record.crc = sv_record_write_header(header, &record);
    recorder->record_count++;
    recorder->tick = tick;
    return sv_trail_follow(trail, &record) &&
           put_frame(
               recorder, SV_RECORDING_RECORD, header, sizeof(header), entries, entries_size);
}

bool
sv_recorder_bodies(
    struct sv_recorder *recorder, uint64_t tick, const uint32_t *hashes, size_t count)
{
    unsigned char head[8];
    unsigned char *bytes = malloc(count * 4 + 1);
    if (bytes == NULL) {
        return false;
    }
    cn_put_u64(head, tick);
    for (size_t i = 0; i < count; i++) {
        cn_put_u32(bytes + 4 * i, hashes[i]);
    }
    bool is_good =
        put_frame(recorder, SV_RECORDING_BODIES, head, sizeof(head), bytes, count * 4);
    free(bytes);
    return is_good;
}

bool
sv_recorder_end(struct sv_recorder *recorder)
{
    unsigned char bytes[END_SIZE];
    cn_put_u64(bytes, recorder->record_count);
    cn_put_u64(bytes + 8, recorder->tick);
    return put_frame(recorder, SV_RECORDING_END, bytes, sizeof(bytes), NULL, 0);
}

/* ---- reading ---- */

struct scene {
    const unsigned char *content, *bytes;
    size_t size;
};

struct sv_recording {
    const unsigned char *bytes;
    struct sv_recording_facts facts;
    struct sv_checkpoint *checkpoint;
    struct scene *scenes;
    int scene_capacity;
    size_t at;    /* of the next frame to return */
    const unsigned char *bodies;
    size_t body_count;

    /* Only during the check. */
    const char *name;
    struct sv_fault *fault;
    struct sv_trail trail;
    struct sv_record last; /* whose hashes of bodies may follow */
    bool has_start, has_records, may_have_bodies;
};

struct frame {
    uint32_t kind, size, chain, check;
    size_t at; /* of the frame */
    const unsigned char *bytes;
};

static bool
refuse_recording(
    struct sv_recording *recording, enum sv_fault_kind kind, size_t at, const char *what)
{
    return sv_fault_set(
        recording->fault, kind, "%s: byte %zu: %s", recording->name, at, what);
}

static bool
is_damaged(struct sv_recording *recording, const struct frame *frame, const char *what)
{
    return refuse_recording(recording, SV_FAULT_CRC, frame->at, what);
}

/* False: the bytes end before the frame does. */
static bool
read_frame(const unsigned char *bytes, size_t size, size_t at, struct frame *frame)
{
    CN_ASSERT(at <= size);
    if (size - at < SV_RECORDING_FRAME_SIZE) {
        return false;
    }
    *frame = (struct frame){.kind = cn_get_u32(bytes + at),
        .size = cn_get_u32(bytes + at + 4),
        .chain = cn_get_u32(bytes + at + 8),
        .check = cn_get_u32(bytes + at + 12),
        .at = at,
        .bytes = bytes + at + SV_RECORDING_FRAME_SIZE};
    return size - at - SV_RECORDING_FRAME_SIZE >= frame->size;
}

static bool
see_start(struct sv_recording *recording, const struct frame *frame)
{
    struct sv_recording_start *start = &recording->facts.start;
    size_t length = frame->size - SV_CONTENT_SIZE;
    if (frame->size < SV_CONTENT_SIZE || length > SV_RECORDING_NAME_MAX ||
        memchr(frame->bytes + SV_CONTENT_SIZE, '\0', length) != NULL) {
        return is_damaged(recording, frame, "the world's name is no name");
    }
    memcpy(start->content, frame->bytes, SV_CONTENT_SIZE);
    memcpy(start->name, frame->bytes + SV_CONTENT_SIZE, length);
    start->name[length] = '\0';
    recording->has_start = true;
    return true;
}

static const struct scene *
find_scene(const struct sv_recording *recording, const unsigned char content[SV_CONTENT_SIZE])
{
    for (int i = 0; i < recording->facts.scene_count; i++) {
        if (memcmp(recording->scenes[i].content, content, SV_CONTENT_SIZE) == 0) {
            return &recording->scenes[i];
        }
    }
    return NULL;
}

static bool
see_scene(struct sv_recording *recording, const struct frame *frame)
{
    unsigned char found[SV_CONTENT_SIZE];
    if (frame->size < SV_CONTENT_SIZE) {
        return is_damaged(recording, frame, "a scene without its content hash");
    }
    size_t size = frame->size - SV_CONTENT_SIZE;
    sv_content_hash(found, frame->bytes + SV_CONTENT_SIZE, size);
    if (memcmp(found, frame->bytes, SV_CONTENT_SIZE) != 0) {
        return is_damaged(recording, frame, "a scene's bytes are not those of its content hash");
    }
    if (find_scene(recording, found) != NULL) {
        return is_damaged(recording, frame, "a scene comes twice");
    }
    int count = recording->facts.scene_count;
    if (count == SV_RECORDING_SCENES_MAX) {
        return is_damaged(recording, frame, "there are more than 4096 scenes");
    }
    if (count == recording->scene_capacity) {
        int capacity = 2 * count + 4;
        struct scene *scenes =
            realloc(recording->scenes, (size_t)capacity * sizeof(struct scene));
        if (scenes == NULL) {
            return sv_fault_set(recording->fault, SV_FAULT_MEMORY, "%s", recording->name);
        }
        recording->scenes = scenes;
        recording->scene_capacity = capacity;
    }
    CN_ASSERT(count < recording->scene_capacity);
    recording->scenes[count] =
        (struct scene){frame->bytes, frame->bytes + SV_CONTENT_SIZE, size};
    recording->facts.scene_count++;
    return true;
}

static bool
see_checkpoint(struct sv_recording *recording, const struct frame *frame)
{
    char name[64];
    struct sv_fault inner;
    if (recording->checkpoint != NULL || recording->has_records) {
        return is_damaged(recording, frame, "a checkpoint where none may be");
    }
    snprintf(name, sizeof(name), "its checkpoint");
    if (!sv_checkpoint_decode(frame->bytes, frame->size, name, &recording->checkpoint, &inner)) {
        return is_damaged(recording, frame, inner.text);
    }
    if (recording->checkpoint->trail.physics != recording->facts.start.physics) {
        return is_damaged(recording, frame, "its checkpoint is of another version of the physics");
    }
    recording->trail = recording->checkpoint->trail;
    recording->facts.last_tick = recording->checkpoint->tick;
    return true;
}

static bool
see_record(struct sv_recording *recording, const struct frame *frame)
{
    struct sv_record record;
    size_t size;
    if (sv_record_read(frame->bytes, frame->size, &record, &size) != SV_RECORD_GOOD ||
        size != frame->size) {
        return is_damaged(recording, frame, "this is no record");
    }
    if (!sv_trail_follow(&recording->trail, &record) ||
        record.physics != recording->facts.start.physics) {
        return is_damaged(recording, frame, "the record does not follow the one before");
    }
    recording->has_records = true;
    recording->last = record;
    recording->may_have_bodies =
        recording->facts.start.has_bodies && (record.flags & SV_RECORD_HASH) != 0;
    recording->facts.record_count++;
    recording->facts.last_tick = record.tick;
    return true;
}

static bool
see_bodies(struct sv_recording *recording, const struct frame *frame)
{
    if (!recording->may_have_bodies || frame->size < 8 || frame->size % 4 != 0 ||
        (frame->size - 8) / 4 > SV_RECORDING_BODIES_MAX ||
        cn_get_u64(frame->bytes) != recording->last.tick) {
        return is_damaged(recording, frame, "hashes of bodies where none may be");
    }
    recording->may_have_bodies = false;
    return true;
}

static bool
see_end(struct sv_recording *recording, const struct frame *frame)
{
    if (frame->size != END_SIZE ||
        cn_get_u64(frame->bytes) != recording->facts.record_count ||
        cn_get_u64(frame->bytes + 8) != recording->facts.last_tick) {
        return is_damaged(recording, frame, "the end counts other records than there are");
    }
    recording->facts.is_cut = false;
    return true;
}

static bool
see_frame(struct sv_recording *recording, const struct frame *frame)
{
    if ((frame->kind == SV_RECORDING_START) == recording->has_start) {
        return is_damaged(recording, frame, "it does not begin as a recording does");
    }
    switch (frame->kind) {
    case SV_RECORDING_START:
        return see_start(recording, frame);
    case SV_RECORDING_SCENE:
        return see_scene(recording, frame);
    case SV_RECORDING_CHECKPOINT:
        return see_checkpoint(recording, frame);
    case SV_RECORDING_RECORD:
        return see_record(recording, frame);
    case SV_RECORDING_BODIES:
        return see_bodies(recording, frame);
    case SV_RECORDING_END:
        return see_end(recording, frame);
    default:
        return is_damaged(recording, frame, "a frame of a kind that is not known");
    }
}

static bool
see_head(struct sv_recording *recording, size_t size, uint32_t *chain)
{
    const unsigned char *bytes = recording->bytes;
    if (size < 8 || memcmp(bytes, MAGIC, 8) != 0) {
        return refuse_recording(recording, SV_FAULT_SCHEMA, 0, "this is no recording");
    }
    if (size < SV_RECORDING_HEAD_SIZE) {
        return refuse_recording(recording, SV_FAULT_CRC, size, "it ends within its head");
    }
    if (cn_get_u32(bytes + 8) != LAYOUT_VERSION) {
        return refuse_recording(
            recording, SV_FAULT_SCHEMA, 8, "the version of its layout is not known");
    }
    *chain = cn_get_u32(bytes + SV_RECORDING_HEAD_SIZE - 4);
    if (*chain != sv_crc32c(0, bytes, SV_RECORDING_HEAD_SIZE - 4) ||
        cn_get_u32(bytes + 16) > HAS_BODIES || cn_get_u64(bytes + 20) != 0) {
        return refuse_recording(recording, SV_FAULT_CRC, 0, "its head is damaged");
    }
    recording->facts.start.physics = cn_get_u32(bytes + 12);
    recording->facts.start.has_bodies = cn_get_u32(bytes + 16) == HAS_BODIES;
    recording->trail =
        (struct sv_trail){.world = 1, .epoch = 1, .physics = recording->facts.start.physics};
    return true;
}

/* Reads everything; an incomplete frame at the end is ignored. */
static bool
see_all(struct sv_recording *recording, size_t size)
{
    uint32_t chain = 0;
    struct frame frame;
    size_t at = SV_RECORDING_HEAD_SIZE;
    if (!see_head(recording, size, &chain)) {
        return false;
    }
    recording->facts.is_cut = true;
    while (recording->facts.is_cut && read_frame(recording->bytes, size, at, &frame)) {
        uint32_t check = sv_crc32c(sv_crc32c(0, recording->bytes + at, 12), frame.bytes,
            frame.size);
        if (frame.chain != chain || frame.check != check) {
            return is_damaged(recording, &frame, "the bytes are not those that were written");
        }
        if (!see_frame(recording, &frame)) {
            return false;
        }
        chain = frame.check;
        at += SV_RECORDING_FRAME_SIZE + frame.size;
    }
    CN_ASSERT(at <= size);
    recording->facts.good_size = at;
    if (!recording->facts.is_cut && at != size) {
        return refuse_recording(recording, SV_FAULT_CRC, at, "something stands behind its end");
    }
    if (!recording->has_start ||
        find_scene(recording, recording->facts.start.content) == NULL) {
        return refuse_recording(recording, SV_FAULT_MISSING, at, "its scene is not in it");
    }
    return true;
}

struct sv_recording *
sv_recording_open(
    const unsigned char *bytes, size_t size, const char *name, struct sv_fault *fault)
{
    struct sv_recording *recording = calloc(1, sizeof(*recording));
    if (recording == NULL) {
        sv_fault_set(fault, SV_FAULT_MEMORY, "%s", name);
        return NULL;
    }
    recording->bytes = bytes;
    recording->name = name;
    recording->fault = fault;
    if (!see_all(recording, size)) {
        sv_recording_close(recording);
        return NULL;
    }
    recording->name = NULL;
    recording->fault = NULL;
    sv_recording_rewind(recording);
    return recording;
}

void
sv_recording_close(struct sv_recording *recording)
{
    if (recording != NULL) {
        sv_checkpoint_destroy(recording->checkpoint);
        free(recording->scenes);
        free(recording);
    }
}

const struct sv_recording_facts *
sv_recording_facts(const struct sv_recording *recording)
{
    return &recording->facts;
}

const struct sv_checkpoint *
sv_recording_checkpoint(const struct sv_recording *recording)
{
    return recording->checkpoint;
}

bool
sv_recording_scene(const struct sv_recording *recording,
    const unsigned char content[SV_CONTENT_SIZE], unsigned char **bytes_give, size_t *size,
    struct sv_fault *fault)
{
    const struct scene *scene = find_scene(recording, content);
    if (scene == NULL) {
        return sv_fault_set(
            fault, SV_FAULT_MISSING, "a scene that a record names is not in the recording");
    }
    unsigned char *copy = malloc(scene->size + 1);
    if (copy == NULL) {
        return sv_fault_set(fault, SV_FAULT_MEMORY, "a scene");
    }
    memcpy(copy, scene->bytes, scene->size);
    *bytes_give = copy;
    *size = scene->size;
    return true;
}

enum sv_recovery_step
sv_recording_next(struct sv_recording *recording, struct sv_record *record)
{
    struct frame frame;
    const size_t end = recording->facts.good_size;
    size_t size;
    recording->bodies = NULL;
    while (read_frame(recording->bytes, end, recording->at, &frame)) {
        recording->at += SV_RECORDING_FRAME_SIZE + frame.size;
        if (frame.kind != SV_RECORDING_RECORD) {
            continue;
        }
        if (sv_record_read(frame.bytes, frame.size, record, &size) != SV_RECORD_GOOD) {
            break;
        }
        if (read_frame(recording->bytes, end, recording->at, &frame) &&
            frame.kind == SV_RECORDING_BODIES) {
            recording->bodies = frame.bytes + 8;
            recording->body_count = (frame.size - 8) / 4;
        }
        return SV_RECOVERY_RECORD;
    }
    return SV_RECOVERY_END;
}

void
sv_recording_rewind(struct sv_recording *recording)
{
    recording->at = SV_RECORDING_HEAD_SIZE;
    recording->bodies = NULL;
}

const unsigned char *
sv_recording_bodies(const struct sv_recording *recording, size_t *count)
{
    *count = recording->bodies != NULL ? recording->body_count : 0;
    return recording->bodies;
}
