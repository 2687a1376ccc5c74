#include "engine/base/hash.h"

void
cn_hash_bytes(struct cn_hash *hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++) {
        word |= (uint64_t)byte[i] << (8 * (i % 8));
        if (i % 8 == 7) {
            cn_hash_u64(hash, word);
            word = 0;
        }
    }
    if (size % 8 != 0) {
        cn_hash_u64(hash, word);
    }
    cn_hash_u64(hash, size);
}
