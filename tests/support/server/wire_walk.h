/*
 * wire_walk.h: states of an artificial world, one for each tick, for the tests of the codec.  Its
 * bodies rest, coast, are pushed, jump to the ends of the range, turn until another component is
 * left out, fall asleep, enter and leave.
 */
#ifndef TESTS_SUPPORT_SERVER_WIRE_WALK_H
#define TESTS_SUPPORT_SERVER_WIRE_WALK_H

#include "engine/base/rng.h"
#include "proto/state.h"

#include <string.h>

#define WALK_SLOTS_MAX 200

/* The chance of each act of a body in a tick, in 65536ths. */
struct walk_chances {
    uint32_t push, jump, turn_over, sleep, come, go;
};

struct walk_body {
    bool is_there, is_asleep;
    int32_t number[6], speed[6];
    uint32_t largest;
};

struct walk {
    struct cn_rng rng;
    struct walk_chances chances;
    bool is_spatial;
    uint64_t tick;
    int slot_count;
    struct walk_body body[WALK_SLOTS_MAX];
};

static inline uint32_t
walk_below(struct walk *walk, uint32_t end)
{
    return (uint32_t)(((uint64_t)(uint32_t)cn_rng_next(&walk->rng) * end) >> 32);
}

static inline bool
walk_happens(struct walk *walk, uint32_t chance)
{
    return walk_below(walk, 65536) < chance;
}

static inline int32_t
walk_any(struct walk *walk)
{
    static const int32_t end[] = {INT32_MIN, INT32_MAX, 0, -1, 511, -512, 1 << 20};
    return walk_below(walk, 4) == 0 ? end[walk_below(walk, 7)]
                                    : (int32_t)(uint32_t)cn_rng_next(&walk->rng);
}

static inline void
walk_appear(struct walk *walk, struct walk_body *body)
{
    *body = (struct walk_body){.is_there = true, .largest = walk_below(walk, 4)};
    for (int c = 0; c < 6; c++) {
        body->number[c] = (int32_t)walk_below(walk, 2048) - 1024;
    }
}

static inline void
walk_begin(struct walk *walk, uint64_t seed, bool is_spatial, int slot_count)
{
    *walk = (struct walk){.rng = {.state = seed}, .is_spatial = is_spatial,
        .slot_count = slot_count, .tick = walk_below(walk, 8)};
    walk->chances = (struct walk_chances){6000, 150, 300, 800, 100, 100};
    for (int i = 0; i < slot_count; i++) {
        if (walk_below(walk, 5) > 0) {
            walk_appear(walk, &walk->body[i]);
        }
    }
}

static inline void
walk_move(struct walk *walk, struct walk_body *body)
{
    for (int c = 0; c < 6; c++) {
        if (walk_happens(walk, walk->chances.push)) {
            body->speed[c] += (int32_t)walk_below(walk, 33) - 16;
        }
        if (walk_happens(walk, walk->chances.jump)) {
            body->number[c] = walk_any(walk);
        }
        body->number[c] = (int32_t)((uint32_t)body->number[c] + (uint32_t)body->speed[c]);
    }
    if (walk_happens(walk, walk->chances.turn_over)) {
        body->largest = walk_below(walk, 4);
    }
    if (walk_happens(walk, walk->chances.sleep)) {
        body->is_asleep = !body->is_asleep;
        for (int c = 0; c < 6; c++) {
            body->speed[c] = 0;
        }
    }
}

/* Advances the world by a tick. */
static inline void
walk_step(struct walk *walk)
{
    walk->tick++;
    for (int i = 0; i < walk->slot_count; i++) {
        struct walk_body *body = &walk->body[i];
        if (!body->is_there && walk_happens(walk, walk->chances.come)) {
            walk_appear(walk, body);
        } else if (body->is_there && walk_happens(walk, walk->chances.go)) {
            body->is_there = false;
        } else if (body->is_there) {
            walk_move(walk, body);
        }
    }
}

/* The state now; NULL without memory. */
static inline struct wire_state *
walk_state(const struct walk *walk, const struct wire_precision *precision)
{
    struct wire_state *state = wire_state_create(walk->slot_count, walk->is_spatial);
    if (state == NULL) {
        return NULL;
    }
    int k = 0;
    for (int i = 0; i < walk->slot_count; i++) {
        const struct walk_body *body = &walk->body[i];
        if (!body->is_there) {
            continue;
        }
        state->body[k] = (uint32_t)i;
        state->x[k] = body->number[0];
        state->y[k] = body->number[1];
        *(walk->is_spatial ? &state->z[k] : &state->angle[k]) = body->number[2];
        if (walk->is_spatial) {
            state->turn_largest[k] = body->largest;
            state->turn_a[k] = body->number[3];
            state->turn_b[k] = body->number[4];
            state->turn_c[k] = body->number[5];
        }
        state->asleep[k / 8] |= (uint8_t)((body->is_asleep ? 1U : 0U) << k % 8);
        state->asleep_count += body->is_asleep;
        k++;
    }
    state->count = k;
    state->has_every_body = k == 0 || state->body[k - 1] == (uint32_t)k - 1;
    state->tick = walk->tick;
    state->generation = 1;
    state->time_us = (int64_t)walk->tick * 50000 / 3;
    state->time = (double)state->time_us * 1e-6;
    state->precision = *precision;
    state->view_hash = wire_state_hash(state);
    return state;
}

static inline bool
walk_is_equal(const struct wire_state *a, const struct wire_state *b)
{
    size_t n = (size_t)a->count * sizeof(int32_t);
    bool is_alike = a->tick == b->tick && a->generation == b->generation &&
                    a->time_us == b->time_us && a->state_hash == b->state_hash &&
                    a->view_hash == b->view_hash && a->count == b->count &&
                    a->is_spatial == b->is_spatial && a->asleep_count == b->asleep_count &&
                    a->has_every_body == b->has_every_body;
    if (!is_alike || a->count == 0) {
        return is_alike;
    }
    bool is_same = memcmp(a->body, b->body, n) == 0 && memcmp(a->x, b->x, n) == 0 &&
                   memcmp(a->y, b->y, n) == 0 &&
                   memcmp(a->asleep, b->asleep, ((size_t)a->count + 7) / 8) == 0;
    if (!a->is_spatial) {
        return is_same && memcmp(a->angle, b->angle, n) == 0;
    }
    return is_same && memcmp(a->z, b->z, n) == 0 && memcmp(a->turn_a, b->turn_a, n) == 0 &&
           memcmp(a->turn_b, b->turn_b, n) == 0 && memcmp(a->turn_c, b->turn_c, n) == 0 &&
           memcmp(a->turn_largest, b->turn_largest, n) == 0;
}

#endif
