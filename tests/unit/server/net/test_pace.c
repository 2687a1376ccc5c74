/*
 * test_pace.c: which ticks a client is sent, and how its acknowledgements change that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/base/limits.h"
#include "server/net/pace.h"

#define MS SV_NS_PER_MS

/* The ticks sent in one second with this wish and step, from a tick that is no round number. */
static int
count_ticks(uint32_t wish_hz, uint8_t step, double tick_rate_hz)
{
    struct sv_pace pace;
    int count = 0;
    sv_pace_init(&pace, wish_hz);
    pace.step = step;
    sv_pace_sent(&pace, 1000);
    for (uint64_t tick = 1001; tick <= 1000 + (uint64_t)tick_rate_hz; tick++) {
        if (sv_pace_is_due(&pace, tick, tick_rate_hz)) {
            sv_pace_sent(&pace, tick);
            count++;
        }
    }
    return count;
}

static void
test_rates(void **state)
{
    (void)state;
    assert_int_equal(count_ticks(0, 0, 60.0), 60);
    assert_int_equal(count_ticks(0, 1, 60.0), 30);
    assert_int_equal(count_ticks(0, 2, 60.0), 20);
    assert_int_equal(count_ticks(30, 0, 60.0), 30);
    assert_int_equal(count_ticks(30, 1, 60.0), 15);
    assert_int_equal(count_ticks(100, 0, 60.0), 60);
    assert_int_equal(count_ticks(45, 0, 60.0), 45);
    assert_int_equal(count_ticks(1, 0, 60.0), 1);
    assert_int_equal(count_ticks(60, 0, 240.0), 60);
    assert_int_equal(count_ticks(60, 1, 240.0), 30);
}

/* Clients with one rate get the same ticks, wherever they began. */
static void
test_same_ticks_for_all(void **state)
{
    (void)state;
    struct sv_pace early, late;
    sv_pace_init(&early, 20);
    sv_pace_init(&late, 0);
    late.step = 2;
    sv_pace_sent(&early, 100);
    sv_pace_sent(&late, 107);
    for (uint64_t tick = 108; tick < 400; tick++) {
        bool is_due = sv_pace_is_due(&late, tick, 60.0);
        assert_int_equal(is_due, tick % 3 == 0);
        if (tick > 111) {
            assert_int_equal(sv_pace_is_due(&early, tick, 60.0), is_due);
        }
        if (is_due) {
            sv_pace_sent(&early, tick);
            sv_pace_sent(&late, tick);
        }
    }
}

/*
 * The first tick, a tick before the last one (a reset), and the first after a restart are always
 * due.
 */
static void
test_beginnings(void **state)
{
    (void)state;
    struct sv_pace pace;
    sv_pace_init(&pace, 1);
    assert_true(sv_pace_is_due(&pace, 59, 60.0));
    sv_pace_sent(&pace, 59);
    assert_true(sv_pace_is_due(&pace, 60, 60.0));
    sv_pace_sent(&pace, 60);
    assert_false(sv_pace_is_due(&pace, 61, 60.0));
    assert_true(sv_pace_is_due(&pace, 0, 60.0));
    sv_pace_restart(&pace);
    assert_true(sv_pace_is_due(&pace, 61, 60.0));
}

/* Acks with one lag, one each 50 ms; returns the time afterwards. */
static uint64_t
ack(struct sv_pace *pace, uint64_t now_ns, uint64_t lag_ms, uint64_t duration_ms)
{
    for (uint64_t i = 0; i < duration_ms / 50; i++) {
        now_ns += 50 * MS;
        sv_pace_acked(pace, lag_ms * MS, now_ns);
    }
    return now_ns;
}

/* A long distance is not a queue: a round trip of 350 ms is as good as one of 5 ms. */
static void
test_distance_is_no_lag(void **state)
{
    (void)state;
    struct sv_pace pace;
    sv_pace_init(&pace, 0);
    ack(&pace, SV_NS_PER_S, 350, 60000);
    assert_int_equal(pace.step, 0);
    /* But a round trip of 900 ms is always taken for a queue. */
    sv_pace_init(&pace, 0);
    ack(&pace, SV_NS_PER_S, 900, 60000);
    assert_int_equal(pace.step, 2);
}

