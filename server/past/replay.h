/*
 * replay.h: replays a world: the beginning of its past, then its records, in order.
 *
 * The same code recovers worlds that outlive their process and replays recordings:
 *
 *     past:  checkpoint or scene | record, record, ...  -->  sv_world_apply, cn_world_step
 *
 * A record of tick T acted between T and T + 1.  A hash in it is that of T, before the record.
 * So all ticks and records are in one order and can be repeated in small parts.  To get a world as
 * it was shown at T, stop before the first record of T.  Load and reset set the tick back, so a
 * tick can come more than once.
 *
 * Ownership: a past belongs to its owner and outlives the replay; the world is the caller's.
 * Threads: one at a time, with an environment of that thread's own (env.h).
 */
#ifndef SERVER_PAST_REPLAY_H
#define SERVER_PAST_REPLAY_H

#include "server/store/store.h"
#include "server/world/data/world.h"

/* A stored past of a world. */
struct sv_past {
    void *context;
    const struct sv_checkpoint *checkpoint; /* NULL: the past begins at tick 0 of its scene ... */
    unsigned char content[SV_CONTENT_SIZE]; /* ... whose content hash is this */
    uint32_t physics;                       /* physics version of the records; 0: not known */
    bool is_carried; /* data of another physics is carried over (portable.h) instead of refused */

    /*
     * Fetches bytes that records and checkpoints name by content hash.  They are heap memory that
     * the caller frees.
     */
    bool (*fetch)(void *context, const unsigned char content[SV_CONTENT_SIZE],
        unsigned char **bytes_give, size_t *size, struct sv_fault *fault);

    /* The next record, borrowed until the next call. */
    enum sv_recovery_step (*next)(
        void *context, struct sv_record *record, struct sv_fault *fault);
};

/* A past that is read from the store. */
struct sv_way {
    struct sv_store *store;
    struct sv_recovery *recovery;
};
struct sv_past sv_way_past(struct sv_way *way, const struct sv_checkpoint *checkpoint,
    const unsigned char content[SV_CONTENT_SIZE]);

struct sv_replay {
    struct sv_past past;
    struct sv_env *env;
    struct sv_world *world;
    struct sv_record record; /* the next record, or the last one that was done */
    bool has_record;         /* `record` has been read and not yet done */
    int64_t slice_work;      /* work of one call; 0: a whole tick, and never MORE */
};

/*
 * Makes the world as its past begins.  NULL with *error filled if there is nothing to show.  If
 * *is_good is false, the world exists, and world->failure gives the reason.
 */
struct sv_world *
sv_replay_begin(struct sv_replay *replay, struct sv_env *env, struct sv_mailbox *mailbox,
    const struct sv_past *past, bool *is_good, struct wire_error *error);

enum sv_replay_step {
    SV_REPLAY_TICK,   /* the world has been stepped by one tick */
    SV_REPLAY_MORE,   /* `slice_work` ran out in the middle of a tick; call again */
    SV_REPLAY_RECORD, /* `record` has been compared and repeated; valid until the next call */
    SV_REPLAY_END,    /* the past has no more records */
    SV_REPLAY_FAILED, /* the world diverges, see world->failure; it stays unchanged from then on */
    SV_REPLAY_MEMORY, /* no memory for the next tick, see world->failure; call again */
};
enum sv_replay_step sv_replay_next(struct sv_replay *replay);

/*
 * Steps one tick.  False with world->failure without memory; the tick was then not done.
 */
bool sv_replay_step(struct sv_world *world);

/*
 * Replays all records, and then steps to the tick of the last REACH, up to which clients may have
 * been shown ticks.  False when the world has FAILED, or without memory.
 */
bool sv_replay_all(struct sv_replay *replay);

#endif
