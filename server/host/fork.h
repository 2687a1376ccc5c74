/*
 * fork.h: worlds that are made of another one's past, and replays of it.
 *
 * What is wanted is made on the host's pool (seek.h); the request waits, everything else goes on.
 * A fork is then a world like any other.  A replay shows what was: it is not kept, nobody changes
 * it, what follows is fetched before its end is reached, and it goes when nobody has been in it for
 * SV_REPLAY_IDLE_NS.
 *
 * A seek within a replay that comes while another one is being made takes the place of one that
 * waits: who drags a slider gets as many as can be made, and the last one for certain.
 *
 * Threads: the network thread calls these and sees what comes of them.
 */
#ifndef SERVER_HOST_FORK_H
#define SERVER_HOST_FORK_H

#include "server/host/round.h"

/*
 * Makes a world as the other was.  False with *error filled; else CREATED or REFUSED is reported to
 * the asker, the latter without a world.  With a crowd there is one for each of them or none
 * (round.h).
 */
bool sv_fork_begin(struct sv_host *host, struct sv_host_world *world, const struct wire_fork *fork,
    const struct sv_crowd *crowd, const struct sv_asker *asker, struct wire_error *error);

/*
 * What the `number`th world is called that it makes: the fork's own id, or "ORIGIN-fork",
 * "ORIGIN-fork-2", ...; for each "ID-1", "ID-2", ...
 */
void sv_fork_name(
    const struct wire_fork *fork, const char *origin, int number, char id[WIRE_NAME_SIZE]);

/* Moves a replay, or changes its speed; only REFUSED is reported. */
bool sv_fork_seek(struct sv_host *host, struct sv_host_world *world, const struct wire_seek *seek,
    const struct sv_asker *asker, struct wire_error *error);

/* What is kept of the world's past; ANSWERED with a text, or REFUSED, is reported. */
bool sv_fork_timeline(struct sv_host *host, struct sv_host_world *world,
    const struct sv_asker *asker, struct wire_error *error);

/* Fetches what replays are about to need, and lets go of those that nobody watches. */
void sv_fork_tend(struct sv_host *host, uint64_t now_ns);

#endif
