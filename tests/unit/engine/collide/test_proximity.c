/* test_proximity.c: pairs of moving boxes against the test of every pair. */
#include "engine/collide/query/proximity.h"

#include "engine/base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define SHAPE_MAX 700
#define PAIR_MAX (SHAPE_MAX * SHAPE_MAX / 2)

/* A world of boxes, and the pairs that cn_proximity has reported of them. */
struct world {
    void *memory;
    struct cn_proximity *proximity;
    int shape_max;
    bool in[SHAPE_MAX], fixed[SHAPE_MAX];
    cn_aabb tight[SHAPE_MAX];
    bool kept[SHAPE_MAX][SHAPE_MAX]; /* a < b */
};

static struct world world;
static struct cn_pair pairs[PAIR_MAX];

static struct cn_proximity *
make(int shape_max, void **memory)
{
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    assert_null(cn_proximity_make(&arena, shape_max));
    size_t size = arena.used;
    *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    assert_non_null(*memory);
    memset(*memory, 0xa5, size); /* old bytes must not matter */
    cn_arena_init(&arena, *memory, size);
    struct cn_proximity *proximity = cn_proximity_make(&arena, shape_max);
    assert_int_equal(arena.used, size);
    return proximity;
}

static void
begin(int shape_max)
{
    memset(&world, 0, sizeof world);
    world.shape_max = shape_max;
    world.proximity = make(shape_max, &world.memory);
}

static void
end(void)
{
    free(world.memory);
}

static bool
every_pair(const void *context, int32_t a, int32_t b)
{
    (void)context;
    assert_true(a < b);
    return true;
}

/* Compounds of four shapes. */
static bool
other_body(const void *context, int32_t a, int32_t b)
{
    (void)context;
    return a / 4 != b / 4;
}

static void
forget(int shape)
{
    for (int k = 0; k < SHAPE_MAX; k++) {
        world.kept[shape < k ? shape : k][shape < k ? k : shape] = false;
    }
}

static void
put(int shape, cn_aabb tight, double extra, bool fixed)
{
    if (!world.in[shape] || world.fixed[shape] != fixed) {
        forget(shape);
    }
    world.in[shape] = true;
    world.fixed[shape] = fixed;
    world.tight[shape] = tight;
    cn_proximity_put(world.proximity, shape, &tight, extra, fixed);
}

static void
take_out(int shape)
{
    cn_proximity_remove(world.proximity, shape);
    world.in[shape] = false;
    forget(shape);
}

/*
 * Finds pairs and compares all kept pairs with the boxes: every overlap is kept, no distant pair
 * is.
 */
static void
find_and_check(cn_pair_filter *filter)
{
    for (int a = 0; a < world.shape_max; a++) {
        for (int b = a + 1; b < world.shape_max; b++) {
            world.kept[a][b] =
                world.kept[a][b] && cn_proximity_overlaps(world.proximity, a, b);
        }
    }
    int count = cn_proximity_find(world.proximity, filter, NULL, pairs, PAIR_MAX);
    assert_in_range(count, 0, PAIR_MAX);
    for (int i = 0; i < count; i++) {
        int a = pairs[i].a, b = pairs[i].b;
        assert_in_range(a, 0, b - 1);
        assert_in_range(b, 1, world.shape_max - 1);
        assert_true(i == 0 || pairs[i - 1].a < a || (pairs[i - 1].a == a && pairs[i - 1].b < b));
        assert_false(world.kept[a][b]); /* never twice */
        assert_true(filter(NULL, a, b));
        world.kept[a][b] = true;
    }
    for (int a = 0; a < world.shape_max; a++) {
        for (int b = a + 1; b < world.shape_max; b++) {
            bool both = world.in[a] && world.in[b] && !(world.fixed[a] && world.fixed[b]);
            bool overlap = both && cn_proximity_overlaps(world.proximity, a, b);
            assert_true(world.kept[a][b] == (overlap && filter(NULL, a, b)));
            if (both && cn_aabb_overlap(&world.tight[a], &world.tight[b])) {
                assert_true(overlap);
            }
        }
    }
    assert_int_equal(cn_proximity_find(world.proximity, filter, NULL, pairs, PAIR_MAX), 0);
}

