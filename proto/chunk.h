/*
 * chunk.h: a message that is too large for one goes in parts, each a Chunk among other messages.
 *
 * The parts of one message come in their order and without a gap; the last one carries a hash of
 * the whole, which is FNV-1a of 32 bits: h = 2166136261, then h = (h ^ byte) * 16777619 for each.
 *
 * A sender writes the head of a Chunk and sends the bytes of the part behind it, wherever they are.
 */
#ifndef PROTO_CHUNK_H
#define PROTO_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_CHUNK_HEAD_SIZE_MAX 48

struct wire_chunk {
    uint32_t id; /* of the whole; not 0 */
    uint32_t size, offset; /* of the whole; of this part [bytes] */
    uint32_t hash; /* of the whole; 0 but in the last part */
    const uint8_t *part;
    size_t part_size;
};

#define WIRE_CHUNK_HASH_BASIS UINT32_C(2166136261)
uint32_t wire_chunk_hash(uint32_t hash, const uint8_t *bytes, size_t size);

/* All of the ServerMessage that stands before the part; returns its size. `part` is not read. */
size_t wire_encode_chunk_head(
    const struct wire_chunk *chunk, uint8_t out[WIRE_CHUNK_HEAD_SIZE_MAX]);

/* By the first bytes alone. */
static inline bool
wire_is_chunk(const uint8_t *bytes, size_t size)
{
    return size > 2 && bytes[0] == 0xA2 && bytes[1] == 0x01; /* field 20, of bytes */
}

/* Of a ServerMessage; the part is borrowed from its bytes. False: it is no good Chunk. */
bool wire_decode_chunk(const uint8_t *bytes, size_t size, struct wire_chunk *chunk);

/* What has come of a message that comes in parts; all zero is none. */
struct wire_chunks {
    uint8_t *bytes; /* heap, of `size` */
    uint32_t id, size, taken, hash;
};

enum wire_chunks_result {
    WIRE_CHUNKS_MORE,
    WIRE_CHUNKS_WHOLE, /* `bytes` and `size` are the message, until it is finished */
    WIRE_CHUNKS_BAD,   /* no Chunk, out of order, another hash, too large, or no memory */
};

/*
 * Takes the next Chunk, a ServerMessage.  The first part of another message drops what had come of
 * the one before it.  After BAD there is nothing.
 */
enum wire_chunks_result wire_chunks_take(
    struct wire_chunks *chunks, const uint8_t *bytes, size_t size, size_t size_max);
void wire_chunks_finish(struct wire_chunks *chunks);

#endif
