#include "server/mail/ring.h"

#include "engine/base/assert.h"

#include <stdlib.h>
#include <string.h>

bool
sv_ring_init(struct sv_ring *ring, size_t item_size, size_t capacity)
{
    CN_ASSERT(item_size > 0 && capacity > 0);
    ring->items = calloc(capacity, item_size);
    ring->item_size = item_size;
    ring->capacity = capacity;
    atomic_init(&ring->taken, 0);
    atomic_init(&ring->put, 0);
    return ring->items != NULL;
}

void
sv_ring_finish(struct sv_ring *ring)
{
    free(ring->items);
    ring->items = NULL;
}

size_t
sv_ring_room(struct sv_ring *ring)
{
    size_t put = atomic_load_explicit(&ring->put, memory_order_relaxed);
    size_t taken = atomic_load_explicit(&ring->taken, memory_order_acquire);
    CN_ASSERT(put - taken <= ring->capacity); /* ring.h, invariant 1 */
    return ring->capacity - (put - taken);
}

bool
sv_ring_push(struct sv_ring *ring, const void *item)
{
    if (sv_ring_room(ring) == 0) {
        return false;
    }
    size_t put = atomic_load_explicit(&ring->put, memory_order_relaxed);
    memcpy(ring->items + put % ring->capacity * ring->item_size, item, ring->item_size);
    atomic_store_explicit(&ring->put, put + 1, memory_order_release);
    return true;
}

bool
sv_ring_pop(struct sv_ring *ring, void *item)
{
    size_t taken = atomic_load_explicit(&ring->taken, memory_order_relaxed);
    if (taken == atomic_load_explicit(&ring->put, memory_order_acquire)) {
        return false;
    }
    CN_ASSERT(item != NULL && ring->items != NULL);
    memcpy(item, ring->items + taken % ring->capacity * ring->item_size, ring->item_size);
    atomic_store_explicit(&ring->taken, taken + 1, memory_order_release);
    return true;
}
