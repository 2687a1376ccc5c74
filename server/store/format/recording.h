/*
 * recording.h: a recording: the log of one world from some state on, as one file NAME.cairn.
 *
 * Little-endian, without padding.  A head of 32 bytes:
 *
 *      0   8  magic, the bytes "CAIRNREC"
 *      8   4  version of this layout, 1
 *     12   4  physics version
 *     16   4  flags: 1, hashes of bodies follow the record of every tick
 *     20   8  zeros
 *     28   4  CRC32C of the 28 bytes before
 *
 * Then frames, each after 16 bytes: kind u32, size u32, chain u32, check u32.  chain is the check
 * of the frame before; of the first, the head's.  check is the CRC32C of kind, size and chain and
 * of the frame's bytes.
 *
 *     1  START       the content hash of the first scene (32), then the world's name; once, first
 *     2  SCENE       a content hash (32), then the bytes that have it; before they are named
 *     3  CHECKPOINT  as checkpoint.h has it; at most one, before all records.  Without one the
 *                    world begins with the first scene, at tick 0
 *     4  RECORD      as record.h has it; the checkpoint's trail continues, or a new one begins
 *     5  BODIES      tick u64, then for each slot of a body a hash u32 of where it is and how it
 *                    moves; 0: there is none.  After the record of that tick with its hash
 *     6  END         number of records u64, the tick of the last u64; last
 *
 * A file that ends before END has been cut: it is good up to the last whole frame, and says so.
 * Any other departure from this form is refused, with the position of its byte.
 *
 * Ownership: a recording borrows its bytes.
 * Threads: each from one at a time.
 */
#ifndef SERVER_STORE_FORMAT_RECORDING_H
#define SERVER_STORE_FORMAT_RECORDING_H

#include "server/store/format/checkpoint.h"

#define SV_RECORDING_HEAD_SIZE 32
#define SV_RECORDING_FRAME_SIZE 16
#define SV_RECORDING_NAME_MAX 127
#define SV_RECORDING_SCENES_MAX 4096
#define SV_RECORDING_BODIES_MAX (1024 * 1024)

enum sv_recording_frame {
    SV_RECORDING_START = 1,
    SV_RECORDING_SCENE,
    SV_RECORDING_CHECKPOINT,
    SV_RECORDING_RECORD,
    SV_RECORDING_BODIES,
    SV_RECORDING_END,
};

/* ---- writing ---- */

struct sv_recorder {
    bool (*put)(void *context, const void *bytes, size_t size); /* false: it cannot be written */
    void *context;
    uint32_t check; /* of the last frame */
    struct sv_trail trail;
    uint64_t record_count, tick;
};

/* The beginning of a recording. */
struct sv_recording_start {
    uint32_t physics;
    bool has_bodies;
    unsigned char content[SV_CONTENT_SIZE];
    char name[SV_RECORDING_NAME_MAX + 1];
};

/*
 * Each returns false when `put` does; then nothing more may be written.  Call them in this order.
 */
bool sv_recorder_begin(struct sv_recorder *recorder, const struct sv_recording_start *start);
bool sv_recorder_scene(struct sv_recorder *recorder, const unsigned char content[SV_CONTENT_SIZE],
    const void *bytes, size_t size);
bool sv_recorder_checkpoint(
    struct sv_recorder *recorder, const struct sv_checkpoint *checkpoint);

/* Writes the next record; the recorder sets number and chain. */
bool sv_recorder_record(struct sv_recorder *recorder, uint64_t tick, uint64_t state_hash,
    uint32_t flags, const void *entries, size_t entries_size);
bool sv_recorder_bodies(
    struct sv_recorder *recorder, uint64_t tick, const uint32_t *hashes, size_t count);
bool sv_recorder_end(struct sv_recorder *recorder);

/* ---- reading ---- */

struct sv_recording;

struct sv_recording_facts {
    struct sv_recording_start start;
    bool is_cut;          /* END is missing, */
    size_t good_size;     /* and the file is valid up to this byte */
    uint64_t record_count;
    uint64_t last_tick;   /* of the last record, or of the beginning */
    int scene_count;
};

/* Checks the whole file.  NULL and a fault, which names `name` and the byte, when it is invalid. */
struct sv_recording *sv_recording_open(
    const unsigned char *bytes, size_t size, const char *name, struct sv_fault *fault);
void sv_recording_close(struct sv_recording *recording);

const struct sv_recording_facts *sv_recording_facts(const struct sv_recording *recording);

/* Borrowed from the recording; NULL: it begins with its scene. */
const struct sv_checkpoint *sv_recording_checkpoint(const struct sv_recording *recording);

/* A copy, heap memory of the caller's. */
bool sv_recording_scene(const struct sv_recording *recording,
    const unsigned char content[SV_CONTENT_SIZE], unsigned char **bytes_give, size_t *size,
    struct sv_fault *fault);

/* The next record, or END; never a fault, because the whole file was checked. */
enum sv_recovery_step sv_recording_next(struct sv_recording *recording, struct sv_record *record);
void sv_recording_rewind(struct sv_recording *recording);

/* The hashes of bodies behind the last record, four bytes each; NULL: none. */
const unsigned char *sv_recording_bodies(const struct sv_recording *recording, size_t *count);

#endif
