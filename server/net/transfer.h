/*
 * transfer.h: a Joined that is too large for one message, a part at a time.
 *
 *     Joined of a large scene --begin--> Chunk, Chunk, ... --the last one--> joined, ticks follow
 *                                          '-- own answers (Pong, ControlDone) go between them
 *
 * A part is SV_CHUNK_SIZE, and parts go at SV_CHUNK_BYTES_PER_S, so that neither what else is sent
 * to this client nor the network thread waits for a scene of megabytes.  What the world says to its
 * members meanwhile (Presence, LeaseState, Changed, ...) only means something behind the Joined: it
 * is held until that is out.  Ticks are not: the client gets the newest then.  Another Joined, of a
 * reset or load, takes the place of the one that is on its way.
 *
 * Threads: the network thread only.
 */
#ifndef SERVER_NET_TRANSFER_H
#define SERVER_NET_TRANSFER_H

#include "server/net/gateway.h"

struct sv_transfer {
    struct sv_seat *seat;
    struct sv_transfer *previous, *next; /* in the gateway's list */
    struct sv_buffer *message;           /* framed, whole */
    size_t header_size, size, sent;      /* of its frame, of the message; of this so much is out */
    uint32_t hash;                       /* of what is out */
    uint64_t due_ns;                     /* when the next part may go */
    struct sv_buffer **held;             /* framed, oldest first */
    int held_count, held_capacity;
    size_t held_size;
};

/*
 * The seat's world shows itself by this Joined, framed, borrowed: at once, or by a transfer; in
 * place of one that is on its way.
 */
void sv_transfer_join(struct sv_seat *seat, struct sv_buffer *joined);

/* What the seat's world says: now, or behind the Joined that is on its way. Takes the message. */
void sv_transfer_say(struct sv_seat *seat, struct sv_buffer *message_take);

/* Sends the parts that are due, of one or of all. */
void sv_transfer_go_on(struct sv_transfer *transfer);
void sv_transfer_go_on_all(struct sv_gateway *gateway);

/* The seat has left or is gone: the rest is not sent. Nothing when there is no transfer. */
void sv_transfer_drop(struct sv_seat *seat);

#endif
