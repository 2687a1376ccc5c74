/*
 * message.h: one message, framed for everybody (server/base/frame.h).
 */
#ifndef SERVER_SNAPSHOT_MESSAGE_H
#define SERVER_SNAPSHOT_MESSAGE_H

#include "server/base/buffer.h"

/*
 * Measures with (NULL, 0), then writes.  `encode` is called with `context`; it gives less
 * when there is no memory, and then the result is NULL.
 */
typedef size_t sv_encode(const void *context, uint8_t *out, size_t out_size);
struct sv_buffer *sv_message_frame(sv_encode *encode, const void *context);

/* The same of bytes that are a message already, and of a text. */
struct sv_buffer *sv_message_frame_bytes(const uint8_t *bytes, size_t size);
struct sv_buffer *sv_message_frame_text(const char *text);

#endif
