/*
 * frame.h: puts the WebSocket header before a message, so that it can be sent to any client.
 *
 * Server frames are not masked, so one framed message serves every client: it is made once, by the
 * thread that has the data.  Binary or text, final, uncompressed (RFC 6455, section 5.2).
 */
#ifndef SERVER_BASE_FRAME_H
#define SERVER_BASE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define SV_FRAME_HEADER_SIZE_MAX 10

/* The first byte: final, and the kind of message. */
#define SV_FRAME_BINARY 0x82
#define SV_FRAME_TEXT 0x81

/* Bytes of the header of a message of this size: 2, 4 or 10. */
static inline size_t
sv_frame_header_size(size_t message_size)
{
    return message_size < 126 ? 2 : message_size < 65536 ? 4 : SV_FRAME_HEADER_SIZE_MAX;
}

/* The size of a header that has been written. */
static inline size_t
sv_frame_header_size_of(const uint8_t *frame)
{
    unsigned length = frame[1] & 0x7F;
    return length < 126 ? 2 : length == 126 ? 4 : SV_FRAME_HEADER_SIZE_MAX;
}

/* Writes the header and returns its size. */
static inline size_t
sv_frame_header_write(uint8_t *out, size_t message_size)
{
    size_t header_size = sv_frame_header_size(message_size);
    out[0] = SV_FRAME_BINARY;
    out[1] = (uint8_t)(header_size == 2 ? message_size : header_size == 4 ? 126 : 127);
    for (size_t i = 2; i < header_size; i++) {
        out[i] = (uint8_t)((uint64_t)message_size >> (8 * (header_size - 1 - i)));
    }
    return header_size;
}

#endif
