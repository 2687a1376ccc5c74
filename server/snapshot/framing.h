/*
 * framing.h: frames one message, for all its receivers (server/base/frame.h).
 */
#ifndef SERVER_SNAPSHOT_FRAMING_H
#define SERVER_SNAPSHOT_FRAMING_H

#include "server/base/buffer.h"

/*
 * Calls `encode` with `context`: first with (NULL, 0) to measure, then to write.  Without memory it
 * returns a smaller size, and the result is NULL.
 */
typedef size_t sv_encode(const void *context, uint8_t *out, size_t out_size);
struct sv_buffer *sv_frame_message(sv_encode *encode, const void *context);

/* The same for the bytes of an encoded message, and for a text. */
struct sv_buffer *sv_frame_bytes(const uint8_t *bytes, size_t size);
struct sv_buffer *sv_frame_text(const char *text);

#endif
