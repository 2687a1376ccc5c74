/*
 * store_inside.h: the store as its own files see it.
 *
 * Members by thread, once the threads run: `head`, `worlds` and `batch` belong to the journal's;
 * `mark`, `has_mark` and the times of upkeep to the keeper's; the members below `mutex` to both,
 * under it.  Readers of the past read `worlds` under the mutex, and the journal's thread changes it
 * under the mutex. The mutex is never held over a call of the disk or the journal, and no worker
 * takes it.
 */
#ifndef SERVER_STORE_STORE_INSIDE_H
#define SERVER_STORE_STORE_INSIDE_H

#include "server/store/retention.h"
#include "server/store/lane_inside.h"
#include "server/store/check/scrub.h"
#include "server/store/store_config.h"
#include "server/store/format/watermark.h"
#include "server/store/worlds.h"

#include <pthread.h>

#define SV_STORE_PERIOD_NS UINT64_C(1000000000) /* of lazy commits and of upkeep */
#define SV_STORE_BATCH_SIZE (16 * 1024 * 1024)  /* a larger commit is split */
/*
 * Periods between two merges.  A commit during a merge waits longer for the device, and fewer than
 * one in a hundred commits should.
 */
#define SV_STORE_MERGE_PERIODS 4

/* Below history_size / this nothing is pruned: searching costs time, too. */
#define SV_STORE_PRUNE_SHARE 4
/*
 * Scrubbing reads a slice in this time, 4 MiB a second, and begins soon after the start.  The
 * number of damaged checkpoints remembered at once; further ones are found again later.
 */
#define SV_STORE_SCRUB_SLICE (UINT64_C(1) << 20)
#define SV_STORE_SCRUB_SLICE_NS (UINT64_C(250) * 1000 * 1000)
#define SV_STORE_SCRUB_FIRST_NS (UINT64_C(60) * 1000 * 1000 * 1000)
#define SV_STORE_DAMAGED_MAX 64

#define SV_STORE_PRUNE_COUNT 8 /* commits removed with each one that is made */

enum sv_task_kind {
    SV_TASK_WRITE,    /* journal to keeper: write the checkpoint's file */
    SV_TASK_REMOVE,   /* journal to keeper: the file that the manifest names is not needed */
    SV_TASK_MANIFEST, /* keeper to journal: the file is there, name it */
};

struct sv_task {
    struct sv_task *next;
    enum sv_task_kind kind;
    struct sv_lane *lane;
    struct sv_checkpoint *checkpoint; /* owned */
    struct sv_manifest manifest;
    unsigned char content[SV_CONTENT_SIZE]; /* of the scene that the checkpoint uses; zeros: none */
};

struct sv_tasks {
    struct sv_task *first, *last;
};

/* The contents of one commit, kept until it is durable. */
struct sv_batch {
    unsigned char *records;
    size_t size, capacity;
    uint64_t record_count;
    struct {
        enum sv_item_kind kind;
        struct sv_article article; /* owned */
        struct sv_lane *lane;
    } * items;
    int item_count, item_capacity;
    struct sv_task *manifest; /* owned; NULL: none */
    struct sv_manifest
        *checkpoints; /* owned: its world's checkpoints with it, those that go behind */
    int checkpoint_count, retained_count;
    uint64_t upto[SV_STORE_LANES_MAX];
    bool is_held; /* it did not fit on the disk, and is tried again */
    uint64_t tried_ns;
};

struct sv_store_thread {
    pthread_t thread;
    int wake_fd; /* an eventfd, or -1: no thread */
    struct sv_store *store;
    uint64_t (*run)(struct sv_store *store);
};

/* Verification of all stored data; see store_scrub.c. */
struct sv_scrubbing {
    struct sv_scrub scrub; /* the keeper's */
    bool is_reading;
    uint64_t next_ns; /* when the next piece is due */

    /* Under the mutex: damaged checkpoints, until they are replaced ... */
    struct {
        uint64_t world, number;
        bool is_asked; /* the world has been asked for a fresh one */
    } damaged[SV_STORE_DAMAGED_MAX];
    int damaged_count;
    int round_count;      /* ... how many more rounds ask all worlds for checkpoints, */
    uint64_t round_world; /* the last world asked in this round, */
    uint64_t round_ns;    /* and when the round continues */
};

