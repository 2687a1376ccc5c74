/*
 * world_replay.h: worlds that show another world's past.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_PAST_WORLD_REPLAY_H
#define SERVER_PAST_WORLD_REPLAY_H

#include "server/world/data/world.h"

/*
 * Replays the seed's state and the records after it, at that speed.  The world becomes a replay,
 * and takes the seed on success.  False with *error filled.
 */
bool sv_world_play(struct sv_world *world, struct sv_seed *seed_take, double speed,
    struct wire_error *error);

#endif
