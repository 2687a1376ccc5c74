/*
 * store.h: what outlives the process: records, scenes, charters and checkpoints of worlds.
 *
 * The store knows bytes, worlds by number and tickets; nothing of physics or sessions.
 *
 *     workers --lanes--> journal thread: one commit for all --durable--> network thread is woken
 *                              |  ^
 *                 checkpoints  v  |  rows
 *                         keeper thread: files, merging, watermark, free space, pruning
 *
 * Life: open (the folder's lock is held by the daemon); recover every world; start; work; close.
 * Until start nothing is written but the epoch and crash counts, and everything is on one thread.
 *
 * A commit takes everything that is in the lanes, and begins when it is asked for (sv_lane_flush)
 * and the one before began SV_STORE_SPACING_NS ago, or within a second.
 *
 * At work the store is in one of four states.  WRITING; STALLED, when a commit takes longer than
 * SV_STORE_STALL_NS (lanes fill up, nothing is lost, it ends by itself); READ_ONLY, when there is
 * no room: the reserve file is given up, by which what was appended before is still made durable
 * and checkpoints can be written, and lanes take no more records until there is room again; FAILED,
 * when the device has: a flush that failed may not be tried again, since the kernel may have
 * dropped what it could not write, so the process shall end with the fault's exit code, and what
 * is on disk is recovered by the next.
 *
 * Threads: see each function; `sv_store_look`, `sv_store_head` and lanes' readers are for anybody.
 */
#ifndef SERVER_STORE_STORE_H
#define SERVER_STORE_STORE_H

#include "server/base/clock.h"
#include "server/base/disk.h"
#include "server/base/log.h"
#include "server/store/journal.h"
#include "server/store/lane.h"

/*
 * Commits begin at least this far apart, so that many worlds share one: 67 commits a second at the
 * most, and a world alone at 60 Hz waits for none.
 */
#define SV_STORE_SPACING_NS (UINT64_C(15) * 1000 * 1000)
#define SV_STORE_STALL_NS (UINT64_C(100) * 1000 * 1000)
#define SV_STORE_LANES_MAX 64

/*
 * Given up when the disk is full; merged beyond; free space below which sv_store_is_low.  On a disk
 * with less than four times the first and the last they are a quarter of what is free.
 */
#define SV_STORE_RESERVE_SIZE (UINT64_C(256) << 20)
#define SV_STORE_WAL_SIZE_MAX (UINT64_C(64) << 20)
#define SV_STORE_FREE_MIN (UINT64_C(1) << 30)

/* Bytes of the journal beyond which it keeps only what recovery needs, by default. */
#define SV_STORE_HISTORY_SIZE (UINT64_C(1) << 30)

struct sv_store_config {
    const char *folder; /* borrowed as long as the store is */
    int lane_count;
    size_t lane_size;      /* 0: SV_LANE_SIZE */
    uint64_t spacing_ns;   /* 0: SV_STORE_SPACING_NS */
    uint64_t reserve_size; /* of the reserve file; 0: none */
    uint64_t history_size; /* see above; 0: what recovery needs alone */
    uint64_t past_ms;      /* of each world's time that stays within reach; 0: none */
    uint64_t past_size;    /* and the most bytes that one world's past takes */
    uint64_t free_min;     /* 0: SV_STORE_FREE_MIN */
    struct sv_clock clock;
    struct sv_disk disk;
    struct sv_log *log; /* borrowed; may be NULL */

    /* Where rows go: a journal that is open, not claimed; NULL: SQLite in the folder, by this VFS.
     */
    const struct sv_journal *journal; /* taken over by an open that succeeds */
    struct sv_journal_head head;      /* of a journal that is given */
    const char *vfs;

    /* Called on the journal's thread after tickets have become durable or the state has changed. */
    void (*wake)(void *context);
    void *wake_context;
};

/* NULL and a fault when what is there can not be trusted or opened; nothing is removed then. */
struct sv_store *sv_store_open(const struct sv_store_config *config, struct sv_fault *fault);

/* ---- recovery: before start, on one thread ---- */

struct sv_store_world {
    uint64_t world;
    const unsigned char *charter; /* of the store's */
    size_t charter_size;
    int crash_count;     /* how often in a row the process died while this world was stepped ... */
    uint64_t crash_tick; /* ... to this tick; the death before this opening is counted in */
};

