/*
 * test_load.c: what `cairn-load` computes: quantiles, shares of models, scripts, waiting lines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "clients/load/load_line.h"
#include "clients/load/load_script.h"
#include "clients/load/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- quantiles ---- */

static void
test_quantiles_small(void **state)
{
    (void)state;
    struct load_quantile quantile = {0};
    assert_int_equal(load_quantile_at(&quantile, 0.5), 0);
    for (uint64_t i = 1; i <= 50; i++) {
        load_quantile_add(&quantile, i); /* below 64 every value has its own bucket */
    }
    assert_int_equal(load_quantile_at(&quantile, 0.5), 25);
    assert_int_equal(load_quantile_at(&quantile, 0.9), 45);
    assert_int_equal(load_quantile_at(&quantile, 0.99), 50);
    assert_int_equal(load_quantile_at(&quantile, 0.0), 1);
    assert_int_equal(load_quantile_at(&quantile, 1.0), 50);
    assert_int_equal(quantile.least, 1);
    assert_int_equal(quantile.most, 50);
    assert_true(load_quantile_mean(&quantile) == 25.5);
}

static int
compare(const void *a, const void *b)
{
    uint64_t left, right;
    memcpy(&left, a, sizeof(left));
    memcpy(&right, b, sizeof(right));
    return left < right ? -1 : left > right;
}

/* Compared with sorting: never below the exact quantile, and at most a sixty-fourth above it. */
static void
test_quantiles_against_sorting(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    static const double shares[] = {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0};
    static struct load_quantile quantile;
    uint64_t *values = calloc(COUNT, sizeof(*values));
    assert_non_null(values);
    struct cn_rng rng = {.state = 11};
    for (int i = 0; i < COUNT; i++) {
        values[i] = (uint64_t)exp2(cn_rng_uniform(&rng, 0.0, 31.9));
        load_quantile_add(&quantile, values[i]);
    }
    qsort(values, COUNT, sizeof(*values), compare);
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
        uint64_t exact = values[(size_t)ceil(shares[i] * COUNT) - 1];
        uint64_t found = load_quantile_at(&quantile, shares[i]);
        assert_in_range(found, exact, exact + exact / 64 + 1);
    }
    free(values);
    load_quantile_add(&quantile, UINT64_MAX);
    assert_int_equal(load_quantile_at(&quantile, 1.0), UINT32_MAX);
}

/* ---- shares ---- */

static void
test_shares_parse(void **state)
{
    (void)state;
    struct load_shares shares;
    char error[256];
    assert_true(load_shares_parse("idle=60,push=30,drag=10", &shares, error, sizeof(error)));
    assert_int_equal(shares.total, 100);
    assert_int_equal(shares.of[LOAD_PUSH], 30);
    assert_int_equal(shares.of[LOAD_BURST], 0);
    assert_true(load_shares_parse("drag", &shares, error, sizeof(error)));
    assert_int_equal(shares.of[LOAD_DRAG], 1);
    assert_true(load_shares_parse("push=1,push=2", &shares, error, sizeof(error)));
    assert_int_equal(shares.of[LOAD_PUSH], 3);
    static const char *const bad[] = {"", "=1", "walk=1", "push=", "push=-1", "push=1,", ",push",
        "push=1;drag=1", "push=1x", "push=99999999999", "idle=0", "pushy=1", "push =1"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        memset(error, 0, sizeof(error));
        assert_false(load_shares_parse(bad[i], &shares, error, sizeof(error)));
        assert_non_null(strstr(error, "--script"));
    }
}

static void
test_shares_pick(void **state)
{
    (void)state;
    struct load_shares shares;
    char error[256];
    assert_true(
        load_shares_parse("idle=40,push=30,drag=25,burst=5", &shares, error, sizeof(error)));
    unsigned counts[LOAD_MODEL_COUNT] = {0};
    for (unsigned bot = 0; bot < 1000; bot++) {
        counts[load_shares_pick(&shares, bot)]++;
        if (bot % 100 == 99) { /* any hundred in a row */
            for (int i = 0; i < LOAD_MODEL_COUNT; i++) {
                assert_in_range(counts[i], shares.of[i] - 3, shares.of[i] + 3);
                counts[i] = 0;
            }
        }
    }
}

/* ---- scripts ---- */

#define US_PER_S UINT64_C(1000000)

