/*
 * fiber.c: fibers over the C library's ucontext.
 *
 * swapcontext() saves and restores the floating-point environment and the mask of signals; a switch
 * costs some 0.3 us, against slices of milliseconds.  Sanitizers need a call at every switch; else
 * they report the new stack as an overflow of the old one.
 */
#define _GNU_SOURCE
#include "engine/base/fiber.h"

#include "engine/base/assert.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

struct cn_fiber {
    ucontext_t own, caller;
    unsigned char *memory; /* the guard page, then the stack */
    size_t guard_size;
    cn_fiber_function *function;
    void *context;
    int64_t left; /* work left in this slice's budget */
    bool is_begun, is_done;
    struct cn_fiber *outer; /* the fiber that ran on this thread before */
    struct cn_fiber *next;  /* next of a list of idle fibers */
#ifdef __SANITIZE_ADDRESS__
    void *fake, *fake_caller;
    const void *caller_bottom;
    size_t caller_size;
#endif
#ifdef __SANITIZE_THREAD__
    void *track, *track_caller;
#endif
};

/*
 * The fiber that runs on this thread.  It is read and written in functions that the compiler can
 * not merge with the code around a switch, because another thread may resume the fiber: a cached
 * address would be that of the first thread's variable.
 */
static _Thread_local struct cn_fiber *running;

__attribute__((noinline)) static struct cn_fiber *
running_get(void)
{
    __asm__ volatile("");
    return running;
}

__attribute__((noinline)) static void
running_set(struct cn_fiber *fiber)
{
    __asm__ volatile("");
    running = fiber;
}

struct cn_fiber *
cn_fiber_create(void)
{
    struct cn_fiber *fiber = calloc(1, sizeof(*fiber));
    if (fiber == NULL) {
        return NULL;
    }
    fiber->guard_size = (size_t)sysconf(_SC_PAGESIZE);
    void *memory = mmap(NULL, fiber->guard_size + CN_FIBER_STACK_SIZE, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        free(fiber);
        return NULL;
    }
    fiber->memory = memory;
    if (mprotect(memory, fiber->guard_size, PROT_NONE) != 0) {
        cn_fiber_destroy(fiber);
        return NULL;
    }
    return fiber;
}

/* Tells the sanitizers that the stack of an abandoned computation is free again. */
static void
forget_stack(struct cn_fiber *fiber)
{
#ifdef __SANITIZE_ADDRESS__
    ASAN_UNPOISON_MEMORY_REGION(fiber->memory + fiber->guard_size, CN_FIBER_STACK_SIZE);
#endif
#ifdef __SANITIZE_THREAD__
    if (fiber->track != NULL) {
        __tsan_destroy_fiber(fiber->track);
        fiber->track = NULL;
    }
#endif
    (void)fiber;
}

void
cn_fiber_destroy(struct cn_fiber *fiber)
{
    if (fiber == NULL) {
        return;
    }
    CN_ASSERT(running_get() != fiber);
    forget_stack(fiber);
    (void)munmap(fiber->memory, fiber->guard_size + CN_FIBER_STACK_SIZE);
    free(fiber);
}

/* Switches from the caller to the fiber. */
static void
switch_in(struct cn_fiber *fiber)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(
        &fiber->fake_caller, fiber->memory + fiber->guard_size, CN_FIBER_STACK_SIZE);
#endif
#ifdef __SANITIZE_THREAD__
    fiber->track_caller = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber->track, 0);
#endif
    int failed = swapcontext(&fiber->caller, &fiber->own);
    CN_ASSERT(failed == 0);
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(fiber->fake_caller, NULL, NULL);
#endif
}

/*
 * Switches from the fiber to its caller.  Returns when the fiber is resumed.  Does not return after
 * the fiber's function has ended.
 */
static void
switch_out(struct cn_fiber *fiber)
{
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(
        fiber->is_done ? NULL : &fiber->fake, fiber->caller_bottom, fiber->caller_size);
#endif
#ifdef __SANITIZE_THREAD__
    __tsan_switch_to_fiber(fiber->track_caller, 0);
#endif
    int failed = swapcontext(&fiber->own, &fiber->caller);
    CN_ASSERT(failed == 0);
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(fiber->fake, &fiber->caller_bottom, &fiber->caller_size);
#endif
}

/* makecontext() passes only ints, so the pointer is passed in two halves. */
static void
enter_fiber(unsigned high, unsigned low)
{
    struct cn_fiber *fiber = (struct cn_fiber *)(((uintptr_t)high << 16 << 16) | low);
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(NULL, &fiber->caller_bottom, &fiber->caller_size);
#endif
    fiber->function(fiber->context);
    fiber->is_done = true;
    switch_out(fiber);
}

bool
cn_fiber_resume(struct cn_fiber *fiber, int64_t work)
{
    CN_ASSERT(fiber->is_begun && !fiber->is_done);
    fiber->left = work;
    fiber->outer = running_get();
    running_set(fiber);
    switch_in(fiber);
    running_set(fiber->outer);
    return fiber->is_done;
}

bool
cn_fiber_start(
    struct cn_fiber *fiber, cn_fiber_function *function, void *context, int64_t work)
{
    forget_stack(fiber);
    fiber->function = function;
    fiber->context = context;
    fiber->is_begun = true;
    fiber->is_done = false;
    int failed = getcontext(&fiber->own);
    CN_ASSERT(failed == 0);
    fiber->own.uc_stack.ss_sp = fiber->memory + fiber->guard_size;
    fiber->own.uc_stack.ss_size = CN_FIBER_STACK_SIZE;
    fiber->own.uc_link = NULL;
    uintptr_t place = (uintptr_t)fiber;
    makecontext(&fiber->own, (void (*)(void))enter_fiber, 2, (unsigned)(place >> 16 >> 16),
        (unsigned)(place & 0xffffffffu));
#ifdef __SANITIZE_THREAD__
    fiber->track = __tsan_create_fiber(0);
#endif
    return cn_fiber_resume(fiber, work);
}

void
cn_work_spend(int64_t work)
{
    struct cn_fiber *fiber = running_get();
    if (fiber == NULL) {
        return;
    }
    fiber->left -= work;
    if (fiber->left < 0) {
        switch_out(fiber);
    }
}

void
cn_fiber_put(struct cn_fiber **idle, struct cn_fiber *fiber)
{
    fiber->next = *idle;
    *idle = fiber;
}

struct cn_fiber *
cn_fiber_get(struct cn_fiber **idle)
{
    struct cn_fiber *fiber = *idle;
    if (fiber != NULL) {
        *idle = fiber->next;
        fiber->next = NULL;
    }
    return fiber;
}
