/*
 * delta_predict.h: predicts a state from two earlier ones, for the encoder and the decoder.
 */
#ifndef PROTO_DELTA_PREDICT_H
#define PROTO_DELTA_PREDICT_H

#include "proto/state.h"

#include <string.h>

/* Fields of ServerMessage and Delta. */
enum {
    DELTA_MESSAGE = 17,
    DELTA_TICK = 1,
    DELTA_GENERATION = 2,
    DELTA_FIRST = 3,
    DELTA_SECOND = 4,
    DELTA_TIME = 5,
    DELTA_LEFT = 6,
    DELTA_ENTERED = 7,
    DELTA_CHANGED = 8,
    DELTA_POSITION = 9,
    DELTA_TURN = 10,
    DELTA_PLACE = 11,
    DELTA_FACING = 12,
    DELTA_ESCAPE = 13,
    DELTA_SLEEP = 14,
    DELTA_VIEW_HASH = 15,
    DELTA_STATE_HASH = 16,
};

/* Values of `turn` instead of an offset and interleaved residuals. */
#define DELTA_TURN_ESCAPE 0
#define DELTA_TURN_OTHER 1 /* another component is left out than in the baseline */
#define DELTA_TURN_BASE 2

#define DELTA_COLUMNS_MAX 6

/* Four numbers of a column; compilers map it to the machine's lanes. */
typedef uint32_t delta_lanes __attribute__((vector_size(16)));
#define DELTA_LANES 4

static inline delta_lanes
delta_load(const void *numbers)
{
    delta_lanes lanes;
    memcpy(&lanes, numbers, sizeof(lanes));
    return lanes;
}

/* x, y, angle; or x, y, z, turn_a, turn_b, turn_c.  Returns how many. */
static inline int
delta_columns(const struct wire_state *state, int32_t *column[DELTA_COLUMNS_MAX])
{
    column[0] = state->x;
    column[1] = state->y;
    column[2] = state->is_spatial ? state->z : state->angle;
    column[3] = state->turn_a;
    column[4] = state->turn_b;
    column[5] = state->turn_c;
    return state->is_spatial ? 6 : 3;
}

/*
 * Fills columns and time_us of `into` with the prediction from the baselines, either of which may
 * be NULL; its tick, count, slots and dimension are set.  known[i] says whether entry i is in
 * `first`; if not, its numbers are 0.  asleep is copied from `first`.  Returns whether the entries
 * are the same bodies as in `first`.
 */
bool delta_predict(struct wire_state *into, const struct wire_state *first,
    const struct wire_state *second, uint8_t *known);

#endif
