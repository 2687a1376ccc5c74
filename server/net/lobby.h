/*
 * lobby.h: sessions and rooms: seats in worlds of rooms, and the lists of rooms that are shown.
 *
 * A client that sends Lobby gets the rooms that match, as a RoomList that is `full`.  Then it gets
 * those that have changed or no longer match, at most every SV_LOBBY_PERIOD_NS.  A lobby shows at
 * most SV_LOBBY_ROOMS_MAX rooms; if one of them no longer matches, another one takes its place.
 *
 * Threads: the network thread only.
 */
#ifndef SERVER_NET_LOBBY_H
#define SERVER_NET_LOBBY_H

#include "server/net/seat.h"

/* Whether the session may join that world; else, and for NULL, *error is filled. */
bool sv_lobby_may_join(
    const struct sv_seat *seat, const struct sv_host_world *world, struct wire_error *error);

/*
 * The session is in its world, or on its way: if that is a room's, it has its seat there from now
 * on, and another session with the same seat ends.
 */
void sv_lobby_joined(struct sv_seat *seat);

/* Handles a Lobby. */
void sv_lobby_ask(struct sv_seat *seat, const struct wire_lobby *lobby);

/* Sends what has changed. */
void sv_lobbies_tend(struct sv_gateway *gateway, uint64_t now_ns);

#endif
