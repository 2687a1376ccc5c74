/* test_fiber.c: a loop counts the work that it does, however short it is. */
#include "engine/base/fiber.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four of them. */
#include <cmocka.h>

struct loop {
    int count, together, turns;
};

static void
run_loop(void *context)
{
    struct loop *loop = context;
    for (int i = 0; i < loop->count; i++) {
        loop->turns++;
        cn_work_turn(i, loop->count, loop->together, 7);
    }
}

/* Starts the loop with so much work; true: it was not stopped on its way. */
static bool
fits(struct cn_fiber *fiber, int count, int together, int64_t work)
{
    struct loop loop = {.count = count, .together = together};
    bool is_done = cn_fiber_start(fiber, run_loop, &loop, work);
    while (!is_done) {
        is_done = cn_fiber_resume(fiber, work);
        if (is_done) {
            assert_int_equal(loop.turns, count);
            return false;
        }
    }
    assert_int_equal(loop.turns, count);
    return true;
}

/* A budget of exactly the loop's work is enough for it, and one less is not. */
static void
test_turns(void **state)
{
    (void)state;
    struct cn_fiber *fiber = cn_fiber_create();
    assert_non_null(fiber);
    for (int count = 1; count <= 40; count++) {
        for (int together = 1; together <= 16; together++) {
            int64_t work = 7 * (int64_t)count;
            assert_true(fits(fiber, count, together, work));
            assert_false(fits(fiber, count, together, work - 1));
        }
    }
    cn_fiber_destroy(fiber);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
