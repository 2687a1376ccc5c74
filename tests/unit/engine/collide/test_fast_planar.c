/* test_fast_planar.c: manifolds of the quick planar narrowphase that are known by hand. */
#include "engine/collide/fast/fast_planar.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/collide/flat.h"
#include "tests/support/near.h"

#define MARGIN 0.02f
#define EPS 1e-6

static struct flat_body a, b;

static void
expect_normal(const struct cn_manifold2 *m, double x, double y)
{
    assert_near((double)m->normal_x, x, EPS);
    assert_near((double)m->normal_y, y, EPS);
}

/* Point k, seen from both centres of mass. */
static void
expect_point(const struct cn_manifold2 *m, int k, double x, double y, double separation)
{
    const struct cn_point2 *p = &m->point[k];
    assert_near((double)p->anchor_ax + a.place.x, x, EPS);
    assert_near((double)p->anchor_ay + a.place.y, y, EPS);
    assert_near((double)p->anchor_bx + b.place.x, x, EPS);
    assert_near((double)p->anchor_by + b.place.y, y, EPS);
    assert_near((double)p->separation, separation, EPS);
    assert_true(p->normal_impulse == 0.0f && p->tangent_impulse == 0.0f);
}

static void
two_discs(void **state)
{
    (void)state;
    test_shape_circle(&a.shape, 0.5);
    test_shape_circle(&b.shape, 0.25);
    flat_put(&a, 1.0, 2.0, 0.3);
    flat_put(&b, 1.0 + 0.6 * 0.76, 2.0 + 0.8 * 0.76, -1.0);
    struct cn_manifold2 m = flat_collide(&a, &b, MARGIN, NULL);
    assert_int_equal(m.point_count, 1);
    expect_normal(&m, 0.6, 0.8);
    expect_point(&m, 0, 1.0 + 0.6 * 0.505, 2.0 + 0.8 * 0.505, 0.01);

    flat_put(&b, 1.0, 2.78, 0.0);
    m = flat_collide(&a, &b, MARGIN, NULL);
    assert_int_equal(m.point_count, 0);

    flat_put(&a, 1.0, 2.0, 0.0); /* concentric: up, as A stands */
    flat_put(&b, 1.0, 2.0, 0.7);
    m = flat_collide(&a, &b, MARGIN, NULL);
    assert_int_equal(m.point_count, 1);
    expect_normal(&m, 0.0, 1.0);
    assert_near((double)m.point[0].separation, -0.75, EPS);
}

static void
disc_and_capsule(void **state)
{
    (void)state;
    test_shape_capsule(&a.shape, 0.25, 2.0); /* upright, ends at y = +-1 */
    test_shape_circle(&b.shape, 0.5);
    flat_put(&a, 0.0, 0.0, 0.0);
    flat_put(&b, 0.7, 0.5, 0.0);
    struct cn_manifold2 m = flat_collide(&a, &b, MARGIN, NULL);
    assert_int_equal(m.point_count, 1);
    expect_normal(&m, 1.0, 0.0);
    expect_point(&m, 0, 0.225, 0.5, -0.05);

    /* Around its end, from the other side of the pair. */
    test_shape_circle(&a.shape, 0.5);
    test_shape_capsule(&b.shape, 0.25, 2.0);
    flat_put(&a, 0.6 * 0.7, 1.0 + 0.8 * 0.7, 0.0);
    flat_put(&b, 0.0, 0.0, CN_PI);
    m = flat_collide(&a, &b, MARGIN, NULL);
    assert_int_equal(m.point_count, 1);
    expect_normal(&m, -0.6, -0.8);
    expect_point(&m, 0, 0.6 * 0.225, 1.0 + 0.8 * 0.225, -0.05);
}

static void
disc_and_box(void **state)
{
    (void)state;
    test_shape_box(&a.shape, 2.0, 1.0);
    test_shape_circle(&b.shape, 0.5);
    flat_put(&a, 0.0, 0.0, 0.0);
    flat_put(&b, 0.3, 0.99, 0.0);
    struct cn_manifold2 m = flat_collide(&a, &b, MARGIN, NULL);
    assert_int_equal(m.point_count, 1);
    expect_normal(&m, 0.0, 1.0);
    expect_point(&m, 0, 0.3, 0.495, -0.01);

    flat_put(&b, 1.0 + 0.6 * 0.51, 0.5 + 0.8 * 0.51, 0.0); /* beyond the corner */
    m = flat_collide(&a, &b, MARGIN, NULL);
    assert_int_equal(m.point_count, 1);
    expect_normal(&m, 0.6, 0.8);
    expect_point(&m, 0, 1.0 + 0.6 * 0.005, 0.5 + 0.8 * 0.005, 0.01);

    flat_put(&b, 0.9, 0.1, 0.0); /* its middle within: out to the right is shortest */
    m = flat_collide(&a, &b, MARGIN, NULL);
    assert_int_equal(m.point_count, 1);
    expect_normal(&m, 1.0, 0.0);
    expect_point(&m, 0, 0.7, 0.1, -0.6);
}

