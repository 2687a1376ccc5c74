/* test_fast_planar_border.c: outlines and chains in pieces. */
#include "engine/collide/fast/fast_planar.h"

#include "engine/base/rng.h"
#include "engine/collide/fast/fast_planar_cut.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/collide/flat.h"
#include "tests/support/near.h"

#define MARGIN 0.02f
#define EPS 2e-6

static struct flat_body a, b;
static struct cn_fast_shape2 piece_a[CN_CUT_VERTICES_MAX], piece_b[CN_CUT_VERTICES_MAX];
static struct cn_manifold2 met[CN_CUT_VERTICES_MAX * 8];

/* All manifolds of two bodies whose pieces meet; the number of them. */
static int
collide_all(float margin)
{
    int count_a = cn_fast_planar_count(&a.shape.shape);
    int count_b = cn_fast_planar_count(&b.shape.shape), count = 0;
    cn_fast_planar_bake_pieces(&a.shape.shape, piece_a);
    cn_fast_planar_bake_pieces(&b.shape.shape, piece_b);
    for (int i = 0; i < count_a; i++) {
        for (int k = 0; k < count_b; k++) {
            struct cn_manifold2 m;
            cn_fast_planar_collide(
                &piece_a[i], &a.place, &piece_b[k], &b.place, margin, NULL, &m);
            if (m.point_count > 0) {
                assert_true(count < (int)(sizeof(met) / sizeof(met[0])));
                met[count++] = m;
            }
        }
    }
    return count;
}

/* Moves a body without baking it as one piece. */
static void
put(struct flat_body *body, double x, double y, double angle)
{
    double s, c;
    cn_sin_cos(angle, &s, &c);
    body->place = (struct cn_place2){x, y, (float)c, (float)s};
    c = (double)body->place.cosine;
    s = (double)body->place.sine;
    double scale = 1.0 / sqrt(c * c + s * s);
    body->pose = (cn_pose){{x, y, 0.0}, cn_mat33_about_z(scale * s, scale * c)};
}

static void
make_border(struct test_shape *shape, enum cn_shape_kind kind, const cn_vec3 *points, int count,
    bool closed)
{
    struct cn_shape_def def = {.kind = kind};
    for (int i = 0; i < count; i++) {
        shape->corner[i] = points[i];
    }
    def.boundary.points = shape->corner;
    def.boundary.point_count = count;
    def.boundary.closed = closed;
    test_shape_bake(shape, &def);
}

/* From right to left, so that the ground is on its left; level at y = 0. */
static void
make_level(struct test_shape *shape, int segments, double length)
{
    cn_vec3 points[CN_POLYGON_VERTICES_MAX];
    for (int i = 0; i <= segments; i++) {
        points[i] = (cn_vec3){0.5 * segments * length - i * length, 0.0, 0.0};
    }
    make_border(shape, CN_SHAPE_CHAIN, points, segments + 1, false);
}

/* ---- cutting ---- */

static double
area_of_piece(const struct cn_cut_piece *piece)
{
    double twice = 0.0;
    for (int i = 0; i < piece->count; i++) {
        twice += cn_vec2_cross(
            piece->corner[i].place, piece->corner[(i + 1) % piece->count].place);
    }
    return 0.5 * twice;
}

static void
check_cut(const struct cn_cut *cut)
{
    static int seen[CN_CUT_VERTICES_MAX];
    memset(seen, 0, sizeof(seen));
    double sum = 0.0, whole = 0.0;
    for (int i = 0; i < cut->count; i++) {
        whole += 0.5 * cn_vec2_cross(cut->corner[i], cut->corner[(i + 1) % cut->count]);
    }
    for (int i = 0; i < cut->piece_count; i++) {
        struct cn_cut_piece piece = cn_cut_piece_at(cut, i);
        double area = area_of_piece(&piece);
        assert_true(area >= 0.0);
        sum += area;
        for (int k = 0; k < piece.count; k++) {
            seen[cut->piece[i][k]] += piece.corner[k].is_border ? 1 : 0;
            cn_vec2 from = piece.corner[k].place;
            for (int j = 0; j < piece.count; j++) { /* convex: all behind every edge */
                cn_vec2 d = cn_vec2_sub(piece.corner[j].place, from);
                assert_true(cn_vec2_dot(d, piece.corner[k].normal) <= 1e-9);
            }
        }
    }
    assert_near(sum, whole, 1e-9);
    for (int i = 0; i < cut->count; i++) {
        assert_int_equal(seen[i], 1); /* the edge that begins at corner i */
    }
}

