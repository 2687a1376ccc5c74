/*
 * test_flat.c: the quick answers about planar cores, by hand and against distances by brute force.
 */
#include "engine/base/rng.h"
#include "engine/collide/query/flat.h"
#include "engine/math/scalar.h"
#include "engine/math/trig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/near.h"

#define CORNERS_MAX 8

struct core {
    cn_vec2 corner[CORNERS_MAX];
    struct cn_convex convex;
};

static struct cn_rng rng;

static cn_pose
turned(double x, double y, double angle)
{
    double sine, cosine;
    cn_sin_cos(angle, &sine, &cosine);
    return (cn_pose){{x, y, 0.0}, cn_mat33_about_z(sine, cosine)};
}

static void
make_box(struct core *core, double width, double height)
{
    const cn_vec2 corner[4] = {{-0.5 * width, -0.5 * height}, {0.5 * width, -0.5 * height},
        {0.5 * width, 0.5 * height}, {-0.5 * width, 0.5 * height}};
    for (int i = 0; i < 4; i++) {
        core->corner[i] = corner[i];
    }
    core->convex = (struct cn_convex){.vertex_count = 4, .flat = core->corner};
}

/* Corners of a stretched circle, counter-clockwise; two of them are a segment, one is a point. */
static void
make_any(struct core *core, int count)
{
    double turn[CORNERS_MAX], sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += 0.2 + cn_rng_uniform(&rng, 0.0, 1.0);
        turn[i] = sum;
    }
    double wide = cn_rng_uniform(&rng, 0.3, 2.0), tall = cn_rng_uniform(&rng, 0.3, 2.0);
    for (int i = 0; i < count; i++) {
        double sine, cosine;
        cn_sin_cos(2.0 * CN_PI * turn[i] / sum, &sine, &cosine);
        core->corner[i] = (cn_vec2){wide * cosine, tall * sine};
    }
    core->convex = (struct cn_convex){.vertex_count = count, .flat = core->corner};
}

/* ---- distances by brute force ---- */

static double
point_to_segment(cn_vec2 p, cn_vec2 from, cn_vec2 to)
{
    cn_vec2 edge = cn_vec2_sub(to, from);
    double square = cn_vec2_dot(edge, edge);
    double part =
        square > 0.0 ? cn_clamp(cn_vec2_dot(cn_vec2_sub(p, from), edge) / square, 0.0, 1.0) : 0.0;
    return cn_vec2_length(cn_vec2_sub(p, cn_vec2_add_scaled(from, part, edge)));
}

static bool
crosses(cn_vec2 a, cn_vec2 b, cn_vec2 c, cn_vec2 d)
{
    cn_vec2 ab = cn_vec2_sub(b, a), cd = cn_vec2_sub(d, c);
    return cn_vec2_cross(ab, cn_vec2_sub(c, a)) * cn_vec2_cross(ab, cn_vec2_sub(d, a)) < 0.0 &&
           cn_vec2_cross(cd, cn_vec2_sub(a, c)) * cn_vec2_cross(cd, cn_vec2_sub(b, c)) < 0.0;
}

static bool
holds(const cn_vec2 *corner, int count, cn_vec2 p)
{
    bool inside = count > 2;
    for (int i = 0; i < count; i++) {
        cn_vec2 edge = cn_vec2_sub(corner[(i + 1) % count], corner[i]);
        inside = inside && cn_vec2_cross(edge, cn_vec2_sub(p, corner[i])) > 0.0;
    }
    return inside;
}

/* Of the cores, B moved by `way`; 0 where they overlap. */
static double
distance_of(const struct core *a, const struct core *b, const cn_pose *pose, cn_vec2 way)
{
    cn_vec2 moved[CORNERS_MAX];
    int m = a->convex.vertex_count, n = b->convex.vertex_count;
    double least = HUGE_VAL;
    for (int i = 0; i < n; i++) {
        cn_vec3 p = cn_pose_apply(pose, (cn_vec3){b->corner[i].x, b->corner[i].y, 0.0});
        moved[i] = (cn_vec2){p.x + way.x, p.y + way.y};
    }
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < n; k++) {
            cn_vec2 p = a->corner[i], q = a->corner[(i + 1) % m];
            cn_vec2 r = moved[k], s = moved[(k + 1) % n];
            if (crosses(p, q, r, s) || holds(a->corner, m, r) || holds(moved, n, p)) {
                return 0.0;
            }
            least = cn_min(least, point_to_segment(r, p, q));
            least = cn_min(least, point_to_segment(p, r, s));
        }
    }
    return least;
}

/* ---- by hand ---- */

