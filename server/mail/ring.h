/*
 * ring.h: a bounded queue of values from one thread to one other, without a lock.
 *
 * Items are copied in and out.  A full ring refuses; nothing waits.
 *
 * Invariant: 1. taken <= put <= taken + capacity, as its producer sees them.
 *
 * Threads: push and room belong to the producer, pop to the consumer; init and finish to whoever
 * has both.
 */
#ifndef SERVER_MAIL_RING_H
#define SERVER_MAIL_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct sv_ring {
    unsigned char *items;
    size_t item_size, capacity;
    /* Positions are never reset; each is on its own cache line, because two threads write them. */
    _Alignas(64) atomic_size_t taken; /* by the consumer */
    _Alignas(64) atomic_size_t put;   /* by the producer */
};

/* False without memory. */
bool sv_ring_init(struct sv_ring *ring, size_t item_size, size_t capacity);
void sv_ring_finish(struct sv_ring *ring);

bool sv_ring_push(struct sv_ring *ring, const void *item); /* false: full */
bool sv_ring_pop(struct sv_ring *ring, void *item);        /* false: empty */

/* The number of items that can certainly be pushed. */
size_t sv_ring_room(struct sv_ring *ring);

#endif
