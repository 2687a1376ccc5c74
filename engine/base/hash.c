#include "engine/base/hash.h"

#define STRIPES 8
#define STRIPE_SIZE 64 /* bytes of one word each */
#define STRIPE_MIN 256 /* bytes from which on it pays */

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

/* Eight words at once, each in a state of its own: one product does not wait for the last. */
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
            cn_hash_u64(&stripe[k], word_at(byte + i + 8 * k));
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
