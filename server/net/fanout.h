/*
 * fanout.h: sends a world's tick to all its members.
 *
 * A client is sent, in one write, its own TickHeader and the shared messages that it wants of that
 * tick.  A client that is busy, or whose pace skips a tick, gets the newest tick later: a delta
 * against the last two states that it was sent, whenever that was.
 */
#ifndef SERVER_NET_FANOUT_H
#define SERVER_NET_FANOUT_H

#include "server/net/seat.h"

/*
 * Sends the world's newest publication to all its members, and before it, in the same write, the
 * messages to all (sv_host_world.said).  A second write to each would delay their next tick.
 */
void sv_fanout_publish(struct sv_gateway *gateway, struct sv_host_world *world);

/*
 * The last tick that the world showed has become durable, and nothing newer exists: sends a
 * TickHeader alone to the members that do not know it yet.
 */
void sv_fanout_tell_durable(struct sv_gateway *gateway, struct sv_host_world *world);

/* Sends the messages to all that wait for the world's tick now, without a tick. */
void sv_fanout_say(struct sv_host_world *world);

/* Sends the newest tick to a client that was busy.  It stays behind if it still is. */
void sv_fanout_catch_up(struct sv_seat *seat);

/*
 * Sends this framed Joined, at once or in parts (transfer.h); ticks follow it.  The buffer is
 * borrowed.
 */
void sv_fanout_join(struct sv_seat *seat, struct sv_buffer *joined);

/* Sends the parts that are due of the seat's Joined, or of all that are being sent. */
void sv_fanout_go_on(struct sv_seat *seat);
void sv_fanout_go_on_all(struct sv_gateway *gateway);

#endif