static cn_aabb
random_box(struct cn_rng *rng, double at, double reach, bool flat)
{
    cn_aabb box;
    double *low[3] = {&box.low.x, &box.low.y, &box.low.z};
    double *high[3] = {&box.high.x, &box.high.y, &box.high.z};
    double largest = cn_rng_uniform(rng, 0.0, 1.0) < 0.05 ? reach / 2 : reach / 20;
    for (int k = 0; k < 3; k++) {
        *low[k] = at + cn_rng_uniform(rng, -reach, reach);
        *high[k] = *low[k] + (cn_rng_uniform(rng, 0.0, 1.0) < 0.1
                                     ? 0.0
                                     : cn_rng_uniform(rng, 0.0, largest));
    }
    if (flat) {
        box.low.z = box.high.z = 0.0;
    }
    return box;
}

static cn_aabb
moved(cn_aabb box, cn_vec3 by)
{
    return (cn_aabb){cn_vec3_add(box.low, by), cn_vec3_add(box.high, by)};
}

/* Crowds that wander, come and go; flat and not, near and far from the origin. */
static void
wander(uint64_t seed, int shape_count, double at, double reach, bool flat, cn_pair_filter *filter)
{
    struct cn_rng rng = {.state = seed};
    begin(shape_count);
    for (int shape = 0; shape < shape_count; shape++) {
        put(shape, random_box(&rng, at, reach, flat), 0.1, shape % 5 == 0);
    }
    const double wall = 1e30; /* a floor that stands and a slope that moves */
    put(0, (cn_aabb){{-wall, -wall, -wall}, {wall, at - reach, wall}}, 0.1, true);
    put(1, (cn_aabb){{-wall, -wall, -wall}, {wall, wall, wall}}, 0.1, false);
    for (int round = 0; round < 12; round++) {
        find_and_check(filter);
        double pace = round % 3 == 0 ? 0.03 : round % 3 == 1 ? 1.0 : 0.2;
        for (int shape = 2; shape < shape_count; shape++) {
            double chance = cn_rng_uniform(&rng, 0.0, 1.0);
            if (chance < 0.03) {
                take_out(shape);
            } else if (chance > 0.98 && world.in[shape]) {
                cn_proximity_renew(world.proximity, shape);
                forget(shape);
            } else if (!world.in[shape] || chance < 0.04) {
                put(shape, random_box(&rng, at, reach, flat), 0.1, chance < 0.01);
            } else if (chance < (round < 6 ? 0.9 : 0.2)) {
                cn_vec3 by = {cn_rng_uniform(&rng, -pace, pace),
                    cn_rng_uniform(&rng, -pace, pace),
                    flat ? 0.0 : cn_rng_uniform(&rng, -pace, pace)};
                put(shape, moved(world.tight[shape], by), 0.1, world.fixed[shape]);
            }
        }
    }
    find_and_check(filter);
    end();
}

static void
test_wandering_crowds(void **state)
{
    (void)state;
    wander(1, 300, 0.0, 10.0, true, every_pair);
    wander(2, 300, 0.0, 8.0, false, every_pair);
    wander(3, 200, 0.0, 5.0, false, other_body);
    wander(4, 300, 1e7, 10.0, true, every_pair);  /* floats are 1 m apart there */
    wander(5, 300, -1e12, 1e6, false, every_pair);
    wander(6, SHAPE_MAX, 0.0, 60.0, true, other_body);
    for (uint64_t count = 2; count < 20; count++) {
        wander(100 + count, (int)count, 0.0, 1.0, count % 2 == 0, every_pair);
    }
}

/* Many boxes without extent in one place, and one very far away: all pairs must be found. */
static void
test_one_place(void **state)
{
    (void)state;
    begin(100);
    for (int shape = 0; shape < 99; shape++) {
        put(shape, (cn_aabb){{3.0, 4.0, 5.0}, {3.0, 4.0, 5.0}}, 0.0, false);
    }
    put(99, (cn_aabb){{1e12, 4.0, 5.0}, {1e12, 4.0, 5.0}}, 0.0, false);
    find_and_check(every_pair);
    end();
}

