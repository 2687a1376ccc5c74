/*
 * fiber.c: fibers for WebAssembly, which has no second stack: a computation runs in one piece.
 *
 * Results have the same bits, since slices never change them (engine/base/fiber.h).  Only a tick
 * with a budget of work takes longer than its budget.
 */
#include "engine/base/fiber.h"

#include <stdlib.h>

struct cn_fiber {
    struct cn_fiber *next; /* of a list of idle ones */
};

struct cn_fiber *
cn_fiber_create(void)
{
    return calloc(1, sizeof(struct cn_fiber));
}

void
cn_fiber_destroy(struct cn_fiber *fiber)
{
    free(fiber);
}

bool
cn_fiber_start(struct cn_fiber *fiber, cn_fiber_function *function, void *context, int64_t work)
{
    (void)fiber;
    (void)work;
    function(context);
    return true;
}

/* Nothing is ever stopped, so nothing is left to resume. */
bool
cn_fiber_resume(struct cn_fiber *fiber, int64_t work)
{
    (void)fiber;
    (void)work;
    return true;
}

void
cn_work_spend(int64_t work)
{
    (void)work;
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
    }
    return fiber;
}
