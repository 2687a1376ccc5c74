/*
 * away.h: sessions whose connection has died, and how a client resumes one.
 *
 *   in a world --connection dies--> away --Hello with its token--> in the world again
 *                                    '--SV_GRACE_NS, or no seat is left--> leaves
 *
 * Only a session that asked for it (Hello.keep), and neither left nor was closed, is kept.  While
 * away it keeps its place in its world and its held inputs; messages to it are not kept.  When its
 * client resumes it, the client gets a Joined, and then a keyframe of the newest tick.  Ticks that
 * it missed are not sent.  Inputs continue with the next number.
 *
 * All of this survives a restart of the daemon, too: the world's log has the session
 * (deed/kept.h).  Its subscription is lost then: Welcome.restarted asks the client for
 * another.
 */
#ifndef SERVER_NET_AWAY_H
#define SERVER_NET_AWAY_H

#include "server/net/seat.h"

/* The connection of the seat is gone: returns whether its session stays. */
bool sv_away_keep(struct sv_seat *seat);

/* Ends the session that has been away for longest: to make room, or because its time is over. */
bool sv_away_end_one(struct sv_gateway *gateway);
void sv_away_end_overdue(struct sv_gateway *gateway, uint64_t now_ns);

/* Moves the session that the Hello names into the seat.  False: the seat keeps its new session. */
bool sv_away_resume(struct sv_seat *seat, const struct wire_hello *hello);

/* The session's data for the log, heap memory; NULL: the session is not kept, or no memory. */
struct dd_kept *sv_away_pack(const struct sv_session *session);

/*
 * A session of the daemon's last life waits for its client, as if its connection had just died.  It
 * is a member of that world and has settled inputs up to `applied_seq`.  *index is its seat's.
 * False: no seat is free.
 */
bool sv_away_restore(struct sv_gateway *gateway, struct sv_host_world *world,
    const struct dd_kept *kept, uint64_t applied_seq, uint32_t *index);

/* Makes a new secret for the seat, and its token; false: it has none. */
bool sv_away_token(struct sv_seat *seat, uint8_t token[WIRE_RESUME_SIZE]);

#endif
