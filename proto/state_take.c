/*
 * state_take.c: a state from a world.
 */
#include "proto/state.h"

#include "engine/cairn.h"
#include "proto/quant.h"

/* Columns that are read side by side: the state before, and where in it the search has come. */
struct previous {
    const struct wire_state *state; /* NULL: none */
    int entry;
};

/* The component that was left out of this body's rotation; WIRE_TURN_NONE for a body unknown. */
static uint32_t
largest_before(struct previous *previous, uint32_t body)
{
    const struct wire_state *state = previous->state;
    while (state != NULL && previous->entry < state->count) {
        if (state->body[previous->entry] >= body) {
            bool is_same = state->body[previous->entry] == body;
            return is_same ? state->turn_largest[previous->entry] : WIRE_TURN_NONE;
        }
        previous->entry++;
    }
    return WIRE_TURN_NONE;
}

static void
take_body(struct wire_state *state, int k, const struct cn_body_view *body,
    struct previous *previous)
{
    const struct wire_precision *precision = &state->precision;
    state->x[k] = wire_quantise(body->position.x, precision->position);
    state->y[k] = wire_quantise(body->position.y, precision->position);
    if (!state->is_spatial) {
        state->angle[k] = wire_quantise(body->angle, precision->angle);
        return;
    }
    state->z[k] = wire_quantise(body->position.z, precision->position);
    uint32_t before = largest_before(previous, state->body[k]);
    struct wire_turn turn =
        wire_turn_quantise_after(body->orientation, precision->turn, before);
    state->turn_largest[k] = turn.largest;
    state->turn_a[k] = turn.rest[0];
    state->turn_b[k] = turn.rest[1];
    state->turn_c[k] = turn.rest[2];
}

static int
moving_count(const struct cn_world *world, int body_count)
{
    int count = 0;
    for (int i = 0; i < body_count; i++) {
        struct cn_body_view body;
        cn_world_body_view(world, i, &body);
        count += body.type != CN_STATIC;
    }
    return count;
}

struct wire_state *
wire_state_take(const struct cn_world *world, uint32_t generation,
    const struct wire_precision *precision, const struct wire_state *previous)
{
    int body_count = cn_world_body_count(world);
    bool is_spatial = cn_world_settings(world)->dimension == CN_SPATIAL;
    struct wire_state *state = wire_state_create(moving_count(world, body_count), is_spatial);
    if (state == NULL) {
        return NULL;
    }
    state->tick = cn_world_tick(world);
    state->generation = generation;
    state->time = cn_world_time(world);
    state->time_us = (int64_t)(state->time * 1e6 + 0.5);
    state->state_hash = cn_world_hash(world);
    state->precision = *precision;
    bool is_after = previous != NULL && previous->is_spatial && is_spatial;
    struct previous before = {.state = is_after ? previous : NULL};
    int k = 0;
    for (int i = 0; i < body_count; i++) {
        struct cn_body_view body;
        cn_world_body_view(world, i, &body);
        if (body.type != CN_STATIC) {
            if (body.island >= 0) {
                state->asleep[k / 8] |= (uint8_t)(1U << k % 8);
                state->asleep_count++;
            }
            state->body[k] = (uint32_t)i;
            take_body(state, k++, &body, &before);
        }
    }
    state->has_every_body = state->count == body_count;
    state->view_hash = wire_state_hash(state);
    return state;
}
