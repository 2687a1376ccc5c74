/*
 * fuzz_contacts.c: no bytes crash the decoder of ContactDeltas, and it decodes all output of the
 * encoder.
 *
 * The input chooses made-up contacts (tests/support/server/contact_walk.h) and the baselines of the
 * messages.  All contacts must be decoded with the same numbers.  The last bytes of the input then
 * overwrite a part of one message, or replace a whole one.  The decoder must refuse it, or make
 * entries in order with the hash of the message, whose values can be computed.
 */
#include "engine/base/assert.h"
#include "proto/contact_delta.h"
#include "tests/support/server/contact_walk.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SENDS 6
#define PRECISION (1.0 / 512.0)

struct input {
    const uint8_t *at, *end;
};

static uint32_t
take(struct input *input)
{
    return input->at < input->end ? *input->at++ : 0;
}

static void
check_contacts(const struct wire_contacts *contacts)
{
    const struct wire_contact_place place = {{1.0, 2.0, 3.0}, {1.0, 0.0, 0.0, 0.0}};
    CN_ASSERT(contacts->count >= 0 && wire_contacts_hash(contacts) == contacts->hash);
    CN_ASSERT(memchr(contacts->report.solver, 0, sizeof(contacts->report.solver)) != NULL);
    for (int i = 0; i < contacts->count; i++) {
        struct wire_contact_values values;
        CN_ASSERT(i == 0 || wire_contact_compare(
                                &contacts->contacts[i - 1], &contacts->contacts[i]) < 0);
        wire_contact_evaluate(contacts, &contacts->contacts[i], &place, &values);
        CN_ASSERT(isfinite(values.point[0]) && isfinite(values.force) && values.impulse >= 0.0);
    }
}

/* Decodes any bytes, in a block of exactly their size, so that a sanitizer sees reads beyond it. */
static void
decode_any(struct wire_contact_decoder *decoder, const uint8_t *bytes, size_t size)
{
    uint8_t *block = malloc(size + 1);
    CN_ASSERT(block != NULL);
    memcpy(block, bytes, size);
    uint8_t *exact = realloc(block, size > 0 ? size : 1);
    CN_ASSERT(exact != NULL);
    const struct wire_contacts *contacts = NULL;
    if (wire_decode_contact_delta(decoder, exact, size, &contacts) == WIRE_DELTA_OK) {
        check_contacts(contacts);
    }
    free(exact);
}

static void
damage(struct wire_contact_decoder *decoder, const struct wire_contact_encoder *encoder,
    struct input *input)
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
begin(struct contact_walk *walk, struct input *input)
{
    uint32_t seed = take(input) | take(input) << 8;
    bool is_spatial = take(input) % 2 != 0;
    contact_walk_begin(walk, seed, is_spatial, (int)(take(input) % CONTACT_WALK_MAX));
    walk->chances = (struct contact_chances){.change = take(input) * 256,
        .jump = take(input) * 64, .come = take(input) * 128, .go = take(input) * 128};
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct contact_walk walk;
    struct input input = {data, data + size};
    begin(&walk, &input);
    struct wire_contact_encoder encoder = {0};
    struct wire_contact_decoder decoder = {
        .is_spatial = walk.is_spatial, .position_scale = PRECISION};
    for (int send = 0; send < SENDS; send++) {
        uint32_t back = take(&input) % 8;
        contact_walk_step(&walk);
        struct wire_contacts *now = contact_walk_take(&walk, PRECISION);
        struct wire_contacts *base = back > 0 ? decoder.kept[back - 1] : NULL;
        CN_ASSERT(wire_encode_contact_delta(&encoder, now, base));
        const struct wire_contacts *decoded = NULL;
        enum wire_delta_result result =
            wire_decode_contact_delta(&decoder, encoder.bytes, encoder.size, &decoded);
        CN_ASSERT(result == WIRE_DELTA_OK && wire_contacts_are_equal(now, decoded));
        check_contacts(decoded);
        wire_contacts_unref(now);
    }
    if (take(&input) % 2 == 0) {
        decode_any(&decoder, input.at, (size_t)(input.end - input.at));
    } else {
        damage(&decoder, &encoder, &input);
    }
    wire_contact_decoder_clear(&decoder);
    wire_contact_encoder_finish(&encoder);
    return 0;
}
