/*
 * pack.h: reads and writes protobuf's wire format, and interleaves integers in one number.
 *
 * A writer does not check for room: the caller has measured.  A reader never leaves [at, end).
 * After invalid bytes it stays at the end with is_bad set, so a caller checks once at the end.
 */
#ifndef PROTO_PACK_H
#define PROTO_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WIRE_TYPE_VARINT 0
#define WIRE_TYPE_64 1
#define WIRE_TYPE_BYTES 2
#define WIRE_TYPE_32 5

/* Zigzag maps 0, -1, 1, -2, ... to 0, 1, 2, 3, ... and back. */
static inline uint32_t
wire_zigzag(int32_t value)
{
    return ((uint32_t)value << 1) ^ (value < 0 ? UINT32_MAX : 0);
}

static inline int32_t
wire_unzigzag(uint32_t value)
{
    return (int32_t)((value >> 1) ^ ((value & 1) != 0 ? UINT32_MAX : 0));
}

/* Moves bit i of ten to bit 3 i. */
static inline uint32_t
wire_spread(uint32_t value)
{
    value = (value | value << 16) & UINT32_C(0x030000FF);
    value = (value | value << 8) & UINT32_C(0x0300F00F);
    value = (value | value << 4) & UINT32_C(0x030C30C3);
    return (value | value << 2) & UINT32_C(0x09249249);
}

static inline uint32_t
wire_gather(uint32_t value)
{
    value &= UINT32_C(0x09249249);
    value = (value | value >> 2) & UINT32_C(0x030C30C3);
    value = (value | value >> 4) & UINT32_C(0x0300F00F);
    value = (value | value >> 8) & UINT32_C(0x030000FF);
    return (value | value >> 16) & UINT32_C(0x000003FF);
}

/* Interleaves three numbers of ten bits: bit i of a, b, c goes to bits 3 i, 3 i + 1, 3 i + 2. */
static inline uint32_t
wire_interleave(uint32_t a, uint32_t b, uint32_t c)
{
    return wire_spread(a) | wire_spread(b) << 1 | wire_spread(c) << 2;
}

static inline uint8_t *
wire_put_varint(uint8_t *at, uint64_t value)
{
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

static inline uint8_t *
wire_put_sint(uint8_t *at, int32_t value)
{
    return wire_put_varint(at, wire_zigzag(value));
}

static inline uint8_t *
wire_put_tag(uint8_t *at, uint32_t field, uint32_t type)
{
    return wire_put_varint(at, field << 3 | type);
}

static inline uint8_t *
wire_put_fixed32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        *at++ = (uint8_t)(value >> 8 * i);
    }
    return at;
}

static inline uint8_t *
wire_put_fixed64(uint8_t *at, uint64_t value)
{
    return wire_put_fixed32(wire_put_fixed32(at, (uint32_t)value), (uint32_t)(value >> 32));
}

struct wire_reader {
    const uint8_t *at, *end;
    bool is_bad;
};

static inline bool
wire_reader_is_done(const struct wire_reader *reader)
{
    return reader->at >= reader->end;
}

static inline uint64_t
wire_get_varint(struct wire_reader *reader)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
        uint8_t byte = *reader->at++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    reader->is_bad = true;
    reader->at = reader->end;
    return 0;
}

/* Reads a uint32 or sint32; longer varints are cut to 32 bits, as protobuf's readers do. */
static inline uint32_t
wire_get_uint32(struct wire_reader *reader)
{
    return (uint32_t)wire_get_varint(reader);
}

static inline int32_t
wire_get_sint32(struct wire_reader *reader)
{
    return wire_unzigzag(wire_get_uint32(reader));
}

/* Little-endian; 0 if there are not enough bytes. */
static inline uint64_t
wire_get_fixed(struct wire_reader *reader, int size)
{
    uint64_t value = 0;
    if (reader->end - reader->at < size) {
        reader->is_bad = true;
        reader->at = reader->end;
        return 0;
    }
    for (int i = 0; i < size; i++) {
        value |= (uint64_t)*reader->at++ << 8 * i;
    }
    return value;
}

/* Returns the bytes of a length-delimited field, and skips them. */
static inline struct wire_reader
wire_get_bytes(struct wire_reader *reader)
{
    uint64_t size = wire_get_varint(reader);
    if (size > (uint64_t)(reader->end - reader->at)) {
        reader->is_bad = true;
        size = 0;
        reader->at = reader->end;
    }
    struct wire_reader bytes = {.at = reader->at, .end = reader->at + size};
    reader->at += size;
    return bytes;
}

static inline void
wire_skip(struct wire_reader *reader, uint32_t type)
{
    switch (type) {
    case WIRE_TYPE_VARINT:
        wire_get_varint(reader);
        break;
    case WIRE_TYPE_64:
        wire_get_fixed(reader, 8);
        break;
    case WIRE_TYPE_BYTES:
        wire_get_bytes(reader);
        break;
    case WIRE_TYPE_32:
        wire_get_fixed(reader, 4);
        break;
    default:
        reader->is_bad = true;
        reader->at = reader->end;
    }
}

#endif
