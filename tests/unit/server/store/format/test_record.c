/* Records with known bytes, checksums with published values; only written records are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/store/format/crc32c.h"
#include "engine/base/little_endian.h"
#include "server/store/format/record.h"
#include "server/store/journal/journal.h"

#include <stdlib.h>
#include <string.h>

/* RFC 3720, appendix B.4. */
static void
test_crc_vectors(void **state)
{
    unsigned char bytes[32];
    (void)state;
    assert_int_equal(sv_crc32c(0, "123456789", 9), 0xe3069283u);
    assert_int_equal(sv_crc32c(0, "", 0), 0);
    memset(bytes, 0, sizeof(bytes));
    assert_int_equal(sv_crc32c(0, bytes, 32), 0x8a9136aau);
    memset(bytes, 0xff, sizeof(bytes));
    assert_int_equal(sv_crc32c(0, bytes, 32), 0x62a8ab43u);
    for (int i = 0; i < 32; i++) {
        bytes[i] = (unsigned char)i;
    }
    assert_int_equal(sv_crc32c(0, bytes, 32), 0x46dd794eu);
    for (int i = 0; i < 32; i++) {
        bytes[i] = (unsigned char)(31 - i);
    }
    assert_int_equal(sv_crc32c(0, bytes, 32), 0x113fdb5cu);
}

static void
test_crc_table_is_the_instruction(void **state)
{
    unsigned char bytes[300];
    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (unsigned char)(i * 167 + 13);
    }
    for (size_t from = 0; from < 9; from++) {
        for (size_t size = 0; from + size <= sizeof(bytes); size++) {
            uint32_t whole = sv_crc32c_table(0, bytes + from, size);
            size_t cut = size / 3;
            assert_int_equal(sv_crc32c(0, bytes + from, size), whole);
            assert_int_equal(
                sv_crc32c(sv_crc32c(0, bytes + from, cut), bytes + from + cut, size - cut), whole);
        }
    }
}

static const unsigned char by_hand[] = {'C', 'R', 'N', '1', 67, 0, 0, 0, /* length: 64 and three */
    0, 0, 0, 0,                                     /* the check is put in by the test */
    0x78, 0x56, 0x34, 0x12,                         /* chain */
    7, 0, 0, 0, 0, 0, 0, 0,                         /* world */
    3, 0, 0, 0, 0, 0, 0, 0,                         /* epoch */
    2, 0, 0, 0, 0, 0, 0, 0,                         /* number */
    0x40, 0x42, 0x0f, 0, 0, 0, 0, 0,                /* tick 1,000,000 */
    0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, /* hash */
    5, 0, 0, 0,                                     /* physics */
    1, 0, 1, 0,                                     /* HASH, and one of the host's */
    'a', 'b', 'c'};

static const struct sv_record of_hand = {.world = 7,
    .epoch = 3,
    .number = 2,
    .tick = 1000000,
    .state_hash = UINT64_C(0x1122334455667788),
    .chain = 0x12345678,
    .physics = 5,
    .flags = SV_RECORD_HASH | 0x10000,
    .entries = (const unsigned char *)"abc",
    .entries_size = 3};

static void
make_by_hand(unsigned char bytes[sizeof(by_hand)])
{
    memcpy(bytes, by_hand, sizeof(by_hand));
    uint32_t crc = sv_crc32c_table(0, bytes + 12, sizeof(by_hand) - 12);
    for (int i = 0; i < 4; i++) {
        bytes[8 + i] = (unsigned char)(crc >> (8 * i));
    }
}

static void
test_bytes_by_hand(void **state)
{
    unsigned char expected[sizeof(by_hand)], header[SV_RECORD_HEADER_SIZE];
    struct sv_record record;
    size_t size;
    (void)state;
    make_by_hand(expected);
    uint32_t crc = sv_record_write_header(header, &of_hand);
    assert_memory_equal(header, expected, sizeof(header));
    assert_int_equal(crc, cn_get_u32(expected + 8));
    assert_int_equal(sv_record_read(expected, sizeof(expected), &record, &size), SV_RECORD_GOOD);
    assert_int_equal(size, sizeof(expected));
    assert_int_equal(record.world, 7);
    assert_int_equal(record.epoch, 3);
    assert_int_equal(record.number, 2);
    assert_int_equal(record.tick, 1000000);
    assert_int_equal(record.state_hash, UINT64_C(0x1122334455667788));
    assert_int_equal(record.chain, 0x12345678);
    assert_int_equal(record.crc, crc);
    assert_int_equal(record.physics, 5);
    assert_int_equal(record.flags, 0x10001);
    assert_int_equal(record.entries_size, 3);
    assert_memory_equal(record.entries, "abc", 3);
}

