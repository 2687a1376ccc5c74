/*
 * seating.h: makes and frees seats, and moves them into worlds and out of them.
 *
 * A seat that leaves its world also drops the Joined that was on its way to it (transfer.h).
 *
 * Threads: the network thread only.
 */
#ifndef SERVER_NET_SEATING_H
#define SERVER_NET_SEATING_H

#include "server/net/seat.h"

/*
 * A seat for a new session of that number, without a connection; NULL: none is free, or no memory.
 */
struct sv_seat *sv_seat_create(struct sv_gateway *gateway, uint64_t session);

/* Frees the seat.  It must be in no world, and the worker must know that it has left. */
void sv_seat_destroy(struct sv_seat *seat);

/* Frees the messages that wait to be sent. */
void sv_seat_drop_queue(struct sv_seat *seat);

/* Moves the seat into a world, out of the one before; NULL: into none.  The worker is not told. */
void sv_seat_enter(struct sv_seat *seat, struct sv_host_world *world);

/* Moves the seat out of its world, if it is in one, and tells the worker, now or later. */
void sv_seat_leave(struct sv_seat *seat);

/* Tells the workers of leaves for which their rings had no room. */
void sv_seats_retry_leaves(struct sv_gateway *gateway);

#endif
