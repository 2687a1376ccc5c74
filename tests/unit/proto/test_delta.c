/*
 * test_delta.c: turns and rings, deltas by hand, and there and back for worlds that are made up.
 */
#include "proto/delta.h"
#include "proto/pack.h"
#include "proto/quant.h"
#include "tests/support/server/wire_walk.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/*
 * A turn leaves out the same component as before as long as it is at least 0.42.  Without a turn
 * before, it leaves out the largest.
 */
static void
test_turns_stay(void **unused)
{
    (void)unused;
    cn_quat q = {0.43, 0.9, 0.0, 0.07};
    assert_int_equal(wire_turn_quantise_after(q, 65536.0, 0).largest, 0);
    assert_int_equal(wire_turn_quantise_after(q, 65536.0, WIRE_TURN_NONE).largest, 1);
    assert_int_equal(wire_turn_quantise_after(q, 65536.0, 3).largest, 1);
    q.w = -0.42; /* and its sign goes to the others */
    struct wire_turn turn = wire_turn_quantise_after(q, 512.0, 0);
    assert_true(turn.largest == 0 && turn.rest[0] == -461 && turn.rest[2] == -36);
    q.w = 0.4199;
    assert_int_equal(wire_turn_quantise_after(q, 65536.0, 0).largest, 1);
}

/* A ring keeps the states of the last 64 ticks; a later tick replaces an earlier one. */
static void
test_ring(void **unused)
{
    (void)unused;
    struct wire_ring ring = {0};
    struct wire_state *one = wire_state_create(9, true), *other = wire_state_create(0, false);
    one->tick = 3;
    other->tick = 67;
    wire_ring_put(&ring, one);
    assert_ptr_equal(wire_ring_find(&ring, 3), one);
    assert_null(wire_ring_find(&ring, 67));
    assert_null(wire_ring_find(&ring, 4));
    wire_ring_put(&ring, other);
    assert_null(wire_ring_find(&ring, 3));
    assert_ptr_equal(wire_ring_find(&ring, 67), other);
    one->asleep[1] = 1;
    assert_true(wire_state_sleeps(one, 8) && !wire_state_sleeps(one, 7));
    wire_state_unref(one);
    wire_state_unref(other);
    wire_ring_clear(&ring);
    assert_null(wire_ring_find(&ring, 67));
}

/* ---- by hand ---- */

static const struct wire_precision precision = {1.0 / 512.0, 1.0 / 1024.0, 1.0 / 256.0};

/* A planar state of two bodies in slots 1 and 3. */
static struct wire_state *
two(uint64_t tick, int32_t x, int32_t y, int32_t angle, int32_t other_x)
{
    struct wire_state *state = wire_state_create(2, false);
    state->tick = tick;
    state->generation = 1;
    state->precision = precision;
    state->body[0] = 1;
    state->body[1] = 3;
    state->x[0] = x;
    state->y[0] = y;
    state->angle[0] = angle;
    state->x[1] = other_x;
    state->view_hash = wire_state_hash(state);
    return state;
}

static void
check_bytes(const struct wire_encoder *encoder, const uint8_t *expected, size_t size)
{
    assert_int_equal(encoder->size, size);
    assert_memory_equal(encoder->bytes, expected, size);
}

/* Writes the four bytes of a hash, little end first. */
static void
put_hash(uint8_t *bytes, uint32_t hash)
{
    wire_put_fixed32(bytes, hash);
}

/*
 * Body 1 goes to 10, 13 and then 17, but 16 was predicted.  The residual is 1, its zigzag is 2,
 * that is bit 1, and bit 3 of the interleaved number: 8, which is 9 in the column.  Body 3 coasts
 * and costs no bytes.
 */
static void
test_by_hand(void **unused)
{
    (void)unused;
    struct wire_state *a = two(5, 10, 0, 0, 100), *b = two(6, 13, 0, 0, 90);
    struct wire_state *c = two(7, 17, 0, 0, 80);
    uint8_t expected[] = {0x8a, 0x01, 21, 0x08, 7, 0x10, 1, 0x18, 1, 0x20, 2, 0x42, 2, 0, 1, 0x4a,
        1, 9, 0x7d, 0, 0, 0, 0};
    expected[2] = sizeof(expected) - 3;
    put_hash(expected + sizeof(expected) - 4, c->view_hash);
    struct wire_encoder encoder = {0};
    assert_true(wire_encode_delta(&encoder, c, b, a));
    check_bytes(&encoder, expected, sizeof(expected));
    wire_state_unref(a);
    wire_state_unref(b);
    wire_state_unref(c);
    wire_encoder_finish(&encoder);
}