/* Runs a script for a minute, with a look every millisecond; counts its inputs, and hashes them. */
static unsigned
run_script(enum load_model model, uint64_t seed, uint64_t *hash)
{
    struct wire_heard_body bodies[3] = {{.slot = 2, .mass = 1.0},
        {.slot = 5, .mass = 2.0, .position = {1.0, 2.0, 0.0}}, {.slot = 7, .mass = 0.5}};
    struct wire_heard_joined joined = {.bodies = bodies, .body_count = 3};
    struct load_script script;
    struct wire_input input;
    unsigned count = 0;
    *hash = 17;
    load_script_begin(&script, model, seed, 5 * US_PER_S);
    for (uint64_t now_us = 5 * US_PER_S; now_us < 65 * US_PER_S; now_us += 1000) {
        while (load_script_next(&script, &joined, now_us, &input)) {
            const struct cn_command *command = &input.command;
            count++;
            *hash = *hash * 31 + now_us + (uint64_t)command->kind;
            if (command->kind == CN_COMMAND_RELEASE) {
                continue;
            }
            int32_t body = command->kind == CN_COMMAND_HOLD_DRAG ? command->hold_drag.body
                                                                 : command->hold_force.body;
            assert_true(body == 2 || body == 5 || body == 7);
            assert_true(input.hold_ticks > 0); /* it ends by itself */
            *hash = *hash * 31 + (uint64_t)body;
        }
    }
    return count;
}

static void
test_scripts(void **state)
{
    (void)state;
    uint64_t hash, again, other;
    assert_int_equal(run_script(LOAD_IDLE, 1, &hash), 0);
    assert_in_range(run_script(LOAD_PUSH, 1, &hash), 50, 70); /* one a second */
    /* A cycle is 59 periods of 50 ms and 3 s: ten in a minute, of sixty inputs each. */
    assert_in_range(run_script(LOAD_DRAG, 1, &hash), 580, 620);
    /* A cycle is 29 periods of 8.33 ms and 3 s: eighteen and a half, of thirty each. */
    assert_in_range(run_script(LOAD_BURST, 1, &hash), 520, 570);
    run_script(LOAD_BURST, 1, &again);
    run_script(LOAD_BURST, 2, &other);
    assert_true(hash == again);
    assert_true(hash != other);
}

/* A bot that could not act for a minute does not send all the missed inputs at once. */
static void
test_script_forgets(void **state)
{
    (void)state;
    struct wire_heard_body body = {.slot = 1, .mass = 1.0};
    struct wire_heard_joined joined = {.bodies = &body, .body_count = 1};
    struct load_script script;
    struct wire_input input;
    unsigned count = 0;
    load_script_begin(&script, LOAD_DRAG, 3, 0);
    while (load_script_next(&script, &joined, 60 * US_PER_S, &input)) {
        count++;
    }
    assert_in_range(count, 1, 25);
    joined.body_count = 0; /* without moving bodies a bot sends nothing */
    assert_false(load_script_next(&script, &joined, 90 * US_PER_S, &input));
}

/* ---- lines ---- */

static void
test_line(void **state)
{
    (void)state;
    struct load_line line = {0};
    assert_true(load_line_next_us(&line) == UINT64_MAX);
    assert_null(load_line_due(&line, UINT64_MAX - 1));
    uint64_t in = 0, out = 0;
    for (int round = 0; round < 40; round++) { /* wraps, and grows while wrapped */
        for (int i = 0; i < 7 + round; i++) {
            struct load_item *item = load_line_push(&line);
            assert_non_null(item);
            item->due_us = ++in;
        }
        for (int i = 0; i < 5 + round; i++) {
            const struct load_item *item = load_line_due(&line, in);
            assert_non_null(item);
            assert_int_equal(item->due_us, ++out);
            load_line_pop(&line);
        }
    }
    assert_null(load_line_due(&line, out));
    assert_int_equal(load_line_next_us(&line), out + 1);
    while (line.count < LOAD_LINE_MAX) {
        assert_non_null(load_line_push(&line));
    }
    assert_null(load_line_push(&line));
    load_line_finish(&line);
}

static void
test_silence_after_busy(void **state)
{
    (void)state;
    uint64_t quiet_us = 0;
    /* Without chance the spans are 100, 200, ... 3200 ms, and stay there. */
    static const uint64_t spans_ms[] = {100, 200, 400, 800, 1600, 3200, 3200};
    for (size_t i = 0; i < sizeof(spans_ms) / sizeof(spans_ms[0]); i++) {
        assert_int_equal(load_quiet_us(&quiet_us, 0, 0.0), spans_ms[i] * 1000);
    }
    /* Chance shortens the returned span by at most a quarter, but not the span that is doubled. */
    quiet_us = 0;
    assert_int_equal(load_quiet_us(&quiet_us, 0, 0.5), 87500);
    assert_int_equal(quiet_us, 100000);
    /* A span that the daemon asks for is used exactly. */
    assert_int_equal(load_quiet_us(&quiet_us, 5000, 0.999), 5000000);
    assert_int_equal(quiet_us, 200000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantiles_small),
        cmocka_unit_test(test_quantiles_against_sorting),
        cmocka_unit_test(test_shares_parse),
        cmocka_unit_test(test_shares_pick),
        cmocka_unit_test(test_scripts),
        cmocka_unit_test(test_script_forgets),
        cmocka_unit_test(test_line),
        cmocka_unit_test(test_silence_after_busy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
