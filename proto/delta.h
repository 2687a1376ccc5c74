/*
 * delta.h: encodes a state as its difference to a prediction from earlier states, and decodes it.
 *
 * WIRE.md, "Deltas", specifies the bytes.  In short: every number of every body is predicted to
 * continue as it changed between the two baselines,
 *
 *     p = p1 + floor((p1 - p2) (t - t1) / (t1 - t2)),
 *
 * in integers, so that every decoder gets the same result.  Only bodies that differ from the
 * prediction are in the message, with three residuals interleaved in one varint.  A body at rest or
 * in uniform motion takes no bytes.
 *
 * The decoder needs no protobuf library, no engine and no floating point: delta_decode.c, state.c,
 * and their headers are all that a client in C needs.
 */
#ifndef PROTO_DELTA_H
#define PROTO_DELTA_H

#include "proto/state.h"

/* The largest age of a baseline in ticks; both sides keep states of that age. */
#define WIRE_BASELINE_AGE_MAX (WIRE_RING_SIZE - 1)

/* ---- encoding ---- */

/* A message, and scratch that is reused for the next one.  Zero-initialise; one thread's. */
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
 * Encodes ServerMessage {delta}: `now` against the baselines; `second` is the older one.  Either
 * may be NULL.  A baseline is ignored if it cannot be used: it has another series, dimension or
 * precision, is not older, or is too old.  Without a second baseline the prediction is of first
 * order; without a first one the message is a keyframe.  The state's hash is sent if it has one.
 * False without memory.
 */
bool wire_encode_delta(struct wire_encoder *encoder, const struct wire_state *now,
    const struct wire_state *first, const struct wire_state *second);

/* ---- decoding ---- */

enum wire_delta_result {
    WIRE_DELTA_OK,
    WIRE_DELTA_OTHER,    /* a message of another kind */
    WIRE_DELTA_BASELINE, /* it names a state that the ring does not have */
    WIRE_DELTA_BAD,      /* against the rules of WIRE.md, or the hash of the result differs */
    WIRE_DELTA_MEMORY,
};

/* Zero-initialise.  Joined sets its facts, and every Joined clears the ring. */
struct wire_decoder {
    bool is_spatial;
    struct wire_precision precision;
    struct wire_ring ring;
};

/*
 * Reads a packed ServerMessage.  On OK *state, borrowed from the ring, is the decoded state; else
 * nothing has changed.
 */
enum wire_delta_result wire_decode_delta(struct wire_decoder *decoder, const uint8_t *bytes,
    size_t size, const struct wire_state **state);

#endif
