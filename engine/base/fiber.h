/*
 * fiber.h: runs a long computation in slices.  It stops when its budget of work is spent and
 * continues later from the same place.
 *
 * A fiber is a stack of its own.  The function that runs on it calls cn_work_spend() in its loops.
 * When the slice's budget is spent, that call switches back to the function that started or resumed
 * the fiber, and returns when the fiber is resumed.  The computation does not notice: the same
 * operations run in the same order, so the bits are those of a run in one piece.  Outside a fiber
 * cn_work_spend() does nothing, so the same functions also serve callers that need no slices.
 *
 * Work is counted, never measured.  Its unit is an inner-loop operation, about 1 ns.  A loop calls
 * cn_work_spend() at least once in some ten thousand operations; the count need not be exact.
 *
 * Ownership: a stopped computation may be abandoned (cn_fiber_destroy, or another start).  So while
 * it calls cn_work_spend() it holds nothing that would have to be released: no heap memory and no
 * lock.  Steppers and solvers hold neither.
 *
 * Threads: a fiber runs on the thread that resumes it, and different threads may resume it one
 * after the other.  Work that a crew does (task.h) is not sliced, because only the caller's thread
 * is on the fiber.  So code that uses a crew does not run on a fiber.
 */
#ifndef ENGINE_BASE_FIBER_H
#define ENGINE_BASE_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Bytes of a fiber's stack.  Its pages are allocated when first used; the page below is a guard
 * page.
 */
#define CN_FIBER_STACK_SIZE ((size_t)512 << 10)

struct cn_fiber;
typedef void cn_fiber_function(void *context);

/* Returns NULL when there is no memory. */
struct cn_fiber *cn_fiber_create(void);
void cn_fiber_destroy(struct cn_fiber *fiber);

/*
 * Runs a function until it returns (true), or until it has spent `work` (false: resume it).  If the
 * fiber had stopped inside another function, that function is abandoned.
 */
bool cn_fiber_start(
    struct cn_fiber *fiber, cn_fiber_function *function, void *context, int64_t work);
bool cn_fiber_resume(struct cn_fiber *fiber, int64_t work);

/* Counts work, and stops the fiber that it runs on once the fiber's budget is spent. */
void cn_work_spend(int64_t work);

/*
 * Collects the work of a short inner loop, and counts it in portions of CN_WORK_PORTION.  The
 * caller counts the last portion with cn_work_spend.
 */
#define CN_WORK_PORTION 2048
static inline void
cn_work_count(int64_t *pending, int64_t work)
{
    *pending += work;
    if (*pending >= CN_WORK_PORTION) {
        cn_work_spend(*pending);
        *pending = 0;
    }
}

/*
 * Counts turn i of a loop of `count` turns, `together` turns at a time.  The last turn counts the
 * remaining turns, so that the sum is exact for short loops as well.
 */
static inline void
cn_work_turn(int i, int count, int together, int64_t work_per_turn)
{
    int done = i + 1;
    if (done % together == 0) {
        cn_work_spend(together * work_per_turn);
    } else if (done == count) {
        cn_work_spend(count % together * work_per_turn);
    }
}

/* A list of idle fibers. */
void cn_fiber_put(struct cn_fiber **idle, struct cn_fiber *fiber);
struct cn_fiber *cn_fiber_get(struct cn_fiber **idle); /* NULL: the list is empty */

#endif
