/*
 * store.h: stores the data that survives the process: records, scenes, charters and checkpoints.
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
 * A commit takes everything from the lanes.  It begins after a request (sv_lane_flush), but not
 * within SV_STORE_SPACING_NS of the one before; without a request it begins within a second.
 *
 * A working store is in one of four states.
 *
 * WRITING: the usual one.
 *
 * STALLED: a commit takes longer than SV_STORE_STALL_NS.  Lanes fill up, but nothing is lost, and
 * the state ends by itself.
 *
 * READ_ONLY: the disk is full.  The reserve file is deleted, so that earlier records can still be
 * made durable and checkpoints written.  Until there is room again, lanes take no scenes, charters
 * and bare marks, and worlds refuse everything that would need a record.
 *
 * FAILED: the device has failed.  A failed flush must not be retried, because the kernel may have
 * dropped the unwritten data.  So the process ends with the fault's exit code, and the next one
 * recovers the data on the disk.
 *
 * Threads: see each function; `sv_store_look`, `sv_store_head` and lanes' readers are for every
 * thread.
 */
#ifndef SERVER_STORE_STORE_H
#define SERVER_STORE_STORE_H

#include "server/store/lane.h"
#include "server/store/store_config.h"

/* NULL and a fault if the folder cannot be trusted or opened; nothing is removed. */
struct sv_store *sv_store_open(const struct sv_store_config *config, struct sv_fault *fault);

/* ---- recovery: before start, on one thread ---- */

struct sv_store_world {
    uint64_t world;
    const unsigned char *charter; /* owned by the store */
    size_t charter_size;
    int crash_count; /* how many times in a row the process died while this world was stepped ... */
    uint64_t crash_tick; /* ... to this tick; the death before this start is included */
};

/* The number of stored worlds, and one of them, by ascending numbers. */
int sv_store_world_count(const struct sv_store *store);
struct sv_store_world sv_store_world(const struct sv_store *store, int index);

/* A number above all that worlds have had; the host continues from it. */
uint64_t sv_store_world_next(const struct sv_store *store);

/* The bytes of a scene, heap memory of the caller.  False and MISSING if it is not stored. */
bool sv_store_scene(struct sv_store *store, const unsigned char content[SV_CONTENT_SIZE],
    unsigned char **bytes_give, size_t *size, struct sv_fault *fault);

/*
 * Visits the notes of a shelf by ascending numbers; false from the visitor ends it.  False and a
 * fault if the journal cannot be read, or a note is damaged.
 */
typedef bool sv_note_visit(void *context, const struct sv_note *note);
bool sv_store_notes(struct sv_store *store, uint32_t shelf, sv_note_visit *visit, void *context,
    struct sv_fault *fault);

/*
 * The recovery of one world: its newest intact checkpoint, then the records after it.  A damaged
 * checkpoint is logged and kept, and the one before it is used.
 */
struct sv_recovery;

/* NULL on a fault.  *checkpoint belongs to the recovery; NULL: the world never had one. */
struct sv_recovery *sv_recovery_begin(struct sv_store *store, uint64_t world,
    const struct sv_checkpoint **checkpoint, struct sv_fault *fault);

/* The next record; see format/record.h. */
enum sv_recovery_step
sv_recovery_next(struct sv_recovery *recovery, struct sv_record *record, struct sv_fault *fault);

/*
 * The world's trail after the last record that was read, with the new epoch: its next record
 * continues from it.  Nothing may be appended to that world before END.
 */
struct sv_trail sv_recovery_trail(const struct sv_recovery *recovery);
void sv_recovery_end(struct sv_recovery *recovery);

/* The trail of a new world. */
struct sv_trail sv_store_trail(const struct sv_store *store, uint64_t world, uint32_t physics);

/* ---- work ---- */

/*
 * Locks the folder for this process, and makes it if necessary; a fault of kind BUSY says which
 * process has it.  Call it before sv_store_open, so that a refused process has changed nothing.
 */
CN_MUST_USE bool sv_store_claim(
    const struct sv_disk *disk, const char *folder, struct sv_fault *fault);

/* The worker's lane; index < lane_count. */
struct sv_lane *sv_store_lane(struct sv_store *store, int index);

/* Starts both threads; a simulation calls the two functions below instead. */
bool sv_store_start(struct sv_store *store, struct sv_fault *fault);

/* Do the work that is due and return when they want to be called again. */
uint64_t sv_store_run_journal(struct sv_store *store);
uint64_t sv_store_run_keeper(struct sv_store *store);

/* The present state; *since_ns, which may be NULL, is when it began.  From any thread. */
enum sv_store_state sv_store_look(struct sv_store *store, uint64_t *since_ns);

/* How long the running commit has taken so far; 0: none is running.  From any thread. */
uint64_t sv_store_stall_ns(struct sv_store *store);

/*
 * The reason for READ_ONLY or FAILED.  From any thread, after sv_store_look has returned that
 * state.
 */
const struct sv_fault *sv_store_fault(const struct sv_store *store);

/* Whether free space is too low for new worlds and scenes.  From any thread. */
bool sv_store_is_low(struct sv_store *store);

/*
 * Lists the numbers of worlds that should append a record and a checkpoint.  There are two reasons.
 * Either the journal is too large, and the world prevents pruning: it has long been idle, and has
 * records after its second newest checkpoint.  Or data for its recovery is damaged.  Returns the
 * count, at most SV_STORE_STALE_MAX; a world is listed about once a second.  From any thread.
 */
int sv_store_stale(struct sv_store *store, uint64_t worlds[SV_STORE_STALE_MAX]);

/* Totals so far, for metrics.  From any thread. */
struct sv_store_figures {
    uint64_t commits, records, record_bytes, checkpoints, checkpoint_bytes, checkpoints_failed;
    uint64_t commit_ns_last, commit_ns_sum, free_size;
    uint64_t scrub_passes, scrub_bytes; /* verified so far */
    /* Damages found, and damages that were repaired. */
    uint64_t scrub_finds, scrub_mended;
    uint64_t scrub_damaged;             /* found by the last pass */
};
struct sv_store_figures sv_store_figures(struct sv_store *store);

/*
 * Closes in order, when no worker appends any more: commits everything in the lanes, writes the
 * checkpoints, and marks the watermark as closed.  False if that was not possible.  NULL counts as
 * closed.
 */
bool sv_store_close(struct sv_store *store, struct sv_fault *fault);

/* Drops everything at once, as if the process had died; for tests and after FAILED. */
void sv_store_abandon(struct sv_store *store);

#endif
