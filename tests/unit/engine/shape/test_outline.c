/* test_outline.c: outlines and chains: errors, mass, reach, bounds; borders computed by hand. */
#include "engine/math/scalar.h"
#include "engine/shape/border.h"
#include "engine/shape/shape.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define NEAR(actual, expected) assert_true(fabs((actual) - (expected)) <= 1e-12)

static struct cn_shape_def
outline(const cn_vec3 *points, int count)
{
    struct cn_shape_def def = {.kind = CN_SHAPE_OUTLINE};
    def.boundary.points = points;
    def.boundary.point_count = count;
    def.boundary.closed = true;
    return def;
}

static void
test_borders(void **state)
{
    (void)state;
    struct cn_border half = {{1.0, 0.0}, {-1.0, 0.0}, 1.0}; /* the upper half of the unit circle */
    assert_true(cn_vec2_length(cn_border_center(&half)) <= 1e-15);
    NEAR(cn_border_radius(&half), 1.0);
    NEAR(cn_border_turn(&half), CN_PI);
    NEAR(cn_border_sagitta(&half), 1.0);
    NEAR(cn_border_normal_from(&half).x, 1.0);
    NEAR(cn_border_normal_to(&half).x, -1.0);
    assert_true(cn_border_faces(&half, cn_border_center(&half), (cn_vec2){0.3, 1.0}, 0.0));
    assert_false(cn_border_faces(&half, cn_border_center(&half), (cn_vec2){0.3, -1.0}, 0.0));

    /* A quarter, from (1, 0) to (0, 1) about the origin: bulge tan(pi / 8). */
    struct cn_border quarter = {{1.0, 0.0}, {0.0, 1.0}, sqrt(2.0) - 1.0};
    assert_true(cn_vec2_length(cn_border_center(&quarter)) <= 1e-15);
    NEAR(cn_border_radius(&quarter), 1.0);
    NEAR(cn_border_normal_from(&quarter).x, 1.0);
    NEAR(cn_border_normal_from(&quarter).y, 0.0);
    NEAR(cn_border_normal_to(&quarter).y, 1.0);

    /* The same points the other way in: hollow, about (1, 1), normals towards its centre. */
    struct cn_border hollow = {{1.0, 0.0}, {0.0, 1.0}, 1.0 - sqrt(2.0)};
    NEAR(cn_border_center(&hollow).x, 1.0);
    NEAR(cn_border_center(&hollow).y, 1.0);
    NEAR(cn_border_normal_from(&hollow).y, 1.0);
    NEAR(cn_border_normal_to(&hollow).x, 1.0);
    assert_true(cn_border_faces(&hollow, (cn_vec2){1.0, 1.0}, (cn_vec2){-1.0, -1.0}, 0.0));
    assert_false(cn_border_faces(&hollow, (cn_vec2){1.0, 1.0}, (cn_vec2){1.0, 1.0}, 0.0));

    cn_vec2 low, high;
    cn_border_bounds(&half, &low, &high);
    NEAR(low.x, -1.0);
    NEAR(high.y, 1.0);
    NEAR(low.y, 0.0);
}

static void
test_distances(void **state)
{
    (void)state;
    struct cn_border a = {{0.0, 0.0}, {1.0, 0.0}, 0.0}, b = {{0.5, 2.0}, {3.0, 1.0}, 0.0};
    struct cn_border c = {{0.5, -1.0}, {0.5, 1.0}, 0.0};
    NEAR(cn_border_distance(&a, &c), 0.0);
    /* The nearest are (1, 0) and its foot on the line x + 2.5 y = 5.5. */
    NEAR(cn_border_distance(&a, &b), 4.5 / sqrt(1.0 + 2.5 * 2.5));
    b.bulge = 0.1;
    assert_true(cn_border_distance(&a, &b) < 4.5 / sqrt(1.0 + 2.5 * 2.5));
}

