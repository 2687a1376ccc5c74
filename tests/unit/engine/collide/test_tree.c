/*
 * test_tree.c: trees of boxes against the double loop over all boxes.  After every change each
 * block bounds its children, and searches and rays find what the loop finds, once.
 */
#include "engine/base/rng.h"
#include "engine/collide/broad/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SHAPE_MAX 700
#define PAIR_MAX (SHAPE_MAX * SHAPE_MAX)

struct forest {
    struct cn_tree tree;
    struct cn_box box[SHAPE_MAX]; /* by shape */
    bool is_marked[SHAPE_MAX];
    int slot[SHAPE_MAX]; /* of each shape, -1: it is not in the tree */
    uint64_t item[SHAPE_MAX], spare[SHAPE_MAX];
};

static struct forest one, other;
static uint8_t found[SHAPE_MAX][SHAPE_MAX];

static void *
zeros(size_t size)
{
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    assert_non_null(memory);
    memset(memory, 0, (size + 63) / 64 * 64);
    return memory;
}

static void
forest_init(struct forest *f)
{
    size_t blocks = (size_t)cn_tree_block_max(SHAPE_MAX);
    memset(f, 0, sizeof(*f));
    f->tree.box = zeros(blocks * sizeof(*f->tree.box));
    f->tree.mark = zeros(blocks);
    f->tree.marked = zeros((blocks + 1) * sizeof(*f->tree.marked));
    f->tree.shape = zeros(8 * blocks * sizeof(*f->tree.shape));
}

static void
forest_finish(struct forest *f)
{
    free(f->tree.box);
    free(f->tree.mark);
    free(f->tree.marked);
    free(f->tree.shape);
}

/* Of ten one is as wide as the world, and one has no width. */
static struct cn_box
random_box(struct cn_rng *rng, double world, int dimension)
{
    struct cn_box box;
    double kind = cn_rng_uniform(rng, 0.0, 10.0);
    double wide = kind < 1.0 ? world : kind < 2.0 ? 0.0 : 0.2 * world;
    for (int k = 0; k < 3; k++) {
        double low = k < dimension ? cn_rng_uniform(rng, -world, world) : 0.0;
        box.low[k] = (float)low;
        box.high[k] = (float)(low + (k < dimension ? cn_rng_uniform(rng, 0.0, wide) : 0.0));
    }
    return box;
}

/* Every second or so of `count` shapes, or all of them. */
static void
forest_build(struct forest *f, struct cn_rng *rng, int count, int dimension, bool all)
{
    int taken = 0;
    for (int i = 0; i < SHAPE_MAX; i++) {
        f->slot[i] = -1;
        f->is_marked[i] = false;
        f->box[i] = random_box(rng, 10.0, dimension);
        if (i < count && (all || cn_rng_next(rng) % 2 == 0)) {
            f->item[taken++] = (uint64_t)cn_rng_next(rng) << 32 | (uint32_t)i;
        }
    }
    cn_tree_build(&f->tree, f->box, sizeof(f->box[0]), f->item, f->spare, taken);
    assert_int_equal(f->tree.leaf_count, taken);
    for (int slot = 0; slot < taken; slot++) {
        int shape = f->tree.shape[slot];
        assert_in_range(shape, 0, count - 1);
        assert_int_equal(f->slot[shape], -1);
        f->slot[shape] = slot;
    }
}