/* A list that is too short loses no pairs for the next find. */
static void
test_cut_list(void **state)
{
    (void)state;
    begin(40);
    for (int shape = 0; shape < 40; shape++) {
        put(shape, (cn_aabb){{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}}, 0.0, false);
    }
    pairs[100] = (struct cn_pair){-5, -6};
    assert_true(cn_proximity_find(world.proximity, every_pair, NULL, pairs, 100) > 100);
    assert_int_equal(pairs[100].a, -5);
    assert_true(cn_proximity_find(world.proximity, every_pair, NULL, NULL, 0) > 0);
    assert_int_equal(cn_proximity_find(world.proximity, every_pair, NULL, pairs, PAIR_MAX), 780);
    assert_int_equal(cn_proximity_find(world.proximity, every_pair, NULL, pairs, PAIR_MAX), 0);
    end();
}

/* Moves the contents to a proximity for `more` shapes. */
static void
make_room(int more)
{
    void *memory;
    struct cn_proximity *larger = make(more, &memory);
    cn_proximity_move(larger, world.proximity);
    free(world.memory);
    world.memory = memory;
    world.proximity = larger;
    world.shape_max = more;
}

static void
check_more_room(int before, int more)
{
    struct cn_rng rng = {.state = 9};
    begin(before);
    for (int shape = 0; shape < before; shape++) {
        put(shape, random_box(&rng, 0.0, 3.0, false), 0.1, shape % 3 == 0);
    }
    find_and_check(every_pair);
    put(7, random_box(&rng, 0.0, 3.0, false), 0.1, false);
    take_out(11);
    make_room(more);
    find_and_check(every_pair);
    put(8, random_box(&rng, 0.0, 3.0, false), 0.1, false);
    for (int shape = before; shape < more; shape++) {
        put(shape, random_box(&rng, 0.0, 3.0, false), 0.1, shape % 3 == 0);
    }
    find_and_check(every_pair);
    end();
}

/*
 * Moving into more room keeps what is known.  In a small proximity the last tree holds more shapes
 * than the same tree of a larger one has room for.
 */
static void
test_more_room(void **state)
{
    (void)state;
    check_more_room(50, 90);
    check_more_room(100, 150);
    check_more_room(127, 128);
    check_more_room(150, 700);
}

/* A few boxes that move through many at rest, in trees that are too large to be sorted again. */
#define MANY 40000
#define FEW 12

static void
test_travellers(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 23};
    void *memory;
    struct cn_proximity *p = make(MANY, &memory);
    static cn_aabb box[MANY];
    static bool kept[FEW][MANY];
    memset(kept, 0, sizeof kept);
    for (int i = 0; i < MANY; i++) {
        double x = i % 200, y = i / 200;
        box[i] = (cn_aabb){{x, y, 0.0}, {x + 0.7, y + 0.7, 0.0}};
        cn_proximity_put(p, i, &box[i], 0.1, false);
    }
    int32_t few[FEW];
    for (int k = 0; k < FEW; k++) {
        few[k] = k * 3001;
    }
    static struct cn_pair found[1000];
    assert_int_equal(cn_proximity_find(p, every_pair, NULL, found, 1000), 0); /* 0.1 m apart */
    int total = 0;
    for (int round = 0; round < 60; round++) {
        for (int k = 0; k < FEW; k++) {
            cn_vec3 by = {cn_rng_uniform(&rng, -1.0, 2.0), cn_rng_uniform(&rng, -1.0, 2.0), 0.0};
            box[few[k]] = moved(box[few[k]], by);
            cn_proximity_put(p, few[k], &box[few[k]], 0.1, false);
        }
        for (int k = 0; k < FEW; k++) {
            for (int i = 0; i < MANY; i++) {
                kept[k][i] = kept[k][i] && cn_proximity_overlaps(p, few[k], i);
            }
        }
        int count = cn_proximity_find(p, every_pair, NULL, found, 1000);
        assert_in_range(count, 0, 1000);
        total += count;
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < FEW; k++) {
                if (found[i].a == few[k] || found[i].b == few[k]) {
                    bool *mark = &kept[k][found[i].a == few[k] ? found[i].b : found[i].a];
                    assert_false(*mark);
                    *mark = true;
                }
            }
        }
        for (int k = 0; k < FEW; k++) {
            for (int i = 0; i < MANY; i++) {
                assert_int_equal(
                    kept[k][i], i != few[k] && cn_proximity_overlaps(p, few[k], i));
            }
        }
    }
    assert_true(total > 100);
    free(memory);
}

