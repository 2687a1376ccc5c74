/* test_crew.c: every item is done once, by any thread, and the caller sees all its effects. */
#include "crew/crew.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define ITEMS 10000
#define JOBS 2000

struct tally {
    int count[ITEMS];
    int worker_max;
};

static void
mark(void *context, int first, int end, int worker)
{
    struct tally *tally = context;
    assert_true(first < end && worker >= 0 && worker < 4);
    for (int i = first; i < end; i++) {
        tally->count[i]++;
    }
}

static void
check(struct cn_crew *crew, struct tally *tally, int count, int grain)
{
    for (int i = 0; i < count; i++) {
        tally->count[i] = 0;
    }
    cn_task_run(crew, mark, tally, count, grain);
    for (int i = 0; i < count; i++) {
        assert_int_equal(tally->count[i], 1);
    }
}

static void
test_every_item_is_done_once(void **state)
{
    (void)state;
    static struct tally tally;
    for (int workers = 1; workers <= 4; workers++) {
        struct cn_crew *crew = crew_create(workers);
        assert_non_null(crew);
        assert_int_equal(cn_crew_size(crew), workers);
        for (int job = 0; job < JOBS; job++) {
            check(crew, &tally, 1 + job * 7 % 300, 1 + job % 5);
        }
        check(crew, &tally, ITEMS, 64);
        check(crew, &tally, ITEMS, ITEMS);
        crew_destroy(crew);
    }
}

static void
test_without_a_crew_the_caller_works(void **state)
{
    (void)state;
    static struct tally tally;
    check(NULL, &tally, 100, 7);
    cn_task_run(NULL, mark, &tally, 0, 1); /* no items: the task is not called */
}

static void
test_unused_crews_end(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        crew_destroy(crew_create(4));
    }
    crew_destroy(NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_item_is_done_once),
        cmocka_unit_test(test_without_a_crew_the_caller_works),
        cmocka_unit_test(test_unused_crews_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