/* Mass properties against closed forms. */
static void
test_mass(void **state)
{
    (void)state;
    double r = 0.7;
    const cn_vec3 disc[] = {{r + 2.0, 1.0, 1.0}, {2.0 - r, 1.0, 1.0}};
    struct cn_shape_def def = outline(disc, 2);
    assert_int_equal(cn_shape_check(&def, CN_PLANAR, NULL), CN_OK);
    struct cn_mass_properties mass = cn_shape_mass(&def, CN_PLANAR, 3.0);
    NEAR(mass.mass, 3.0 * CN_PI * r * r);
    NEAR(mass.center.x, 2.0);
    NEAR(mass.center.y, 1.0);
    NEAR(mass.inertia.cz.z, 0.5 * mass.mass * r * r);

    /* An L of 3 x 1 and 1 x 1 on top: area 4, centroid (1.25, 0.75), Iz about it 25/6. */
    const cn_vec3 ell[] = {{0, 0, 0}, {3, 0, 0}, {3, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
    def = outline(ell, 6);
    assert_int_equal(cn_shape_check(&def, CN_PLANAR, NULL), CN_OK);
    mass = cn_shape_mass(&def, CN_PLANAR, 1.0);
    NEAR(mass.mass, 4.0);
    NEAR(mass.center.x, 1.25);
    NEAR(mass.center.y, 0.75);
    NEAR(mass.inertia.cz.z, 25.0 / 6.0);

    /* A square of side 2 with a half disc of radius 1 cut out of its top. */
    const cn_vec3 cup[] = {{-1, 0, 0}, {1, 0, 0}, {1, 2, -0.99}, {-1, 2, 0}};
    def = outline(cup, 4);
    double b = 0.99, rad = 2.0 * (1.0 + b * b) / (4.0 * b), t = 4.0 * atan(b);
    double cut = 0.5 * rad * rad * (t - sin(t));
    mass = cn_shape_mass(&def, CN_PLANAR, 1.0);
    NEAR(mass.mass, 4.0 - cut);
    NEAR(mass.center.x, 0.0);
}

/* Against the polygon of very many chords, by the shoelace sums. */
static void
test_mass_by_chords(void **state)
{
    (void)state;
    enum { PARTS = 4000 };
    const cn_vec3 points[] = {{0, 0, -0.3}, {2, 0, 0.5}, {2.5, 1.5, 0}, {1, 1.2, -0.6}, {0, 2, 0}};
    struct cn_shape_def def = outline(points, 5);
    assert_int_equal(cn_shape_check(&def, CN_PLANAR, NULL), CN_OK);
    struct cn_mass_properties mass = cn_shape_mass(&def, CN_PLANAR, 1.0);
    double area = 0.0, x = 0.0, y = 0.0, second = 0.0;
    for (int i = 0; i < 5; i++) {
        double b = points[i].z, turn = 4.0 * atan(b);
        double ax = points[i].x, ay = points[i].y;
        double bx = points[(i + 1) % 5].x, by = points[(i + 1) % 5].y;
        double k = b == 0.0 ? 0.0 : (1.0 - b * b) / (4.0 * b);
        double cx = 0.5 * (ax + bx) - k * (by - ay), cy = 0.5 * (ay + by) + k * (bx - ax);
        double px = ax, py = ay;
        int parts = b == 0.0 ? 1 : PARTS;
        for (int n = 1; n <= parts; n++) {
            double c = cos(turn * n / parts), s = sin(turn * n / parts);
            double qx = b == 0.0 ? bx : cx + c * (ax - cx) - s * (ay - cy);
            double qy = b == 0.0 ? by : cy + s * (ax - cx) + c * (ay - cy);
            double cross = px * qy - py * qx;
            area += 0.5 * cross;
            x += cross * (px + qx) / 6.0;
            y += cross * (py + qy) / 6.0;
            second += cross / 12.0 *
                      (px * px + py * py + px * qx + py * qy + qx * qx + qy * qy);
            px = qx;
            py = qy;
        }
    }
    assert_true(fabs(mass.mass - area) <= 1e-6);
    assert_true(fabs(mass.center.x - x / area) <= 1e-6);
    assert_true(fabs(mass.center.y - y / area) <= 1e-6);
    assert_true(fabs(mass.inertia.cz.z - second + (x * x + y * y) / area) <= 1e-6);
}

static void
assert_refused(struct cn_shape_def def, enum cn_status status, const char *path, const char *text)
{
    struct cn_defect defect = {0};
    assert_int_equal(cn_shape_check(&def, CN_PLANAR, &defect), status);
    assert_string_equal(defect.path, path);
    assert_non_null(strstr(defect.text, text));
}

static void
test_refusals(void **state)
{
    (void)state;
    const cn_vec3 eight[] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}};
    assert_refused(outline(eight, 4), CN_GEOMETRY, "outline.points", "edges 0 and 2 0 m apart");
    const cn_vec3 clockwise[] = {{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}};
    assert_refused(outline(clockwise, 4), CN_GEOMETRY, "outline.points", "counter-clockwise");
    const cn_vec3 fat[] = {{0, 0, 1.5}, {1, 0, 0}, {1, 1, 0}};
    assert_refused(outline(fat, 3), CN_RANGE, "outline.points[0].bulge", "is 1.5");
    const cn_vec3 flat[] = {{0, 0, 1e-5}, {1, 0, 0}, {1, 1, 0}};
    assert_refused(outline(flat, 3), CN_RANGE, "outline.points[0].bulge", "from 0.001 to 1");
    const cn_vec3 wild[] = {{0, 0, 0}, {1, nan(""), 0}, {1, 1, 0}};
    assert_refused(outline(wild, 3), CN_FINITE, "outline.points[1].y", "nan");
    const cn_vec3 twice[] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    assert_refused(outline(twice, 4), CN_GEOMETRY, "outline.points[1]", "from the next point");
    const cn_vec3 cusp[] = {{0, 0, 0}, {2, 0, 0}, {1, 0, 0}, {1, 1, 0}};
    assert_refused(outline(cusp, 4), CN_GEOMETRY, "outline.points[1]", "cusp");
    const cn_vec3 lone[] = {{0, 0, 0}};
    assert_refused(outline(lone, 1), CN_LIMIT, "outline.points", "2 to 64");
}