/* How many worlds are stored, and one of them; by ascending numbers. */
int sv_store_world_count(const struct sv_store *store);
struct sv_store_world sv_store_world(const struct sv_store *store, int index);

/* A number beyond all that worlds have had; the host counts on from it. */
uint64_t sv_store_world_next(const struct sv_store *store);

/* The bytes of a scene, heap memory of the caller's; false and MISSING when there is none. */
bool sv_store_scene(struct sv_store *store, const unsigned char content[SV_CONTENT_SIZE],
    unsigned char **bytes_give, size_t *size, struct sv_fault *fault);

/*
 * One world's way back: its newest checkpoint that is whole, then its records after that one.
 * A checkpoint that is damaged is told in the log and kept, and the one before is taken.
 */
struct sv_recovery;

/* NULL on a fault. *checkpoint is the recovery's, or NULL when the world never had one. */
struct sv_recovery *sv_recovery_begin(struct sv_store *store, uint64_t world,
    const struct sv_checkpoint **checkpoint, struct sv_fault *fault);

enum sv_recovery_step {
    SV_RECOVERY_RECORD, /* *record is the next one, borrowed until the next call */
    SV_RECOVERY_END,    /* that was all */
    SV_RECOVERY_FAULT,  /* what follows can not be trusted; the fault names commit and world */
};
enum sv_recovery_step
sv_recovery_next(struct sv_recovery *recovery, struct sv_record *record, struct sv_fault *fault);

/*
 * Where the world stands after the last record that was given, with this opening's epoch: what its
 * next record goes on from.  Only after END may anything be appended to that world.
 */
struct sv_trail sv_recovery_trail(const struct sv_recovery *recovery);
void sv_recovery_end(struct sv_recovery *recovery);

/* The trail of a new world. */
struct sv_trail sv_store_trail(const struct sv_store *store, uint64_t world, uint32_t physics);

/* ---- work ---- */

/*
 * Holds the folder for this process until the disk lets it go, and makes it if need be; a fault of
 * kind BUSY says which process has it.  Comes before sv_store_open: who is refused has changed
 * nothing.
 */
CN_MUST_USE bool sv_store_claim(
    const struct sv_disk *disk, const char *folder, struct sv_fault *fault);

/* The worker's way in; index < lane_count. */
struct sv_lane *sv_store_lane(struct sv_store *store, int index);

/* Starts both threads; without it, a simulation calls the two functions below. */
bool sv_store_start(struct sv_store *store, struct sv_fault *fault);

/* Do what is due and return when they want to be called again. */
uint64_t sv_store_run_journal(struct sv_store *store);
uint64_t sv_store_run_keeper(struct sv_store *store);

enum sv_store_state { SV_STORE_WRITING, SV_STORE_STALLED, SV_STORE_READ_ONLY, SV_STORE_FAILED };

/* The state of now; *since_ns, which may be NULL, is when it began. From any thread. */
enum sv_store_state sv_store_look(struct sv_store *store, uint64_t *since_ns);

/* READ_ONLY or FAILED: why. From any thread, after sv_store_look has said so. */
const struct sv_fault *sv_store_fault(const struct sv_store *store);

/* Whether there is too little free space for new worlds and scenes. From any thread. */
bool sv_store_is_low(struct sv_store *store);

/*
 * Worlds by number that hold back the pruning of a journal that is too large, for they have records
 * since the checkpoint before their newest and nothing has happened to them for long: each wants a
 * record more and a checkpoint of it.  Returns how many were written, at most SV_STORE_STALE_MAX;
 * each is named about once a second.  From any thread.
 */
#define SV_STORE_STALE_MAX 64
int sv_store_stale(struct sv_store *store, uint64_t worlds[SV_STORE_STALE_MAX]);

/* What has been done so far, for metrics. From any thread. */
struct sv_store_figures {
    uint64_t commits, records, record_bytes, checkpoints, checkpoint_bytes, checkpoints_failed;
    uint64_t commit_ns_last, commit_ns_sum, free_size;
};
struct sv_store_figures sv_store_figures(struct sv_store *store);

/*
 * Ends in order, when no worker appends any more: everything in the lanes is committed, checkpoints
 * are written, the watermark says that it was closed.  False when that was not possible.  NULL is
 * closed already.
 */
bool sv_store_close(struct sv_store *store, struct sv_fault *fault);

/* Forgets everything at once, as if the process had died; for tests and after FAILED. */
void sv_store_abandon(struct sv_store *store);

#endif
