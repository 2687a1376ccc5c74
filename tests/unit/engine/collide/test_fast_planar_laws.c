/*
 * test_fast_planar_laws.c: what holds for the quick manifold of any two planar shapes.
 *
 * The judge is the exact narrowphase in double for separation and sign, and for the normal the
 * definition: along it the two shapes are as far apart as along the best one, up to the tie that
 * fast_planar_pair.h allows to keep features.
 */
#include "engine/collide/fast/fast_planar.h"

#include "engine/base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/collide/flat.h"
#include "tests/support/near.h"

#define ROUND_COUNT 20000
#define EPS 2e-6 /* of sizes to 4 m: float */

static struct flat_body a, b;

static void
random_shape(struct cn_rng *rng, struct test_shape *shape, bool allow_plane)
{
    double size = cn_rng_uniform(rng, 0.3, 2.0), other = cn_rng_uniform(rng, 0.3, 2.0);
    switch (cn_rng_next(rng) % (allow_plane ? 6 : 5)) {
    case 0:
        test_shape_circle(shape, 0.5 * size);
        break;
    case 1:
        test_shape_capsule(shape, 0.25 * size, other);
        break;
    case 2:
        test_shape_box(shape, size, other);
        break;
    case 3:
        other = cn_rng_uniform(rng, 0.3, 1.0);
        test_shape_polygon(shape, size, other, cn_rng_next(rng) & cn_rng_next(rng) & 0x7f7fU);
        break;
    case 4:
        test_shape_regular(shape, size, 3 + (int)(cn_rng_next(rng) % 6), other);
        break;
    default:
        test_shape_plane(shape, other, 0.1 * size);
        break;
    }
}

/* Two shapes that often touch, at `far` from the origin. */
static void
random_pair(struct cn_rng *rng, double far)
{
    random_shape(rng, &a.shape, true);
    random_shape(rng, &b.shape, a.shape.shape.kind != CN_SHAPE_PLANE);
    double reach = cn_max(a.shape.shape.reach, 0.5) + cn_max(b.shape.shape.reach, 0.5);
    double angle_a = cn_rng_uniform(rng, -4.0, 4.0), angle_b = cn_rng_uniform(rng, -4.0, 4.0);
    if (cn_rng_next(rng) % 4 == 0) { /* level or upright: edges are parallel */
        angle_a = 0.0;
        angle_b = 0.5 * CN_PI * (double)(cn_rng_next(rng) % 4);
    }
    double dx = reach * cn_rng_uniform(rng, -0.9, 0.9);
    double dy = reach * cn_rng_uniform(rng, -0.9, 0.9);
    flat_put(&a, far, -far, angle_a);
    flat_put(&b, far + dx, -far + dy, angle_b);
}

static double
exact_separation(double margin)
{
    struct cn_manifold m;
    memset(&m, 0, sizeof(m));
    cn_collide(&a.shape.shape, &a.pose, &b.shape.shape, &b.pose, margin, &m);
    return m.separation;
}

static void
check_points(const struct cn_manifold2 *m, double margin)
{
    cn_vec2 n = {(double)m->normal_x, (double)m->normal_y};
    assert_near(n.x * n.x + n.y * n.y, 1.0, 1e-6);
    double dx = b.place.x - a.place.x, dy = b.place.y - a.place.y;
    for (int k = 0; k < m->point_count; k++) {
        const struct cn_point2 *p = &m->point[k];
        assert_true((double)p->separation <= margin);
        assert_near((double)p->anchor_ax - (double)p->anchor_bx, dx, EPS);
        assert_near((double)p->anchor_ay - (double)p->anchor_by, dy, EPS);
        assert_true(p->feature <= 0xffff);
    }
    assert_true(m->point_count < 2 || m->point[0].feature != m->point[1].feature);
}

static void
separations_and_signs_are_those_of_the_exact_one(void **state)
{
    (void)state;
    struct cn_rng rng = {1};
    int touching = 0;
    for (int round = 0; round < ROUND_COUNT; round++) {
        random_pair(&rng, 0.0);
        double margin = round % 2 == 0 ? 0.0 : 0.2, tie = 0.025 * margin;
        struct cn_manifold2 m = flat_collide(&a, &b, (float)margin, NULL);
        double exact = exact_separation(margin);
        if (exact > margin + EPS) {
            assert_int_equal(m.point_count, 0);
        } else if (exact < margin - EPS - tie) {
            assert_true(m.point_count > 0);
        }
        if (m.point_count > 0) {
            touching++;
            check_points(&m, margin);
            cn_vec2 n = {(double)m.normal_x, (double)m.normal_y};
            double along = flat_apart(&a, &b, n);
            assert_near(along, exact, EPS + tie);
            assert_near(flat_lowest(&m), exact, EPS + 2.0 * tie);
        }
    }
    assert_true(touching > ROUND_COUNT / 4);
}

