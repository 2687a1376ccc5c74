/*
 * round.h: makes one world for each of several sessions: all of them, or none.
 *
 * Nobody sees the worlds of a round before the last of them exists.  Then each session that gets a
 * world receives CREATED, and the asker receives DONE.  If one of the worlds cannot be made, those
 * that exist are removed (retried until the store takes their end), and the asker receives REFUSED;
 * the other sessions receive nothing.
 *
 * Threads: the network thread.
 */
#ifndef SERVER_HOST_ROUND_H
#define SERVER_HOST_ROUND_H

#include "server/host/directory.h"

/*
 * The sessions that get a world each; their request is 0.  With more sessions than this none gets
 * one.
 */
struct sv_crowd {
    struct sv_asker asker[SV_FORK_EACH_MAX];
    int count;
};

struct sv_round;

/* A round of worlds made from the one with that serial; NULL without memory. */
struct sv_round *sv_round_begin(struct sv_host *host, unsigned origin,
    const struct sv_crowd *crowd, const struct sv_asker *asker);

/* The world, whose CREATE has been sent, is for the next session of the crowd. */
void sv_round_add(struct sv_round *round, struct sv_host_world *world);

/*
 * All worlds have been requested; or, with an error, the next one cannot be.  The round now manages
 * itself.
 */
void sv_round_close(
    struct sv_host *host, struct sv_round *round, const struct wire_error *error);

/*
 * Whether a report about a world of a round is handled by the round, so that nobody else gets it.
 */
bool sv_round_hears(
    struct sv_host *host, struct sv_host_world *world, const struct sv_report *report);

/* Requests again the removal of worlds that could not be removed yet. */
void sv_round_tend(struct sv_host *host);
void sv_round_finish_all(struct sv_host *host);

#endif
