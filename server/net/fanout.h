/*
 * fanout.h: a world's tick to everybody who is in it.
 *
 * A client is sent, in one write, its own TickHeader and the shared messages that it wants of that
 * tick.  One that is busy, or whose pace leaves a tick out, gets the newest later: what it then is
 * sent is a delta against the last two states that it was sent, whenever that was.
 */
#ifndef SERVER_NET_FANOUT_H
#define SERVER_NET_FANOUT_H

#include "server/net/gateway.h"

/*
 * The world's newest publication to all of its members, and before it, in the same write, what was
 * said to all (sv_host_world.said): a second write to each would make their next tick late.
 */
void sv_fanout_publish(struct sv_gateway *gateway, struct sv_host_world *world);

/*
 * What the world showed last has become durable and nothing has followed it: a TickHeader alone
 * says so to those who have not been told.
 */
void sv_fanout_tell_durable(struct sv_gateway *gateway, struct sv_host_world *world);

/* What was said to all and waits for the world's tick goes out now, without one. */
void sv_fanout_say(struct sv_host_world *world);

/* The newest to one that was busy; it stays behind when it still is. */
void sv_fanout_catch_up(struct sv_seat *seat);

/* It has joined, left or subscribed: nothing of what it was sent counts any more. */
void sv_fanout_restart(struct sv_seat *seat);

/* The rate that the client wishes for, 0 for all ticks; what was learnt of its lag is forgotten. */
void sv_fanout_set_rate(struct sv_seat *seat, uint32_t wish_hz);

/* A tick that the client has shown. */
void sv_fanout_acked(struct sv_seat *seat, uint64_t tick);

#endif