static void
a_notch_is_cut_into_rectangles(void **state)
{
    (void)state;
    static const cn_vec3 points[] = {{-2.0, 0.0, 0.0}, {2.0, 0.0, 0.0}, {2.0, 2.0, 0.0},
        {1.0, 2.0, 0.0}, {1.0, 1.0, 0.0}, {-1.0, 1.0, 0.0}, {-1.0, 2.0, 0.0}, {-2.0, 2.0, 0.0}};
    make_border(&a.shape, CN_SHAPE_OUTLINE, points, 8, true);
    static struct cn_cut cut;
    cn_cut_make(&cut, &a.shape.shape);
    check_cut(&cut);
    assert_true(cut.piece_count <= 4);
}

static double
side_of(cn_vec2 from, cn_vec2 to, cn_vec2 p)
{
    return cn_vec2_cross(cn_vec2_sub(to, from), cn_vec2_sub(p, from));
}

/* Arcs that follow each other may cross, which nothing refuses; such a ring has no area. */
static bool
is_simple(const struct cn_cut *cut)
{
    for (int i = 0; i < cut->count; i++) {
        cn_vec2 p = cut->corner[i], q = cut->corner[(i + 1) % cut->count];
        for (int k = 0; k < i; k++) {
            cn_vec2 r = cut->corner[k], t = cut->corner[(k + 1) % cut->count];
            if (side_of(p, q, r) * side_of(p, q, t) < 0.0 &&
                side_of(r, t, p) * side_of(r, t, q) < 0.0) {
                return false;
            }
        }
    }
    return true;
}

static void
random_stars_are_cut_whole(void **state)
{
    (void)state;
    struct cn_rng rng = {1};
    static struct cn_cut cut;
    int made = 0;
    for (int round = 0; round < 2000; round++) {
        int count = 3 + (int)(cn_rng_next(&rng) % 8);
        unsigned bits = cn_rng_next(&rng), bulges = cn_rng_next(&rng);
        if (test_shape_star(&a.shape, count, bits, round % 2 == 0 ? 0U : bulges)) {
            cn_cut_make(&cut, &a.shape.shape);
            assert_int_equal(cut.piece_count, cn_fast_planar_count(&a.shape.shape));
            if (is_simple(&cut)) {
                check_cut(&cut);
                made++;
            }
        }
    }
    assert_true(made > 500);
}

/* ---- chains ---- */

/* Every contact points up, and the outermost are where the body's corners are. */
static void
expect_level(int count, double low, double high, double separation)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int i = 0; i < count; i++) {
        assert_near((double)met[i].normal_x, 0.0, 1e-6);
        assert_near((double)met[i].normal_y, 1.0, 1e-6);
        for (int k = 0; k < met[i].point_count; k++) {
            double x = a.place.x + (double)met[i].point[k].anchor_ax;
            assert_near((double)met[i].point[k].separation, separation, EPS);
            least = fmin(least, x);
            most = fmax(most, x);
        }
    }
    assert_near(least, low, 1e-5);
    assert_near(most, high, 1e-5);
}

/* A box, a capsule and a ball over the joints of a level chain, below and above it by a little. */
static void
nothing_catches_at_joints(void **state)
{
    (void)state;
    make_level(&a.shape, 60, 0.25);
    put(&a, 3.0, 1.0, 0.0);
    for (int step = 0; step < 4000; step++) {
        double x = 3.0 - 6.0 + 0.003 * step, gap = step % 3 * 1e-3 - 1e-3;
        test_shape_box(&b.shape, 1.0, 0.5);
        put(&b, x, 1.25 + gap, 0.0);
        expect_level(collide_all(MARGIN), x - 0.5, x + 0.5, gap);
        test_shape_capsule(&b.shape, 0.25, 1.0);
        put(&b, x, 1.25 + gap, 0.5 * CN_PI);
        expect_level(collide_all(MARGIN), x - 0.5, x + 0.5, gap);
        test_shape_circle(&b.shape, 0.25);
        put(&b, x, 1.25 + gap, 0.0);
        expect_level(collide_all(MARGIN), x, x, gap);
    }
}

