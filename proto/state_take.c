/*
 * state_take.c: takes a state from a world.
 */
#include "proto/state.h"

#include "engine/base/assert.h"
#include "engine/cairn.h"
#include "proto/quant.h"

#define PIECE_COUNT 64 /* bodies that are read at once */

/* The world's numbers in quanta, and the previous state with the position of the search in it. */
struct taking {
    struct wire_state *state;
    double position_steps, angle_steps, turn_steps;
    const struct wire_state *previous; /* may be NULL */
    int entry;
};

/* The component that was left out of this body's rotation; WIRE_TURN_NONE for a new body. */
static uint32_t
largest_before(struct taking *taking, uint32_t body)
{
    const struct wire_state *previous = taking->previous;
    CN_ASSERT(previous == NULL || previous->is_spatial);
    while (previous != NULL && taking->entry < previous->count &&
           previous->body[taking->entry] <= body) {
        int entry = taking->entry++;
        if (previous->body[entry] == body) {
            return previous->turn_largest[entry];
        }
    }
    return WIRE_TURN_NONE;
}

static void
take_body(struct taking *taking, int k, const struct cn_body_place *place)
{
    struct wire_state *state = taking->state;
    state->x[k] = wire_quantise_by(place->position.x, taking->position_steps);
    state->y[k] = wire_quantise_by(place->position.y, taking->position_steps);
    if (!state->is_spatial) {
        state->angle[k] = wire_quantise_by(place->angle, taking->angle_steps);
        return;
    }
    state->z[k] = wire_quantise_by(place->position.z, taking->position_steps);
    struct wire_turn turn = wire_turn_quantise_after(
        place->orientation, taking->turn_steps, largest_before(taking, state->body[k]));
    state->turn_largest[k] = turn.largest;
    state->turn_a[k] = turn.rest[0];
    state->turn_b[k] = turn.rest[1];
    state->turn_c[k] = turn.rest[2];
}

/* The state has room for every body; its count is that of the bodies that are not static. */
static void
take_bodies(struct taking *taking, const struct cn_world *world, int body_count)
{
    struct wire_state *state = taking->state;
    struct cn_body_place place[PIECE_COUNT];
    int k = 0;
    for (int first = 0; first < body_count; first += PIECE_COUNT) {
        int count = body_count - first < PIECE_COUNT ? body_count - first : PIECE_COUNT;
        cn_world_body_places(world, first, count, place);
        for (int i = 0; i < count; i++) {
            if (place[i].is_static) {
                continue;
            }
            state->body[k] = (uint32_t)(first + i);
            state->asleep[k / 8] |= (uint8_t)((place[i].is_asleep ? 1U : 0U) << k % 8);
            state->asleep_count += place[i].is_asleep;
            take_body(taking, k++, &place[i]);
        }
    }
    CN_ASSERT(k <= body_count && state->asleep_count <= k);
    state->count = k;
    state->has_every_body = k == 0 || state->body[k - 1] == (uint32_t)k - 1;
}

struct wire_state *
wire_state_take(const struct cn_world *world, uint32_t generation,
    const struct wire_precision *precision, const struct wire_state *previous)
{
    int body_count = cn_world_body_count(world);
    bool is_spatial = cn_world_settings(world)->dimension == CN_SPATIAL;
    struct wire_state *state = wire_state_create(body_count, is_spatial);
    if (state == NULL) {
        return NULL;
    }
    bool is_after = previous != NULL && previous->is_spatial && is_spatial;
    struct taking taking = {
        .state = state,
        .position_steps = 1.0 / precision->position,
        .angle_steps = 1.0 / precision->angle,
        .turn_steps = 1.0 / precision->turn,
        .previous = is_after ? previous : NULL,
    };
    state->tick = cn_world_tick(world);
    state->generation = generation;
    state->time = cn_world_time(world);
    state->time_us = (int64_t)(state->time * 1e6 + 0.5);
    state->precision = *precision;
    take_bodies(&taking, world, body_count);
    state->view_hash = wire_state_hash(state);
    return state;
}