static void
test_boxes(void **state)
{
    (void)state;
    struct core a, b;
    make_box(&a, 2.0, 2.0);
    make_box(&b, 1.0, 1.0);
    const struct {
        double x, y, angle, reach;
        enum cn_flat_answer answer;
    } cases[] = {
        {1.6, 0.0, 0.0, 0.0, CN_FLAT_APART},
        {1.6, 0.0, 0.0, 0.2, CN_FLAT_UNKNOWN}, /* within reach, but the cores do not overlap */
        {1.6, 0.0, 0.0, 0.09, CN_FLAT_APART},
        {1.4, 0.0, 0.0, 0.0, CN_FLAT_OVERLAP},
        {1.5, 0.0, 0.0, 0.0, CN_FLAT_UNKNOWN}, /* they touch */
        {1.5 + 1e-9, 0.0, 0.0, 0.0, CN_FLAT_UNKNOWN},
        {0.0, 0.0, 0.3, 0.0, CN_FLAT_OVERLAP},
        {1.8, 1.8, CN_PI / 4.0, 0.0, CN_FLAT_APART}, /* only by a side of B */
        {1.6, 1.6, 0.0, 0.2, CN_FLAT_UNKNOWN},       /* corner to corner: 0.14 m */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cn_pose pose = turned(cases[i].x, cases[i].y, cases[i].angle);
        assert_int_equal(
            cn_flat_overlap(&a.convex, &b.convex, &pose, cases[i].reach), cases[i].answer);
    }
}

static void
test_ball_onto_box(void **state)
{
    (void)state;
    struct core box, point = {.corner = {{0.0, 0.0}}};
    make_box(&box, 2.0, 2.0);
    point.convex = (struct cn_convex){.vertex_count = 1, .flat = point.corner, .radius = 0.5};
    const struct {
        double x, y, along_x, along_y;
        bool known;
        struct cn_flat_hit hit;
    } cases[] = {
        {-3.5, 0.5, 4.0, 0.0, true, {false, 0.5, {-1.0, 0.5}, {-1.0, 0.0}}},
        {0.5, 3.5, 0.0, -8.0, true, {false, 0.25, {0.5, 1.0}, {0.0, 1.0}}},
        {-3.5, 0.5, -4.0, 0.0, true, {.fraction = HUGE_VAL}},     /* the other way */
        {-3.5, 2.0, 8.0, 0.0, true, {.fraction = HUGE_VAL}},      /* above it */
        {-3.3, 1.4, 8.0, 0.0, true, {false, 0.25, {-1.0, 1.0}, {-0.6, 0.8}}}, /* its corner */
        {-1.5, 0.0, 4.0, 0.0, false, {.fraction = HUGE_VAL}},     /* touches it */
        {-3.5, 1.5, 8.0, 0.0, false, {.fraction = HUGE_VAL}},     /* grazes it */
        {-1.2, 0.0, -4.0, 0.0, true, {.is_inside = true}},
        {0.3, 0.2, 4.0, 1.0, true, {.is_inside = true}},
        {-1.3, 1.3, 4.0, 1.0, true, {.is_inside = true}},         /* 0.42 m from the corner */
        {-1.4, 1.4, -4.0, 4.1, false, {.fraction = HUGE_VAL}},    /* 0.57 m from it, leaving */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cn_flat_hit hit;
        cn_pose pose = turned(cases[i].x, cases[i].y, 0.0);
        cn_vec3 along = {cases[i].along_x, cases[i].along_y, 0.0};
        bool known = cn_flat_cast_ball(&box.convex, &point.convex, &pose, along, 0.5, &hit);
        assert_int_equal(known, cases[i].known);
        assert_int_equal(hit.is_inside, cases[i].hit.is_inside);
        if (known && !hit.is_inside && cases[i].hit.fraction < HUGE_VAL) {
            assert_near(hit.fraction, cases[i].hit.fraction, 1e-14);
            assert_near(hit.foot.x, cases[i].hit.foot.x, 1e-14);
            assert_near(hit.foot.y, cases[i].hit.foot.y, 1e-14);
            assert_near(hit.normal.x, cases[i].hit.normal.x, 1e-14);
            assert_near(hit.normal.y, cases[i].hit.normal.y, 1e-14);
        } else if (known && !hit.is_inside) {
            assert_true(hit.fraction == HUGE_VAL);
        }
    }
    struct cn_convex arc = cn_convex_edge(box.corner, 0.5);
    cn_pose pose = turned(9.0, 0.0, 0.0);
    struct cn_flat_hit hit;
    assert_int_equal(cn_flat_overlap(&arc, &box.convex, &pose, 0.0), CN_FLAT_UNKNOWN);
    assert_false(cn_flat_misses(
        &box.convex, &arc, &pose, cn_vec3_make(1.0, 0.0, 0.0), 1.0, 0.0));
    assert_false(cn_flat_cast_ball(
        &arc, &point.convex, &pose, cn_vec3_make(1.0, 0.0, 0.0), 0.5, &hit));
}

/* ---- any cores ---- */