static bool
is_same(const struct cn_box *a, const struct cn_box *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* Each slot holds its shape's box, each block of a level the bound of those below it. */
static void
assert_bounds(const struct forest *f)
{
    const struct cn_tree *tree = &f->tree;
    struct cn_box all = CN_BOX_EMPTY;
    for (int i = 0; i < SHAPE_MAX; i++) {
        if (f->slot[i] >= 0) {
            struct cn_box box = cn_box8_get(&tree->box[f->slot[i] / 8], f->slot[i] % 8);
            assert_true(is_same(&box, &f->box[i]));
            cn_box_join(&all, &box);
        }
    }
    assert_true(is_same(&tree->bound, &all));
    int size = tree->leaf_count;
    for (int level = 0; level < tree->level_count; level++) {
        size = (size + 7) / 8;
        assert_int_equal(tree->level_size[level], size);
        for (int b = 0; b < size; b++) {
            const struct cn_box8 *block = &tree->box[tree->level_first[level] + b];
            struct cn_box bound = CN_BOX_EMPTY, above = tree->bound;
            for (int k = 0; k < 8; k++) {
                struct cn_box box = cn_box8_get(block, k);
                cn_box_join(&bound, &box);
            }
            if (level + 1 < tree->level_count) {
                above = cn_box8_get(&tree->box[tree->level_first[level + 1] + b / 8], b % 8);
            }
            assert_true(is_same(&bound, &above));
        }
    }
    for (int i = 0; i < SHAPE_MAX; i++) {
        struct cn_box around = cn_tree_around(tree, f->slot[i] < 0 ? 0 : f->slot[i]), both = around;
        if (f->slot[i] >= 0) {
            cn_box_join(&both, &f->box[i]);
            assert_true(is_same(&both, &around));
        }
    }
}

/* Moves or only marks some shapes, and brings the tree up to date. */
static void
forest_change(struct forest *f, struct cn_rng *rng, int dimension, uint32_t one_in)
{
    for (int i = 0; i < SHAPE_MAX; i++) {
        f->is_marked[i] = f->slot[i] >= 0 && cn_rng_next(rng) % one_in == 0;
        if (!f->is_marked[i]) {
            continue;
        }
        if (cn_rng_next(rng) % 3 == 0) {
            cn_tree_mark(&f->tree, f->slot[i]);
        } else {
            f->box[i] = random_box(rng, 12.0, dimension);
            cn_tree_place(&f->tree, f->slot[i], &f->box[i]);
        }
    }
    cn_tree_list(&f->tree);
    cn_tree_refit(&f->tree);
}

static void
forget_marks(struct forest *f)
{
    cn_tree_unmark(&f->tree);
    memset(f->is_marked, 0, sizeof(f->is_marked));
    for (int level = 0; level < f->tree.level_count; level++) {
        for (int b = 0; b < f->tree.level_size[level]; b++) {
            assert_int_equal(f->tree.mark[f->tree.level_first[level] + b], 0);
        }
    }
}

static void
take(void *context, const struct cn_pair *pairs, int count)
{
    (void)context;
    assert_in_range(count, 1, CN_TREE_BATCH);
    for (int i = 0; i < count; i++) {
        assert_in_range(pairs[i].a, 0, SHAPE_MAX - 1);
        assert_in_range(pairs[i].b, 0, SHAPE_MAX - 1);
        found[pairs[i].a][pairs[i].b]++;
    }
}

static int
assert_self_pairs(const struct forest *f)
{
    int count = 0;
    memset(found, 0, sizeof(found));
    cn_tree_meet_self(&f->tree, take, NULL);
    for (int a = 0; a < SHAPE_MAX; a++) {
        assert_int_equal(found[a][a], 0);
        for (int b = a + 1; b < SHAPE_MAX; b++) {
            bool meet = f->slot[a] >= 0 && f->slot[b] >= 0 &&
                        (f->is_marked[a] || f->is_marked[b]) &&
                        cn_box_meet(&f->box[a], &f->box[b]);
            assert_int_equal(found[a][b] + found[b][a], meet);
            count += meet;
        }
    }
    return count;
}

static int
assert_other_pairs(const struct forest *f, const struct forest *g)
{
    int count = 0;
    memset(found, 0, sizeof(found));
    cn_tree_meet_other(&f->tree, &g->tree, take, NULL);
    for (int a = 0; a < SHAPE_MAX; a++) {
        for (int b = 0; b < SHAPE_MAX; b++) {
            bool meet = f->slot[a] >= 0 && g->slot[b] >= 0 &&
                        (f->is_marked[a] || g->is_marked[b]) &&
                        cn_box_meet(&f->box[a], &g->box[b]);
            assert_int_equal(found[a][b], meet);
            count += meet;
        }
    }
    return count;
}

struct visits {
    int count[SHAPE_MAX], left;
};

static bool
visit(void *context, int shape)
{
    struct visits *visits = context;
    assert_in_range(shape, 0, SHAPE_MAX - 1);
    visits->count[shape]++;
    return --visits->left != 0;
}

static void
assert_query(const struct forest *f, struct cn_rng *rng, int dimension)
{
    struct visits visits = {.left = -1};
    struct cn_box box = random_box(rng, 10.0, dimension);
    int count = 0;
    assert_true(cn_tree_query(&f->tree, &box, visit, &visits));
    for (int i = 0; i < SHAPE_MAX; i++) {
        bool meet = f->slot[i] >= 0 && cn_box_meet(&f->box[i], &box);
        assert_int_equal(visits.count[i], meet);
        count += meet;
    }
    if (count > 1) { /* the visitor ends it after one less */
        struct visits few = {.left = count - 1};
        assert_false(cn_tree_query(&f->tree, &box, visit, &few));
        assert_int_equal(few.left, 0);
    }
}

struct cast {
    const struct forest *forest;
    const struct cn_ray *ray;
    double fraction; /* the visitor's answer at a leaf */
    int hit;
};

/* A shape is hit where its box is entered. */
static double
visit_ray(void *context, int shape, double fraction)
{
    struct cast *cast = context;
    assert_in_range(shape, 0, SHAPE_MAX - 1);
    assert_true(fraction == cast->fraction);
    double enter = cn_ray_enter(cast->ray, &cast->forest->box[shape], fraction);
    if (enter < fraction) {
        cast->fraction = enter;
        cast->hit = shape;
    }
    return cast->fraction;
}

static int
assert_cast(const struct forest *f, struct cn_rng *rng, int dimension)
{
    struct cn_box box = random_box(rng, 14.0, dimension), to = random_box(rng, 14.0, dimension);
    struct cn_ray ray = {
        .from = {(double)box.low[0], (double)box.low[1], (double)box.low[2]},
        .radius = cn_rng_next(rng) % 2 == 0 ? 0.0 : cn_rng_uniform(rng, 0.0, 0.5),
    };
    ray.along = cn_vec3_sub(
        (cn_vec3){(double)to.low[0], (double)to.low[1], (double)to.low[2]}, ray.from);
    *(cn_rng_next(rng) % 2 == 0 ? &ray.along.x : &ray.along.z) *= cn_rng_next(rng) % 4 != 0;
    double first = 1.0;
    for (int i = 0; i < SHAPE_MAX; i++) {
        double enter = f->slot[i] < 0 ? 2.0 : cn_ray_enter(&ray, &f->box[i], 1.0);
        first = enter < first ? enter : first;
    }
    struct cast cast = {.forest = f, .ray = &ray, .fraction = 1.0, .hit = -1};
    assert_true(cn_tree_cast(&f->tree, &ray, 1.0, visit_ray, &cast) == first);
    assert_true(cast.fraction == first);
    return cast.hit >= 0;
}

static const int counts[] = {0, 1, 2, 7, 8, 9, 40, 64, 65, 130, 513, SHAPE_MAX};

static void
test_against_all_pairs(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 12};
    int self = 0, between = 0, hit = 0;
    forest_init(&one);
    forest_init(&other);
    for (int round = 0; round < 36; round++) {
        int count = counts[round % 12], dimension = round % 2 == 0 ? 2 : 3;
        forest_build(&one, &rng, count, dimension, round % 3 == 0);
        forest_build(&other, &rng, counts[cn_rng_next(&rng) % 12], dimension, false);
        assert_bounds(&one);
        assert_int_equal(assert_self_pairs(&one), 0);
        assert_int_equal(assert_other_pairs(&one, &other), 0);
        for (int change = 0; change < 3; change++) {
            static const uint32_t one_in[] = {1, 7, 200};
            forest_change(&one, &rng, dimension, one_in[change]);
            forest_change(&other, &rng, dimension, one_in[(change + round) % 3]);
            assert_bounds(&one);
            assert_bounds(&other);
            self += assert_self_pairs(&one);
            between += assert_other_pairs(&one, &other);
            assert_query(&one, &rng, dimension);
            hit += assert_cast(&one, &rng, dimension);
            forget_marks(&one);
            forget_marks(&other);
        }
    }
    print_message("  %d pairs, %d between trees, %d rays hit\n", self, between, hit);
    assert_true(self > 3000 && between > 3000 && hit > 20);
    forest_finish(&one);
    forest_finish(&other);
}

