#include "proto/state.h"
#include "engine/base/assert.h"

#include <stdlib.h>

#define PLANAR_COLUMNS 4
#define SPATIAL_COLUMNS 8

struct wire_state *
wire_state_create(int count, bool is_spatial)
{
    CN_ASSERT(count >= 0);
    size_t n = (size_t)count;
    size_t columns = is_spatial ? SPATIAL_COLUMNS : PLANAR_COLUMNS;
    struct wire_state *state =
        calloc(1, sizeof(*state) + columns * n * sizeof(int32_t) + n / 8 + 1);
    if (state == NULL) {
        return NULL;
    }
    atomic_init(&state->ref_count, 1);
    state->count = count;
    state->is_spatial = is_spatial;
    state->body = (uint32_t *)(void *)(state + 1);
    state->x = (int32_t *)(void *)(state->body + n);
    state->y = state->x + n;
    int32_t *end = state->y + 2 * n;
    if (is_spatial) {
        state->z = state->y + n;
        state->turn_a = state->z + n;
        state->turn_b = state->turn_a + n;
        state->turn_c = state->turn_b + n;
        state->turn_largest = (uint32_t *)(void *)(state->turn_c + n);
        end = (int32_t *)(void *)(state->turn_largest + n);
    } else {
        state->angle = state->y + n;
    }
    /* the columns fill their room */
    CN_ASSERT((uint32_t *)(void *)end == state->body + columns * n);
    state->asleep = (uint8_t *)end;
    return state;
}

void
wire_state_describe(struct wire_state *state, const struct wire_state *from)
{
    CN_ASSERT(state->is_spatial == from->is_spatial);
    state->tick = from->tick;
    state->generation = from->generation;
    state->series = from->series;
    state->time_us = from->time_us;
    state->time = from->time;
    state->state_hash = from->state_hash;
    state->precision = from->precision;
}

struct wire_state *
wire_state_ref(struct wire_state *state)
{
    CN_ASSERT(atomic_load_explicit(&state->ref_count, memory_order_relaxed) > 0);
    atomic_fetch_add_explicit(&state->ref_count, 1, memory_order_relaxed);
    return state;
}

void
wire_state_unref(struct wire_state *state)
{
    if (state != NULL &&
        atomic_fetch_sub_explicit(&state->ref_count, 1, memory_order_acq_rel) == 1) {
        free(state);
    }
}

int
wire_state_find(const struct wire_state *state, uint32_t slot)
{
    if (state->has_every_body) {
        return slot < (uint32_t)state->count ? (int)slot : -1;
    }
    int low = 0, high = state->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (state->body[middle] < slot) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < state->count && state->body[low] == slot ? low : -1;
}

static inline uint32_t
hash_word(uint32_t hash, uint32_t word)
{
    hash = (hash ^ word) * UINT32_C(2654435761);
    return hash ^ hash >> 15;
}

uint32_t
wire_state_hash(const struct wire_state *state)
{
    CN_ASSERT(state->count >= 0);
    uint32_t sum = 0;
    for (int i = 0; i < state->count; i++) {
        uint32_t hash = hash_word(UINT32_C(2166136261), state->body[i]);
        hash = hash_word(hash, (uint32_t)state->x[i]);
        hash = hash_word(hash, (uint32_t)state->y[i]);
        if (!state->is_spatial) {
            sum += hash_word(hash, (uint32_t)state->angle[i]);
            continue;
        }
        hash = hash_word(hash, (uint32_t)state->z[i]);
        hash = hash_word(hash, state->turn_largest[i]);
        hash = hash_word(hash, (uint32_t)state->turn_a[i]);
        hash = hash_word(hash, (uint32_t)state->turn_b[i]);
        sum += hash_word(hash, (uint32_t)state->turn_c[i]);
    }
    return sum;
}

void
wire_ring_put(struct wire_ring *ring, struct wire_state *state)
{
    struct wire_state **place = &ring->state[state->tick % WIRE_RING_SIZE];
    struct wire_state *older = *place;
    CN_ASSERT(older == NULL || older->tick % WIRE_RING_SIZE == state->tick % WIRE_RING_SIZE);
    *place = wire_state_ref(state);
    wire_state_unref(older);
}

struct wire_state *
wire_ring_find(const struct wire_ring *ring, uint64_t tick)
{
    struct wire_state *state = ring->state[tick % WIRE_RING_SIZE];
    return state != NULL && state->tick == tick ? state : NULL;
}

void
wire_ring_clear(struct wire_ring *ring)
{
    for (int i = 0; i < WIRE_RING_SIZE; i++) {
        wire_state_unref(ring->state[i]);
        ring->state[i] = NULL;
    }
}