static void
test_any_overlap(void **state)
{
    (void)state;
    rng.state = 7;
    int known = 0, pairs = 20000;
    for (int i = 0; i < pairs; i++) {
        struct core a, b;
        make_any(&a, 1 + (int)(cn_rng_next(&rng) % CORNERS_MAX));
        make_any(&b, 1 + (int)(cn_rng_next(&rng) % CORNERS_MAX));
        cn_pose pose = turned(cn_rng_uniform(&rng, -4.0, 4.0), cn_rng_uniform(&rng, -4.0, 4.0),
            cn_rng_uniform(&rng, -9.0, 9.0));
        double reach = i % 2 == 0 ? 0.0 : cn_rng_uniform(&rng, 0.0, 0.5);
        double distance = distance_of(&a, &b, &pose, (cn_vec2){0.0, 0.0});
        enum cn_flat_answer answer = cn_flat_overlap(&a.convex, &b.convex, &pose, reach);
        if (answer == CN_FLAT_APART ? distance <= reach
                                    : answer == CN_FLAT_OVERLAP && distance > 0.0) {
            fail_msg("pair %d: answer %d, distance %g, reach %g", i, (int)answer, distance, reach);
        }
        known += answer != CN_FLAT_UNKNOWN;
    }
    assert_true(known > 0.7 * pairs);
}

/* The first t at which the distance falls to reach, by halving: it is a convex function of t. */
static double
first_contact(const struct core *a, const struct core *b, const cn_pose *pose, cn_vec2 along,
    double reach)
{
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 200; i++) { /* the least distance */
        double t1 = low + (high - low) / 3.0, t2 = high - (high - low) / 3.0;
        bool left = distance_of(a, b, pose, cn_vec2_scale(along, t1)) <=
                    distance_of(a, b, pose, cn_vec2_scale(along, t2));
        low = left ? low : t1;
        high = left ? t2 : high;
    }
    if (distance_of(a, b, pose, cn_vec2_scale(along, high)) > reach + 1e-12) {
        return HUGE_VAL;
    }
    high = low;
    low = 0.0;
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        bool met = distance_of(a, b, pose, cn_vec2_scale(along, middle)) <= reach;
        low = met ? low : middle;
        high = met ? middle : high;
    }
    return high;
}

static void
test_any_cast(void **state)
{
    (void)state;
    rng.state = 11;
    int known = 0, missed = 0, hits = 0, pairs = 4000;
    for (int i = 0; i < pairs; i++) {
        struct core a, b;
        make_any(&a, 3 + (int)(cn_rng_next(&rng) % (CORNERS_MAX - 2)));
        make_any(&b, i % 2 == 0 ? 1 : 2 + (int)(cn_rng_next(&rng) % (CORNERS_MAX - 1)));
        cn_pose pose = turned(cn_rng_uniform(&rng, -5.0, 5.0), cn_rng_uniform(&rng, -5.0, 5.0),
            cn_rng_uniform(&rng, -9.0, 9.0));
        cn_vec3 along = {cn_rng_uniform(&rng, -9.0, 9.0), cn_rng_uniform(&rng, -9.0, 9.0), 0.0};
        double reach = i % 3 == 0 ? 0.0 : cn_rng_uniform(&rng, 0.0, 0.6);
        double start = distance_of(&a, &b, &pose, (cn_vec2){0.0, 0.0});
        double t = first_contact(&a, &b, &pose, (cn_vec2){along.x, along.y}, reach);
        bool misses = cn_flat_misses(&a.convex, &b.convex, &pose, along, 1.0, reach);
        struct cn_flat_hit hit;
        assert_false(misses && (t <= 1.0 || start <= reach));
        missed += misses;
        if (!cn_flat_cast_ball(&a.convex, &b.convex, &pose, along, reach, &hit)) {
            continue;
        }
        known++;
        assert_int_equal(hit.is_inside, start <= reach);
        if (hit.is_inside || (hit.fraction > 1.0 && t == HUGE_VAL)) {
            continue;
        }
        hits++;
        assert_near(hit.fraction, t, 1e-9 + 1e-7 / (1.0 + reach));
        cn_vec2 at = {pose.position.x + b.corner[0].x * pose.rotation.cx.x +
                          b.corner[0].y * pose.rotation.cy.x + hit.fraction * along.x,
            pose.position.y + b.corner[0].x * pose.rotation.cx.y +
                b.corner[0].y * pose.rotation.cy.y + hit.fraction * along.y};
        cn_vec2 foot = cn_vec2_add_scaled(at, -reach, hit.normal);
        assert_near(cn_vec2_length(hit.normal), 1.0, 1e-14);
        assert_near(foot.x, hit.foot.x, 1e-12);
        assert_near(foot.y, hit.foot.y, 1e-12);
    }
    assert_true(known > 0.95 * 0.5 * pairs && hits > 200 && missed > 0.3 * pairs);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_ball_onto_box),
        cmocka_unit_test(test_any_overlap),
        cmocka_unit_test(test_any_cast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
