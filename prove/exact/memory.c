#include "prove/exact/memory.h"

#include "engine/base/assert.h"

#include <gmp.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block {
    struct block *before, *after;
};

_Static_assert(sizeof(struct block) % _Alignof(max_align_t) == 0, "what follows is aligned");

struct attempt {
    struct block ends; /* joins its blocks to a ring */
    jmp_buf back;
};

static _Thread_local struct attempt *current;

static void
unlink_block(struct block *block)
{
    CN_ASSERT(block->before->after == block && block->after->before == block);
    block->before->after = block->after;
    block->after->before = block->before;
}

_Noreturn static void
run_out(void)
{
    if (current != NULL) {
        longjmp(current->back, 1);
    }
    fputs("cairn: no memory for an exact computation\n", stderr);
    abort();
}

static void *
take_block(size_t size)
{
    struct block *block =
        size <= SIZE_MAX - sizeof(*block) ? malloc(sizeof(*block) + size) : NULL;
    if (block == NULL) {
        run_out();
    }
    if (current != NULL) {
        *block = (struct block){current->ends.before, &current->ends};
        block->before->after = block;
        block->after->before = block;
    } else {
        *block = (struct block){block, block};
    }
    return block + 1;
}

static void *
resize_block(void *memory, size_t old_size, size_t size)
{
    struct block *block = (struct block *)memory - 1;
    bool is_alone = block->before == block;
    (void)old_size;
    struct block *moved =
        size <= SIZE_MAX - sizeof(*block) ? realloc(block, sizeof(*block) + size) : NULL;
    if (moved == NULL) {
        run_out();
    }
    if (is_alone) {
        *moved = (struct block){moved, moved};
    } else {
        moved->before->after = moved;
        moved->after->before = moved;
    }
    return moved + 1;
}

static void
give_block(void *memory, size_t size)
{
    (void)size;
    pv_free(memory);
}

/* Runs before any number is made, because a block must be freed by the functions that made it. */
__attribute__((constructor)) static void
tell_gmp(void)
{
    mp_set_memory_functions(take_block, resize_block, give_block);
}

/* A function of its own, because longjmp may change local variables of the function with setjmp. */
static bool
is_done(struct attempt *attempt, void (*work)(void *context), void *context)
{
    if (setjmp(attempt->back) != 0) {
        return false;
    }
    work(context);
    return true;
}

bool
pv_attempt(void (*work)(void *context), void *context)
{
    struct attempt attempt;
    if (current != NULL) {
        work(context);
        return true;
    }
    attempt.ends = (struct block){&attempt.ends, &attempt.ends};
    current = &attempt;
    bool is_good = is_done(&attempt, work, context);
    CN_ASSERT(current == &attempt); /* attempts within it were part of it */
    current = NULL;
    if (is_good) {
        unlink_block(&attempt.ends);
        return true;
    }
    while (attempt.ends.after != &attempt.ends) {
        struct block *block = attempt.ends.after;
        unlink_block(block);
        free(block);
    }
    return false;
}

void *
pv_alloc(size_t count, size_t size)
{
    CN_ASSERT(size > 0);
    size_t wanted = (count > 0 ? count : 1) * size;
    if (size > 0 && count > SIZE_MAX / size) {
        run_out();
    }
    return memset(take_block(wanted), 0, wanted);
}

void
pv_free(void *memory)
{
    if (memory != NULL) {
        struct block *block = (struct block *)memory - 1;
        unlink_block(block);
        free(block);
    }
}