/* A tree that had shapes and has none any more bounds nothing, and meets and shows nothing. */
static void
test_emptied(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 13};
    const struct cn_box nothing = CN_BOX_EMPTY;
    struct visits visits = {.left = -1};
    const struct cn_box all = {{-99.0F, -99.0F, -99.0F}, {99.0F, 99.0F, 99.0F}};
    forest_init(&one);
    forest_init(&other);
    forest_build(&one, &rng, 100, 3, true);
    forest_build(&other, &rng, 100, 3, true);
    forest_change(&one, &rng, 3, 1);
    forest_build(&one, &rng, 90, 3, true); /* with marks of the last tree */
    assert_int_equal(assert_self_pairs(&one), 0);
    forest_change(&one, &rng, 3, 1);
    forest_build(&one, &rng, 0, 3, true);
    assert_true(is_same(&one.tree.bound, &nothing));
    assert_false(cn_box_meet(&one.tree.bound, &all));
    assert_int_equal(one.tree.level_count, 0);
    struct cn_box around = cn_tree_around(&one.tree, 0);
    assert_true(is_same(&around, &nothing));
    cn_tree_list(&one.tree);
    cn_tree_refit(&one.tree);
    cn_tree_unmark(&one.tree);
    assert_true(is_same(&one.tree.bound, &nothing));
    forest_change(&other, &rng, 3, 1);
    assert_int_equal(assert_self_pairs(&one), 0);
    assert_int_equal(assert_other_pairs(&one, &other), 0);
    assert_int_equal(assert_other_pairs(&other, &one), 0);
    assert_true(cn_tree_query(&one.tree, &all, visit, &visits));
    assert_int_equal(visits.left, -1);
    forest_finish(&one);
    forest_finish(&other);
}

