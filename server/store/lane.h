/*
 * lane.h: the queue through which one worker writes to the store.
 *
 * A lane is a bounded queue of bytes from one thread to the journal thread.  Every appended item
 * gets a ticket; tickets ascend, and the item is durable when sv_lane_durable has reached its
 * ticket. Nothing here waits, locks or enters the kernel, except sv_lane_flush, which wakes a
 * sleeping journal thread.
 *
 * Order is kept: an earlier record is durable earlier, or at the same instant.  So a scene is
 * put before the charter that names it, a charter before the world's first record: records of a
 * world without a charter are not recovered.
 *
 * Without a flush items go with the next commit, a second later at the latest: that is the
 * durability `second`.  A world of durability `none` appends no records.
 *
 * Threads: append, put, checkpoint, flush and stepping belong to the worker; durable, room and
 * checkpoints_busy to anybody.
 */
#ifndef SERVER_STORE_LANE_H
#define SERVER_STORE_LANE_H

#include "server/store/format/checkpoint.h"
#include "server/store/format/content.h"
#include "server/store/format/note.h"
#include "server/store/format/record.h"

#include <stdatomic.h>

struct sv_store;
struct sv_lane;

/* Bytes of a lane's queue: about 100 ms of 50 worlds with 32 inputs a tick. */
#define SV_LANE_SIZE (4 * 1024 * 1024)

/*
 * Appends the world's next record and advances its trail.  Returns its ticket, or 0 when there is
 * no room, or the store takes nothing any more (sv_store_look says why); then nothing has changed,
 * and the world's clock waits.  At most SV_RECORD_ENTRIES_SIZE_MAX bytes.  On a full disk a record
 * without entries is refused; a record of entries that have already acted is taken and waits for
 * room.
 */
uint64_t sv_lane_append(struct sv_lane *lane, struct sv_trail *trail, uint64_t tick,
    uint64_t state_hash, uint32_t flags, const void *entries, size_t entries_size);

/*
 * Appends items that are not records.  Returns a ticket, or 0 as above; then the memory is still
 * the caller's.  A scene is stored under its content hash (sv_content_hash), once.  The world uses
 * it as long as its recovery may begin before its record of that number, or always.  A charter
 * holds facts for the host about a stored world that has no checkpoint yet; it replaces the one
 * before.  NULL for a charter ends the world: its checkpoints are removed, and its records when the
 * journal is pruned.
 */
uint64_t sv_lane_put_scene(struct sv_lane *lane, uint64_t world, uint64_t number,
    const unsigned char content[SV_CONTENT_SIZE], unsigned char *bytes_take, size_t size);
uint64_t
sv_lane_put_charter(struct sv_lane *lane, uint64_t world, unsigned char *bytes_take, size_t size);

/*
 * Appends notes, which one commit makes durable together.  They replace earlier ones of the same
 * shelf and number.  On a full disk only removals are taken.  Returns a ticket, or 0 as above.
 */
uint64_t sv_lane_put_notes(struct sv_lane *lane, const struct sv_note *notes, int count);

/*
 * Hands over a checkpoint; its trail is the world's present one.  The keeper's thread writes it
 * once everything before it is durable.  Returns a ticket as above, which is that of the hand-over
 * only.  A checkpoint that cannot be written is logged and dropped; the older ones stay.
 */
uint64_t sv_lane_checkpoint(struct sv_lane *lane, struct sv_checkpoint *checkpoint_take);

/* Checkpoints of this lane that are not written yet; each holds its memory until then. */
unsigned sv_lane_checkpoints_busy(struct sv_lane *lane);

/* Everything with a ticket up to this one is durable. */
uint64_t sv_lane_durable(struct sv_lane *lane);

/* Bytes of entries for which a record certainly has room. */
size_t sv_lane_room(struct sv_lane *lane);

/* Makes all appended items durable as soon as possible. */
void sv_lane_flush(struct sv_lane *lane);

/*
 * Notes which world is being stepped, or replayed, to which tick; 0, 0: none.  This costs two
 * stores into memory that outlives the process, so that a crash can be attributed to that world.
 */
void sv_lane_stepping(struct sv_lane *lane, uint64_t world, uint64_t tick);

#endif
