/*
 * history.h: what is kept of one world's past, read while the store works or before it does.
 *
 *     checkpoint   checkpoint      checkpoint   newest
 *         |r r r r r r|r r r r r r r r r|r r r r r|r r      r: records, in order, without a gap
 *
 * Whoever wants the world as it was at some tick takes a checkpoint before it, and does again what
 * the records after that one say.  The journal's and the keeper's threads go on meanwhile: what is
 * let go under a reader's hands is a fault to the reader and to nobody else.
 *
 * Threads: any that may wait for the disk; each history belongs to one.  With a journal in memory,
 * the one that runs the store.
 */
#ifndef SERVER_STORE_HISTORY_H
#define SERVER_STORE_HISTORY_H

#include "server/store/manifest.h"
#include "server/store/store.h"

/*
 * The checkpoints of a world, oldest first, as heap memory of the caller's; returns how many, 0
 * also for a world that is not stored, -1 without memory.
 */
int sv_store_history(struct sv_store *store, uint64_t world, struct sv_manifest **list_give);

/* Copies the world's charter; its size, 0 where it is not stored or larger than size_max. */
size_t sv_store_charter(
    struct sv_store *store, uint64_t world, unsigned char *charter, size_t size_max);

struct sv_history;

/* What follows this checkpoint; NULL: everything.  NULL and a fault without memory. */
struct sv_history *sv_history_open(struct sv_store *store, uint64_t world,
    const struct sv_manifest *from, struct sv_fault *fault);

/*
 * Reads that checkpoint, before any record; it is the history's.  NULL and a fault when it can not
 * be read (any more), or is of a past that was left: it could not be read once, the world came back
 * by an older one, and was not as far as this one's tick when something was done to it next.
 */
const struct sv_checkpoint *
sv_history_checkpoint(struct sv_history *history, struct sv_fault *fault);

/* As sv_recovery_next; END is where the journal stood when the history was opened. */
enum sv_recovery_step
sv_history_next(struct sv_history *history, struct sv_record *record, struct sv_fault *fault);

void sv_history_close(struct sv_history *history);

#endif
