/* test_curve.c: curves pass through their points, twice differentiable; feet are the nearest. */
#include "engine/curve/curve.h"

#include "engine/base/limits.h"
#include "engine/base/rng.h"
#include "engine/math/scalar.h"
#include "engine/math/trig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/near.h"

#define POINTS 9
#define STEP 1e-4

static void
assert_near_vector(cn_vec3 a, cn_vec3 b, double tolerance)
{
    assert_near(cn_vec3_length(cn_vec3_sub(a, b)), 0.0, tolerance);
}

static struct cn_curve
random_spline(struct cn_rng *rng, bool closed, cn_vec3 *points, struct cn_curve_knot *knot)
{
    for (int i = 0; i < POINTS; i++) {
        double angle = 2.0 * CN_PI * i / POINTS, sine, cosine;
        double r = cn_rng_uniform(rng, 2.0, 4.0);
        cn_sin_cos(angle, &sine, &cosine);
        points[i] = cn_vec3_make(r * cosine, r * sine, cn_rng_uniform(rng, -1.0, 1.0));
    }
    cn_curve_spline(points, POINTS, closed, knot);
    return (struct cn_curve){.kind = CN_CURVE_SPLINE,
        .knot = knot,
        .knot_count = cn_curve_knot_count(POINTS, closed),
        .closed = closed};
}

/* c' and c'' agree at both sides of every knot, and with differences in between. */
static void
test_spline_is_smooth(void **unused)
{
    (void)unused;
    struct cn_rng rng = {3};
    for (int trial = 0; trial < 10; trial++) {
        bool closed = trial % 2 == 1;
        cn_vec3 points[POINTS];
        struct cn_curve_knot knot[POINTS + 1];
        struct cn_curve curve = random_spline(&rng, closed, points, knot);
        for (int i = 0; i < curve.knot_count; i++) {
            double s = knot[i].parameter;
            assert_near_vector(cn_curve_at(&curve, s).point, points[i % POINTS], 1e-13);
            struct cn_curve_point before = cn_curve_at(&curve, s - 1e-9);
            struct cn_curve_point after = cn_curve_at(&curve, s + 1e-9);
            assert_near_vector(before.first, after.first, 1e-7);
            assert_near_vector(before.second, after.second, 1e-6);
        }
        double length = knot[curve.knot_count - 1].parameter;
        for (int k = 0; k < 50; k++) {
            double s = cn_rng_uniform(&rng, -0.3, 1.3) * length;
            struct cn_curve_point low = cn_curve_at(&curve, s - STEP);
            struct cn_curve_point here = cn_curve_at(&curve, s);
            struct cn_curve_point high = cn_curve_at(&curve, s + STEP);
            cn_vec3 first = cn_vec3_scale(cn_vec3_sub(high.point, low.point), 0.5 / STEP);
            cn_vec3 second = cn_vec3_scale(cn_vec3_sub(high.first, low.first), 0.5 / STEP);
            assert_near_vector(first, here.first, 1e-6);
            assert_near_vector(second, here.second, 5e-3); /* c'' is only continuous */
        }
    }
}

/* A natural spline of equal steps 0, 1, 0: M = -3, so c(1/2) = 1/2 + 3/16 of the height. */
static void
test_natural_by_hand(void **unused)
{
    (void)unused;
    const cn_vec3 points[] = {{0.0, 0.0, 0.0}, {3.0, 4.0, 0.0}, {6.0, 0.0, 0.0}};
    struct cn_curve_knot knot[3];
    cn_curve_spline(points, 3, false, knot);
    struct cn_curve curve = {.kind = CN_CURVE_SPLINE, .knot = knot, .knot_count = 3};
    assert_near(knot[1].parameter, 5.0, 0.0);
    /* 4 h M = 6 (-4/5 - 4/5), h = 5 */
    assert_near(knot[1].second.y, -0.48, 1e-15);
    assert_near(knot[1].second.x, 0.0, 1e-15);
    assert_near(cn_curve_at(&curve, 2.5).point.y, 2.0 + 0.48 * 25.0 / 16.0, 1e-14);
    struct cn_curve_point beyond = cn_curve_at(&curve, 12.0); /* straight on, by the end's slope */
    struct cn_curve_point end = cn_curve_at(&curve, 10.0);
    assert_near_vector(
        beyond.point, cn_vec3_add_scaled(points[2], 2.0, end.first), 1e-14);
}

