/*
 * lws_send.h: sends frames from the loop, one system call for each.
 *
 * A tick goes to a plain socket by one send of our own: asking lws for a WRITEABLE callback costs
 * four epoll_ctl for each client and tick, as much processor time as the send.  Bytes of lws itself
 * (pings, pongs, Close, the rest of an earlier send) must not be split by it.  So it is done only
 * while lws holds no bytes, and the part of a send that the kernel does not take is given to lws.
 * With TLS, lws writes every byte.
 *
 * A reader that stalls costs the kernel SV_SOCKET_SEND_SIZE, by SO_SNDBUF.  No more than
 * SV_SOCKET_UNSENT_SIZE of it waits for the network, by TCP_NOTSENT_LOWAT.  Bytes that the kernel
 * has not begun to send are old when they leave, and meanwhile newer ticks replace each other here.
 */
#ifndef SERVER_NET_LWS_LWS_SEND_H
#define SERVER_NET_LWS_LWS_SEND_H

#include "server/net/lws/lws_connection.h"

/* Sets the options of a socket that listens, which accepted ones inherit. */
void sv_lws_prepare(int fd);

/* transport->expect and ->send */
void sv_lws_expect(const struct sv_connection *connection);
bool sv_lws_send(
    void *context, struct sv_connection *connection, const struct sv_span *spans, int count);

#endif
