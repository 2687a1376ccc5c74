/*
 * lane.h: one worker's way into the store.
 *
 * A bounded queue of bytes from one thread to the journal thread.  What is appended gets a ticket,
 * ascending along the lane; it is durable when sv_lane_durable has reached it.  Nothing here waits,
 * locks or enters the kernel, but sv_lane_flush, which wakes a journal thread that sleeps.
 *
 * Order is kept: what is appended first is durable first, or at the same instant.  So a scene is
 * put before the charter that names it, a charter before the world's first record: records of a
 * world without a charter are not recovered.
 *
 * Without a flush entries travel with the next commit, a second later at the latest: that is the
 * durability `second`.  A world of durability `none` appends no records.
 *
 * Threads: append, put, checkpoint, flush and stepping belong to the worker; durable, room and
 * checkpoints_busy to anybody.
 */
#ifndef SERVER_STORE_LANE_H
#define SERVER_STORE_LANE_H

#include "server/store/checkpoint.h"
#include "server/store/record.h"

#include <stdatomic.h>

struct sv_store;
struct sv_lane;

/* Bytes of a lane's queue: about 100 ms of 50 worlds with 32 inputs a tick. */
#define SV_LANE_SIZE (4 * 1024 * 1024)

/*
 * Appends the world's next record and takes its trail on.  Returns its ticket, or 0 when there is
 * no room, or the store takes nothing any more (sv_store_look says why): nothing has changed then,
 * and the world's clock waits.  At most SV_RECORD_DEEDS_SIZE_MAX bytes.
 */
uint64_t sv_lane_append(struct sv_lane *lane, struct sv_trail *trail, uint64_t tick,
    uint64_t state_hash, uint32_t flags, const void *deeds, size_t deeds_size);

/*
 * Puts what is not a record: returns a ticket, or 0 as above, and then the memory is still the
 * caller's.  A scene by its contents' hash (sv_content_hash); one that is there is left alone.
 * The world uses it as long as it may have to begin before its record of that number, or always.
 * A charter is what the host wants to know of a stored world before it has its checkpoint: it
 * replaces the one before.  NULL for a charter ends the world: its checkpoints are removed, and its
 * records as the journal is pruned.
 */
uint64_t sv_lane_put_scene(struct sv_lane *lane, uint64_t world, uint64_t number,
    const unsigned char content[SV_CONTENT_SIZE], unsigned char *bytes_take, size_t size);
uint64_t
sv_lane_put_charter(struct sv_lane *lane, uint64_t world, unsigned char *bytes_take, size_t size);

/*
 * Hands over a checkpoint; its trail is the world's of now.  It is written once everything before
 * it is durable, on the keeper's thread.  Returns a ticket as above: that of the hand-over alone.
 * One that can not be written is told in the log and dropped; the older ones stay.
 */
uint64_t sv_lane_checkpoint(struct sv_lane *lane, struct sv_checkpoint *checkpoint_take);

/* Checkpoints of this lane that are not written yet; each holds its memory. */
unsigned sv_lane_checkpoints_busy(struct sv_lane *lane);

/* Everything with a ticket up to this one is durable. */
uint64_t sv_lane_durable(struct sv_lane *lane);

/* Bytes of deeds that a record may have for certain. */
size_t sv_lane_room(struct sv_lane *lane);

/* Has everything that was appended made durable as soon as can be. */
void sv_lane_flush(struct sv_lane *lane);

/*
 * Says which world is being stepped, or replayed, to which tick; 0, 0: none.  It costs two stores
 * into memory that outlives the process, so a crash is laid at that world's door.
 */
void sv_lane_stepping(struct sv_lane *lane, uint64_t world, uint64_t tick);

/* The content hash of a scene. */
void sv_content_hash(unsigned char content[SV_CONTENT_SIZE], const void *bytes, size_t size);

#endif
