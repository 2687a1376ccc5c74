/*
 * test_load.c: how busy a worker has been.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/host/load.h"

#define MS SV_NS_PER_MS
#define S SV_NS_PER_S

/* Works for so many of every ten milliseconds, from one second to another. */
static void
work(struct sv_load *load, uint64_t from_s, uint64_t to_s, uint64_t busy_ms)
{
    for (uint64_t t = from_s * S; t < to_s * S; t += 10 * MS) {
        sv_load_add(load, t, t + busy_ms * MS);
    }
}

static void
test_part(void **state)
{
    (void)state;
    struct sv_load load = {0};
    assert_int_equal(sv_load_permille(&load, S), 0);
    work(&load, 1, 8, 4);
    assert_in_range(sv_load_permille(&load, 8 * S), 395, 410);
}

/* One quiet second among the last five, and it is not busy. */
static void
test_all_the_time(void **state)
{
    (void)state;
    struct sv_load load = {0};
    work(&load, 1, 5, 10);
    assert_int_equal(sv_load_permille(&load, 5 * S), 0);
    work(&load, 5, 7, 10);
    assert_true(sv_load_permille(&load, 7 * S) >= 990);
    work(&load, 7, 8, 1);
    work(&load, 8, 9, 10);
    assert_in_range(sv_load_permille(&load, 9 * S), 90, 120);
}

/* After a sleep the old load is forgotten, also before new work is added. */
static void
test_sleep(void **state)
{
    (void)state;
    struct sv_load load = {0};
    work(&load, 1, 8, 10);
    assert_true(sv_load_permille(&load, 9 * S) >= 990);
    assert_int_equal(sv_load_permille(&load, 12 * S), 0);
    sv_load_add(&load, 20 * S, 20 * S + MS);
    assert_in_range(sv_load_permille(&load, 20 * S), 0, 90);
    work(&load, 21, 23, 10);
    assert_in_range(sv_load_permille(&load, 23 * S), 0, 90);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_part),
        cmocka_unit_test(test_all_the_time),
        cmocka_unit_test(test_sleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
