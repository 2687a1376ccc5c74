#include "server/snapshot/framing.h"

#include "engine/base/assert.h"
#include "server/base/frame.h"

#include <string.h>

/* Makes a framed buffer; *message is the place of the message's bytes. */
static struct sv_buffer *
create_buffer(size_t size, uint8_t **message)
{
    size_t header_size = sv_frame_header_size(size);
    struct sv_buffer *buffer = size > 0 ? sv_buffer_create(header_size + size) : NULL;
    if (buffer != NULL) {
        sv_frame_header_write(buffer->bytes, size);
        *message = buffer->bytes + header_size;
    }
    return buffer;
}

struct sv_buffer *
sv_frame_message(sv_encode *encode, const void *context)
{
    uint8_t *message;
    size_t size = encode(context, NULL, 0);
    struct sv_buffer *buffer = create_buffer(size, &message);
    if (buffer != NULL) {
        size_t written = encode(context, message, size);
        CN_ASSERT(written <= size); /* an encoder never writes more than it measured */
        if (written != size) { /* memory ran out between measuring and writing */
            sv_buffer_unref(buffer);
            buffer = NULL;
        }
    }
    return buffer;
}

struct sv_buffer *
sv_frame_bytes(const uint8_t *bytes, size_t size)
{
    uint8_t *message;
    struct sv_buffer *buffer = create_buffer(size, &message);
    if (buffer != NULL) {
        memcpy(message, bytes, size);
    }
    return buffer;
}

struct sv_buffer *
sv_frame_text(const char *text)
{
    struct sv_buffer *buffer = sv_frame_bytes((const uint8_t *)text, strlen(text));
    if (buffer != NULL) {
        buffer->bytes[0] = SV_FRAME_TEXT;
    }
    return buffer;
}
