/*
 * fuzz_delta.c: no bytes crash the decoder of deltas, and it decodes all output of the encoder.
 *
 * The input chooses an artificial world (tests/support/server/wire_walk.h), the ticks that are
 * sent, and their baselines.  Every state must be decoded with the same bits.  The last bytes of
 * the input then overwrite a part of one message, or replace a whole one.  The decoder must refuse
 * it, or make a valid state with the hash of the message.
 */
#include "engine/base/assert.h"
#include "proto/delta.h"
#include "tests/support/server/wire_walk.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SENDS 6

struct input {
    const uint8_t *at, *end;
};

static uint32_t
take(struct input *input)
{
    return input->at < input->end ? *input->at++ : 0;
}

static void
check_state(const struct wire_state *state)
{
    CN_ASSERT(state->count >= 0 && wire_state_hash(state) == state->view_hash);
    int asleep = 0;
    for (int i = 0; i < state->count; i++) {
        CN_ASSERT(i == 0 || state->body[i] > state->body[i - 1]);
        CN_ASSERT(!state->is_spatial || state->turn_largest[i] < 4);
        asleep += wire_state_sleeps(state, i);
    }
    CN_ASSERT(asleep == state->asleep_count);
}

/* Decodes any bytes, in a block of exactly their size, so that a sanitizer sees reads beyond it. */
static void
decode_any(struct wire_decoder *decoder, const uint8_t *bytes, size_t size)
{
    uint8_t *block = malloc(size + 1);
    CN_ASSERT(block != NULL);
    memcpy(block, bytes, size);
    uint8_t *exact = realloc(block, size > 0 ? size : 1);
    CN_ASSERT(exact != NULL);
    const struct wire_state *state = NULL;
    if (wire_decode_delta(decoder, exact, size, &state) == WIRE_DELTA_OK) {
        check_state(state);
    }
    free(exact);
}

static void
damage(struct wire_decoder *decoder, const struct wire_encoder *encoder, struct input *input)
{
    uint8_t *bytes = malloc(encoder->size + 1);
    CN_ASSERT(bytes != NULL);
    memcpy(bytes, encoder->bytes, encoder->size);
    size_t at = take(input) * encoder->size / 256;
    for (; input->at < input->end && at < encoder->size; at++) {
        bytes[at] ^= (uint8_t)take(input);
    }
    decode_any(decoder, bytes, encoder->size);
    free(bytes);
}

static void
begin(struct walk *walk, struct input *input)
{
    uint32_t seed = take(input) | take(input) << 8;
    bool is_spatial = take(input) % 2 != 0;
    walk_begin(walk, seed, is_spatial, (int)(take(input) % 64));
    walk->chances = (struct walk_chances){.push = take(input) * 256, .jump = take(input) * 128,
        .turn_over = take(input) * 128, .sleep = take(input) * 128, .come = take(input) * 128,
        .go = take(input) * 128};
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct walk walk;
    static const struct wire_precision precision = {1.0 / 512.0, 1.0 / 1024.0, 1.0 / 256.0};
    struct input input = {data, data + size};
    begin(&walk, &input);
    struct wire_encoder encoder = {0};
    struct wire_decoder decoder = {.is_spatial = walk.is_spatial, .precision = precision};
    for (int send = 0; send < SENDS; send++) {
        uint32_t skip = take(&input), order = take(&input);
        skip = skip < 250 ? skip % 3 : 60 + skip % 8; /* rarely near the age of the oldest state */
        for (uint32_t tick = 0; tick <= skip; tick++) {
            walk_step(&walk);
        }
        struct wire_state *state = walk_state(&walk, &precision);
        CN_ASSERT(state != NULL);
        struct wire_state *first = wire_ring_find(&decoder.ring, walk.tick - 1 - skip);
        struct wire_state *second = wire_ring_find(&decoder.ring, walk.tick - order % 64);
        CN_ASSERT(wire_encode_delta(&encoder, state, order < 8 ? NULL : first, second));
        const struct wire_state *back = NULL;
        enum wire_delta_result result =
            wire_decode_delta(&decoder, encoder.bytes, encoder.size, &back);
        CN_ASSERT(result == WIRE_DELTA_OK && walk_is_equal(state, back));
        check_state(back);
        wire_state_unref(state);
    }
    if (take(&input) % 2 == 0) {
        decode_any(&decoder, input.at, (size_t)(input.end - input.at));
    } else {
        damage(&decoder, &encoder, &input);
    }
    wire_ring_clear(&decoder.ring);
    wire_encoder_finish(&encoder);
    return 0;
}