static void
disc_and_polygon(void **state)
{
    (void)state;
    test_shape_regular(&a.shape, 1.0, 6, 0.0); /* corners at 0, 60, ... degrees */
    test_shape_circle(&b.shape, 0.5);
    double apothem = 0.5 * sqrt(3.0);
    flat_put(&a, 0.0, 0.0, 0.0);
    flat_put(&b, 0.1, -(apothem + 0.49), 0.0);
    struct cn_manifold2 m = flat_collide(&a, &b, MARGIN, NULL);
    assert_int_equal(m.point_count, 1);
    expect_normal(&m, 0.0, -1.0);
    expect_point(&m, 0, 0.1, -(apothem - 0.005), -0.01);

    flat_put(&b, 1.51, 0.0, 0.0);
    m = flat_collide(&a, &b, MARGIN, NULL);
    assert_int_equal(m.point_count, 1);
    expect_normal(&m, 1.0, 0.0);
    expect_point(&m, 0, 1.005, 0.0, 0.01);
}

static void
box_on_box(void **state)
{
    (void)state;
    test_shape_box(&a.shape, 4.0, 1.0);
    test_shape_box(&b.shape, 1.0, 1.0);
    flat_put(&a, 10.0, 0.0, 0.0);
    flat_put(&b, 10.5, 0.99, 0.0);
    struct cn_manifold2 m = flat_collide(&a, &b, MARGIN, NULL);
    assert_int_equal(m.point_count, 2);
    expect_normal(&m, 0.0, 1.0);
    expect_point(&m, 0, 11.0, 0.495, -0.01);
    expect_point(&m, 1, 10.0, 0.495, -0.01);

    /* Half over the end. */
    flat_put(&b, 12.25, 1.01, 0.0);
    m = flat_collide(&a, &b, MARGIN, NULL);
    assert_int_equal(m.point_count, 2);
    expect_point(&m, 0, 12.0, 0.505, 0.01);
    expect_point(&m, 1, 11.75, 0.505, 0.01);

    /* Tilted by so much that the far corner is out of reach. */
    flat_put(&b, 10.5, 1.1, 0.3);
    double lower = 1.1 - 0.5 * (cos(0.3) + sin(0.3));
    m = flat_collide(&a, &b, 0.2f, NULL);
    assert_int_equal(m.point_count, 1);
    expect_normal(&m, 0.0, 1.0);
    expect_point(&m, 0, 10.5 - 0.5 * cos(0.3) + 0.5 * sin(0.3), 0.5 * (lower + 0.5), lower - 0.5);
}

static void
corner_by_corner(void **state)
{
    (void)state;
    test_shape_box(&a.shape, 1.0, 1.0);
    test_shape_box(&b.shape, 1.0, 1.0);
    flat_put(&a, 0.0, 0.0, 0.0);
    flat_put(&b, 1.06, 1.08, 0.0);
    struct cn_manifold2 m = flat_collide(&a, &b, 0.2f, NULL);
    assert_int_equal(m.point_count, 1);
    expect_normal(&m, 0.6, 0.8);
    expect_point(&m, 0, 0.53, 0.54, 0.1);
    flat_put(&b, 1.015, 1.015, 0.0); /* each side is near enough, the corners are not */
    assert_int_equal(flat_collide(&a, &b, MARGIN, NULL).point_count, 0);
}

static void
capsule_on_box(void **state)
{
    (void)state;
    test_shape_box(&a.shape, 4.0, 1.0);
    test_shape_capsule(&b.shape, 0.25, 1.0);
    flat_put(&a, 0.0, 0.0, 0.0);
    flat_put(&b, 0.5, 0.74, 0.5 * CN_PI); /* lies: from x = 0 to x = 1 */
    struct cn_manifold2 m = flat_collide(&a, &b, MARGIN, NULL);
    assert_int_equal(m.point_count, 2);
    expect_normal(&m, 0.0, 1.0);
    expect_point(&m, 0, 1.0, 0.495, -0.01);
    expect_point(&m, 1, 0.0, 0.495, -0.01);

    flat_put(&b, 0.5, 1.26, 0.0); /* stands */
    m = flat_collide(&a, &b, MARGIN, NULL);
    assert_int_equal(m.point_count, 1);
    expect_normal(&m, 0.0, 1.0);
    expect_point(&m, 0, 0.5, 0.505, 0.01);

    /* Beside a corner: as a disc. */
    flat_put(&b, 2.0 + 0.6 * 0.24, 0.5 + 0.8 * 0.24 + 0.5, 0.0);
    m = flat_collide(&a, &b, MARGIN, NULL);
    assert_int_equal(m.point_count, 1);
    expect_normal(&m, 0.6, 0.8);
    expect_point(&m, 0, 2.0 - 0.6 * 0.005, 0.5 - 0.8 * 0.005, -0.01);
}

