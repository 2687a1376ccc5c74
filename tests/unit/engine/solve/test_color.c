/* test_color.c: colours of pairs known by hand, and the laws of colouring over random pairs. */
#include "engine/base/rng.h"
#include "engine/solve/impulse/color.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define PAIRS_MAX 2000
#define BODIES_MAX 500

static _Alignas(64) unsigned char memory[1 << 16];
static int32_t order[PAIRS_MAX + CN_COLORS_MAX * 15];
static struct cn_coloring coloring;

static int
color(const struct cn_color_pair *pair, int count, int body_count, int lanes)
{
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    cn_color(pair, count, body_count, lanes, &arena, NULL, NULL);
    size_t need = arena.used_max;
    cn_arena_init(&arena, memory, need);
    int used = cn_color(pair, count, body_count, lanes, &arena, order, &coloring);
    assert_int_equal(arena.used, 0);
    assert_true(used <= cn_color_order_max(count, lanes));
    return used;
}

/* Four bodies in a row on the ground: links 0-1 and 2-3 go together, the ground is last. */
static void
test_row_by_hand(void **state)
{
    (void)state;
    struct cn_color_pair pair[] = {
        {-1, 0}, {-1, 1}, {0, 1}, {-1, 2}, {1, 2}, {3, -1}, {2, 3}};
    int32_t expected[] = {2, 6, -1, -1, 4, -1, -1, -1, 0, 1, 3, 5};
    assert_int_equal(color(pair, 7, 4, 4), 12);
    assert_int_equal(coloring.color_count, 3);
    assert_int_equal(coloring.start[1], 4);
    assert_int_equal(coloring.start[3], 12);
    assert_int_equal(coloring.overflow_count, 0);
    assert_memory_equal(order, expected, sizeof(expected));
}

static void
test_nothing(void **state)
{
    (void)state;
    assert_int_equal(color(NULL, 0, 0, 8), 0);
    assert_int_equal(coloring.color_count, 0);
    assert_int_equal(coloring.start[0], 0);
}

/* A hub of 100 spokes: 60 colours of one, the other 40 overflow in order. */
static void
test_hub_overflows(void **state)
{
    (void)state;
    struct cn_color_pair pair[100];
    for (int i = 0; i < 100; i++) {
        pair[i] = (struct cn_color_pair){0, i + 1};
    }
    assert_int_equal(color(pair, 100, 101, 8), 60 * 8 + 40);
    assert_int_equal(coloring.color_count, 60);
    assert_int_equal(coloring.overflow_count, 40);
    for (int i = 0; i < 40; i++) {
        assert_int_equal(order[coloring.start[60] + i], 60 + i);
    }
    /* A hub on a hundred fixed things has all 64 colours. */
    for (int i = 0; i < 100; i++) {
        pair[i] = (struct cn_color_pair){-1, 0};
    }
    assert_int_equal(color(pair, 100, 1, 1), 100);
    assert_int_equal(coloring.color_count, 64);
    assert_int_equal(coloring.overflow_count, 36);
}

static void
make_random(struct cn_rng *rng, struct cn_color_pair *pair, int count, int body_count)
{
    for (int i = 0; i < count; i++) {
        int32_t a = (int32_t)(cn_rng_next(rng) % (uint32_t)body_count);
        int32_t b = (int32_t)(cn_rng_next(rng) % (uint32_t)(body_count - 1));
        b += b >= a;
        uint32_t kind = (uint32_t)(cn_rng_next(rng) % 8);
        pair[i] = (struct cn_color_pair){kind == 0 ? -1 : a, kind == 1 ? -1 : b};
    }
}

static void
check_laws(const struct cn_color_pair *pair, int count, int lanes, int used)
{
    static int seen[PAIRS_MAX];
    static int last_color[BODIES_MAX];
    memset(seen, 0, sizeof(seen));
    memset(last_color, -1, sizeof(last_color));
    for (int c = 0; c < coloring.color_count; c++) {
        assert_int_equal(coloring.start[c] % lanes, 0);
        assert_true(order[coloring.start[c]] >= 0);
        int before = -1;
        for (int k = coloring.start[c]; k < coloring.start[c + 1]; k++) {
            if (order[k] < 0) {
                assert_true(coloring.start[c + 1] - k < lanes);
                continue;
            }
            assert_true(order[k] > before);
            before = order[k];
            seen[order[k]]++;
            int32_t body[2] = {pair[order[k]].body_a, pair[order[k]].body_b};
            for (int s = 0; s < 2; s++) {
                if (body[s] >= 0) {
                    assert_int_not_equal(last_color[body[s]], c);
                    last_color[body[s]] = c;
                }
            }
        }
    }
    for (int k = coloring.start[coloring.color_count]; k < used; k++) {
        seen[order[k]]++;
    }
    for (int i = 0; i < count; i++) {
        assert_int_equal(seen[i], 1);
    }
}

/* No body twice in a colour, each pair once; the order without padding is that of any width. */
static void
test_laws_over_random_pairs(void **state)
{
    (void)state;
    static struct cn_color_pair pair[PAIRS_MAX];
    static int32_t plain[PAIRS_MAX];
    struct cn_rng rng = {7};
    for (int round = 0; round < 40; round++) {
        int body_count = 3 + (int)(cn_rng_next(&rng) % (BODIES_MAX - 3));
        int count = (int)(cn_rng_next(&rng) % PAIRS_MAX);
        make_random(&rng, pair, count, body_count);
        int used = color(pair, count, body_count, 1);
        assert_int_equal(used, count);
        check_laws(pair, count, 1, used);
        memcpy(plain, order, (size_t)count * sizeof(*plain));
        for (int lanes = 2; lanes <= 16; lanes *= 2) {
            used = color(pair, count, body_count, lanes);
            check_laws(pair, count, lanes, used);
            int at = 0;
            for (int k = 0; k < used; k++) {
                if (order[k] >= 0) {
                    assert_int_equal(order[k], plain[at++]);
                }
            }
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row_by_hand),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_hub_overflows),
        cmocka_unit_test(test_laws_over_random_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
