/*
 * take.h: reads values from the input bytes of a fuzz target, and zeros after their end.
 */
#ifndef TESTS_FUZZ_TAKE_H
#define TESTS_FUZZ_TAKE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct take {
    const uint8_t *at, *end;
};

static inline bool
take_is_empty(const struct take *in)
{
    return in->at >= in->end;
}

static inline unsigned
take_byte(struct take *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static inline uint32_t
take_u32(struct take *in)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        value = value << 8 | take_byte(in);
    }
    return value;
}

/* Mostly small, now and then as large as any. */
static inline uint32_t
take_number(struct take *in)
{
    unsigned byte = take_byte(in);
    return byte < 224 ? byte % 32 : byte < 248 ? take_byte(in) * 256 + take_byte(in) : take_u32(in);
}

/* Mostly tame, now and then any bits at all. */
static inline double
take_double(struct take *in)
{
    static const double some[] = {0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -10.0, 100.0, 1e-3, 1e6, 1e12,
        1e300, 5e-324, -1e30, (double)INFINITY, (double)NAN};
    unsigned byte = take_byte(in);
    if (byte < 200) {
        return ((double)byte - 100.0) / 10.0;
    }
    if (byte < 248) {
        return some[byte % 16];
    }
    double value = 0.0;
    uint8_t bits[sizeof(value)];
    for (size_t i = 0; i < sizeof(bits); i++) {
        bits[i] = (uint8_t)take_byte(in);
    }
    memcpy(&value, bits, sizeof(value));
    return value;
}

/* A text of at most size - 1 letters: one of some, or bytes as they come. */
static inline char *
take_text(struct take *in, const char *const *some, unsigned count, char *out, size_t size)
{
    unsigned byte = take_byte(in);
    out[0] = '\0';
    if (byte < 240 && count > 0) {
        strncpy(out, some[byte % count], size - 1);
        out[size - 1] = '\0';
        return out;
    }
    size_t length = take_byte(in) % size;
    for (size_t i = 0; i < length; i++) {
        out[i] = (char)take_byte(in);
    }
    out[length] = '\0';
    return out;
}

#endif