struct seen {
    bool shape[SHAPE_MAX];
    int count, count_max;
};

static bool
see(void *context, int shape)
{
    struct seen *seen = context;
    assert_false(seen->shape[shape]);
    seen->shape[shape] = true;
    return ++seen->count < seen->count_max;
}

static double
see_ray(void *context, int shape, double fraction)
{
    struct seen *seen = context;
    assert_false(seen->shape[shape]);
    seen->shape[shape] = true;
    seen->count++;
    return fraction;
}

static double
stop(void *context, int shape, double fraction)
{
    (void)shape;
    (void)fraction;
    ++*(int *)context;
    return 0.0;
}

/* Whether the segment passes through the box, by many sample points. */
static bool
passes(const cn_aabb *box, cn_vec3 from, cn_vec3 along)
{
    for (int i = 0; i <= 2000; i++) {
        cn_vec3 p = cn_vec3_add_scaled(from, i / 2000.0, along);
        cn_aabb point = {p, p};
        if (cn_aabb_overlap(box, &point)) {
            return true;
        }
    }
    return false;
}

/* Queries before and after a find. */
static void
test_queries(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 11};
    begin(300);
    for (int shape = 0; shape < 300; shape++) {
        put(shape, random_box(&rng, 0.0, 5.0, false), 0.05, shape % 2 == 0);
    }
    for (int round = 0; round < 100; round++) {
        if (round % 20 == 10) {
            find_and_check(every_pair);
            take_out(round);
            put(200 + round, random_box(&rng, 0.0, 5.0, false), 0.05, false);
        }
        cn_aabb box = random_box(&rng, 0.0, 5.0, false);
        struct seen seen = {.count_max = SHAPE_MAX};
        cn_proximity_query(world.proximity, &box, see, &seen);
        for (int shape = 0; shape < 300; shape++) {
            if (world.in[shape] && cn_aabb_overlap(&world.tight[shape], &box)) {
                assert_true(seen.shape[shape]);
            }
            if (!world.in[shape]) {
                assert_false(seen.shape[shape]);
            }
        }
        assert_true(seen.count < 250);
        struct seen fixed = {.count_max = SHAPE_MAX};
        cn_proximity_query_fixed(world.proximity, &box, see, &fixed);
        for (int shape = 0; shape < 300; shape++) {
            assert_int_equal(fixed.shape[shape], seen.shape[shape] && world.fixed[shape]);
        }
        if (seen.count > 2) {
            struct seen two = {.count_max = 2};
            cn_proximity_query(world.proximity, &box, see, &two);
            assert_int_equal(two.count, 2);
        }

        cn_vec3 to = random_box(&rng, 0.0, 5.0, false).low;
        cn_vec3 along = cn_vec3_sub(to, box.low);
        along.x = round % 4 == 0 ? 0.0 : along.x;
        struct seen hit = {.count = 0};
        cn_proximity_cast(world.proximity, box.low, along, 0.0, see_ray, &hit);
        for (int shape = 0; shape < 300; shape++) {
            if (world.in[shape] && passes(&world.tight[shape], box.low, along)) {
                assert_true(hit.shape[shape]);
            }
        }
        assert_true(hit.count < 200);
        if (hit.count > 1) {
            int calls = 0;
            cn_proximity_cast(world.proximity, box.low, along, 0.0, stop, &calls);
            assert_int_equal(calls, 1);
        }
    }
    end();
}

/* The structure for 55 bodies takes at most 12 KiB. */
static void
test_small_worlds_are_small(void **state)
{
    (void)state;
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    cn_proximity_make(&arena, 56);
    assert_true(arena.used <= 12 * 1024);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wandering_crowds),
        cmocka_unit_test(test_one_place),
        cmocka_unit_test(test_cut_list),
        cmocka_unit_test(test_more_room),
        cmocka_unit_test(test_travellers),
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_small_worlds_are_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