/* The corners of a square: by symmetry M points to the middle, and |M| h = 3 / sqrt(2) by hand. */
static void
test_periodic_by_hand(void **unused)
{
    (void)unused;
    const cn_vec3 points[] = {
        {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {-1.0, 0.0, 0.0}, {0.0, -1.0, 0.0}};
    struct cn_curve_knot knot[5];
    cn_curve_spline(points, 4, true, knot);
    /* h^2 (M_-1 + 4 M_0 + M_1) = 6 (P_1 - 2 P_0 + P_-1): in x 2 * 4 M = -12 */
    for (int i = 0; i < 5; i++) {
        assert_near_vector(knot[i].second, cn_vec3_scale(points[i % 4], -1.5), 1e-14);
    }
}

static void
test_feet(void **unused)
{
    (void)unused;
    struct cn_rng rng = {5};
    for (int trial = 0; trial < 40; trial++) {
        bool closed = trial % 2 == 1;
        cn_vec3 points[POINTS];
        struct cn_curve_knot knot[POINTS + 1];
        struct cn_curve curve = random_spline(&rng, closed, points, knot);
        double length = knot[curve.knot_count - 1].parameter;
        double s = cn_rng_uniform(&rng, 0.05, 0.95) * length;
        struct cn_curve_point at = cn_curve_at(&curve, s);
        cn_vec3 off = cn_vec3_cross(at.first, cn_vec3_make(0.01, 0.02, 0.0));
        cn_vec3 point = cn_vec3_add(at.point, off);
        struct cn_curve_foot foot = cn_curve_foot_near(&curve, point, s + 0.01 * length);
        assert_near(foot.parameter, s, 1e-11 * length);
        assert_near(cn_vec3_dot(foot.tangent, cn_vec3_sub(foot.point, point)), 0.0, 1e-13);
        foot = cn_curve_foot_search(&curve, point);
        assert_near_vector(foot.point, at.point, 1e-10);
        assert_near(cn_vec3_dot(foot.tangent, foot.curvature), 0.0, 1e-14);
    }
}

static void
test_circle_and_line(void **unused)
{
    (void)unused;
    struct cn_curve circle = {
        .kind = CN_CURVE_CIRCLE, .origin = {1.0, 2.0, 0.0}, .radius = 4.0};
    struct cn_curve_foot foot =
        cn_curve_foot_near(&circle, cn_vec3_make(1.0, 12.0, 0.0), 14.0);
    assert_near(foot.parameter, 4.5 * CN_PI, 1e-14); /* the turn nearest to the start */
    assert_near_vector(foot.point, cn_vec3_make(1.0, 6.0, 0.0), 1e-14);
    assert_near_vector(foot.tangent, cn_vec3_make(-1.0, 0.0, 0.0), 1e-14);
    assert_near_vector(foot.curvature, cn_vec3_make(0.0, -0.25, 0.0), 1e-15);
    struct cn_curve line = {.kind = CN_CURVE_LINE, .direction = {0.6, 0.8, 0.0}};
    foot = cn_curve_foot_search(&line, cn_vec3_make(-0.8, 0.6, 0.0));
    assert_near(foot.parameter, 0.0, 1e-15);
    foot = cn_curve_foot_near(&line, cn_vec3_make(6.0, 8.0, 7.0), 0.0);
    assert_near(foot.parameter, 10.0, 1e-14);
    assert_near_vector(foot.curvature, cn_vec3_make(0.0, 0.0, 0.0), 0.0);
}

/* The parameter of a closed curve is at least 0 and less than its length, whatever the rounding. */
static void
test_wrap(void **unused)
{
    (void)unused;
    struct cn_rng rng = {7};
    for (int trial = 0; trial < 40; trial++) {
        cn_vec3 points[POINTS];
        struct cn_curve_knot knot[POINTS + 1];
        struct cn_curve curve = random_spline(&rng, true, points, knot);
        double length = knot[POINTS].parameter;
        const double places[] = {0.0, length, -length, 3.0 * length, -1e-300, -1e-17,
            nextafter(length, 0.0), nextafter(length, HUGE_VAL), -nextafter(length, 0.0),
            7.0 * nextafter(length, 0.0), cn_rng_uniform(&rng, -1e3, 1e3) * length};
        for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
            double s = cn_curve_wrap(&curve, places[i]);
            assert_true(s >= 0.0 && s < length);
            double turns = (places[i] - s) / length;
            assert_near(turns, floor(turns + 0.5), 1e-12 * (1.0 + fabs(turns)));
        }
        struct cn_curve_point end = cn_curve_at(&curve, length);
        assert_near_vector(end.point, points[0], 1e-13);
    }
}

