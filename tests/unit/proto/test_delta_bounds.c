/*
 * test_delta_bounds.c: deltas that are right in everything but one thing.  Each is made by hand,
 * with the hash of the state that a careless decoder would make of it, so that only the rule itself
 * can refuse it.
 */
#include "proto/delta.h"
#include "proto/delta_predict.h"
#include "proto/pack.h"
#include "tests/support/live_blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ENTRIES_MAX (1 << 20) /* as in delta_decode.c */
#define NOW 200

static const struct wire_precision precision = {1.0 / 512.0, 1.0 / 1024.0, 1.0 / 256.0};

/* A message that is being made. */
struct bytes {
    uint8_t *at;
    size_t size, capacity;
};

static void
put_byte(struct bytes *bytes, uint8_t byte)
{
    if (bytes->size == bytes->capacity) {
        bytes->capacity = 2 * bytes->capacity + 64;
        bytes->at = realloc(bytes->at, bytes->capacity);
        assert_non_null(bytes->at);
    }
    bytes->at[bytes->size++] = byte;
}

static void
put_varint(struct bytes *bytes, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) {
        put_byte(bytes, (uint8_t)(value | 0x80));
    }
    put_byte(bytes, (uint8_t)value);
}

static void
put_number(struct bytes *bytes, uint32_t field, uint64_t value)
{
    if (value != 0) {
        put_varint(bytes, field << 3 | WIRE_TYPE_VARINT);
        put_varint(bytes, value);
    }
}

static void
put_column(struct bytes *bytes, uint32_t field, const struct bytes *column)
{
    if (column->size > 0) {
        put_varint(bytes, field << 3 | WIRE_TYPE_BYTES);
        put_varint(bytes, column->size);
        for (size_t i = 0; i < column->size; i++) {
            put_byte(bytes, column->at[i]);
        }
    }
}

/* The fields of a delta; columns are empty unless a test fills them. */
struct said {
    uint64_t tick;
    uint32_t first, second, hash;
    struct bytes left, entered, changed, position, turn, place, facing, escape, sleep;
};

static void
said_finish(struct said *said)
{
    struct bytes *columns[] = {&said->left, &said->entered, &said->changed, &said->position,
        &said->turn, &said->place, &said->facing, &said->escape, &said->sleep};
    for (int i = 0; i < 9; i++) {
        free(columns[i]->at);
    }
    *said = (struct said){0};
}

/* The fields of the Delta itself. */
static struct bytes
body_of(const struct said *said)
{
    struct bytes body = {0};
    put_number(&body, DELTA_TICK, said->tick);
    put_number(&body, DELTA_GENERATION, 1);
    put_number(&body, DELTA_FIRST, said->first);
    put_number(&body, DELTA_SECOND, said->second);
    put_column(&body, DELTA_LEFT, &said->left);
    put_column(&body, DELTA_ENTERED, &said->entered);
    put_column(&body, DELTA_CHANGED, &said->changed);
    put_column(&body, DELTA_POSITION, &said->position);
    put_column(&body, DELTA_TURN, &said->turn);
    put_column(&body, DELTA_PLACE, &said->place);
    put_column(&body, DELTA_FACING, &said->facing);
    put_column(&body, DELTA_ESCAPE, &said->escape);
    put_column(&body, DELTA_SLEEP, &said->sleep);
    put_varint(&body, DELTA_VIEW_HASH << 3 | WIRE_TYPE_32);
    for (int i = 0; i < 4; i++) {
        put_byte(&body, (uint8_t)(said->hash >> 8 * i));
    }
    return body;
}

/* A refused message leaves no memory behind, and no state. */
static enum wire_delta_result
decode_bytes(struct wire_decoder *decoder, const struct bytes *message)
{
    const struct wire_state *state = NULL;
    long blocks = live_blocks();
    enum wire_delta_result result =
        wire_decode_delta(decoder, message->at, message->size, &state);
    if (result != WIRE_DELTA_OK) {
        assert_int_equal(live_blocks(), blocks);
        assert_null(state);
    } else {
        assert_ptr_equal(wire_ring_find(&decoder->ring, state->tick), state);
    }
    return result;
}