/*
 * A delay of a quarter of a second changes nothing; half a second is one step, a longer one
 * another.
 */
static void
test_slower(void **state)
{
    (void)state;
    struct sv_pace pace;
    sv_pace_init(&pace, 0);
    uint64_t now_ns = ack(&pace, SV_NS_PER_S, 20, 1000);
    now_ns = ack(&pace, now_ns, 250, 250);
    assert_int_equal(pace.step, 0);
    now_ns = ack(&pace, now_ns, 20, 200);
    now_ns = ack(&pace, now_ns, 250, 500);
    assert_int_equal(pace.step, 1);
    now_ns = ack(&pace, now_ns, 250, 300);
    assert_int_equal(pace.step, 2);
    ack(&pace, now_ns, 250, 3000);
    assert_int_equal(pace.step, 2);
}

/* A step needs three calm seconds; a queue of medium length restarts the three seconds. */
static void
test_faster(void **state)
{
    (void)state;
    struct sv_pace pace;
    sv_pace_init(&pace, 0);
    uint64_t now_ns = ack(&pace, SV_NS_PER_S, 20, 1000);
    now_ns = ack(&pace, now_ns, 250, 1000);
    assert_int_equal(pace.step, 2);
    now_ns = ack(&pace, now_ns, 20, 2900);
    now_ns = ack(&pace, now_ns, 120, 50);
    now_ns = ack(&pace, now_ns, 20, 2900);
    assert_int_equal(pace.step, 2);
    now_ns = ack(&pace, now_ns, 20, 200);
    assert_int_equal(pace.step, 1);
    ack(&pace, now_ns, 20, 3100);
    assert_int_equal(pace.step, 0);
}

/* After a step that came too early, the next try waits twice as long, but at most a minute. */
static void
test_patience_doubles(void **state)
{
    (void)state;
    struct sv_pace pace;
    sv_pace_init(&pace, 0);
    uint64_t now_ns = ack(&pace, SV_NS_PER_S, 20, 1000);
    now_ns = ack(&pace, now_ns, 250, 350);
    assert_int_equal(pace.step, 1);
    uint64_t patience_ms = 3000;
    for (int i = 0; i < 8; i++) {
        now_ns = ack(&pace, now_ns, 20, patience_ms - 100);
        assert_int_equal(pace.step, 1);
        now_ns = ack(&pace, now_ns, 20, 200);
        assert_int_equal(pace.step, 0);
        now_ns = ack(&pace, now_ns, 250, 350);
        assert_int_equal(pace.step, 1);
        patience_ms = patience_ms * 2 < 60000 ? patience_ms * 2 : 60000;
    }
}

/* The shortest round trip slowly follows a distance that grew, up to a limit. */
static void
test_longer_way(void **state)
{
    (void)state;
    struct sv_pace pace;
    sv_pace_init(&pace, 0);
    sv_pace_acked(&pace, 10 * MS, SV_NS_PER_S);
    assert_int_equal(sv_pace_round_trip_us(&pace), 10000);
    for (int i = 0; i < 4096; i++) {
        sv_pace_acked(&pace, 110 * MS, SV_NS_PER_S + (uint64_t)i);
    }
    assert_in_range(sv_pace_round_trip_us(&pace), 72000, 74000); /* by two thirds, nearly */
    for (int i = 0; i < 100000; i++) {
        sv_pace_acked(&pace, 10 * SV_NS_PER_S, 2 * SV_NS_PER_S + (uint64_t)i);
        assert_true(pace.base_ns <= SV_PACE_BASE_MAX_NS);
    }
    sv_pace_acked(&pace, 20 * MS, 3 * SV_NS_PER_S);
    assert_int_equal(sv_pace_round_trip_us(&pace), 20000); /* a shorter one counts at once */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_same_ticks_for_all),
        cmocka_unit_test(test_beginnings),
        cmocka_unit_test(test_distance_is_no_lag),
        cmocka_unit_test(test_longer_way),
        cmocka_unit_test(test_slower),
        cmocka_unit_test(test_faster),
        cmocka_unit_test(test_patience_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