static void
a_wall_is_one_sided(void **state)
{
    (void)state;
    make_level(&a.shape, 4, 1.0);
    put(&a, 0.0, 0.0, 0.0);
    test_shape_box(&b.shape, 0.5, 0.5);
    put(&b, 0.1, -0.24, 0.1);
    assert_int_equal(collide_all(MARGIN), 0);
    put(&b, 0.1, 0.1, 0.1);
    assert_true(collide_all(MARGIN) > 0);
    test_shape_circle(&b.shape, 0.25);
    put(&b, 0.1, -0.1, 0.0);
    assert_int_equal(collide_all(MARGIN), 0);
    put(&b, 0.1, 0.1, 0.0);
    assert_int_equal(collide_all(MARGIN), 1);
    assert_near((double)met[0].normal_y, 1.0, 1e-6);
    assert_near((double)met[0].point[0].separation, -0.15, EPS);
}

/* A disc in a corner is held by both walls. */
static void
a_corner_has_two_normals(void **state)
{
    (void)state;
    static const cn_vec3 points[] = {{2.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 2.0, 0.0}};
    make_border(&a.shape, CN_SHAPE_CHAIN, points, 3, false);
    cn_vec3 at = {a.shape.shape.vertex[1].x, a.shape.shape.vertex[1].y, 0.0};
    put(&a, -at.x, -at.y, 0.0); /* the corner at the origin */
    test_shape_circle(&b.shape, 0.5);
    put(&b, 0.499, 0.498, 0.0);
    assert_int_equal(collide_all(MARGIN), 2);
    assert_near((double)met[0].normal_y, 1.0, 1e-6);
    assert_near((double)met[0].point[0].separation, -0.002, EPS);
    assert_near((double)met[1].normal_x, 1.0, 1e-6);
    assert_near((double)met[1].point[0].separation, -0.001, EPS);
}

