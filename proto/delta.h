/*
 * delta.h: a state as its difference to what its predecessors foretell; both directions.
 *
 * WIRE.md, "Deltas", says exactly what the bytes are; in short: every number of every body goes on
 * as it went between the two baselines,
 *
 *     p = p1 + floor((p1 - p2) (t - t1) / (t1 - t2)),
 *
 * in integers, so that every decoder finds the same; a body is named only where it does something
 * else, with residuals interleaved three in one varint.  A body at rest or in even motion costs
 * nothing.
 *
 * The decoder needs no protobuf library, no engine and no floating point: delta_decode.c, state.c,
 * and their headers are all that a client in C needs.
 */
#ifndef PROTO_DELTA_H
#define PROTO_DELTA_H

#include "proto/state.h"

/* Baselines are at most so many ticks old: both sides keep states for so long. */
#define WIRE_BASELINE_AGE_MAX (WIRE_RING_SIZE - 1)

/* ---- encoding ---- */

/* A message, and scratch that is kept from one to the next.  Zero-initialise; one thread's. */
struct wire_encoder {
    uint8_t *bytes; /* until the next call */
    size_t size;
    size_t capacity;
    int32_t *scratch;
    size_t scratch_capacity; /* entries */
    struct wire_state *predicted;
    int predicted_capacity;
};

void wire_encoder_finish(struct wire_encoder *encoder);

/*
 * ServerMessage {delta}: `now` against the baselines, of which `second` is the older.  Either may
 * be NULL, and one that can not serve (another series, dimension or precision, not older, too old)
 * is not used: without a second the prediction is of first order, without a first this is a
 * keyframe.  The state's hash is told where it has one.  False without memory.
 */
bool wire_encode_delta(struct wire_encoder *encoder, const struct wire_state *now,
    const struct wire_state *first, const struct wire_state *second);

/* ---- decoding ---- */

enum wire_delta_result {
    WIRE_DELTA_OK,
    WIRE_DELTA_OTHER,    /* a message of another kind */
    WIRE_DELTA_BASELINE, /* names a state that the ring does not have */
    WIRE_DELTA_BAD,      /* not as WIRE.md says; or its hash is not that of what it makes */
    WIRE_DELTA_MEMORY,
};

/* Zero-initialise; what Joined tells goes into it, and the ring is cleared at every Joined. */
struct wire_decoder {
    bool is_spatial;
    struct wire_precision precision;
    struct wire_ring ring;
};

/*
 * Reads a packed ServerMessage.  On OK *state, borrowed from the ring, is the state that it tells;
 * else nothing has changed.
 */
enum wire_delta_result wire_decode_delta(struct wire_decoder *decoder, const uint8_t *bytes,
    size_t size, const struct wire_state **state);

#endif