struct sv_store {
    struct sv_store_config config;
    struct sv_journal journal;
    struct sv_journal_head head;
    struct sv_worlds worlds;
    struct sv_batch batch;
    struct sv_lane *lanes;
    struct sv_step_mark *marks; /* SV_STORE_LANES_MAX of them; mapped */
    uint64_t began_ns;          /* the last commit */
    int unused_at;              /* index of the world whose uses are checked next */
    uint64_t stale_ns;          /* when stale worlds were looked for last */

    struct sv_watermark mark;
    bool has_rest; /* at opening: the log has frames behind its last commit */
    bool has_mark; /* the watermark has reached the journal */
    struct sv_scrubbing scrubbing;
    struct sv_tasks put_off; /* files to remove when no backup needs them; the keeper's */
    uint64_t upkeep_ns;
    uint64_t upkeep_count;

    struct sv_lane_gate gate; /* the state, and what lanes need besides */
    _Atomic uint64_t state_ns, commit_began_ns;
    struct sv_fault fault[SV_STORE_FAILED + 1]; /* of READ_ONLY and FAILED, set once */
    atomic_bool is_wanted, is_low, is_merge_wanted, is_stopping;
    _Atomic uint64_t used_size;
    _Atomic uint64_t commits, records, record_bytes, checkpoints, checkpoint_bytes,
        checkpoints_failed, commit_ns_last, commit_ns_sum, free_size;
    _Atomic uint64_t scrub_passes, scrub_bytes, scrub_finds, scrub_mended, scrub_damaged;

    pthread_mutex_t mutex;
    struct sv_tasks to_keeper, to_journal;
    struct sv_journal_head durable_head; /* for the watermark */
    bool has_reserve;
    uint64_t stale[SV_STORE_STALE_MAX]; /* see sv_store_stale */
    int stale_count;

    struct sv_store_thread journal_thread, keeper_thread;
};

/* Makes the journal commit soon.  From any thread. */
void sv_store_want(struct sv_store *store);
void sv_store_wake_keeper(struct sv_store *store);

/* Ends both threads, if they run. */
void sv_store_stop(struct sv_store *store);

/* Enters a state, with its fault; FAILED is final.  Journal's or keeper's thread. */
void
sv_store_enter(struct sv_store *store, enum sv_store_state state, const struct sv_fault *fault);

/* Add and remove a task; they lock the mutex themselves (store_tasks.c). */
void sv_store_give(struct sv_store *store, struct sv_tasks *tasks, struct sv_task *task);
struct sv_task *sv_store_take(struct sv_store *store, struct sv_tasks *tasks);
void sv_task_destroy(struct sv_task *task);

/* Commits all waiting items at once.  False: nothing was waiting, or the commit failed. */
bool sv_store_commit_now(struct sv_store *store);
void sv_batch_finish(struct sv_batch *batch);

/* Does one task of the keeper.  False: no task is waiting. */
bool sv_store_keep_one(struct sv_store *store);
/* Whether a backup is in progress; then no file is removed that it might need. */
bool sv_store_is_held(const struct sv_store *store);
void sv_store_remove_put_off(struct sv_store *store);
bool sv_store_mark_now(struct sv_store *store, bool is_closed, struct sv_fault *fault);
void sv_store_reserve(struct sv_store *store);
void sv_store_give_up_reserve(struct sv_store *store);

/*
 * Keeper's thread: verifies the next piece of the stored data if it is due; returns the next time.
 */
uint64_t sv_store_scrub(struct sv_store *store, uint64_t now_ns);

/*
 * Moves the checkpoints of a list of `kept` that are known to be damaged behind the others, but
 * never the newest, which is last; returns how many are before them.  Journal's thread.
 */
int sv_store_drop_damaged(struct sv_store *store, struct sv_manifest *list, int kept);

/* This checkpoint is no longer in any list. */
void sv_store_forget_damaged(struct sv_store *store, const struct sv_manifest *manifest);

/*
 * Adds worlds that need a new checkpoint to a list of at most SV_STORE_STALE_MAX.  Call it under
 * the mutex.
 */
int sv_store_add_renewals(
    struct sv_store *store, uint64_t *worlds, int count, uint64_t now_ns);

/* Reads and checks everything that recovery needs; see store_open.c. */
bool sv_store_load(struct sv_store *store, const struct sv_watermark *mark, struct sv_fault *fault);

/* Counts the worlds that were being stepped when the process died. */
bool sv_store_count_crashes(struct sv_store *store, struct sv_fault *fault);

#endif
