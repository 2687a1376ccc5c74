/*
 * live_blocks.h: counts the heap blocks in use, for tests that check that all are freed.
 *
 * One source of a test program includes it; it then wraps the C library's allocator.  It does not
 * count in a build with sanitizers, which find leaks themselves.  It also does not count if the
 * program wraps the allocator for another purpose and defines LIVE_BLOCKS_OFF.
 */
#ifndef TESTS_SUPPORT_LIVE_BLOCKS_H
#define TESTS_SUPPORT_LIVE_BLOCKS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||                         \
    __has_feature(thread_sanitizer)
#define LIVE_BLOCKS_OFF
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define LIVE_BLOCKS_OFF
#endif

#ifdef LIVE_BLOCKS_OFF
static inline long
live_blocks(void)
{
    return 0;
}
#else
static atomic_long live_blocks_now;

static inline long
live_blocks(void)
{
    return atomic_load(&live_blocks_now);
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static inline void *
live_blocks_note(void *block)
{
    if (block != NULL) {
        atomic_fetch_add(&live_blocks_now, 1);
    }
    return block;
}

void *
malloc(size_t size)
{
    return live_blocks_note(__libc_malloc(size));
}

void *
calloc(size_t count, size_t size)
{
    return live_blocks_note(__libc_calloc(count, size));
}

void *
aligned_alloc(size_t alignment, size_t size)
{
    return live_blocks_note(__libc_memalign(alignment, size));
}

void
free(void *block)
{
    if (block != NULL) {
        atomic_fetch_sub(&live_blocks_now, 1);
    }
    __libc_free(block);
}

void *
realloc(void *block, size_t size)
{
    if (block == NULL) {
        return malloc(size);
    }
    return __libc_realloc(block, size); /* of a size above 0: as many blocks as before */
}
#endif

#endif
