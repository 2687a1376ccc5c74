/*
 * away.h: sessions whose connection has died, and how they are taken up again.
 *
 *     in a world --connection dies--> away --Hello with its token--> in the world again
 *                                      '--SV_GRACE_NS, or no seat is left--> leaves
 *
 * Only of who has asked for it (Hello.keep) and neither left nor was closed.  Away, a session keeps
 * its place in its world with what it holds; what would be sent to it is not kept.  Who comes back
 * gets a Joined, and ticks from a keyframe on; inputs go on where they were.
 */
#ifndef SERVER_NET_AWAY_H
#define SERVER_NET_AWAY_H

#include "server/net/gateway.h"

/* The connection of the seat is gone: whether its session stays. */
bool sv_away_keep(struct sv_seat *seat);

/* Off the list of those who are away; nothing when it is not on it. */
void sv_away_forget(struct sv_seat *seat);

/* Who has been away for longest leaves: to make room, or since its time is over. */
bool sv_away_end_one(struct sv_gateway *gateway);
void sv_away_end_overdue(struct sv_gateway *gateway, uint64_t now_ns);

/* Takes the session that the Hello names over into the seat; false: it stays a new one. */
bool sv_away_resume(struct sv_seat *seat, const struct wire_hello *hello);

/* A new secret for the seat, and the token that it makes; false: there is none. */
bool sv_away_token(struct sv_seat *seat, uint8_t token[WIRE_RESUME_SIZE]);

#endif