/* Slots 1 and 3 are new: runs (1, 1), (1, 1); places 10, -1, 2 and from there 90, 1, -2. */
static void
test_keyframe_by_hand(void **unused)
{
    (void)unused;
    struct wire_state *a = two(5, 10, -1, 2, 100);
    a->asleep[0] = 2;
    a->asleep_count = 1;
    uint8_t expected[] = {0x8a, 0x01, 0, 0x08, 5, 0x10, 1, 0x3a, 4, 1, 1, 1, 1, 0x5a, 7, 20, 1, 4,
        0xb4, 0x01, 2, 3, 0x72, 2, 1, 1, 0x7d, 0, 0, 0, 0};
    expected[2] = sizeof(expected) - 3;
    put_hash(expected + sizeof(expected) - 4, a->view_hash);
    struct wire_encoder encoder = {0};
    assert_true(wire_encode_delta(&encoder, a, NULL, NULL));
    check_bytes(&encoder, expected, sizeof(expected));
    struct wire_decoder decoder = {.precision = precision};
    const struct wire_state *back;
    assert_int_equal(
        wire_decode_delta(&decoder, encoder.bytes, encoder.size, &back), WIRE_DELTA_OK);
    assert_true(walk_is_equal(a, back));
    wire_ring_clear(&decoder.ring);
    wire_state_unref(a);
    wire_encoder_finish(&encoder);
}

/* Unsuitable baselines are not used, and the message names the used ones. */
static void
test_baselines(void **unused)
{
    (void)unused;
    struct wire_state *a = two(100, 1, 2, 3, 4), *b = two(101, 1, 2, 3, 4);
    struct wire_state *c = two(163, 1, 2, 3, 4), *d = two(164, 1, 2, 3, 4);
    struct wire_encoder encoder = {0};
    struct wire_decoder decoder = {.precision = precision};
    const struct wire_state *back;
    assert_true(wire_encode_delta(&encoder, c, a, NULL)); /* 63 ticks: the last that is kept */
    assert_int_equal(
        wire_decode_delta(&decoder, encoder.bytes, encoder.size, &back), WIRE_DELTA_BASELINE);
    size_t small = encoder.size;
    assert_true(wire_encode_delta(&encoder, d, a, NULL)); /* 64 */
    assert_true(encoder.size > small);
    assert_int_equal(
        wire_decode_delta(&decoder, encoder.bytes, encoder.size, &back), WIRE_DELTA_OK);
    assert_true(wire_encode_delta(&encoder, c, d, b)); /* not older */
    assert_true(encoder.size > small);
    b->series = 1;
    assert_true(wire_encode_delta(&encoder, c, b, a));
    assert_true(encoder.size > small);
    b->series = 0;
    b->precision.angle = 1.0;
    assert_true(wire_encode_delta(&encoder, c, b, a));
    assert_true(encoder.size > small);
    wire_ring_clear(&decoder.ring);
    wire_state_unref(a);
    wire_state_unref(b);
    wire_state_unref(c);
    wire_state_unref(d);
    wire_encoder_finish(&encoder);
}

/* ---- there and back ---- */

/*
 * Sends states of the walk with gaps between them; the decoded states have the bits of the sent
 * ones.
 */
static size_t
run_walk(struct walk *walk, int rounds, uint32_t skip_max, uint32_t lag_max)
{
    struct wire_encoder encoder = {0};
    struct wire_decoder decoder = {.is_spatial = walk->is_spatial, .precision = precision};
    struct wire_ring sent = {0};
    uint64_t ticks[4] = {0}; /* that were sent, the newest first */
    size_t size = 0;
    for (int round = 0; round < rounds; round++) {
        for (uint32_t skip = walk_below(walk, skip_max + 1) + 1; skip > 0; skip--) {
            walk_step(walk);
        }
        struct wire_state *state = walk_state(walk, &precision);
        state->state_hash = round % 3 == 0 ? 0x0123456789abcdef : 0;
        uint32_t lag = walk_below(walk, lag_max + 1);
        struct wire_state *first = wire_ring_find(&sent, ticks[lag]);
        struct wire_state *second = wire_ring_find(&sent, ticks[lag + 1]);
        assert_true(wire_encode_delta(&encoder, state, first, second));
        size += encoder.size;
        const struct wire_state *back = NULL;
        assert_int_equal(
            wire_decode_delta(&decoder, encoder.bytes, encoder.size, &back), WIRE_DELTA_OK);
        assert_true(walk_is_equal(state, back));
        wire_ring_put(&sent, state);
        wire_state_unref(state);
        memmove(ticks + 1, ticks, 3 * sizeof(ticks[0]));
        ticks[0] = walk->tick;
    }
    wire_ring_clear(&sent);
    wire_ring_clear(&decoder.ring);
    wire_encoder_finish(&encoder);
    return size;
}

