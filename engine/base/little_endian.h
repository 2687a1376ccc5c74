/*
 * little_endian.h: whole numbers as bytes, the lowest byte first.
 *
 * Threads: values.
 */
#ifndef ENGINE_BASE_LITTLE_ENDIAN_H
#define ENGINE_BASE_LITTLE_ENDIAN_H

#include <stdint.h>

static inline void
cn_put_u32(unsigned char *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
}

static inline void
cn_put_u64(unsigned char *bytes, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
}

static inline uint32_t
cn_get_u32(const unsigned char *bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        value |= (uint32_t)bytes[i] << (8 * i);
    }
    return value;
}

static inline uint64_t
cn_get_u64(const unsigned char *bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

#endif
