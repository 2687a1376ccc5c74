/*
 * transfer.h: a Joined that is too large for one message, a part at a time.
 *
 *     Joined of a large scene --begin--> Chunk, Chunk, ... --the last one--> joined, ticks follow
 *                                          '-- own answers (Pong, ControlDone) go between them
 *
 * A part is SV_CHUNK_SIZE, and parts are sent at SV_CHUNK_BYTES_PER_S.  So neither other messages
 * to this client nor the network thread waits for a scene of megabytes.  Messages of the world to
 * its members meanwhile (Presence, LeaseState, Changed, ...) are only meaningful after the Joined,
 * so they are held until then.  Ticks are not held: the client then gets the newest one.  Another
 * Joined, of a reset or load, takes the place of the one that is on its way.
 *
 * Threads: the network thread only.
 */
#ifndef SERVER_NET_TRANSFER_H
#define SERVER_NET_TRANSFER_H

#include "server/net/seat.h"

struct sv_transfer {
    struct sv_seat *seat;
    struct sv_transfer *previous, *next; /* links of the gateway's list */
    struct sv_buffer *message;           /* framed, whole */
    /* sizes of the frame's header and of the message; how much has been sent */
    size_t header_size, size, sent;
    uint32_t hash;                       /* of the bytes sent so far */
    uint64_t due_ns;                     /* when the next part may go */
    struct sv_buffer **held;             /* framed, oldest first */
    int held_count, held_capacity;
    size_t held_size;
};

/*
 * Sends this framed Joined to the seat, at once or by a transfer, in place of one that is being
 * sent. The buffer is borrowed.  Returns whether all of it has been sent: ticks may follow.
 */
bool sv_transfer_join(struct sv_seat *seat, struct sv_buffer *joined);

/* Sends a message of the seat's world: now, or after the Joined that is being sent.  Takes it. */
void sv_transfer_say(struct sv_seat *seat, struct sv_buffer *message_take);

/* Sends the parts that are due.  True: the last one was sent, and the transfer is gone. */
bool sv_transfer_go_on(struct sv_transfer *transfer);

/* The seat has left or is gone: drops the rest, if there is a transfer. */
void sv_transfer_drop(struct sv_seat *seat);

#endif
