/*
 * portable.h: worlds that another version of the physics wrote.
 *
 * The same inputs give the same bits only with the same version of the physics.  Where ticks must
 * be reproduced exactly (verify, replays, forks of the past, imports), data of another version is
 * therefore refused.  A stored world is carried over instead:
 *
 *     newest checkpoint       log entries after it                 from here on
 *     portable form  ----->   repeated, hashes not compared    --> UPGRADE, a checkpoint at once
 *
 * Log entries that this version refuses (a command for a body that is elsewhere by now) are left
 * out and counted.  The UPGRADE entry begins a new series, because the ticks after the checkpoint
 * may have been shown with other contents.  It is the mark in the timeline, and no tick before it
 * can be sought.  A daemon that ends in order leaves a checkpoint of every world.  So there are no
 * entries after it, and no shown tick is repeated.
 *
 * A world that was written by a newer version is not carried back: the daemon does not start, and
 * the stored data stays unchanged.
 */
#ifndef SERVER_WORLD_STATE_PORTABLE_H
#define SERVER_WORLD_STATE_PORTABLE_H

#include "server/store/journal/manifest.h"
#include "server/world/data/sections.h"
#include "server/world/data/world.h"

/* The first words of a failure because of the version of the physics. */
#define SV_PHYSICS_FAILURE "PHYSICS: "

/* The next words when that version is newer. */
#define SV_PHYSICS_NEWER "it is newer: "

/* Adds the section to a checkpoint of the world as it is. False without memory. */
bool sv_portable_add(const struct sv_world *world, struct sv_checkpoint *checkpoint);

/* Whether that version may be carried over into this world; else its failure is filled. */
bool sv_portable_admit(struct sv_world *world, uint32_t physics, const char *of);

/*
 * Puts a world as its scene made it to where a checkpoint of another version has it.  False with
 * its failure filled.
 */
bool sv_portable_restore(struct sv_world *world, const struct sv_checkpoint *checkpoint);

/* "PHYSICS: tick N: ..." into world->failure; returns false. */
__attribute__((format(printf, 2, 3))) bool sv_portable_refused(
    struct sv_world *world, const char *format, ...);

/*
 * The first checkpoint from which on all are of that version; count: the last is not.  That version
 * cannot repeat ticks before it.
 */
int sv_portable_first(const struct sv_manifest *list, int count, uint32_t physics);

/* Whether a world of this failure may not be touched: a newer version has written it. */
bool sv_portable_is_newer(const char *failure);

#endif
