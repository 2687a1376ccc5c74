/*
 * store_inside.h: the store as its own files see it.
 *
 * What belongs to whom, once the threads run: `head`, `worlds` and `batch` to the journal's;
 * `mark`, `has_mark` and the times of upkeep to the keeper's; what is below `mutex` to both, under
 * it; and whoever reads the past looks at `worlds` under it, which the journal's thread changes so.
 * The mutex is never held over a call of the disk or the journal, and no worker takes it.
 */
#ifndef SERVER_STORE_STORE_INSIDE_H
#define SERVER_STORE_STORE_INSIDE_H

#include "server/store/ladder.h"
#include "server/store/lane_inside.h"
#include "server/store/store.h"
#include "server/store/watermark.h"
#include "server/store/worlds.h"

#include <pthread.h>

#define SV_STORE_PERIOD_NS UINT64_C(1000000000) /* of lazy commits and of upkeep */
#define SV_STORE_BATCH_SIZE (16 * 1024 * 1024)  /* a commit that is larger is cut */
/*
 * Periods from one merge to the next.  A commit that meets a merge waits for the device longer, and
 * these are to be fewer than one in a hundred.
 */
#define SV_STORE_MERGE_PERIODS 4

/* Below history_size / this nothing is pruned: looking for what could be is work, too. */
#define SV_STORE_PRUNE_SHARE 4
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
    unsigned char content[SV_CONTENT_SIZE]; /* that the checkpoint uses; zeros: none */
};

struct sv_tasks {
    struct sv_task *first, *last;
};

/* What one commit holds, kept until it is durable. */
struct sv_batch {
    unsigned char *records;
    size_t size, capacity;
    uint64_t record_count;
    struct {
        enum sv_entry_kind kind;
        struct sv_article article; /* owned */
        struct sv_lane *lane;
    } * entries;
    int entry_count, entry_capacity;
    struct sv_task *manifest; /* owned; NULL: none */
    struct sv_manifest *ladder; /* owned: its world's checkpoints with it, those that go behind */
    int ladder_count, ladder_kept;
    uint64_t upto[SV_STORE_LANES_MAX];
    bool is_held; /* there was no room for it; it is tried again */
    uint64_t tried_ns;
};

struct sv_store_thread {
    pthread_t thread;
    int wake_fd; /* an eventfd, or -1: no thread */
    struct sv_store *store;
    uint64_t (*run)(struct sv_store *store);
};

struct sv_store {
    struct sv_store_config config;
    struct sv_journal journal;
    struct sv_journal_head head;
    uint64_t epoch;
    struct sv_worlds worlds;
    struct sv_batch batch;
    struct sv_lane *lanes;
    struct sv_step_mark *marks; /* SV_STORE_LANES_MAX of them; mapped */
    uint64_t began_ns;          /* the last commit */
    int unused_at;              /* the place of the world whose uses are looked at next */
    uint64_t stale_ns;          /* when stale worlds were looked for last */

    struct sv_watermark mark;
    bool has_rest; /* the log has frames behind its last commit: opening */
    bool has_mark; /* the watermark is as far as the journal */
    uint64_t upkeep_ns;
    uint64_t upkeep_count;

    atomic_int state; /* WRITING, READ_ONLY or FAILED */
    _Atomic uint64_t state_ns, commit_began_ns;
    struct sv_fault fault[SV_STORE_FAILED + 1]; /* of READ_ONLY and FAILED, set once */
    atomic_bool is_wanted, is_low, is_merge_wanted, is_stopping;
    _Atomic uint64_t used_size;
    _Atomic uint64_t commits, records, record_bytes, checkpoints, checkpoint_bytes,
        checkpoints_failed, commit_ns_last, commit_ns_sum, free_size;

    pthread_mutex_t mutex;
    struct sv_tasks to_keeper, to_journal;
    struct sv_journal_head durable_head; /* for the watermark */
    bool has_reserve;
    uint64_t stale[SV_STORE_STALE_MAX]; /* see sv_store_stale */
    int stale_count;

    struct sv_store_thread journal_thread, keeper_thread;
};

/* Has the journal commit soon; any thread. */
void sv_store_want(struct sv_store *store);
void sv_store_wake_keeper(struct sv_store *store);

/* Ends both threads, when they run. */
void sv_store_stop(struct sv_store *store);

/* Goes into a state, by its fault; FAILED is final. Journal's or keeper's thread. */
void
sv_store_enter(struct sv_store *store, enum sv_store_state state, const struct sv_fault *fault);

/* Under the mutex, by themselves. */
void sv_store_give(struct sv_store *store, struct sv_tasks *tasks, struct sv_task *task);
struct sv_task *sv_store_take(struct sv_store *store, struct sv_tasks *tasks);
void sv_task_destroy(struct sv_task *task);

/* Commits what there is, at once; false when there was nothing, or it could not be done. */
bool sv_store_commit_now(struct sv_store *store);
void sv_batch_finish(struct sv_batch *batch);

/* One task of the keeper's; false when there is none. */
bool sv_store_keep_one(struct sv_store *store);
bool sv_store_mark_now(struct sv_store *store, bool is_closed, struct sv_fault *fault);
void sv_store_reserve(struct sv_store *store);
void sv_store_give_up_reserve(struct sv_store *store);

/* Reads and checks everything that recovery needs; see store_open.c. */
bool sv_store_load(struct sv_store *store, const struct sv_watermark *mark, struct sv_fault *fault);

/* Counts the worlds that were being stepped when the process died. */
bool sv_store_count_crashes(struct sv_store *store, struct sv_fault *fault);

#endif
