/*
 * round.h: a world for each of several, all of them or none.
 *
 * Worlds that are made for a round are seen by nobody before the last of them is there.  Then each
 * of those who are to have one hears CREATED, and who asked hears DONE.  Where one of them can not
 * be made those that are there go again, tried until the store takes their end, and who asked
 * hears REFUSED; the others hear nothing.
 *
 * Threads: the network thread.
 */
#ifndef SERVER_HOST_ROUND_H
#define SERVER_HOST_ROUND_H

#include "server/host/host.h"

/* Who gets a world each; request 0.  Of more than these none does. */
struct sv_crowd {
    struct sv_asker asker[SV_FORK_EACH_MAX];
    int count;
};

struct sv_round;

/* Of worlds made from the one with that serial; NULL without memory. */
struct sv_round *sv_round_begin(struct sv_host *host, unsigned origin,
    const struct sv_crowd *crowd, const struct sv_asker *asker);

/* That world, whose CREATE has been sent, is for the next of the crowd. */
void sv_round_add(struct sv_round *round, struct sv_host_world *world);

/* All have been asked for; or, with an error, the next one can not be.  The round is its own. */
void sv_round_close(
    struct sv_host *host, struct sv_round *round, const struct wire_error *error);

/* Of a world that is made for a round: whether the report is the round's, and nobody hears it. */
bool sv_round_hears(
    struct sv_host *host, struct sv_host_world *world, const struct sv_report *report);

/* Asks again for the end of worlds that could not go. */
void sv_round_tend(struct sv_host *host);
void sv_round_finish_all(struct sv_host *host);

#endif