static void
two_capsules(void **state)
{
    (void)state;
    test_shape_capsule(&a.shape, 0.25, 2.0);
    test_shape_capsule(&b.shape, 0.25, 1.0);
    flat_put(&a, 0.0, 0.0, 0.0);
    flat_put(&b, 0.49, 0.75, 0.0); /* side by side: they share y from 0.25 to 1 */
    struct cn_manifold2 m = flat_collide(&a, &b, MARGIN, NULL);
    assert_int_equal(m.point_count, 2);
    expect_normal(&m, 1.0, 0.0);
    expect_point(&m, 0, 0.245, 0.25, -0.01);
    expect_point(&m, 1, 0.245, 1.0, -0.01);

    flat_put(&b, 0.0, 1.99, 0.0); /* end to end */
    m = flat_collide(&a, &b, MARGIN, NULL);
    assert_int_equal(m.point_count, 1);
    expect_normal(&m, 0.0, 1.0);
    expect_point(&m, 0, 0.0, 1.245, -0.01);

    flat_put(&b, 0.0, 2.1, 0.0);
    assert_int_equal(flat_collide(&a, &b, MARGIN, NULL).point_count, 0);

    flat_put(&b, 0.99, 0.25, 0.5 * CN_PI); /* an end against a side */
    m = flat_collide(&a, &b, MARGIN, NULL);
    assert_int_equal(m.point_count, 1);
    expect_normal(&m, 1.0, 0.0);
    expect_point(&m, 0, 0.245, 0.25, -0.01);
}

static void
on_a_plane(void **state)
{
    (void)state;
    test_shape_plane(&a.shape, atan2(0.8, 0.6), 1.0);
    flat_put(&a, 0.0, 0.0, 0.0);
    test_shape_circle(&b.shape, 0.5);
    flat_put(&b, 0.6 * 1.49, 0.8 * 1.49, 0.0);
    struct cn_manifold2 m = flat_collide(&a, &b, MARGIN, NULL);
    assert_int_equal(m.point_count, 1);
    expect_normal(&m, 0.6, 0.8);
    expect_point(&m, 0, 0.6 * 0.995, 0.8 * 0.995, -0.01);

    test_shape_box(&b.shape, 2.0, 1.0);
    flat_put(&b, 0.6 * 1.49, 0.8 * 1.49, atan2(0.8, 0.6) - 0.5 * CN_PI);
    m = flat_collide(&a, &b, MARGIN, NULL);
    assert_int_equal(m.point_count, 2);
    expect_normal(&m, 0.6, 0.8);
    expect_point(&m, 0, 0.6 * 0.995 - 0.8, 0.8 * 0.995 + 0.6, -0.01);
    expect_point(&m, 1, 0.6 * 0.995 + 0.8, 0.8 * 0.995 - 0.6, -0.01);
}

static void
impulses_go_over(void **state)
{
    (void)state;
    test_shape_box(&a.shape, 4.0, 1.0);
    test_shape_box(&b.shape, 1.0, 1.0);
    flat_put(&a, 0.0, 0.0, 0.0);
    flat_put(&b, 0.0, 0.999, 0.0);
    struct cn_manifold2 last = flat_collide(&a, &b, MARGIN, NULL);
    for (int k = 0; k < 2; k++) {
        last.point[k].normal_impulse = 1.0f + (float)k;
        last.point[k].tangent_impulse = 0.5f + (float)k;
        last.point[k].total_impulse = 7.0f;
    }
    last.rolling_impulse = 0.25f;
    flat_put(&b, 0.01, 1.0, 0.002);
    struct cn_manifold2 m = flat_collide(&a, &b, MARGIN, &last);
    assert_int_equal(m.point_count, 2);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(m.point[k].feature, last.point[k].feature);
        assert_true(m.point[k].normal_impulse == last.point[k].normal_impulse);
        assert_true(m.point[k].tangent_impulse == last.point[k].tangent_impulse);
        assert_true(m.point[k].total_impulse == 0.0f);
    }
    assert_true(m.rolling_impulse == 0.25f);

    flat_put(&b, 0.0, 1.3, 0.7); /* another face down, one corner only */
    m = flat_collide(&a, &b, 0.3f, &last);
    assert_int_equal(m.point_count, 1);
    flat_put(&b, 0.0, 1.6, 0.7);
    m = flat_collide(&a, &b, MARGIN, &last);
    assert_int_equal(m.point_count, 0);
    assert_true(m.rolling_impulse == 0.0f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_discs),
        cmocka_unit_test(disc_and_capsule),
        cmocka_unit_test(disc_and_box),
        cmocka_unit_test(disc_and_polygon),
        cmocka_unit_test(box_on_box),
        cmocka_unit_test(corner_by_corner),
        cmocka_unit_test(capsule_on_box),
        cmocka_unit_test(two_capsules),
        cmocka_unit_test(on_a_plane),
        cmocka_unit_test(impulses_go_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