static void
test_there_and_back(void **unused)
{
    (void)unused;
    static struct walk walk;
    for (uint64_t seed = 0; seed < 40; seed++) {
        walk_begin(&walk, seed, seed % 2 == 1, seed % 8 == 0 ? (int)seed / 8 : 60);
        run_walk(&walk, 40, seed % 4 < 2 ? 0 : (uint32_t)seed / 2, seed % 3 == 0 ? 2 : 0);
    }
}

/* Bodies that coast or rest cost no bytes: the message has only a head, a list and a hash. */
static void
test_even_motion_is_free(void **unused)
{
    (void)unused;
    static struct walk walk;
    for (int is_spatial = 0; is_spatial < 2; is_spatial++) {
        walk_begin(&walk, 3, is_spatial, WALK_SLOTS_MAX);
        for (int i = 0; i < WALK_SLOTS_MAX; i++) {
            for (int c = 0; c < 6; c++) {
                walk.body[i].speed[c] = (int32_t)walk_below(&walk, 100) - 50;
            }
        }
        walk.chances = (struct walk_chances){0};
        run_walk(&walk, 2, 0, 0);
        assert_true(run_walk(&walk, 1, 0, 0) > 800); /* a keyframe */
        /* Of 103 the first is a keyframe and the next of first order. */
        size_t few = run_walk(&walk, 3, 2, 0), many = run_walk(&walk, 103, 2, 0);
        assert_true(many - few <= 100 * 32);
    }
}

/* ---- bytes that are no delta ---- */

static void
test_nonsense(void **unused)
{
    (void)unused;
    static struct walk walk;
    walk_begin(&walk, 11, true, 50);
    struct wire_encoder encoder = {0};
    struct wire_decoder decoder = {.is_spatial = true, .precision = precision};
    const struct wire_state *back;
    struct wire_state *a = walk_state(&walk, &precision);
    walk_step(&walk);
    struct wire_state *b = walk_state(&walk, &precision);
    wire_ring_put(&decoder.ring, a);
    assert_true(wire_encode_delta(&encoder, b, a, NULL));
    uint8_t bytes[4096];
    assert_true(encoder.size <= sizeof(bytes));
    for (size_t i = 0; i < encoder.size; i++) { /* cut anywhere */
        assert_int_not_equal(
            wire_decode_delta(&decoder, encoder.bytes, i, &back), WIRE_DELTA_OK);
    }
    for (size_t i = 3; i < encoder.size; i++) { /* a flipped bit: the hash finds it */
        for (int bit = 0; bit < 8; bit++) {
            memcpy(bytes, encoder.bytes, encoder.size);
            bytes[i] ^= (uint8_t)(1 << bit);
            if (wire_decode_delta(&decoder, bytes, encoder.size, &back) == WIRE_DELTA_OK) {
                assert_int_equal(back->view_hash, b->view_hash);
                wire_ring_clear(&decoder.ring);
                wire_ring_put(&decoder.ring, a);
            }
        }
    }
    const uint8_t other[] = {0x22, 0};
    assert_int_equal(wire_decode_delta(&decoder, other, 2, &back), WIRE_DELTA_OTHER);
    assert_int_equal(wire_decode_delta(&decoder, NULL, 0, &back), WIRE_DELTA_BAD);
    wire_ring_clear(&decoder.ring);
    wire_state_unref(a);
    wire_state_unref(b);
    wire_encoder_finish(&encoder);
}

/* ---- pieces ---- */

static void
test_interleave(void **unused)
{
    (void)unused;
    assert_int_equal(wire_interleave(1, 0, 0), 1);
    assert_int_equal(wire_interleave(2, 0, 0), 8);
    assert_int_equal(wire_interleave(0, 1, 2), 2 + 32);
    assert_int_equal(wire_interleave(1023, 1023, 1023), (1 << 30) - 1);
    for (uint32_t i = 0; i < 1024; i++) {
        assert_int_equal(wire_gather(wire_spread(i)), i);
        assert_int_equal(wire_gather(wire_interleave(1023 - i, i, i ^ 5) >> 1), i);
    }
    const int32_t of[] = {0, -1, 1, -2, 2, INT32_MAX, INT32_MIN};
    const uint32_t zigzag[] = {0, 1, 2, 3, 4, UINT32_MAX - 1, UINT32_MAX};
    for (int i = 0; i < 7; i++) {
        assert_int_equal(wire_zigzag(of[i]), zigzag[i]);
        assert_int_equal(wire_unzigzag(zigzag[i]), of[i]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns_stay),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_interleave),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_keyframe_by_hand),
        cmocka_unit_test(test_baselines),
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_even_motion_is_free),
        cmocka_unit_test(test_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
