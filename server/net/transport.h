/*
 * transport.h: connections that carry whole messages.
 *
 * The gateway speaks to this interface only.  The real one is on libuv, with libwebsockets and
 * without it (lws/lws_server.h); the twin hands messages over in memory (transport_sim.h).
 *
 * Threads: the network thread only, calls and callbacks.
 */
#ifndef SERVER_NET_TRANSPORT_H
#define SERVER_NET_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sv_connection; /* the transport's own */

/* Bytes of framed messages (server/base/frame.h): one or several, or a part of one. */
struct sv_span {
    const uint8_t *bytes;
    size_t size;
};

struct sv_transport {
    /*
     * A send will follow soon: prefetch the memory that it reads.  NULL: there is nothing to
     * prefetch.
     */
    void (*expect)(const struct sv_connection *connection);

    /*
     * Sends all of the spans in one write, or none: false when earlier bytes are still waiting;
     * then `writable` is called once when they have been sent.
     */
    bool (*send)(
        void *context, struct sv_connection *connection, const struct sv_span *spans, int count);

    /* Sends a Close frame and ends the connection; later `closed` is called, and nothing else. */
    void (*close)(
        void *context, struct sv_connection *connection, uint16_t code, const char *reason);

    /*
     * Judges the peer: its Hello was accepted, or its token was bad.  A bad token counts against
     * its network.
     */
    void (*judge)(void *context, struct sv_connection *connection, bool is_good);

    /* The peer's address as text, valid as long as the connection.  NULL: not known. */
    const char *(*from)(const struct sv_connection *connection);

    void *context;
};

struct sv_transport_events {
    void *context;

    /* Returns the context for the other callbacks, or NULL to refuse: the connection is closed. */
    void *(*opened)(void *context, struct sv_connection *connection);
    void (*message)(void *user, const uint8_t *bytes, size_t size);
    void (*writable)(void *user);

    /* The last callback; the connection no longer exists. */
    void (*closed)(void *user);
};

#endif
