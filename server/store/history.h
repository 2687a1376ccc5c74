/*
 * history.h: reads the stored past of one world, while the store works or before it starts.
 *
 *     checkpoint   checkpoint      checkpoint   newest
 *         |r r r r r r|r r r r r r r r r|r r r r r|r r      r: records, in order, without a gap
 *
 * To get the world as it was at some tick, take a checkpoint before it and repeat the records after
 * it. The journal's and the keeper's threads continue meanwhile: if they remove something that is
 * being read, only the reader gets a fault.
 *
 * Threads: any that may wait for the disk; each history belongs to one.  With a journal in memory,
 * the one that runs the store.
 */
#ifndef SERVER_STORE_HISTORY_H
#define SERVER_STORE_HISTORY_H

#include "server/store/journal/manifest.h"
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

/* Opens the records after this checkpoint; NULL: all records.  NULL and a fault without memory. */
struct sv_history *sv_history_open(struct sv_store *store, uint64_t world,
    const struct sv_manifest *from, struct sv_fault *fault);

/*
 * Reads the checkpoint, before any record; it belongs to the history.  NULL and a fault when it
 * cannot be read (any more), or is of an abandoned past: it could not be read once, the world was
 * recovered from an older one, and was changed before it had reached this checkpoint's tick again.
 */
const struct sv_checkpoint *
sv_history_checkpoint(struct sv_history *history, struct sv_fault *fault);

/* As sv_recovery_next; END is the end of the journal at the time of opening. */
enum sv_recovery_step
sv_history_next(struct sv_history *history, struct sv_record *record, struct sv_fault *fault);

void sv_history_close(struct sv_history *history);

#endif
