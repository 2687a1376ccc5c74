#define _POSIX_C_SOURCE 199309L /* nanosleep */
/* test_crew.c: every item is done once, by any thread, and the caller sees all its effects. */
#include "crew/crew.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

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

#define SLOW_PIECES 100

/* Pieces of the first worker take no time, those of the others a hundredth of a second. */
static void
count_or_sleep(void *context, int first, int end, int worker)
{
    int *by_worker = context;
    by_worker[worker] += end - first;
    if (worker > 0) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
}

/* The second worker has half of the pieces.  The first one takes most of these, too. */
static void
test_pieces_of_slow_workers_are_taken(void **state)
{
    (void)state;
    int by_worker[2] = {0, 0};
    struct cn_crew *crew = crew_create(2);
    cn_task_run(crew, count_or_sleep, by_worker, SLOW_PIECES, 1);
    assert_int_equal(by_worker[0] + by_worker[1], SLOW_PIECES);
    assert_true(by_worker[0] > SLOW_PIECES / 2);
    crew_destroy(crew);
}

/* Workers that sleep between jobs wake up for the next one. */
static void
test_sleepers_wake(void **state)
{
    (void)state;
    static struct tally tally;
    struct cn_crew *crew = crew_create(3);
    for (int job = 0; job < 10; job++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        check(crew, &tally, 100, 1);
    }
    crew_destroy(crew);
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
        cmocka_unit_test(test_pieces_of_slow_workers_are_taken),
        cmocka_unit_test(test_sleepers_wake),
        cmocka_unit_test(test_without_a_crew_the_caller_works),
        cmocka_unit_test(test_unused_crews_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