/* Sorting is by the bits asked for alone, and keeps the order of equals, however long the list. */
static void
test_sort(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 14};
    static uint64_t item[SHAPE_MAX], spare[SHAPE_MAX];
    static const struct {
        int low, bits;
    } key[] = {{32, 30}, {32, 2}, {32, 11}, {32, 12}, {40, 24}};
    for (int round = 0; round < 60; round++) {
        int count = counts[round % 12], low = key[round % 5].low, bits = key[round % 5].bits;
        for (int i = 0; i < count; i++) {
            uint64_t code = cn_rng_next(&rng) & ((UINT64_C(1) << bits) - 1);
            item[i] = code << low | (uint32_t)i;
        }
        cn_tree_sort(item, spare, count, low, bits);
        for (int i = 1; i < count; i++) {
            assert_true(item[i - 1] < item[i]); /* by code, then as they stood */
        }
    }
}

/* Whether a place is within a box that has grown by a radius on every side. */
static bool
is_within(const struct cn_box *box, double radius, cn_vec3 p)
{
    const double at[3] = {p.x, p.y, p.z};
    bool within = true;
    for (int k = 0; k < 3; k++) {
        within = within && at[k] >= (double)box->low[k] - radius &&
                 at[k] <= (double)box->high[k] + radius;
    }
    return within;
}

/* A ray enters a box, grown by its radius, where the first of its places within begins. */
static void
test_rays_against_places(void **state)
{
    (void)state;
    struct cn_rng rng = {.state = 15};
    int hits = 0;
    for (int trial = 0; trial < 4000; trial++) {
        struct cn_box box;
        for (int k = 0; k < 3; k++) {
            box.low[k] = (float)cn_rng_uniform(&rng, -3.0, 2.0);
            box.high[k] = box.low[k] + (float)cn_rng_uniform(&rng, 0.0, 3.0);
        }
        struct cn_ray ray = {.radius = trial % 2 == 0 ? 0.0 : cn_rng_uniform(&rng, 0.0, 1.0)};
        double *numbers[] = {&ray.from.x, &ray.from.y, &ray.from.z, &ray.along.x, &ray.along.y,
            &ray.along.z};
        for (int k = 0; k < 6; k++) {
            bool none = k > 2 && cn_rng_next(&rng) % 3 == 0;
            *numbers[k] = none ? 0.0 : cn_rng_uniform(&rng, -4.0, 4.0);
        }
        double most = trial % 3 == 0 ? 1.0 : cn_rng_uniform(&rng, 0.1, 1.0), first = 2.0;
        for (int i = 0; i <= 200 && first > 1.0; i++) {
            double t = most * i / 200.0;
            cn_vec3 place = cn_vec3_add_scaled(ray.from, t, ray.along);
            first = is_within(&box, ray.radius, place) ? t : first;
        }
        double enter = cn_ray_enter(&ray, &box, most);
        assert_true(enter <= first + 1e-12);
        if (enter <= most) {
            hits++;
            cn_vec3 place = cn_vec3_add_scaled(ray.from, enter, ray.along);
            assert_true(first > 1.0 || enter >= first - most / 200.0 - 1e-12);
            assert_true(is_within(&box, ray.radius + 1e-9, place));
        } else {
            assert_true(first > 1.0);
        }
    }
    assert_true(hits > 100);
}

