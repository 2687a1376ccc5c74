#include "server/base/buffer.h"
#include "engine/base/assert.h"

#include <stdlib.h>

struct sv_buffer *
sv_buffer_create(size_t size)
{
    struct sv_buffer *buffer = malloc(sizeof(*buffer) + size);
    if (buffer != NULL) {
        atomic_init(&buffer->ref_count, 1);
        buffer->size = size;
    }
    return buffer;
}

struct sv_buffer *
sv_buffer_ref(struct sv_buffer *buffer)
{
    CN_ASSERT(atomic_load_explicit(&buffer->ref_count, memory_order_relaxed) > 0);
    atomic_fetch_add_explicit(&buffer->ref_count, 1, memory_order_relaxed);
    return buffer;
}

void
sv_buffer_unref(struct sv_buffer *buffer)
{
    CN_ASSERT(buffer == NULL || atomic_load_explicit(&buffer->ref_count, memory_order_relaxed) > 0);
    if (buffer != NULL &&
        atomic_fetch_sub_explicit(&buffer->ref_count, 1, memory_order_acq_rel) == 1) {
        free(buffer);
    }
}