static void
the_exchanged_pair_is_the_same_pair(void **state)
{
    (void)state;
    struct cn_rng rng = {2};
    for (int round = 0; round < ROUND_COUNT; round++) {
        random_pair(&rng, 0.0);
        struct cn_manifold2 m = flat_collide(&a, &b, 0.0f, NULL);
        struct cn_manifold2 turned = flat_collide(&b, &a, 0.0f, NULL);
        if (m.point_count == 0 || turned.point_count == 0) {
            assert_true(fabs(exact_separation(0.0)) <= EPS || m.point_count == turned.point_count);
            continue;
        }
        assert_near(flat_lowest(&m), flat_lowest(&turned), EPS);
        double same = -(double)(m.normal_x * turned.normal_x + m.normal_y * turned.normal_y);
        if (same < 1.0 - 1e-6) { /* two equally short ways apart */
            cn_vec2 n = {-(double)turned.normal_x, -(double)turned.normal_y};
            assert_near(flat_apart(&a, &b, n), exact_separation(0.0), EPS);
        } else {
            assert_int_equal(m.point_count, turned.point_count);
        }
    }
}

/* Far from the origin manifolds are as accurate as near it, up to the rounding of double there. */
static void
a_million_metres_away_it_is_the_same(void **state)
{
    (void)state;
    struct cn_rng rng = {3}, again = {3};
    for (int round = 0; round < ROUND_COUNT; round++) {
        random_pair(&rng, 0.0);
        struct cn_manifold2 near = flat_collide(&a, &b, 0.1f, NULL);
        bool has_plane = a.shape.shape.vertex_count == 0 || b.shape.shape.vertex_count == 0;
        random_pair(&again, has_plane ? 0.0 : 1e6);
        struct cn_manifold2 away = flat_collide(&a, &b, 0.1f, NULL);
        if (near.point_count > 0 && away.point_count > 0) {
            assert_near(flat_lowest(&near), flat_lowest(&away), EPS);
        } else if (near.point_count != away.point_count) {
            assert_near(exact_separation(0.2), 0.1, EPS + 0.0025);
        }
    }
}

#define BOX_COUNT 1003

/*
 * Boxes by lanes, in a row of pairs with their last manifolds: equal bits for any number of lanes.
 */
static void
every_kernel_gives_the_same_bits(void **state)
{
    (void)state;
    static const char *const names[] = {"plain", "sse2", "avx2", "avx512", "neon"};
    static struct cn_fast_shape2 piece[BOX_COUNT + 1];
    static struct cn_fast_placed2 placed[BOX_COUNT + 1];
    static struct cn_fast_task2 task[BOX_COUNT];
    static struct cn_manifold2 last[BOX_COUNT], one[BOX_COUNT], many[BOX_COUNT];
    struct cn_rng rng = {5};
    int touching = 0;
    for (int tick = 0; tick < 40; tick++) {
        for (int i = 0; i <= BOX_COUNT; i++) {
            double x = cn_rng_uniform(&rng, 0.3, 2.0), y = cn_rng_uniform(&rng, 0.3, 2.0);
            double angle = cn_rng_uniform(&rng, -2.0, 2.0);
            double at = cn_rng_uniform(&rng, 0.0, 1.5), up = cn_rng_uniform(&rng, 0.0, 1.5);
            if (i % 3 == 0) { /* stacked in a row, nearly level */
                x = y = 1.0;
                angle *= 1e-3;
                at *= 1e-3;
                up = tick % 2 == 0 ? 1.0 : 1.001;
            }
            test_shape_box(&a.shape, x, y);
            flat_put(&a, 0.5 * i + at, (i % 2) * up, angle);
            piece[i] = a.fast;
            cn_fast_planar_place(&piece[i], &a.place, &placed[i]);
        }
        for (int i = 0; i < BOX_COUNT; i++) {
            task[i] = (struct cn_fast_task2){
                &placed[i], &placed[i + 1], tick % 4 == 0 ? NULL : &last[i], &many[i]};
            cn_fast_planar_meet(&placed[i], &placed[i + 1], 0.02f, task[i].last, &one[i]);
            touching += one[i].point_count > 0 ? 1 : 0;
        }
        for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
            const struct cn_fast_kernel2 *kernel = cn_fast_planar_kernel(names[k]);
            if (kernel == NULL || !cn_fast_planar_runs(kernel)) {
                continue;
            }
            memset(many, 0xff, sizeof(many));
            cn_fast_planar_meet_many(kernel, task, BOX_COUNT, 0.02f);
            for (int i = 0; i < BOX_COUNT; i++) {
                /* The pipeline sets the fields from `persists` on (collide/fast/fast.h). */
                assert_memory_equal(&many[i], &one[i], offsetof(struct cn_manifold2, persists));
            }
        }
        memcpy(last, one, sizeof(last));
        for (int i = 0; i < BOX_COUNT; i++) {
            last[i].point[0].normal_impulse = (float)i;
            last[i].point[1].tangent_impulse = -(float)i;
        }
    }
    assert_true(touching > 10 * BOX_COUNT);
}

