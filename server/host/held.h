/*
 * held.h: publications that wait for the disk, on the network thread.
 *
 * A publication is held until its ticket is durable, because a crash could still undo the state
 * that it shows.  Of the durable publications the newest is shown.
 */
#ifndef SERVER_HOST_HELD_H
#define SERVER_HOST_HELD_H

#include "server/host/directory.h"

/* Fetches the world's newest publication from its mailbox. */
void sv_held_fetch(struct sv_host_world *world);

/* Moves the newest durable publication to `fresh`; the lane is durable up to `durable`. */
void sv_held_release(struct sv_host_world *world, uint64_t durable);

/* Notes that the world has shown this publication, whether or not it is durable. */
void sv_held_note_shown(struct sv_host_world *world, const struct sv_publication *publication);

/* The last tick that no crash can undo, of the series of the publication that is shown; 0: none. */
uint64_t sv_held_durable_tick(
    struct sv_host_world *world, const struct sv_publication *publication);

#endif