/* The search finds the nearest of a thousand places of the curve, or a nearer one. */
static void
test_search_is_nearest(void **unused)
{
    (void)unused;
    struct cn_rng rng = {11};
    for (int trial = 0; trial < 200; trial++) {
        cn_vec3 points[POINTS];
        struct cn_curve_knot knot[POINTS + 1];
        struct cn_curve curve = random_spline(&rng, trial % 2 == 1, points, knot);
        double length = knot[curve.knot_count - 1].parameter, least = HUGE_VAL;
        cn_vec3 point = cn_vec3_make(cn_rng_uniform(&rng, -5.0, 5.0),
            cn_rng_uniform(&rng, -5.0, 5.0), cn_rng_uniform(&rng, -3.0, 3.0));
        for (int i = 0; i <= 1000; i++) {
            cn_vec3 at = cn_curve_at(&curve, length * i / 1000).point;
            least = fmin(least, cn_vec3_length(cn_vec3_sub(at, point)));
        }
        struct cn_curve_foot foot = cn_curve_foot_search(&curve, point);
        cn_vec3 away = cn_vec3_sub(foot.point, point);
        assert_true(cn_vec3_length(away) <= least + 1e-12);
        assert_near(cn_vec3_dot(away, foot.tangent), 0.0, 1e-10);
    }
}

/*
 * A search that starts near the foot finds a local least of the distance.  It never finds a local
 * greatest one, even if the point is far beyond the centre of curvature.
 */
static void
test_foot_is_a_least(void **unused)
{
    (void)unused;
    struct cn_rng rng = {13};
    int beyond_count = 0, astray_count = 0;
    for (int trial = 0; trial < 2000; trial++) {
        cn_vec3 points[POINTS];
        struct cn_curve_knot knot[POINTS + 1];
        struct cn_curve curve = random_spline(&rng, true, points, knot);
        double length = knot[POINTS].parameter, s = cn_rng_uniform(&rng, 0.0, length);
        cn_vec3 point = cn_vec3_make(cn_rng_uniform(&rng, -4.0, 4.0),
            cn_rng_uniform(&rng, -4.0, 4.0), cn_rng_uniform(&rng, -1.0, 1.0));
        struct cn_curve_point start = cn_curve_at(&curve, s);
        cn_vec3 from = cn_vec3_sub(start.point, point);
        beyond_count +=
            cn_vec3_dot(start.first, start.first) + cn_vec3_dot(from, start.second) < 0.0;
        struct cn_curve_foot foot = cn_curve_foot_near(&curve, point, s);
        struct cn_curve_point at = cn_curve_at(&curve, foot.parameter);
        cn_vec3 away = cn_vec3_sub(at.point, point);
        double square = cn_vec3_dot(at.first, at.first);
        if (fabs(cn_vec3_dot(away, at.first)) > 1e-9) {
            astray_count++;
        } else {
            assert_true(square + cn_vec3_dot(away, at.second) >= -1e-6);
        }
        assert_true(cn_vec3_length(away) <= cn_vec3_length(from) + 1.0);
    }
    print_message("  %d astray\n", astray_count);
    assert_true(beyond_count > 200 && astray_count <= 20);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spline_is_smooth),
        cmocka_unit_test(test_natural_by_hand),
        cmocka_unit_test(test_periodic_by_hand),
        cmocka_unit_test(test_feet),
        cmocka_unit_test(test_circle_and_line),
        cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_search_is_nearest),
        cmocka_unit_test(test_foot_is_a_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
