/*
 * lws_plain.h: WebSockets over plain sockets, without libwebsockets.
 *
 * The library costs a WebSocket 1.5 KiB of memory, some twenty system calls to open and close, and
 * at each close a search through all its files and timers.  So a plain socket is watched here from
 * its accept on, by an epoll of its own that is one handle of the loop:
 *
 *     accepted --a whole handshake, all checks passed--> WebSocket here
 *         '--anything else--> libwebsockets, with all its bytes still unread
 *
 * The first bytes are only looked at.  A handshake that is not accepted, one that comes in pieces,
 * and every other request are answered by lws_http.c, which sees the same bytes.  So these files
 * accept handshakes and never refuse one.  (There is one exception: lws_read.c refuses a proxy's
 * client whose network has too many connections, here and there.)
 *
 * Frames are checked by server/inspect/frame_head.h, as in lws_read.c, and messages passed on by
 * lws_socket.h.  A connection of these files has no wsi.
 *
 *     plain --> shake, frames --> end --> stream
 */
#ifndef SERVER_NET_LWS_LWS_PLAIN_H
#define SERVER_NET_LWS_LWS_PLAIN_H

#include "server/net/lws/lws_data.h"

/* False without memory or files; call sv_plain_finish all the same. */
bool sv_plain_init(struct sv_lws *server);

/* Ends all connections; then the loop can end. */
void sv_plain_stop(struct sv_lws *server);

/* After the loop has ended. */
void sv_plain_finish(struct sv_lws *server);

#endif