static enum wire_delta_result
decode(struct wire_decoder *decoder, const struct said *said)
{
    struct bytes body = body_of(said), message = {0};
    put_column(&message, DELTA_MESSAGE, &body);
    enum wire_delta_result result = decode_bytes(decoder, &message);
    if (result == WIRE_DELTA_OK) {
        const struct wire_state *state = wire_ring_find(&decoder->ring, said->tick);
        assert_non_null(state);
        assert_int_equal(state->view_hash, said->hash);
    }
    free(body.at);
    free(message.at);
    return result;
}

/* The hash of a planar state with these slots, and all numbers 0. */
static uint32_t
hash_of(const uint32_t *slots, int count)
{
    struct wire_state *state = wire_state_create(count, false);
    assert_non_null(state);
    for (int i = 0; i < count; i++) {
        state->body[i] = slots[i];
    }
    uint32_t hash = wire_state_hash(state);
    wire_state_unref(state);
    return hash;
}

/* Fills the ring with states of two bodies at rest, at 1 to `count` ticks before NOW. */
static void
fill_ring(struct wire_decoder *decoder, uint32_t count)
{
    for (uint64_t age = count; age >= 1; age--) {
        struct wire_state *state = wire_state_create(2, false);
        state->tick = NOW - age;
        state->generation = 1;
        state->precision = precision;
        state->body[0] = 2;
        state->body[1] = 5;
        state->view_hash = wire_state_hash(state);
        wire_ring_put(&decoder->ring, state);
        wire_state_unref(state);
    }
}

/*
 * The first baseline is younger than the second.  None is older than both sides keep, and none is
 * the tick itself.
 */
static void
test_order_of_baselines(void **unused)
{
    static const struct {
        uint32_t first, second;
        enum wire_delta_result result;
    } cases[] = {{1, 0, WIRE_DELTA_OK}, {1, 2, WIRE_DELTA_OK}, {3, 5, WIRE_DELTA_OK},
        {63, 0, WIRE_DELTA_OK}, {62, 63, WIRE_DELTA_OK}, {1, 63, WIRE_DELTA_OK},
        {2, 1, WIRE_DELTA_BAD}, {1, 1, WIRE_DELTA_BAD}, {63, 62, WIRE_DELTA_BAD},
        {63, 63, WIRE_DELTA_BAD}, {0, 1, WIRE_DELTA_BAD}, {0, 63, WIRE_DELTA_BAD},
        {64, 0, WIRE_DELTA_BAD}, {1, 64, WIRE_DELTA_BAD}, {64, 65, WIRE_DELTA_BAD},
        {UINT32_MAX, 0, WIRE_DELTA_BAD}, {1, UINT32_MAX, WIRE_DELTA_BAD}};
    (void)unused;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct wire_decoder decoder = {.precision = precision};
        fill_ring(&decoder, WIRE_RING_SIZE);
        struct said said = {.tick = NOW, .first = cases[i].first, .second = cases[i].second,
            .hash = hash_of((uint32_t[]){2, 5}, 2)};
        if (cases[i].first == 0 && cases[i].result == WIRE_DELTA_BAD) {
            said.hash = hash_of(NULL, 0); /* the hash of an empty state */
        }
        enum wire_delta_result result = decode(&decoder, &said);
        if (result != cases[i].result) {
            fail_msg("baselines %u and %u ticks ago: %d, not %d", (unsigned)cases[i].first,
                (unsigned)cases[i].second, (int)result, (int)cases[i].result);
        }
        wire_ring_clear(&decoder.ring);
    }
}

/* A baseline before tick 0 does not exist and is refused. */
static void
test_before_the_beginning(void **unused)
{
    (void)unused;
    for (uint32_t age = 1; age < 8; age++) {
        struct wire_decoder decoder = {.precision = precision};
        struct said said = {.tick = 4, .first = age, .hash = hash_of((uint32_t[]){2, 5}, 2)};
        assert_int_equal(decode(&decoder, &said),
            age <= 4 ? WIRE_DELTA_BASELINE : WIRE_DELTA_BAD);
        said.first = 1;
        said.second = age + 1;
        assert_int_equal(decode(&decoder, &said),
            age + 1 <= 4 ? WIRE_DELTA_BASELINE : WIRE_DELTA_BAD);
    }
}

