/* test_hash.c: hashes of two blocks of bytes differ when the blocks differ, for any contents. */
#include "engine/base/hash.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#define SIZE 700 /* several blocks of stripes, some words, some bytes */

static uint64_t
hash_of(const void *bytes, size_t size)
{
    struct cn_hash hash;
    cn_hash_init(&hash);
    cn_hash_bytes(&hash, bytes, size);
    return hash.state;
}

/* The hash depends on every bit of every byte, and on the size even if all bytes are 0. */
static void
every_bit_and_the_size_count(void **state)
{
    (void)state;
    unsigned char bytes[SIZE] = {0};
    uint64_t before = hash_of(bytes, SIZE);
    for (size_t i = 0; i < SIZE; i++) {
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] ^= (unsigned char)(1 << bit);
            assert_int_not_equal(hash_of(bytes, SIZE), before);
            bytes[i] ^= (unsigned char)(1 << bit);
        }
    }
    for (size_t size = 1; size < SIZE; size++) {
        assert_int_not_equal(hash_of(bytes, size), hash_of(bytes, size - 1));
    }
}

static void
put_word(unsigned char *to, uint64_t word)
{
    for (int i = 0; i < 8; i++) {
        to[i] = (unsigned char)(word >> (8 * i));
    }
}

/* A word that makes a factor of the product zero does not hide the words before it. */
static void
a_zero_factor_forgets_nothing(void **state)
{
    (void)state;
    unsigned char bytes[512] = {0};
    for (size_t k = 0; k < 8; k++) {
        memset(bytes, 0, sizeof(bytes));
        put_word(bytes + 128 + 16 * k + 8, UINT64_C(0xe7037ed1a0b428db));
        uint64_t before = hash_of(bytes, sizeof(bytes));
        bytes[16 * k] = 1; /* in the block before */
        assert_int_not_equal(hash_of(bytes, sizeof(bytes)), before);
        bytes[16 * k] = 0;
        bytes[128 + 16 * k] = 1; /* in the same product */
        assert_int_not_equal(hash_of(bytes, sizeof(bytes)), before);
    }
}

/* The hash depends on the places of words: two swapped words give another hash. */
static void
places_count(void **state)
{
    (void)state;
    unsigned char bytes[256];
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (unsigned char)(i / 8 + 1);
    }
    uint64_t before = hash_of(bytes, sizeof(bytes));
    for (size_t i = 0; i < sizeof(bytes); i += 8) {
        for (size_t k = 0; k < i; k += 8) {
            unsigned char word[8];
            memcpy(word, bytes + i, 8);
            memcpy(bytes + i, bytes + k, 8);
            memcpy(bytes + k, word, 8);
            assert_int_not_equal(hash_of(bytes, sizeof(bytes)), before);
            memcpy(bytes + k, bytes + i, 8);
            memcpy(bytes + i, word, 8);
        }
    }
    assert_true(hash_of(bytes, sizeof(bytes)) == before);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_and_the_size_count),
        cmocka_unit_test(a_zero_factor_forgets_nothing),
        cmocka_unit_test(places_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