/* The checksum finds every burst of up to 32 bits, so every single bit. */
static void
test_every_flipped_bit_is_found(void **state)
{
    unsigned char bytes[sizeof(by_hand)];
    struct sv_record record;
    size_t size;
    (void)state;
    make_by_hand(bytes);
    for (size_t bit = 0; bit < 8 * sizeof(bytes); bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
        assert_int_not_equal(sv_record_read(bytes, sizeof(bytes), &record, &size), SV_RECORD_GOOD);
        bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
    }
    for (size_t less = 0; less < sizeof(bytes); less++) {
        assert_int_equal(sv_record_read(bytes, less, &record, &size), SV_RECORD_SHORT);
    }
}

/* Bytes with valid checksums but impossible fields are refused. */
static void
test_what_is_no_record(void **state)
{
    static const struct {
        size_t at;
        unsigned char value;
    } wrong[] = {{16, 0} /* world */, {24, 0} /* epoch */, {32, 0} /* number */,
        {32, 1} /* a first one with a chain */, {60, 0} /* a hash without its flag */,
        {60, 3} /* an unknown flag */};
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        unsigned char bytes[sizeof(by_hand)];
        struct sv_record record;
        size_t size;
        make_by_hand(bytes);
        bytes[wrong[i].at] = wrong[i].value;
        cn_put_u32(bytes + 8, sv_crc32c(0, bytes + 12, sizeof(bytes) - 12));
        assert_int_equal(sv_record_read(bytes, sizeof(bytes), &record, &size), SV_RECORD_BAD);
    }
}

static void
test_trail(void **state)
{
    struct sv_trail trail = {.world = 7, .epoch = 3, .number = 1, .chain = 0x12345678};
    struct sv_record record = of_hand;
    (void)state;
    record.crc = 99;
    struct sv_record other = record;
    other.number = 3;
    assert_false(sv_trail_follow(&trail, &other));
    other = record;
    other.chain = 1;
    assert_false(sv_trail_follow(&trail, &other));
    other = record;
    other.epoch = 2;
    assert_false(sv_trail_follow(&trail, &other));
    other = record;
    other.world = 8;
    assert_false(sv_trail_follow(&trail, &other));
    assert_true(sv_trail_follow(&trail, &record));
    assert_int_equal(trail.number, 2);
    assert_int_equal(trail.chain, 99);
    assert_false(sv_trail_follow(&trail, &record));
}

/*
 * The bytes of a commit's checksum: number, the check before it and the epoch, little end first,
 * then the records.  Each of them changes it.
 */
static void
test_chain_of_commits(void **state)
{
    (void)state;
    unsigned char bytes[20 + 9] = {2, 1, 0, 0, 0, 0, 0, 0, 0xd4, 0xc3, 0xb2, 0xa1, 7, 0, 0, 0, 0, 0,
        0, 9, 'n', 'i', 'n', 'e', 'b', 'y', 't', 'e', 's'};
    uint64_t number = 0x102, epoch = UINT64_C(0x0900000000000007);
    assert_int_equal(sv_journal_chain(number, 0xa1b2c3d4, epoch, "ninebytes", 9),
        sv_crc32c(0, bytes, sizeof(bytes)));
    assert_int_equal(sv_journal_chain(number, 0xa1b2c3d4, epoch, NULL, 0),
        sv_crc32c(0, bytes, 20));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crc_vectors),
        cmocka_unit_test(test_crc_table_is_the_instruction),
        cmocka_unit_test(test_bytes_by_hand),
        cmocka_unit_test(test_every_flipped_bit_is_found),
        cmocka_unit_test(test_what_is_no_record),
        cmocka_unit_test(test_trail),
        cmocka_unit_test(test_chain_of_commits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
