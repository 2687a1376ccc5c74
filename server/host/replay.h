/*
 * replay.h: a world done again: as its past begins, then what was done to it, in order.
 *
 * The one way back, for worlds that outlive their process and for recordings of them:
 *
 *     past:  checkpoint or scene | record, record, ...  -->  sv_world_apply, cn_world_step
 *
 * A record of tick T was done between T and T + 1; where it holds a hash, that is of T, before it.
 * So everything is in one order and can be done in small parts: a tick, or a record.  Who wants a
 * world as it was shown at T stops before the first record of T; an order may set the tick back
 * (load and reset do), so a tick can come more than once.
 *
 * A checkpoint has up to four sections: the engine's image; the host's own, little-endian:
 *
 *     version u32, 1     generation u32     series u32     state u8
 *     the content of the scene that was loaded, 32 bytes
 *     the settings that were changed since, as deeds have them
 *     how many sessions u32, for each its number u64 and the last input that is settled u64
 *
 * when bodies or joints have been made or removed, the message of the scene that is shown; and how
 * old the world is and where it comes from:
 *
 *     version u32, 1     age u64 [us]     time in steps u64 [ns]
 *     the tick of its origin u64     the origin's id, 64 bytes; empty: it is of a scene
 *
 * Ownership: a past is its owner's and outlives the replay; the world is the caller's.  Threads:
 * one at a time, with a worker of that thread's own.
 */
#ifndef SERVER_HOST_REPLAY_H
#define SERVER_HOST_REPLAY_H

#include "server/host/world.h"
#include "server/store/store.h"

#define SV_HOST_PART_VERSION 1
#define SV_PAST_PART_SIZE (4 + 8 + 8 + 8 + WIRE_NAME_SIZE)
enum sv_section {
    SV_SECTION_IMAGE = 1,
    SV_SECTION_HOST = 2,
    SV_SECTION_SHOWN = 3,
    SV_SECTION_PAST = 4,
};

/* Where a world's past lies. */
struct sv_past {
    void *context;
    const struct sv_checkpoint *checkpoint; /* NULL: it begins with its scene at tick 0 ... */
    unsigned char content[SV_CONTENT_SIZE]; /* ... which is this one */
    uint32_t physics;                       /* of its records, when it is known; 0: it is not */

    /* What records and checkpoints name: the bytes, heap memory of the caller's. */
    bool (*fetch)(void *context, const unsigned char content[SV_CONTENT_SIZE],
        unsigned char **bytes_give, size_t *size, struct sv_fault *fault);

    /* The next record, borrowed until the next call. */
    enum sv_recovery_step (*next)(
        void *context, struct sv_record *record, struct sv_fault *fault);
};

/* A way back through the store is one. */
struct sv_way {
    struct sv_store *store;
    struct sv_recovery *recovery;
};
struct sv_past sv_way_past(struct sv_way *way, const struct sv_checkpoint *checkpoint,
    const unsigned char content[SV_CONTENT_SIZE]);

struct sv_replay {
    struct sv_past past;
    struct sv_worker *worker;
    struct sv_world *world;
    struct sv_record record; /* the next one, or the one that was done last */
    bool has_record;         /* it waits to be done */
};

/*
 * Makes the world as its past begins; NULL with *error filled when there is nothing to show.  Where
 * *is_good is false the world is there, but world->failure says what is wrong with it.
 */
struct sv_world *sv_replay_begin(struct sv_replay *replay, struct sv_worker *worker,
    struct sv_post *post, const struct sv_past *past, bool *is_good, struct wire_error *error);

enum sv_replay_step {
    SV_REPLAY_TICK,   /* the world has been stepped by one tick */
    SV_REPLAY_RECORD, /* `record` has been compared and done; good until the next call */
    SV_REPLAY_END,    /* that was all */
    SV_REPLAY_FAILED, /* the world goes another way, see world->failure; it is as it is then */
    SV_REPLAY_MEMORY, /* there is none for the next tick, as world->failure says; call again */
};
enum sv_replay_step sv_replay_next(struct sv_replay *replay);

/* One tick on; false with world->failure when there is no memory, and the tick is not done. */
bool sv_replay_step(struct sv_world *world);

/* The rest; false when it has FAILED, or there is no memory. */
bool sv_replay_all(struct sv_replay *replay);

/*
 * Puts a world of the checkpoint's scene to where the checkpoint has it.  False with its failure
 * filled.
 */
bool sv_replay_restore(struct sv_world *world, const struct sv_checkpoint *checkpoint);

/* The scene that a checkpoint's world was made of; false: it is of another version. */
bool sv_host_part_content(
    const struct sv_checkpoint *checkpoint, unsigned char content[SV_CONTENT_SIZE]);

/* "DIVERGED: tick N: ..." into world->failure; returns false. */
__attribute__((format(printf, 2, 3))) bool sv_replay_diverged(
    struct sv_world *world, const char *format, ...);

#endif
