#include "engine/base/hash.h"

#define STRIPES 8
#define STRIPE_SIZE 128 /* bytes: a pair of words for each stripe */
#define STRIPE_MIN 256  /* bytes from which striping is faster */

/* Eight bytes, little-endian. */
static inline uint64_t
word_at(const unsigned char *byte)
{
    uint64_t word = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&word, byte, sizeof(word));
#else
    for (int i = 0; i < 8; i++) {
        word |= (uint64_t)byte[i] << (8 * i);
    }
#endif
    return word;
}

/*
 * Hashes two words with one product.  The sum that is added to the product contains the state and
 * the first word: so they stay in the hash even when the second word makes a factor zero.
 */
static inline void
hash_two(struct cn_hash *hash, uint64_t first, uint64_t second)
{
    __extension__ typedef unsigned __int128 wide;
    uint64_t mixed = hash->state ^ first;
    wide product = (wide)mixed * (second ^ UINT64_C(0xe7037ed1a0b428db));
    uint64_t folded = (uint64_t)product ^ (uint64_t)(product >> 64);
    hash->state = folded + mixed + UINT64_C(0x9e3779b97f4a7c15);
}

/*
 * Hashes eight pairs of words at once, each into a state of its own: no product waits for the one
 * before.
 */
static void
hash_stripes(struct cn_hash *hash, const unsigned char *byte, size_t size)
{
    struct cn_hash stripe[STRIPES];
    for (unsigned k = 0; k < STRIPES; k++) {
        stripe[k] = *hash;
        cn_hash_u64(&stripe[k], k);
    }
    for (size_t i = 0; i < size; i += STRIPE_SIZE) {
        for (size_t k = 0; k < STRIPES; k++) {
            const unsigned char *two = byte + i + 16 * k;
            hash_two(&stripe[k], word_at(two), word_at(two + 8));
        }
    }
    for (size_t k = 0; k < STRIPES; k++) {
        cn_hash_u64(hash, stripe[k].state);
    }
}

void
cn_hash_bytes(struct cn_hash *hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    size_t whole = size / 8 * 8, striped = size < STRIPE_MIN ? 0 : size / STRIPE_SIZE * STRIPE_SIZE;
    if (striped > 0) {
        hash_stripes(hash, byte, striped);
    }
    for (size_t i = striped; i < whole; i += 8) {
        cn_hash_u64(hash, word_at(byte + i));
    }
    if (whole < size) {
        uint64_t word = 0;
        for (size_t i = whole; i < size; i++) {
            word |= (uint64_t)byte[i] << (8 * (i - whole));
        }
        cn_hash_u64(hash, word);
    }
    cn_hash_u64(hash, size);
}