/* A keyframe of `count` bodies from slot 0 on, all numbers 0. */
static enum wire_delta_result
decode_many(uint32_t count)
{
    struct wire_decoder decoder = {.precision = precision};
    struct said said = {.tick = NOW};
    uint32_t *slots = malloc(count * sizeof(*slots));
    assert_non_null(slots);
    for (uint32_t i = 0; i < count; i++) {
        slots[i] = i;
    }
    said.hash = hash_of(slots, (int)count);
    free(slots);
    put_varint(&said.entered, 0);
    put_varint(&said.entered, count);
    for (uint32_t i = 0; i < 3 * count; i++) {
        put_byte(&said.place, 0);
    }
    enum wire_delta_result result = decode(&decoder, &said);
    said_finish(&said);
    wire_ring_clear(&decoder.ring);
    return result;
}

static void
test_most_entries(void **unused)
{
    (void)unused;
    assert_int_equal(decode_many(1000), WIRE_DELTA_OK);
    assert_int_equal(decode_many(ENTRIES_MAX), WIRE_DELTA_OK);
    assert_int_equal(decode_many(ENTRIES_MAX + 1), WIRE_DELTA_BAD);
}

/* A message that claims entries without their numbers makes the decoder allocate no memory. */
static void
test_most_claimed(void **unused)
{
    (void)unused;
    struct wire_decoder decoder = {.precision = precision};
    struct said said = {.tick = NOW};
    put_varint(&said.entered, 0);
    put_varint(&said.entered, INT32_MAX);
    assert_int_equal(decode(&decoder, &said), WIRE_DELTA_BAD);
    said_finish(&said);
}

/* Slots ascend: an entering body has a free slot, and runs are in order and do not touch. */
static void
test_order_of_entries(void **unused)
{
    static const struct {
        uint32_t runs[4]; /* from and count of runs, as the gap and the count */
        int run_count;
        uint32_t slots[5]; /* of the resulting state */
        int slot_count;
        enum wire_delta_result result;
    } cases[] = {
        {{3, 1}, 1, {2, 3, 5}, 3, WIRE_DELTA_OK},
        {{0, 2}, 1, {0, 1, 2, 5}, 4, WIRE_DELTA_OK},
        {{6, 2}, 1, {2, 5, 6, 7}, 4, WIRE_DELTA_OK},
        {{1, 1, 1, 1}, 2, {1, 2, 3, 5}, 4, WIRE_DELTA_OK},
        {{2, 1}, 1, {2, 2, 5}, 3, WIRE_DELTA_BAD},
        {{5, 1}, 1, {2, 5, 5}, 3, WIRE_DELTA_BAD},
        {{4, 2}, 1, {2, 4, 5, 5}, 4, WIRE_DELTA_BAD},
        {{3, 1, 0, 1}, 2, {2, 3, 4, 5}, 4, WIRE_DELTA_BAD}, /* two runs that must be one */
        {{3, 0}, 1, {2, 5}, 2, WIRE_DELTA_BAD},             /* an empty run */
    };
    (void)unused;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct wire_decoder decoder = {.precision = precision};
        struct said said = {.tick = NOW, .first = 1};
        int entered = 0;
        fill_ring(&decoder, 2);
        for (int k = 0; k < 2 * cases[i].run_count; k++) {
            put_varint(&said.entered, cases[i].runs[k]);
            entered += k % 2 == 1 ? (int)cases[i].runs[k] : 0;
        }
        for (int k = 0; k < 3 * entered; k++) {
            put_byte(&said.place, 0);
        }
        said.hash = hash_of(cases[i].slots, cases[i].slot_count);
        enum wire_delta_result result = decode(&decoder, &said);
        if (result != cases[i].result) {
            fail_msg("case %zu: %d, not %d", i, (int)result, (int)cases[i].result);
        }
        said_finish(&said);
        wire_ring_clear(&decoder.ring);
    }
}

