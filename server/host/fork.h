/*
 * fork.h: forks (worlds made from another world's past) and replays of that past.
 *
 * Forks and replays are made on the host's pool (seek.h); only the request waits.  A fork is then a
 * world like any other.  A replay shows the past: it is not stored and cannot be changed.  More of
 * the log is fetched before the replay reaches the end of its part.  It is removed when it has had
 * no member for SV_REPLAY_IDLE_NS.
 *
 * A seek that arrives while another seek of the same replay is in progress replaces one that waits.
 * A client that drags a slider therefore gets as many seeks as can be made, and always the last
 * one.
 *
 * Threads: the network thread calls these functions and gets their results.
 */
#ifndef SERVER_HOST_FORK_H
#define SERVER_HOST_FORK_H

#include "server/host/round.h"

/*
 * Makes a world with the state that the other one had.  False with *error filled.  Else CREATED or
 * REFUSED is reported to the asker; REFUSED comes without a world.  A fork for several persons
 * makes one world for each of them, or none (round.h).
 */
bool sv_fork_begin(struct sv_host *host, struct sv_host_world *world, const struct wire_fork *fork,
    const struct sv_crowd *crowd, const struct sv_asker *asker, struct wire_error *error);

/*
 * The name of the `number`th world that a fork makes: the fork's own id, or "ORIGIN-fork",
 * "ORIGIN-fork-2", ...; with one world a person "ID-1", "ID-2", ...
 */
void sv_fork_name(
    const struct wire_fork *fork, const char *origin, int number, char id[WIRE_NAME_SIZE]);

/* The number of forks or replays in progress for the asker's session, token or tenant. */
int sv_fork_count(const struct sv_host *host, enum sv_made made, const struct sv_asker *asker,
    enum sv_principal principal);

/* Moves a replay to another tick, or changes its speed.  Only REFUSED is reported. */
bool sv_fork_seek(struct sv_host *host, struct sv_host_world *world, const struct wire_seek *seek,
    const struct sv_asker *asker, struct wire_error *error);

/* Describes the stored past of the world.  ANSWERED with a text, or REFUSED, is reported. */
bool sv_fork_timeline(struct sv_host *host, struct sv_host_world *world,
    const struct sv_asker *asker, struct wire_error *error);

/* Fetches log records that replays will soon need, and removes replays that nobody watches. */
void sv_fork_tend(struct sv_host *host, uint64_t now_ns);

#endif
