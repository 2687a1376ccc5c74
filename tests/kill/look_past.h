/*
 * look_past.h: rebuilds every tick of a world's past from its data folder.
 */
#ifndef TESTS_KILL_LOOK_PAST_H
#define TESTS_KILL_LOOK_PAST_H

#include "server/store/store.h"
#include "server/world/act/world_persistence.h"

/*
 * Prints what a client could have been shown of each tick, from the oldest that is kept to `more`
 * ticks beyond the last log entry, with everything still held:
 *
 *     tick WORLD TICK HASH VIEW     the exact hash, and the hash of the view
 *     sums WORLD TICK NUMBER...     for a planar world without gravity: velocities along x, in
 *                                   units of 1/256 m/s
 *
 * False with a message when the past can not be made again.
 */
bool look_at_past(struct sv_store *store, uint64_t world, const struct sv_charter *charter,
    int more);

#endif
