/* test_broadphase.c: pairs of boxes against the test of every pair. */
#include "engine/collide/broad/broadphase.h"

#include "engine/base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define BOX_MAX 120
#define PAIR_MAX (BOX_MAX * BOX_MAX / 2)

static cn_aabb boxes[BOX_MAX];
static int32_t order[BOX_MAX];
static struct cn_pair pairs[PAIR_MAX + 1];

static bool
every_pair(const void *context, int32_t a, int32_t b)
{
    (void)context;
    return a != b;
}

/* Boxes with numbers below *context are static. */
static bool
not_both_static(const void *context, int32_t a, int32_t b)
{
    const int *static_count = context;
    return a >= *static_count || b >= *static_count;
}

static cn_aabb
random_box(struct cn_rng *rng)
{
    double x = cn_rng_uniform(rng, -10.0, 10.0), y = cn_rng_uniform(rng, -10.0, 10.0);
    double w = cn_rng_uniform(rng, 0.0, 2.0), h = cn_rng_uniform(rng, 0.0, 2.0);
    return (cn_aabb){{x, y, 0.0}, {x + w, y + h, 0.0}};
}

/* Compares with a double loop over all boxes, which finds the pairs in sorted order. */
static void
assert_all_found(int box_count, cn_pair_filter *filter, const void *context)
{
    int count = cn_broadphase_pairs(boxes, box_count, order, filter, context, pairs, PAIR_MAX),
        next = 0;
    for (int a = 0; a < box_count; a++) {
        for (int b = a + 1; b < box_count; b++) {
            if (cn_aabb_overlap(&boxes[a], &boxes[b]) && filter(context, a, b)) {
                assert_true(next < count);
                assert_int_equal(pairs[next].a, a);
                assert_int_equal(pairs[next].b, b);
                next++;
            }
        }
    }
    assert_int_equal(count, next);
}

static void
test_against_all_pairs(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 5};
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < BOX_MAX; i++) {
            boxes[i] = random_box(&rng);
            order[i] = i;
        }
        const double wall = 1e30; /* two half planes: a floor and a slope */
        boxes[17] = (cn_aabb){{-wall, -wall, -wall}, {wall, -8.0, wall}};
        boxes[40] = (cn_aabb){{-wall, -wall, -wall}, {wall, wall, wall}};
        assert_all_found(BOX_MAX, every_pair, NULL);

        /* The order of the last call is only a hint. */
        for (int i = 0; i < BOX_MAX; i++) {
            boxes[i] = i == 17 || i == 40 ? boxes[i] : random_box(&rng);
        }
        int static_count = 60;
        assert_all_found(BOX_MAX, not_both_static, &static_count);
    }
}

static void
test_touching_and_equal_boxes(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) { /* a row, each touching the next; the last two are equal */
        double x = i < 5 ? i : 4;
        boxes[i] = (cn_aabb){{x, 0.0, 0.0}, {x + 1.0, 1.0, 0.0}};
        order[i] = 5 - i;
    }
    assert_all_found(6, every_pair, NULL);
    assert_int_equal(cn_broadphase_pairs(boxes, 6, order, every_pair, NULL, pairs, PAIR_MAX), 6);
    assert_int_equal(cn_broadphase_pairs(boxes, 1, order, every_pair, NULL, pairs, PAIR_MAX), 0);
    assert_int_equal(cn_broadphase_pairs(boxes, 0, order, every_pair, NULL, pairs, PAIR_MAX), 0);
}

/*
 * Boxes beyond the range of floats, and boxes whose gaps floats can not show; doubles decide these.
 */
static void
test_beyond_floats(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 7};
    for (int i = 0; i < 90; i++) {
        boxes[i] = random_box(&rng);
        boxes[i].low.z = cn_rng_uniform(&rng, -2.0, 0.0);
        boxes[i].high.z = boxes[i].low.z + cn_rng_uniform(&rng, 0.0, 1.0);
        order[i] = i;
    }
    boxes[3] = cn_aabb_empty();
    boxes[5] = (cn_aabb){{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, 0.0, HUGE_VAL}};
    boxes[7] = (cn_aabb){{1e300, -1e300, 1e300}, {2e300, 1e300, 2e300}};
    boxes[8] = (cn_aabb){{1.5e300, 0.0, 1.5e300}, {3e300, 1.0, 3e300}};
    for (int i = 0; i < 10; i++) { /* every second one touches the one before */
        double at = 1e6 + i + (i % 2 == 0 ? 1e-9 : 0.0);
        boxes[20 + i] = (cn_aabb){{at, at, at}, {1e6 + i + 1, 1e6 + i + 1, 1e6 + i + 1}};
        boxes[40 + i] = (cn_aabb){{1e-42 * i, 0.0, 0.0}, {1e-42 * (i + 0.5), 1e-42, 1e-42}};
    }
    assert_all_found(90, every_pair, NULL);
}

/*
 * If the list is too short, the result is the full count. The list is sorted, and no pair is
 * written beyond its end.
 */
static void
test_cut_list(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        boxes[i] = (cn_aabb){{10.0 - i, 0.0, 0.0}, {20.0, 1.0, 0.0}};
        order[i] = i;
    }
    pairs[7] = (struct cn_pair){-5, -6};
    assert_int_equal(cn_broadphase_pairs(boxes, 10, order, every_pair, NULL, pairs, 7), 45);
    for (int i = 1; i < 7; i++) {
        assert_true(pairs[i - 1].a < pairs[i].a ||
                    (pairs[i - 1].a == pairs[i].a && pairs[i - 1].b < pairs[i].b));
    }
    assert_int_equal(pairs[7].a, -5);
    assert_int_equal(cn_broadphase_pairs(boxes, 10, order, every_pair, NULL, NULL, 0), 45);
}

/* A row of boxes, each of which touches only the next one, for every count of boxes. */
static void
test_long_row(void **state)
{
    (void)state;
    for (int count = 2; count <= BOX_MAX; count++) {
        for (int i = 0; i < count; i++) {
            boxes[i] = (cn_aabb){{i, 0.0, 0.0}, {i + 1.0, 1.0, 0.0}};
            order[i] = (i + 7) % count;
        }
        assert_int_equal(
            cn_broadphase_pairs(boxes, count, order, every_pair, NULL, pairs, PAIR_MAX), count - 1);
        assert_all_found(count, every_pair, NULL);
    }
}

/* The pairs that a too short list keeps depend on the boxes only, not on the last order. */
static void
test_cut_list_of_ties(void **state)
{
    (void)state;
    struct cn_pair first[20];
    struct cn_rng rng = {.state = 8};
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < 60; i++) {
            boxes[i] = (cn_aabb){{i % 3, 0.0, 0.0}, {4.0, 1.0, 0.0}};
            order[i] = i;
        }
        for (int i = 59; i > 0; i--) {
            int k = (int)(cn_rng_next(&rng) % (uint32_t)(i + 1)), swap = order[i];
            order[i] = order[k];
            order[k] = swap;
        }
        cn_broadphase_pairs(boxes, 60, order, every_pair, NULL, pairs, 20);
        for (int i = 0; i < 20; i++) {
            first[i] = round == 0 ? pairs[i] : first[i];
            assert_int_equal(pairs[i].a, first[i].a);
            assert_int_equal(pairs[i].b, first[i].b);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_all_pairs),
        cmocka_unit_test(test_touching_and_equal_boxes),
        cmocka_unit_test(test_beyond_floats),
        cmocka_unit_test(test_cut_list),
        cmocka_unit_test(test_long_row),
        cmocka_unit_test(test_cut_list_of_ties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
