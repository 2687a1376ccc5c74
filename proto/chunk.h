/*
 * chunk.h: sends a large message in parts, each a Chunk between other messages.
 *
 * The parts of one message come in their order and without a gap; the last one carries a hash of
 * the whole, which is FNV-1a of 32 bits: h = 2166136261, then h = (h ^ byte) * 16777619 for each.
 *
 * A sender writes the head of a Chunk and then sends the bytes of the part, without copying them.
 */
#ifndef PROTO_CHUNK_H
#define PROTO_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_CHUNK_HEAD_SIZE_MAX 48

struct wire_chunk {
    uint32_t id; /* of the whole message; not 0 */
    uint32_t size, offset; /* of the whole message; of this part [bytes] */
    uint32_t hash; /* of the whole message, in the last part; else 0 */
    const uint8_t *part;
    size_t part_size;
};

#define WIRE_CHUNK_HASH_BASIS UINT32_C(2166136261)
uint32_t wire_chunk_hash(uint32_t hash, const uint8_t *bytes, size_t size);

/*
 * Writes all of the ServerMessage that comes before the part; returns its size.  `part` is not
 * read.
 */
size_t wire_encode_chunk_head(
    const struct wire_chunk *chunk, uint8_t out[WIRE_CHUNK_HEAD_SIZE_MAX]);

/* Whether the bytes are a Chunk; looks only at the first two. */
static inline bool
wire_is_chunk(const uint8_t *bytes, size_t size)
{
    return size > 2 && bytes[0] == 0xA2 && bytes[1] == 0x01; /* field 20, of bytes */
}

/* Reads a ServerMessage; the part is borrowed from its bytes.  False if it is no valid Chunk. */
bool wire_decode_chunk(const uint8_t *bytes, size_t size, struct wire_chunk *chunk);

/* The received parts of a message; all zero before the first. */
struct wire_chunks {
    uint8_t *bytes; /* heap, of `size` */
    uint32_t id, size, taken, hash;
};

enum wire_chunks_result {
    WIRE_CHUNKS_MORE,
    WIRE_CHUNKS_WHOLE, /* `bytes` and `size` are the message, until the next call */
    WIRE_CHUNKS_BAD,   /* not a Chunk, out of order, another hash, too large, or no memory */
};

/*
 * Takes the next Chunk, a ServerMessage.  The first part of a new message drops the parts of an
 * earlier one.  After BAD no part is kept.
 */
enum wire_chunks_result wire_chunks_take(
    struct wire_chunks *chunks, const uint8_t *bytes, size_t size, size_t size_max);
void wire_chunks_finish(struct wire_chunks *chunks);

#endif
