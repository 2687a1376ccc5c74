/*
 * lws_frames.h: the frames of a WebSocket over a plain socket.
 *
 * A message that comes in one piece is unmasked where it was read and passed on from there.  One
 * ping of each read is answered, the last one: pings that arrive in one piece get one pong.
 */
#ifndef SERVER_NET_LWS_LWS_FRAMES_H
#define SERVER_NET_LWS_LWS_FRAMES_H

#include "server/net/lws/lws_connection.h"

/* Reads once; the connection may have ended afterwards. */
void sv_frames_read(struct sv_connection *connection);

#endif
