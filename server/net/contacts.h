/*
 * contacts.h: the contacts that a client without a budget is sent with a tick.
 *
 * A client gets them in one of two forms: ContactFrames, or ContactDeltas from the contacts that it
 * was sent last.  Its contact rate chooses the ticks.  Nothing is sent while nothing changes.
 *
 * Threads: the network thread only.
 */
#ifndef SERVER_NET_CONTACTS_H
#define SERVER_NET_CONTACTS_H

#include "server/net/seat.h"
#include "server/snapshot/publication.h"

/* The contacts that a client has after a tick, in its form; all borrowed from the publication. */
struct sv_shown_contacts {
    struct wire_contacts *base; /* with ContactDeltas */
    struct sv_buffer *frame;    /* with ContactFrames */
    struct sv_buffer *message;  /* what to send; NULL: nothing */
    bool is_due;                /* the client's rate has this tick */
};

/* Without memory for a delta the client gets it with a later tick. */
struct sv_shown_contacts sv_contacts_show(struct sv_seat *seat,
    struct sv_publication *publication, const struct sv_publication_member *member);

/* The message of this tick has been sent. */
void sv_contacts_remember(
    struct sv_seat *seat, const struct sv_shown_contacts *shown, uint64_t tick);

#endif
