#include "proto/chunk.h"

#include "engine/base/assert.h"
#include "proto/pack.h"

#include <stdlib.h>
#include <string.h>

enum { FIELD_CHUNK = 20, FIELD_ID = 1, FIELD_SIZE, FIELD_OFFSET, FIELD_HASH, FIELD_PART };

uint32_t
wire_chunk_hash(uint32_t hash, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        hash = (uint32_t)((uint64_t)(hash ^ bytes[i]) * 16777619U);
    }
    return hash;
}

static uint8_t *
put_number(uint8_t *at, uint32_t field, uint32_t value)
{
    return value != 0 ? wire_put_varint(wire_put_tag(at, field, WIRE_TYPE_VARINT), value) : at;
}

size_t
wire_encode_chunk_head(const struct wire_chunk *chunk, uint8_t out[WIRE_CHUNK_HEAD_SIZE_MAX])
{
    uint8_t body[WIRE_CHUNK_HEAD_SIZE_MAX], *at = body;
    at = put_number(at, FIELD_ID, chunk->id);
    at = put_number(at, FIELD_SIZE, chunk->size);
    at = put_number(at, FIELD_OFFSET, chunk->offset);
    if (chunk->hash != 0) {
        at = wire_put_tag(at, FIELD_HASH, WIRE_TYPE_32);
        for (int i = 0; i < 4; i++) {
            *at++ = (uint8_t)(chunk->hash >> 8 * i);
        }
    }
    at = wire_put_varint(wire_put_tag(at, FIELD_PART, WIRE_TYPE_BYTES), chunk->part_size);
    size_t body_size = (size_t)(at - body);
    CN_ASSERT(body_size <= sizeof(body));
    uint8_t *end = wire_put_varint(
        wire_put_tag(out, FIELD_CHUNK, WIRE_TYPE_BYTES), body_size + chunk->part_size);
    CN_ASSERT((size_t)(end - out) + body_size <= WIRE_CHUNK_HEAD_SIZE_MAX);
    memcpy(end, body, body_size);
    return (size_t)(end - out) + body_size;
}

static void
read_field(struct wire_reader *in, struct wire_chunk *chunk)
{
    uint64_t tag = wire_get_varint(in);
    struct wire_reader part;
    switch (tag) {
    case FIELD_ID << 3 | WIRE_TYPE_VARINT:
        chunk->id = wire_get_uint32(in);
        break;
    case FIELD_SIZE << 3 | WIRE_TYPE_VARINT:
        chunk->size = wire_get_uint32(in);
        break;
    case FIELD_OFFSET << 3 | WIRE_TYPE_VARINT:
        chunk->offset = wire_get_uint32(in);
        break;
    case FIELD_HASH << 3 | WIRE_TYPE_32:
        chunk->hash = (uint32_t)wire_get_fixed(in, 4);
        break;
    case FIELD_PART << 3 | WIRE_TYPE_BYTES:
        part = wire_get_bytes(in);
        chunk->part = part.at;
        chunk->part_size = (size_t)(part.end - part.at);
        break;
    default:
        in->is_bad = true;
    }
}

bool
wire_decode_chunk(const uint8_t *bytes, size_t size, struct wire_chunk *chunk)
{
    struct wire_reader in = {.at = bytes, .end = bytes + size};
    *chunk = (struct wire_chunk){0};
    if (size == 0 || wire_get_varint(&in) != (FIELD_CHUNK << 3 | WIRE_TYPE_BYTES)) {
        return false;
    }
    struct wire_reader body = wire_get_bytes(&in);
    bool is_bad = in.is_bad || !wire_reader_is_done(&in);
    while (!is_bad && !wire_reader_is_done(&body)) {
        read_field(&body, chunk);
        is_bad = body.is_bad;
    }
    return !is_bad && chunk->id != 0 && chunk->part_size > 0 &&
        chunk->offset <= chunk->size && chunk->part_size <= chunk->size - chunk->offset;
}

void
wire_chunks_finish(struct wire_chunks *chunks)
{
    free(chunks->bytes);
    *chunks = (struct wire_chunks){0};
}

static enum wire_chunks_result
fail_chunks(struct wire_chunks *chunks)
{
    wire_chunks_finish(chunks);
    return WIRE_CHUNKS_BAD;
}

enum wire_chunks_result
wire_chunks_take(
    struct wire_chunks *chunks, const uint8_t *bytes, size_t size, size_t size_max)
{
    struct wire_chunk chunk;
    if (!wire_decode_chunk(bytes, size, &chunk) || chunk.size > size_max) {
        return fail_chunks(chunks);
    }
    if (chunk.offset == 0) {
        wire_chunks_finish(chunks);
        *chunks = (struct wire_chunks){.bytes = malloc(chunk.size),
            .id = chunk.id,
            .size = chunk.size,
            .hash = WIRE_CHUNK_HASH_BASIS};
    }
    bool is_next = chunks->bytes != NULL && chunk.id == chunks->id &&
        chunk.size == chunks->size && chunk.offset == chunks->taken;
    if (!is_next) {
        return fail_chunks(chunks);
    }
    memcpy(chunks->bytes + chunks->taken, chunk.part, chunk.part_size);
    chunks->hash = wire_chunk_hash(chunks->hash, chunk.part, chunk.part_size);
    chunks->taken += (uint32_t)chunk.part_size;
    CN_ASSERT(chunks->taken <= chunks->size);
    if (chunks->taken < chunks->size) {
        return chunk.hash == 0 ? WIRE_CHUNKS_MORE : fail_chunks(chunks);
    }
    return chunk.hash == chunks->hash ? WIRE_CHUNKS_WHOLE : fail_chunks(chunks);
}