static double
count_visit(void *context, int shape, double fraction)
{
    struct visits *visits = context;
    assert_in_range(shape, 0, SHAPE_MAX - 1);
    visits->count[shape]++;
    return fraction;
}

/* One coordinate of a way: also none, and one so small that its inverse is no float. */
static double
random_way(struct cn_rng *rng, double size)
{
    double kind = cn_rng_uniform(rng, 0.0, 1.0);
    double way = cn_rng_uniform(rng, -2.0, 2.0) * size;
    return kind < 0.2 ? 0.0 : kind < 0.3 ? way * 1e-36 : way;
}

/*
 * A tree computes in float where a ray enters boxes.  It visits every box that the ray enters
 * according to the sums in double, near the origin and far from it, and hardly any other.
 */
static void
test_rays_in_lanes(void **state)
{
    (void)state;
    static const double scale[] = {1e-3, 1.0, 1e4}, offset[] = {0.0, 3.0, 1e6};
    struct cn_rng rng = {.state = 21};
    int entered = 0, more = 0;
    forest_init(&one);
    for (int round = 0; round < 2400; round++) {
        double size = scale[round % 3], at = offset[round / 3 % 3];
        for (int i = 0; i < 60; i++) {
            for (int k = 0; k < 3; k++) {
                double low = at + cn_rng_uniform(&rng, -size, size);
                one.box[i].low[k] = (float)low;
                one.box[i].high[k] = (float)(low + cn_rng_uniform(&rng, 0.0, 0.7 * size));
            }
            one.item[i] = (uint64_t)cn_rng_next(&rng) << 32 | (uint32_t)i;
        }
        cn_tree_build(&one.tree, one.box, sizeof(one.box[0]), one.item, one.spare, 60);
        struct cn_ray ray = {
            .radius = round % 2 == 0 ? 0.0 : cn_rng_uniform(&rng, 0.0, 0.2 * size)};
        double *from[] = {&ray.from.x, &ray.from.y, &ray.from.z};
        double *along[] = {&ray.along.x, &ray.along.y, &ray.along.z};
        for (int k = 0; k < 3; k++) {
            *from[k] = at + cn_rng_uniform(&rng, -size, size);
            *along[k] = random_way(&rng, size);
        }
        if (round % 5 == 0) { /* along a side of a box */
            ray.from.x = (double)one.box[7].high[0];
            ray.along.x = 0.0;
        }
        if (round % 5 == 1) { /* through an edge of one */
            const struct cn_box *box = &one.box[7];
            ray.along = (cn_vec3){fabs(ray.along.y), fabs(ray.along.y), 0.0};
            ray.from = (cn_vec3){(double)box->high[0] - 0.25 * ray.along.x,
                (double)box->low[1] - 0.25 * ray.along.y,
                0.5 * ((double)box->low[2] + (double)box->high[2])};
            ray.radius = 0.0;
        }
        double last = round % 4 == 0 ? 0.3 : 1.0;
        struct visits visits = {.left = -1};
        assert_true(cn_tree_cast(&one.tree, &ray, last, count_visit, &visits) == last);
        for (int i = 0; i < 60; i++) {
            bool enters = cn_ray_enter(&ray, &one.box[i], last) <= last;
            assert_in_range(visits.count[i], enters, 1);
            entered += enters;
            more += visits.count[i] > enters && size > 1e-6 * at;
        }
    }
    print_message("  %d boxes entered, %d more visited\n", entered, more);
    assert_true(entered > 2000 && more < 0.005 * entered);
    forest_finish(&one);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_all_pairs),
        cmocka_unit_test(test_emptied),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_rays_against_places),
        cmocka_unit_test(test_rays_in_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
