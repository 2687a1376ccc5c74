/*
 * borrow.h: messages of protobuf-c that point to texts and bytes of others, and their packing.
 */
#ifndef PROTO_CODEC_BORROW_H
#define PROTO_CODEC_BORROW_H

#include "engine/base/assert.h"

#include <protobuf-c/protobuf-c.h>

/* A pointer for a field of a message that is only printed or packed: these change nothing. */
static inline void *
codec_borrow(const void *pointer)
{
    union {
        const void *in;
        void *out;
    } cast = {.in = pointer};
    return cast.out;
}

/* Packs the message if it fits; returns its size, which may be above `out_size`. */
static inline size_t
codec_pack(const ProtobufCMessage *message, uint8_t *out, size_t out_size)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    if (size <= out_size) {
        size_t written = protobuf_c_message_pack(message, out);
        CN_ASSERT(written == size); /* as it was measured */
    }
    return size;
}

#endif
