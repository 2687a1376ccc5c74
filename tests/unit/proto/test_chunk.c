/*
 * test_chunk.c: bytes by hand, parts that become a message, and parts that do not fit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "proto/chunk.h"

#include <string.h>

#define TEXT "foobar"
#define SIZE 6U
#define HASH UINT32_C(0xBF9CF968) /* FNV-1a of TEXT, as its authors list it */

struct part {
    uint8_t bytes[WIRE_CHUNK_HEAD_SIZE_MAX + SIZE];
    size_t size;
};

static struct part
make(uint32_t id, uint32_t size, uint32_t offset, uint32_t end, uint32_t hash)
{
    struct wire_chunk chunk = {
        .id = id, .size = size, .offset = offset, .hash = hash, .part_size = end - offset};
    struct part part;
    part.size = wire_encode_chunk_head(&chunk, part.bytes);
    memcpy(part.bytes + part.size, &TEXT[offset], end - offset);
    part.size += end - offset;
    return part;
}

static enum wire_chunks_result
take(struct wire_chunks *chunks, struct part part)
{
    return wire_chunks_take(chunks, part.bytes, part.size, SIZE);
}

static void
test_bytes(void **state)
{
    (void)state;
    /* ServerMessage.chunk, 15 bytes: id 7, size 6, offset 4, hash, part "ar". */
    static const uint8_t expected[] = {0xA2, 0x01, 15, 0x08, 7, 0x10, 6, 0x18, 4, 0x25, 0x68,
        0xF9, 0x9C, 0xBF, 0x2A, 2, 'a', 'r'};
    struct part part = make(7, SIZE, 4, 6, HASH);
    assert_int_equal(part.size, sizeof(expected));
    assert_memory_equal(part.bytes, expected, sizeof(expected));
    assert_true(wire_is_chunk(part.bytes, part.size));
    assert_int_equal(wire_chunk_hash(WIRE_CHUNK_HASH_BASIS, (const uint8_t *)TEXT, SIZE), HASH);
}

static void
test_whole(void **state)
{
    (void)state;
    struct wire_chunks chunks = {0};
    assert_int_equal(take(&chunks, make(1, SIZE, 0, 5, 0)), WIRE_CHUNKS_MORE);
    /* Another message takes the place of one that is not whole. */
    assert_int_equal(take(&chunks, make(2, SIZE, 0, 1, 0)), WIRE_CHUNKS_MORE);
    assert_int_equal(take(&chunks, make(2, SIZE, 1, 4, 0)), WIRE_CHUNKS_MORE);
    assert_int_equal(take(&chunks, make(2, SIZE, 4, 6, HASH)), WIRE_CHUNKS_WHOLE);
    assert_int_equal(chunks.size, SIZE);
    assert_memory_equal(chunks.bytes, TEXT, SIZE);
    wire_chunks_finish(&chunks);
}

static void
test_bad(void **state)
{
    (void)state;
    struct wire_chunks chunks = {0};
    const struct part bad[] = {
        make(1, SIZE, 3, 4, 0),     /* a gap */
        make(1, SIZE, 1, 4, 0),     /* a part twice */
        make(2, SIZE, 2, 4, 0),     /* of another message */
        make(1, SIZE - 1, 2, 4, 0), /* another size */
        make(1, SIZE, 2, 6, HASH + 1),
        make(1, SIZE, 2, 6, 0),     /* the last one without its hash */
        make(1, SIZE, 2, 4, HASH),  /* a hash before the end */
        make(1, SIZE, 2, 2, 0),     /* nothing */
        make(0, SIZE, 0, 2, 0),
        make(1, SIZE + 1, 0, 2, 0), /* larger than is taken */
        make(1, 1, 0, 2, 0),        /* a part larger than the whole */
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(take(&chunks, make(1, SIZE, 0, 2, 0)), WIRE_CHUNKS_MORE);
        assert_int_equal(take(&chunks, bad[i]), WIRE_CHUNKS_BAD);
        assert_null(chunks.bytes);
    }
    /* Any byte less or another first byte is no Chunk. */
    struct part good = make(1, SIZE, 0, 2, 0);
    struct wire_chunk chunk;
    for (size_t size = 0; size < good.size; size++) {
        assert_false(wire_decode_chunk(good.bytes, size, &chunk));
    }
    good.bytes[0] ^= 0x08;
    assert_false(wire_decode_chunk(good.bytes, good.size, &chunk));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_bad),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
