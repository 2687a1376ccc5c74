/*
 * world_steps.h: whether a world may step, and the hashes of its ticks in the log.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_STATE_WORLD_STEPS_H
#define SERVER_WORLD_STATE_WORLD_STEPS_H

#include "server/world/data/world.h"

/* Commits; whether a tick may begin. */
bool sv_world_may_step(struct sv_world *world);

/* A tick is done: every SV_HASH_TICKS its exact hash is logged. */
void sv_world_mark(struct sv_world *world);

/*
 * Appends a record that is only a mark, and takes a checkpoint of it.  After the next such pair the
 * store needs nothing older.  Does nothing in the middle of a tick; a running world has both
 * anyhow.
 */
void sv_world_renew(struct sv_world *world);

#endif