/* Boxes by lanes against the general function, which treats them as polygons. */
static void
boxes_are_polygons(void **state)
{
    (void)state;
    struct cn_rng rng = {6};
    for (int round = 0; round < ROUND_COUNT; round++) {
        for (int k = 0; k < 2; k++) {
            struct flat_body *body = k == 0 ? &a : &b;
            double x = cn_rng_uniform(&rng, 0.3, 2.0), y = cn_rng_uniform(&rng, 0.3, 2.0);
            test_shape_box(&body->shape, x, y);
            double at = cn_rng_uniform(&rng, -1.2, 1.2), up = cn_rng_uniform(&rng, -1.2, 1.2);
            flat_put(body, at, up, cn_rng_uniform(&rng, -4.0, 4.0));
        }
        struct cn_manifold2 m = flat_collide(&a, &b, 0.1f, NULL);
        a.fast.form = CN_FAST2_POLYGON;
        struct cn_manifold2 general = flat_collide(&a, &b, 0.1f, NULL);
        if (m.hint != general.hint) {
            continue; /* a tie; tests above check the separations */
        }
        if (m.point_count != general.point_count) {
            const struct cn_manifold2 *more = m.point_count > general.point_count ? &m : &general;
            double last = (double)more->point[more->point_count - 1].separation;
            double first = (double)more->point[0].separation;
            assert_true(fabs(last - 0.1) < EPS || fabs(first - 0.1) < EPS);
            continue;
        }
        for (int k = 0; k < m.point_count; k++) {
            assert_near((double)m.point[k].separation, (double)general.point[k].separation, EPS);
            assert_near((double)m.point[k].anchor_ax, (double)general.point[k].anchor_ax, 2e-5);
            assert_near((double)m.point[k].anchor_by, (double)general.point[k].anchor_by, 2e-5);
            assert_int_equal(m.point[k].feature, general.point[k].feature);
        }
    }
}

/* The bounds contain the shape and are not much larger. */
static void
bounds_are_tight(void **state)
{
    (void)state;
    struct cn_rng rng = {4};
    for (int round = 0; round < ROUND_COUNT; round++) {
        random_pair(&rng, round % 2 == 0 ? 0.0 : 1e6);
        struct cn_fast_placed2 placed;
        cn_fast_planar_place(&a.fast, &a.place, &placed);
        cn_aabb box = cn_fast_planar_aabb(&placed, 0.1);
        cn_aabb exact = cn_shape_aabb(&a.shape.shape, &a.pose, 0.1);
        assert_true(box.low.x <= exact.low.x && box.low.y <= exact.low.y);
        assert_true(box.high.x >= exact.high.x && box.high.y >= exact.high.y);
        assert_near(box.low.x, exact.low.x, 2e-5);
        assert_near(box.low.y, exact.low.y, 2e-5);
        assert_near(box.high.x, exact.high.x, 2e-5);
        assert_near(box.high.y, exact.high.y, 2e-5);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separations_and_signs_are_those_of_the_exact_one),
        cmocka_unit_test(the_exchanged_pair_is_the_same_pair),
        cmocka_unit_test(a_million_metres_away_it_is_the_same),
        cmocka_unit_test(every_kernel_gives_the_same_bits),
        cmocka_unit_test(boxes_are_polygons),
        cmocka_unit_test(bounds_are_tight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
