/*
 * test_lease.c: holders, waiting sessions and durations, by hand and beside a naive model.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "engine/base/rng.h"
#include "server/base/limits.h"
#include "server/world/data/lease.h"

#include <string.h>

#define BODY(number) ((struct dd_lease_target){DD_LEASE_BODY, (number)})
#define ACTUATOR(number) ((struct dd_lease_target){DD_LEASE_ACTUATOR, (number)})

enum { ANN = 1, BOB = 2, CAT = 3 };

static void
test_first_come(void **state)
{
    (void)state;
    struct sv_leases leases = {0};
    assert_int_equal(sv_leases_holder(&leases, BODY(3)), 0);
    assert_int_equal(
        sv_leases_acquire(&leases, BODY(3), ANN, 0, false, 10), SV_LEASE_GRANTED);
    assert_int_equal(sv_leases_acquire(&leases, BODY(3), BOB, 0, false, 10), SV_LEASE_HELD);
    assert_int_equal(sv_leases_acquire(&leases, BODY(3), BOB, 5, true, 10), SV_LEASE_WAITS);
    assert_int_equal(sv_leases_acquire(&leases, BODY(3), CAT, 0, true, 10), SV_LEASE_WAITS);
    /* A body and an actuator with one number are different targets. */
    assert_int_equal(
        sv_leases_acquire(&leases, ACTUATOR(3), CAT, 0, false, 10), SV_LEASE_GRANTED);
    assert_int_equal(sv_leases_holder(&leases, BODY(3)), ANN);
    assert_true(sv_leases_release(&leases, BODY(3), ANN, 20));
    assert_false(sv_leases_release(&leases, BODY(3), ANN, 20));
    assert_int_equal(sv_leases_holder(&leases, BODY(3)), BOB);
    /* Bob's five ticks begin when he gets it. */
    struct sv_lease lost;
    assert_false(sv_leases_expire_one(&leases, 24, &lost));
    assert_true(sv_leases_expire_one(&leases, 25, &lost));
    assert_int_equal(lost.session, BOB);
    assert_int_equal(sv_leases_holder(&leases, BODY(3)), CAT);
    assert_false(sv_leases_expire_one(&leases, UINT64_MAX, &lost));
    sv_leases_finish(&leases);
}

static void
test_renewing(void **state)
{
    (void)state;
    struct sv_leases leases = {0};
    struct sv_lease lost;
    sv_leases_acquire(&leases, BODY(0), ANN, 10, false, 100);
    assert_int_equal(
        sv_leases_acquire(&leases, BODY(0), ANN, 10, false, 109), SV_LEASE_GRANTED);
    assert_false(sv_leases_expire_one(&leases, 118, &lost));
    assert_true(sv_leases_expire_one(&leases, 119, &lost));
    assert_int_equal(leases.count, 0);
    sv_leases_finish(&leases);
}

/* An instructor takes a lease at once; the clients in the queue keep their places. */
static void
test_override(void **state)
{
    (void)state;
    struct sv_leases leases = {0};
    sv_leases_acquire(&leases, BODY(7), ANN, 0, false, 1);
    sv_leases_acquire(&leases, BODY(7), BOB, 0, true, 1);
    sv_leases_acquire(&leases, BODY(7), CAT, 0, true, 1);
    assert_int_equal(sv_leases_override(&leases, BODY(7), CAT, 0, 2), SV_LEASE_GRANTED);
    assert_int_equal(sv_leases_holder(&leases, BODY(7)), CAT);
    assert_int_equal(leases.count, 2); /* Ann is out, Cat is in once, Bob waits */
    assert_true(leases.entries[0].is_taken);
    assert_false(leases.entries[1].is_taken);
    sv_leases_release(&leases, BODY(7), CAT, 3);
    assert_int_equal(sv_leases_holder(&leases, BODY(7)), BOB);
    sv_leases_finish(&leases);
}

static void
test_leaving(void **state)
{
    (void)state;
    struct sv_leases leases = {0};
    struct sv_lease lost;
    sv_leases_acquire(&leases, BODY(1), ANN, 0, false, 1);
    sv_leases_acquire(&leases, BODY(2), BOB, 0, false, 1);
    sv_leases_acquire(&leases, BODY(2), ANN, 0, true, 1);
    sv_leases_acquire(&leases, BODY(1), BOB, 4, true, 1);
    int count = 0;
    while (sv_leases_drop_one(&leases, ANN, 9, &lost)) {
        assert_int_equal(lost.session, ANN);
        count++;
    }
    assert_int_equal(count, 2);
    assert_int_equal(sv_leases_holder(&leases, BODY(1)), BOB);
    assert_int_equal(leases.entries[0].until_tick, 13);
    sv_leases_forget(&leases, BODY(1));
    assert_int_equal(sv_leases_holder(&leases, BODY(1)), 0);
    assert_int_equal(sv_leases_holder(&leases, BODY(2)), BOB);
    sv_leases_finish(&leases);
}