/* Lists must name existing entries, and columns must have one number for each entry. */
static void
test_columns_fit(void **unused)
{
    enum { LEFT, CHANGED, SLEEP, POSITION, PLACE, ESCAPE, KIND_COUNT };
    (void)unused;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        for (uint32_t extra = 0; extra < 2; extra++) {
            struct wire_decoder decoder = {.precision = precision};
            struct said said = {.tick = NOW, .first = 1};
            fill_ring(&decoder, 2);
            said.hash = hash_of((uint32_t[]){2, 5}, 2);
            struct bytes *list = kind == LEFT ? &said.left
                : kind == CHANGED             ? &said.changed
                                              : &said.sleep;
            if (kind <= SLEEP) { /* the last entry, or the one behind it */
                put_varint(list, 1 + extra);
                put_varint(list, 1);
            } else if (extra == 1) {
                put_byte(kind == POSITION ? &said.position
                        : kind == PLACE   ? &said.place
                                          : &said.escape, 0);
            }
            if (kind == CHANGED) {
                put_byte(&said.position, 1); /* a residual of 0 */
            }
            if (kind == LEFT) {
                said.hash = hash_of((uint32_t[]){2}, 1);
            }
            assert_int_equal(decode(&decoder, &said), extra == 0 ? WIRE_DELTA_OK : WIRE_DELTA_BAD);
            said_finish(&said);
            wire_ring_clear(&decoder.ring);
        }
    }
}

/* Only whole fields are in the message, columns are packed, and no bytes follow it. */
static void
test_whole_messages(void **unused)
{
    static const struct {
        uint8_t inside[4], behind[4];
        size_t inside_size, behind_size;
        enum wire_delta_result result;
    } cases[] = {
        {{0}, {0}, 0, 0, WIRE_DELTA_OK},
        {{0xf8, 0x07, 5}, {0}, 3, 0, WIRE_DELTA_OK}, /* a field of a later version */
        {{0xf8, 0x07}, {0}, 2, 0, WIRE_DELTA_BAD},   /* which is cut off */
        {{DELTA_SLEEP << 3 | WIRE_TYPE_VARINT, 1}, {0}, 2, 0, WIRE_DELTA_BAD},
        {{DELTA_ESCAPE << 3 | WIRE_TYPE_VARINT, 0}, {0}, 2, 0, WIRE_DELTA_BAD},
        {{0}, {0}, 0, 1, WIRE_DELTA_BAD},
        {{0}, {0x08, 0}, 0, 2, WIRE_DELTA_BAD},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct wire_decoder decoder = {.precision = precision};
        struct said said = {.tick = NOW, .first = 1, .hash = hash_of((uint32_t[]){2, 5}, 2)};
        fill_ring(&decoder, 2);
        struct bytes body = body_of(&said), message = {0};
        for (size_t k = 0; k < cases[i].inside_size; k++) {
            put_byte(&body, cases[i].inside[k]);
        }
        put_column(&message, DELTA_MESSAGE, &body);
        for (size_t k = 0; k < cases[i].behind_size; k++) {
            put_byte(&message, cases[i].behind[k]);
        }
        enum wire_delta_result result = decode_bytes(&decoder, &message);
        if (result != cases[i].result) {
            fail_msg("case %zu: %d, not %d", i, (int)result, (int)cases[i].result);
        }
        free(body.at);
        free(message.at);
        wire_ring_clear(&decoder.ring);
    }
}

/* A planar client refuses baselines in space, and a spatial one refuses planar ones. */
static void
test_dimensions(void **unused)
{
    (void)unused;
    struct wire_decoder decoder = {.precision = precision};
    fill_ring(&decoder, 3);
    decoder.is_spatial = true;
    struct said said = {.tick = NOW, .first = 1, .hash = hash_of((uint32_t[]){2, 5}, 2)};
    assert_int_equal(decode(&decoder, &said), WIRE_DELTA_BASELINE);
    decoder.is_spatial = false;
    assert_int_equal(decode(&decoder, &said), WIRE_DELTA_OK);
    wire_ring_clear(&decoder.ring);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_baselines),
        cmocka_unit_test(test_before_the_beginning),
        cmocka_unit_test(test_most_entries),
        cmocka_unit_test(test_most_claimed),
        cmocka_unit_test(test_order_of_entries),
        cmocka_unit_test(test_columns_fit),
        cmocka_unit_test(test_whole_messages),
        cmocka_unit_test(test_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
