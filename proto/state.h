/*
 * state.h: the data of one tick for clients, in quanta; immutable once it is shared.
 *
 * A state is taken from the world on its worker, once a tick (wire_state_take).  Code that needs it
 * later, to encode a difference or to predict from it, holds a reference.  Clients' decoders make
 * states too (delta.h), and both sides keep rings of them by tick.
 *
 * Entries are the bodies that are not static, in ascending order of slots.  A planar state has the
 * columns x, y, angle.  A spatial state has x, y, z, turn_largest, turn_a, turn_b, turn_c; see
 * quant.h.  The pointers of the other columns are NULL.
 *
 * Ownership: create and take return one reference.  The code that creates a state may write to it
 * until it shares it; afterwards nobody writes.
 * Threads: any thread may ref and unref; the last unref frees.  A ring belongs to one thread.
 */
#ifndef PROTO_STATE_H
#define PROTO_STATE_H

#include "proto/precision.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cn_world;

struct wire_state {
    atomic_uint ref_count;
    uint64_t tick;
    uint32_t generation;
    uint32_t series; /* states of another series have other bodies; a reset or load begins one */
    int64_t time_us; /* simulated, to the nearest microsecond */
    double time;     /* s, simulated; of a decoded state time_us * 1e-6 */
    uint64_t state_hash; /* of the exact state; 0: not computed at this tick */
    uint32_t view_hash;
    struct wire_precision precision;
    int count;
    uint32_t *body; /* slots */
    int32_t *x, *y, *z;
    int32_t *angle;
    uint32_t *turn_largest;
    int32_t *turn_a, *turn_b, *turn_c;
    uint8_t *asleep; /* bit i % 8 of byte i / 8: entry i sleeps; other bits are 0 */
    int asleep_count;
    bool is_spatial;
    bool has_every_body; /* body[i] == i */
};

/* A state of `count` entries; all columns and `body` are zero.  NULL without memory. */
struct wire_state *wire_state_create(int count, bool is_spatial);

/* Copies time and quanta of `from`, but not its entries and their hash. */
void wire_state_describe(struct wire_state *state, const struct wire_state *from);

/*
 * Takes the world's present state.  `previous` is the last state taken of it, or NULL: rotations
 * leave out the same component if they can (wire_turn_quantise_after).  NULL without memory.
 */
struct wire_state *wire_state_take(const struct cn_world *world, uint32_t generation,
    const struct wire_precision *precision, const struct wire_state *previous);

/* Returns its argument. */
struct wire_state *wire_state_ref(struct wire_state *state);

/* NULL is allowed. */
void wire_state_unref(struct wire_state *state);

static inline bool
wire_state_sleeps(const struct wire_state *state, int entry)
{
    return (state->asleep[entry / 8] >> entry % 8 & 1) != 0;
}

/* The entry of the slot; -1 if it has none. */
int wire_state_find(const struct wire_state *state, uint32_t slot);

/*
 * The view hash: the sum of the entries' hashes, which can be computed independently.  The hash of
 * an entry begins with 2166136261 and takes slot, x, y, angle; in space slot, x, y, z,
 * turn_largest, turn_a, turn_b, turn_c:
 *
 *     h = (h xor word) * 2654435761,   h = h xor floor(h / 2^15),   modulo 2^32
 */
uint32_t wire_state_hash(const struct wire_state *state);

/* ---- the last states by tick ---- */

#define WIRE_RING_SIZE 64

/* Zero-initialise it.  A state's index is its tick modulo WIRE_RING_SIZE. */
struct wire_ring {
    struct wire_state *state[WIRE_RING_SIZE];
};

/* Takes its own reference; releases the state that had the index. */
void wire_ring_put(struct wire_ring *ring, struct wire_state *state);

/* Borrowed until the ring changes; NULL when the ring does not have it. */
struct wire_state *wire_ring_find(const struct wire_ring *ring, uint64_t tick);
void wire_ring_clear(struct wire_ring *ring);

#endif