/* Over the top of a roof a disc is met by the ridge, once. */
static void
a_ridge_is_met_once(void **state)
{
    (void)state;
    static const cn_vec3 points[] = {{2.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, {-2.0, 0.0, 0.0}};
    make_border(&a.shape, CN_SHAPE_CHAIN, points, 3, false);
    cn_vec3 at = {a.shape.shape.vertex[1].x, a.shape.shape.vertex[1].y, 0.0};
    put(&a, -at.x, -at.y, 0.0);
    test_shape_circle(&b.shape, 0.5);
    for (int step = -30; step <= 30; step++) {
        double angle = 0.5 * CN_PI + step * 0.025;
        put(&b, 0.499 * cos(angle), 0.499 * sin(angle), 0.0);
        int count = collide_all(MARGIN);
        assert_int_equal(count, step == 0 ? 2 : 1); /* straight above each has half of it */
        assert_near((double)met[0].normal_x, cos(angle), 1e-5);
        assert_near((double)met[0].normal_y, sin(angle), 1e-5);
        assert_near((double)met[0].point[0].separation, -0.001, EPS);
    }
    test_shape_box(&b.shape, 1.0, 0.5); /* its lower face on the ridge */
    put(&b, 0.2, 0.249, 0.01);
    int count = collide_all(MARGIN);
    assert_int_equal(count, 1);
    assert_near((double)met[0].normal_x, -sin(0.01), 1e-6);
    assert_near((double)met[0].point[0].anchor_ax - at.x, 0.0, 1e-3);
}

/* ---- outlines against the exact narrowphase, and distances by definition ---- */

static double
point_to_segment(cn_vec2 p, cn_vec2 from, cn_vec2 to)
{
    cn_vec2 along = cn_vec2_sub(to, from);
    double length2 = cn_vec2_dot(along, along);
    double t = length2 > 0.0 ? cn_vec2_dot(cn_vec2_sub(p, from), along) / length2 : 0.0;
    cn_vec2 foot = cn_vec2_add_scaled(from, cn_clamp(t, 0.0, 1.0), along);
    return cn_vec2_length(cn_vec2_sub(p, foot));
}

static cn_vec2
corner_of(const struct flat_body *body, int i)
{
    cn_vec2 v = body->shape.shape.vertex[i % body->shape.shape.vertex_count];
    cn_vec3 at = cn_pose_apply(&body->pose, (cn_vec3){v.x, v.y, 0.0});
    return (cn_vec2){at.x, at.y};
}

/* The distance of two boundaries that do not cross, less the roundings. */
static double
true_distance(void)
{
    double least = HUGE_VAL;
    for (int i = 0; i < a.shape.shape.vertex_count; i++) {
        cn_vec2 p = corner_of(&a, i), q = corner_of(&a, i + 1);
        for (int k = 0; k < b.shape.shape.vertex_count; k++) {
            cn_vec2 r = corner_of(&b, k), t = corner_of(&b, k + 1);
            least = fmin(least, fmin(point_to_segment(p, r, t), point_to_segment(q, r, t)));
            least = fmin(least, fmin(point_to_segment(r, p, q), point_to_segment(t, p, q)));
        }
    }
    return least - a.shape.shape.radius - b.shape.shape.radius;
}

/* Whether the first corner of one is in the other's outline. */
static bool
is_within(const struct flat_body *outer, const struct flat_body *inner)
{
    cn_vec2 p = corner_of(inner, 0);
    bool within = false;
    int n = outer->shape.shape.vertex_count;
    for (int i = 0; i < n && n > 2; i++) {
        cn_vec2 q = corner_of(outer, i), r = corner_of(outer, i + 1);
        if ((q.y > p.y) != (r.y > p.y) &&
            p.x < q.x + (r.x - q.x) * (p.y - q.y) / (r.y - q.y)) {
            within = !within;
        }
    }
    return within;
}

static void
random_other(struct cn_rng *rng, struct test_shape *shape)
{
    double size = cn_rng_uniform(rng, 0.3, 1.2), other = cn_rng_uniform(rng, 0.3, 1.2);
    switch (cn_rng_next(rng) % 5) {
    case 0:
        test_shape_circle(shape, 0.5 * size);
        break;
    case 1:
        test_shape_capsule(shape, 0.2 * size, other);
        break;
    case 2:
        test_shape_box(shape, size, other);
        break;
    case 3:
        test_shape_regular(shape, size, 3 + (int)(cn_rng_next(rng) % 10), other);
        break;
    default:
        while (!test_shape_star(shape, 3 + (int)(cn_rng_next(rng) % 5), cn_rng_next(rng), 0U)) {
        }
        break;
    }
}

static void
outlines_meet_as_the_exact_one_says(void **state)
{
    (void)state;
    struct cn_rng rng = {7};
    int near = 0, deep = 0;
    for (int round = 0; round < 6000; round++) {
        unsigned bits = cn_rng_next(&rng);
        int count = 3 + (int)(cn_rng_next(&rng) % 8);
        random_other(&rng, &b.shape);
        if (!test_shape_star(&a.shape, count, bits, 0U)) {
            continue;
        }
        double dx = cn_rng_uniform(&rng, -1.8, 1.8), dy = cn_rng_uniform(&rng, -1.8, 1.8);
        put(&a, 10.0, 20.0, cn_rng_uniform(&rng, -4.0, 4.0));
        put(&b, 10.0 + dx, 20.0 + dy, cn_rng_uniform(&rng, -4.0, 4.0));
        static struct cn_manifold exact;
        memset(&exact, 0, sizeof(exact));
        cn_collide(&a.shape.shape, &a.pose, &b.shape.shape, &b.pose, 0.1, &exact);
        int manifolds = collide_all(0.1f);
        double lowest = HUGE_VAL;
        for (int i = 0; i < manifolds; i++) {
            lowest = fmin(lowest, flat_lowest(&met[i]));
        }
        if (is_within(&a, &b) || is_within(&b, &a)) {
            continue; /* the distance decides nothing then */
        }
        double distance = true_distance();
        if (exact.separation > 0.0 && distance > 0.1 + EPS) {
            assert_int_equal(manifolds, 0);
        } else if (exact.separation > 0.0 && distance > 0.005 && distance < 0.09) {
            assert_near(lowest, distance, 0.005 + EPS);
            near++;
        } else if (exact.separation < -0.005 && exact.separation > -0.05 &&
                   exact.contact_count > 0) {
            assert_true(lowest < 0.0);
            deep++;
        }
    }
    assert_true(near > 100 && deep > 100);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_notch_is_cut_into_rectangles),
        cmocka_unit_test(random_stars_are_cut_whole),
        cmocka_unit_test(nothing_catches_at_joints),
        cmocka_unit_test(a_wall_is_one_sided),
        cmocka_unit_test(a_corner_has_two_normals),
        cmocka_unit_test(a_ridge_is_met_once),
        cmocka_unit_test(outlines_meet_as_the_exact_one_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
