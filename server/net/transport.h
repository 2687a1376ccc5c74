/*
 * transport.h: connections that carry whole messages.
 *
 * The gateway speaks to this interface only.  The real one is libwebsockets on libuv
 * (lws_server.h); the twin hands messages over in memory (transport_sim.h).
 *
 * Threads: the network thread only, calls and callbacks.
 */
#ifndef SERVER_NET_TRANSPORT_H
#define SERVER_NET_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sv_connection; /* the transport's own */

/* Of framed messages (server/base/frame.h): one or several behind each other, or a part of one. */
struct sv_span {
    const uint8_t *bytes;
    size_t size;
};

struct sv_transport {
    /* There will be a send soon: what it looks at had better be near.  NULL: nothing is far. */
    void (*expect)(const struct sv_connection *connection);

    /*
     * Sends all of the spans in one write, or, when the connection has not yet got rid of what it
     * was given before, none of them: false, and `writable` is called once when it has.
     */
    bool (*send)(
        void *context, struct sv_connection *connection, const struct sv_span *spans, int count);

    /* Sends a Close frame and ends the connection; `closed` is called later, nothing else is. */
    void (*close)(
        void *context, struct sv_connection *connection, uint16_t code, const char *reason);

    /*
     * What was learnt of who is behind it: its Hello was accepted, or its token was bad, which
     * speaks against where it comes from.
     */
    void (*judge)(void *context, struct sv_connection *connection, bool is_good);

    void *context;
};

struct sv_transport_events {
    void *context;

    /* Returns what the other callbacks are given, or NULL to refuse: the connection is closed. */
    void *(*opened)(void *context, struct sv_connection *connection);
    void (*message)(void *user, const uint8_t *bytes, size_t size);
    void (*writable)(void *user);

    /* The last callback; the connection is gone. */
    void (*closed)(void *user);
};

#endif
