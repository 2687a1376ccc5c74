/*
 * hash.h: a 64-bit hash of bytes and of numbers, the same on every machine.
 *
 * Multiply-fold over 64-bit words (the mixing step of wyhash, Wang Yi 2020).  Doubles are hashed by
 * their bits; -0.0 and 0.0 differ, because a test of bit equality must distinguish them.  Not for
 * secrets.
 */
#ifndef ENGINE_BASE_HASH_H
#define ENGINE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cn_hash {
    uint64_t state;
};

static inline void
cn_hash_init(struct cn_hash *hash)
{
    hash->state = UINT64_C(0xa0761d6478bd642f);
}

static inline void
cn_hash_u64(struct cn_hash *hash, uint64_t value)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)(hash->state ^ value) * UINT64_C(0xe7037ed1a0b428db);
    uint64_t folded = (uint64_t)product ^ (uint64_t)(product >> 64);
    hash->state = folded + UINT64_C(0x9e3779b97f4a7c15);
}

static inline void
cn_hash_double(struct cn_hash *hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    cn_hash_u64(hash, bits);
}

/*
 * Bytes are read as little-endian words, the last one padded with zeros; then follows the size.
 * From 256 bytes on, eight states take the pairs of words in turn, one product for each pair, and
 * then the eight states are hashed.
 */
void cn_hash_bytes(struct cn_hash *hash, const void *bytes, size_t size);

#endif