/* Stored entries are refused if their order is wrong, or a session is twice in a queue. */
static void
test_stored(void **state)
{
    (void)state;
    struct sv_leases leases = {0};
    const struct sv_lease good[] = {{.target = BODY(3), .session = ANN},
        {.target = BODY(3), .session = BOB}, {.target = BODY(5), .session = ANN},
        {.target = ACTUATOR(0), .session = CAT}};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(sv_leases_append(&leases, &good[i]));
    }
    const struct sv_lease bad[] = {{.target = BODY(5), .session = BOB},
        {.target = ACTUATOR(0), .session = CAT}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(sv_leases_append(&leases, &bad[i]));
    }
    assert_int_equal(leases.count, 4);
    assert_int_equal(sv_leases_holder(&leases, BODY(5)), ANN);
    sv_leases_finish(&leases);
}

/* At each limit an acquisition changes nothing. */
static void
test_bounds(void **state)
{
    (void)state;
    struct sv_leases leases = {0};
    for (int i = 0; i < SV_LEASES_SESSION_MAX; i++) {
        assert_int_equal(
            sv_leases_acquire(&leases, BODY(i), ANN, 0, false, 1), SV_LEASE_GRANTED);
    }
    assert_int_equal(sv_leases_acquire(&leases, BODY(99), ANN, 0, false, 1), SV_LEASE_FULL);
    assert_int_equal(sv_leases_override(&leases, BODY(99), ANN, 0, 1), SV_LEASE_FULL);
    assert_int_equal(
        sv_leases_acquire(&leases, BODY(98), BOB, 0, false, 1), SV_LEASE_GRANTED);
    assert_int_equal(sv_leases_override(&leases, BODY(98), ANN, 0, 1), SV_LEASE_FULL);
    assert_int_equal(sv_leases_holder(&leases, BODY(98)), BOB);
    assert_int_equal(sv_leases_override(&leases, BODY(0), ANN, 0, 1), SV_LEASE_GRANTED);
    for (uint64_t i = 0; i < SV_LEASE_QUEUE_MAX; i++) {
        assert_int_equal(
            sv_leases_acquire(&leases, BODY(0), BOB + i, 0, true, 1), SV_LEASE_WAITS);
    }
    assert_int_equal(sv_leases_acquire(&leases, BODY(0), 99, 0, true, 1), SV_LEASE_FULL);
    /* An instructor needs no place in the queue. */
    assert_int_equal(sv_leases_override(&leases, BODY(0), 99, 0, 1), SV_LEASE_GRANTED);
    for (int i = 0; leases.count < SV_LEASES_MAX; i++) {
        assert_int_equal(sv_leases_acquire(&leases, ACTUATOR(i), 1000 + (uint64_t)i, 0, false, 1),
            SV_LEASE_GRANTED);
    }
    assert_int_equal(
        sv_leases_acquire(&leases, ACTUATOR(5000), 7, 0, false, 1), SV_LEASE_FULL);
    assert_int_equal(leases.count, SV_LEASES_MAX);
    sv_leases_finish(&leases);
}

/* ---- comparison with a model: a queue of people for each target ---- */

#define THINGS 6 /* three bodies, three actuators */
#define PEOPLE 12

struct line {
    uint64_t who[PEOPLE];
    uint32_t ticks[PEOPLE];
    uint64_t until; /* of the first */
    int count;
};

static struct dd_lease_target
thing(int i)
{
    return i < THINGS / 2 ? BODY(i) : ACTUATOR(i - THINGS / 2);
}

static void
start(struct line *line, uint64_t tick)
{
    line->until = line->count > 0 && line->ticks[0] > 0 ? tick + line->ticks[0] : 0;
}

static int
find(const struct line *line, uint64_t who)
{
    for (int i = 0; i < line->count; i++) {
        if (line->who[i] == who) {
            return i;
        }
    }
    return -1;
}

static void
step_out(struct line *line, int place, uint64_t tick)
{
    for (int i = place; i + 1 < line->count; i++) {
        line->who[i] = line->who[i + 1];
        line->ticks[i] = line->ticks[i + 1];
    }
    line->count--;
    if (place == 0) {
        start(line, tick);
    }
}