static void
test_bake(void **state)
{
    (void)state;
    const cn_vec3 disc[] = {{1, 0, 1}, {-1, 0, 1}};
    struct cn_shape_def def = outline(disc, 2);
    def.position = (cn_vec3){3.0, 0.0, 0.0};
    def.angle = 0.5 * CN_PI;
    cn_vec2 vertex[2], normal[2];
    double bulge[2];
    struct cn_shape_store store = {.vertex = vertex, .normal = normal, .bulge = bulge};
    struct cn_shape shape;
    cn_shape_bake(&def, CN_PLANAR, 0, (cn_vec3){0.0, 0.0, 0.0}, &store, &shape);
    NEAR(shape.vertex[0].x, 3.0);
    NEAR(shape.vertex[0].y, 1.0);
    assert_true(shape.reach >= 4.0 && shape.reach <= 4.2);
    cn_pose pose = {.rotation = cn_mat33_diagonal(1.0, 1.0, 1.0)};
    cn_aabb box = cn_shape_aabb(&shape, &pose, 0.25);
    NEAR(box.low.x, 1.75);
    NEAR(box.high.x, 4.25);
    NEAR(box.low.y, -1.25);
    NEAR(box.high.y, 1.25);
    assert_ptr_equal(store.bulge, bulge + 2);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_borders),
    cmocka_unit_test(test_distances),
    cmocka_unit_test(test_mass),
    cmocka_unit_test(test_mass_by_chords),
    cmocka_unit_test(test_refusals),
    cmocka_unit_test(test_bake),
};

int
main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
