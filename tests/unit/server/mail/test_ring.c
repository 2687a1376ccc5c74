/*
 * test_ring.c: order, fullness, and one thread against another.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/mail/ring.h"

#include <pthread.h>
#include <sched.h>

static void
test_order_and_fullness(void **state)
{
    (void)state;
    struct sv_ring ring;
    int out = 0;
    assert_true(sv_ring_init(&ring, sizeof(int), 3));
    assert_false(sv_ring_pop(&ring, &out));
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 3; i++) {
            assert_int_equal(sv_ring_room(&ring), 3 - i);
            assert_true(sv_ring_push(&ring, &i));
        }
        assert_false(sv_ring_push(&ring, &out));
        for (int i = 0; i < 3; i++) {
            assert_true(sv_ring_pop(&ring, &out));
            assert_int_equal(out, i);
        }
    }
    sv_ring_finish(&ring);
}

#define ITEM_COUNT 100000

static void *
push_all(void *context)
{
    struct sv_ring *ring = context;
    for (uint64_t i = 0; i < ITEM_COUNT;) {
        uint64_t item[2] = {i, ~i};
        if (sv_ring_push(ring, item)) {
            i++;
        } else {
            sched_yield();
        }
    }
    return NULL;
}

/* Every item arrives once, whole, in order. */
static void
test_two_threads(void **state)
{
    (void)state;
    struct sv_ring ring;
    pthread_t thread;
    assert_true(sv_ring_init(&ring, 2 * sizeof(uint64_t), 7));
    assert_int_equal(pthread_create(&thread, NULL, push_all, &ring), 0);
    for (uint64_t i = 0; i < ITEM_COUNT;) {
        uint64_t item[2];
        if (!sv_ring_pop(&ring, item)) {
            sched_yield();
            continue;
        }
        assert_true(item[0] == i && item[1] == ~i);
        i++;
    }
    pthread_join(thread, NULL);
    sv_ring_finish(&ring);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_and_fullness),
        cmocka_unit_test(test_two_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