static enum sv_lease_answer
model_acquire(struct line *line, uint64_t who, uint32_t ticks, bool queue, uint64_t tick)
{
    int place = find(line, who);
    if (place < 0 && line->count > 0 && !queue) {
        return SV_LEASE_HELD;
    }
    if (place < 0 && line->count > SV_LEASE_QUEUE_MAX) {
        return SV_LEASE_FULL;
    }
    if (place < 0) {
        place = line->count++;
        line->who[place] = who;
    }
    line->ticks[place] = ticks;
    if (place == 0) {
        start(line, tick);
    }
    return place == 0 ? SV_LEASE_GRANTED : SV_LEASE_WAITS;
}

static void
model_override(struct line *line, uint64_t who, uint32_t ticks, uint64_t tick)
{
    int place = find(line, who);
    if (place > 0) {
        step_out(line, place, tick);
    }
    line->count = line->count > 0 ? line->count : 1;
    line->who[0] = who;
    line->ticks[0] = ticks;
    start(line, tick);
}

static void
compare(const struct sv_leases *leases, const struct line *lines)
{
    int at = 0;
    for (int i = 0; i < THINGS; i++) {
        for (int k = 0; k < lines[i].count; k++, at++) {
            assert_true(at < leases->count);
            const struct sv_lease *entry = &leases->entries[at];
            assert_int_equal(entry->target.kind, thing(i).kind);
            assert_int_equal(entry->target.index, thing(i).index);
            assert_int_equal(entry->session, lines[i].who[k]);
            assert_int_equal(entry->ticks, lines[i].ticks[k]);
            assert_int_equal(entry->until_tick, k == 0 ? lines[i].until : 0);
        }
    }
    assert_int_equal(at, leases->count);
}

static void
pass_time(struct sv_leases *leases, struct line *lines, uint64_t tick)
{
    struct sv_lease lost;
    bool is_due = false;
    for (int i = 0; i < THINGS; i++) {
        is_due = is_due ||
            (lines[i].count > 0 && lines[i].until > 0 && lines[i].until <= tick);
    }
    assert_int_equal(sv_leases_is_due(leases, tick), is_due);
    while (sv_leases_expire_one(leases, tick, &lost)) {
    }
    for (int i = 0; i < THINGS; i++) {
        while (lines[i].count > 0 && lines[i].until > 0 && lines[i].until <= tick) {
            step_out(&lines[i], 0, tick);
        }
    }
}

static void
one_goes(struct sv_leases *leases, struct line *lines, uint64_t who, uint64_t tick)
{
    struct sv_lease lost;
    while (sv_leases_drop_one(leases, who, tick, &lost)) {
    }
    for (int i = 0; i < THINGS; i++) {
        if (find(&lines[i], who) >= 0) {
            step_out(&lines[i], find(&lines[i], who), tick);
        }
    }
}

static void
test_like_the_model(void **state)
{
    (void)state;
    struct cn_rng rng = {20261};
    struct sv_leases leases = {0};
    struct line lines[THINGS];
    memset(lines, 0, sizeof(lines));
    int answers[SV_LEASE_FULL + 1] = {0};
    uint64_t tick = 1;
    for (int round = 0; round < 40000; round++) {
        int i = (int)(cn_rng_next(&rng) % THINGS);
        uint64_t who = 1 + cn_rng_next(&rng) % PEOPLE;
        uint32_t ticks = cn_rng_next(&rng) % 3 == 0 ? 0 : 1 + cn_rng_next(&rng) % 40;
        bool queue = cn_rng_next(&rng) % 4 != 0;
        uint32_t what = cn_rng_next(&rng) % 16;
        if (what < 10) {
            enum sv_lease_answer answer =
                sv_leases_acquire(&leases, thing(i), who, ticks, queue, tick);
            assert_int_equal(answer, model_acquire(&lines[i], who, ticks, queue, tick));
            answers[answer]++;
        } else if (what < 12) {
            int place = find(&lines[i], who);
            assert_int_equal(sv_leases_release(&leases, thing(i), who, tick), place >= 0);
            if (place >= 0) {
                step_out(&lines[i], place, tick);
            }
        } else if (what < 13) {
            sv_leases_override(&leases, thing(i), who, ticks, tick);
            model_override(&lines[i], who, ticks, tick);
        } else if (what < 14) {
            pass_time(&leases, lines, ++tick);
        } else if (what < 15 && round % 8 == 0) {
            one_goes(&leases, lines, who, tick);
        } else if (round % 64 == 0) {
            sv_leases_forget(&leases, thing(i));
            lines[i].count = 0;
        }
        compare(&leases, lines);
    }
    for (int i = 0; i <= SV_LEASE_FULL; i++) {
        assert_true(answers[i] > 100); /* every answer has occurred */
    }
    sv_leases_finish(&leases);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_come),
        cmocka_unit_test(test_renewing),
        cmocka_unit_test(test_override),
        cmocka_unit_test(test_leaving),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_stored),
        cmocka_unit_test(test_like_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
