/*
 * buffer.h: bytes that never change once they are shared, counted by reference.
 *
 * Ownership: create gives one reference.  Between create and the first sv_buffer_ref or hand-over
 * to another thread the creator may write; afterwards nobody does.
 * Threads: any thread may ref and unref; the last unref frees.
 */
#ifndef SERVER_BASE_BUFFER_H
#define SERVER_BASE_BUFFER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct sv_buffer {
    atomic_uint ref_count;
    size_t size;
    uint8_t bytes[];
};

/* NULL without memory. */
struct sv_buffer *sv_buffer_create(size_t size);

/* Returns its argument. */
struct sv_buffer *sv_buffer_ref(struct sv_buffer *buffer);

/* Takes NULL. */
void sv_buffer_unref(struct sv_buffer *buffer);

#endif
