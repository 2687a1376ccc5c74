/* test_shape.c: mass, baking and bounds of every kind of shape, and the errors of bad ones. */
#include "engine/shape/shape.h"

#include "engine/math/scalar.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"

static struct cn_shape_def
circle(double radius)
{
    struct cn_shape_def def = {.kind = CN_SHAPE_CIRCLE};
    def.circle.radius = radius;
    return def;
}

static struct cn_shape_def
capsule(double radius, double length)
{
    struct cn_shape_def def = {.kind = CN_SHAPE_CAPSULE};
    def.capsule.radius = radius;
    def.capsule.length = length;
    return def;
}

static struct cn_shape_def
box(double x, double y)
{
    struct cn_shape_def def = {.kind = CN_SHAPE_BOX};
    def.box.size = (cn_vec3){x, y, 0.0};
    return def;
}

static struct cn_shape_def
polygon(const cn_vec3 *vertices, int count)
{
    struct cn_shape_def def = {.kind = CN_SHAPE_POLYGON};
    def.polygon.vertices = vertices;
    def.polygon.vertex_count = count;
    return def;
}

static struct cn_shape_def
plane(double x, double y, double offset)
{
    struct cn_shape_def def = {.kind = CN_SHAPE_PLANE};
    def.plane.normal = (cn_vec3){x, y, 0.0};
    def.plane.offset = offset;
    return def;
}

static cn_pose
pose(double x, double y, double s, double c)
{
    return (cn_pose){{x, y, 0.0}, cn_mat33_about_z(s, c)};
}

static void
assert_point(cn_vec2 actual, double x, double y)
{
    assert_near(actual.x, x, 1e-15);
    assert_near(actual.y, y, 1e-15);
}

static int
outline_count(const struct cn_shape_def *def)
{
    struct cn_shape_room room = {0};
    cn_shape_measure(def, CN_PLANAR, &room);
    assert_int_equal(room.vertex_count, 0); /* polytopes are of space */
    return room.outline_count;
}

static void
bake(const struct cn_shape_def *def, int body, cn_vec3 center, cn_vec2 *vertex, cn_vec2 *normal,
    struct cn_shape *shape)
{
    struct cn_shape_store store = {.vertex = vertex, .normal = normal};
    cn_shape_bake(def, CN_PLANAR, body, center, &store, shape);
    int taken = outline_count(def);
    assert_true(taken == 0 ? store.vertex == vertex : store.vertex == vertex + taken);
}

static void
test_mass_of_simple_shapes(void **state)
{
    (void)state;
    struct cn_shape_def def = circle(2.0);
    struct cn_mass_properties m = cn_shape_mass(&def, CN_PLANAR, 3.0);
    assert_near(m.mass, 12.0 * CN_PI, 1e-13);
    assert_near(m.inertia.cz.z, m.mass * 2.0, 1e-12); /* m r^2 / 2 */

    def = box(2.0, 3.0);
    def.position = (cn_vec3){5.0, -1.0, 9.0}; /* z is ignored */
    def.angle = 0.3;
    m = cn_shape_mass(&def, CN_PLANAR, 2.0);
    assert_near(m.mass, 12.0, 0.0);
    assert_near(m.center.x, 5.0, 0.0);
    assert_near(m.center.y, -1.0, 0.0);
    assert_near(m.center.z, 0.0, 0.0);
    assert_near(m.inertia.cz.z, 13.0, 1e-14); /* m (4 + 9) / 12 */

    def = plane(0.0, 1.0, 2.0);
    m = cn_shape_mass(&def, CN_PLANAR, 2.0);
    assert_true(m.mass == 0.0 && m.inertia.cz.z == 0.0);
}

/* A right triangle with legs of 3: centroid at a third of each, I = m (3^2 + 3^2) / 18 = m. */
static void
test_mass_of_triangle(void **state)
{
    (void)state;
    const cn_vec3 vertices[] = {{10.0, 20.0, 0.0}, {13.0, 20.0, 0.0}, {10.0, 23.0, 0.0}};
    struct cn_shape_def def = polygon(vertices, 3);
    struct cn_mass_properties m = cn_shape_mass(&def, CN_PLANAR, 1.0);
    assert_near(m.mass, 4.5, 1e-14);
    assert_near(m.center.x, 11.0, 1e-14);
    assert_near(m.center.y, 21.0, 1e-14);
    assert_near(m.inertia.cz.z, 4.5, 1e-13);

    def.angle = CN_PI / 2.0; /* a quarter turn about the body's origin */
    m = cn_shape_mass(&def, CN_PLANAR, 1.0);
    assert_near(m.center.x, -21.0, 1e-13);
    assert_near(m.center.y, 11.0, 1e-13);
}

/* Against Simpson's rule over strips of width w(y): area = int w, I = int (w^3 / 12 + w y^2). */
static void
test_mass_of_capsule(void **state)
{
    (void)state;
    const double r = 0.5, L = 1.5;
    const int strips = 200000;
    double top = 0.5 * L + r, h = 2.0 * top / strips, area = 0.0, moment = 0.0;
    for (int i = 0; i <= strips; i++) {
        double y = -top + h * i, over = fmax(fabs(y) - 0.5 * L, 0.0);
        double w = 2.0 * sqrt(fmax(r * r - over * over, 0.0));
        double weight = (i == 0 || i == strips ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) * h / 3.0;
        area += weight * w;
        moment += weight * (w * w * w / 12.0 + w * y * y);
    }
    struct cn_shape_def def = capsule(r, L);
    struct cn_mass_properties m = cn_shape_mass(&def, CN_PLANAR, 1.0);
    assert_near(m.mass, area, 1e-7);
    assert_near(m.inertia.cz.z, moment, 1e-7);

    /* Without length it is a circle. */
    def = capsule(r, 0.0);
    struct cn_shape_def disc = circle(r);
    assert_near(cn_shape_mass(&def, CN_PLANAR, 1.0).inertia.cz.z,
        cn_shape_mass(&disc, CN_PLANAR, 1.0).inertia.cz.z, 1e-16);
}

/* An L of two boxes, by hand: areas 2 and 1, centres (1, 0.5) and (0.5, 1.5). */
static void
test_mass_sum(void **state)
{
    (void)state;
    struct cn_shape_def lower = box(2.0, 1.0), upper = box(1.0, 1.0);
    lower.position = (cn_vec3){1.0, 0.5, 0.0};
    upper.position = (cn_vec3){0.5, 1.5, 0.0};
    struct cn_mass_properties parts[2] = {
        cn_shape_mass(&lower, CN_PLANAR, 1.0), cn_shape_mass(&upper, CN_PLANAR, 1.0)};
    struct cn_mass_properties sum = cn_mass_properties_sum(parts, 2);
    assert_near(sum.mass, 3.0, 0.0);
    assert_near(sum.center.x, 5.0 / 6.0, 1e-15);
    assert_near(sum.center.y, 5.0 / 6.0, 1e-15);
    /* 5/6 and 1/6 of the parts; 2 (1/36 + 4/36) + (4/36 + 16/36) by parallel axes */
    assert_near(sum.inertia.cz.z, 10.0 / 12.0 + 2.0 / 12.0 + 30.0 / 36.0, 1e-14);

    sum = cn_mass_properties_sum(parts, 0);
    assert_true(sum.mass == 0.0 && sum.inertia.cz.z == 0.0 && sum.center.x == 0.0);
}

static void
test_bake_box(void **state)
{
    (void)state;
    struct cn_shape_def def = box(4.0, 2.0);
    def.position = (cn_vec3){3.0, 1.0, 0.0};
    def.material = 2;
    cn_vec2 vertex[4], normal[4];
    struct cn_shape shape;
    assert_int_equal(outline_count(&def), 4);
    bake(&def, 7, (cn_vec3){1.0, 1.0, 0.0}, vertex, normal, &shape);
    assert_int_equal(shape.kind, CN_SHAPE_BOX);
    assert_int_equal(shape.body, 7);
    assert_int_equal(shape.material, 2);
    assert_point(shape.vertex[0], 0.0, -1.0);
    assert_point(shape.vertex[1], 4.0, -1.0);
    assert_point(shape.vertex[2], 4.0, 1.0);
    assert_point(shape.vertex[3], 0.0, 1.0);
    assert_point(shape.normal[0], 0.0, -1.0);
    assert_point(shape.normal[1], 1.0, 0.0);
    assert_point(shape.normal[2], 0.0, 1.0);
    assert_point(shape.normal[3], -1.0, 0.0);
    assert_near(shape.radius, 0.0, 0.0);
    assert_near(shape.width, 2.0, 0.0);
    assert_near(shape.reach, sqrt(17.0), 1e-15);
}

static void
test_bake_round_shapes(void **state)
{
    (void)state;
    cn_vec2 vertex[2], normal[2];
    struct cn_shape shape;
    struct cn_shape_def def = circle(0.25);
    def.position = (cn_vec3){1.0, 2.0, 0.0};
    assert_int_equal(outline_count(&def), 1);
    bake(&def, 0, (cn_vec3){1.0, 0.0, 0.0}, vertex, normal, &shape);
    assert_int_equal(shape.vertex_count, 1);
    assert_point(shape.vertex[0], 0.0, 2.0);
    assert_near(shape.radius, 0.25, 0.0);
    assert_near(shape.width, 0.5, 0.0);
    assert_near(shape.reach, 2.25, 0.0);

    def = capsule(0.5, 2.0);
    def.angle = CN_PI / 2.0; /* along y becomes along -x */
    assert_int_equal(outline_count(&def), 2);
    bake(&def, 0, (cn_vec3){0.0, 0.0, 0.0}, vertex, normal, &shape);
    assert_point(shape.vertex[0], 1.0, 0.0);
    assert_point(shape.vertex[1], -1.0, 0.0);
    assert_point(shape.normal[0], 0.0, 1.0);
    assert_point(shape.normal[1], 0.0, -1.0);
    assert_near(shape.radius, 0.5, 0.0);
    assert_near(shape.width, 1.0, 0.0);
    assert_near(shape.reach, 1.5, 1e-15);

    def = capsule(0.5, 0.0);
    assert_int_equal(outline_count(&def), 1);
}

static void
test_bake_polygon_and_plane(void **state)
{
    (void)state;
    cn_vec2 vertex[3], normal[3];
    struct cn_shape shape;
    const cn_vec3 vertices[] = {{0.0, 0.0, 5.0}, {4.0, 0.0, 5.0}, {0.0, 3.0, 5.0}};
    struct cn_shape_def def = polygon(vertices, 3);
    bake(&def, 0, (cn_vec3){4.0, 0.0, 0.0}, vertex, normal, &shape);
    assert_int_equal(shape.vertex_count, 3);
    assert_point(shape.vertex[2], -4.0, 3.0);
    assert_point(shape.normal[1], 0.6, 0.8);
    assert_near(shape.width, 12.0 / 5.0, 1e-15); /* the height on the hypotenuse */
    assert_near(shape.reach, 5.0, 0.0);

    def = plane(0.0, 1.0, 0.5);
    def.angle = CN_PI / 2.0; /* now faces -x, solid where -x <= 0.5 */
    def.position = (cn_vec3){-2.0, 0.0, 0.0};
    assert_int_equal(outline_count(&def), 0);
    bake(&def, 0, (cn_vec3){1.0, 1.0, 0.0}, NULL, NULL, &shape);
    assert_point(shape.plane_normal, -1.0, 0.0);
    assert_near(shape.plane_offset, 3.5, 1e-15); /* the surface stands at x = -2.5, 3.5 left of 1 */
    assert_true(shape.width == HUGE_VAL);
    assert_near(shape.reach, 0.0, 0.0);
}

static void
test_bounds(void **state)
{
    (void)state;
    cn_vec2 vertex[4], normal[4];
    struct cn_shape shape;
    struct cn_shape_def def = box(4.0, 2.0);
    bake(&def, 0, (cn_vec3){0.0, 0.0, 0.0}, vertex, normal, &shape);
    cn_pose upright = pose(10.0, 0.0, 1.0, 0.0);
    cn_aabb bounds = cn_shape_aabb(&shape, &upright, 0.5);
    assert_near(bounds.low.x, 8.5, 0.0);
    assert_near(bounds.high.x, 11.5, 0.0);
    assert_near(bounds.low.y, -2.5, 0.0);
    assert_near(bounds.high.y, 2.5, 0.0);
    assert_true(bounds.low.z <= 0.0 && bounds.high.z >= 0.0);

    def = capsule(0.5, 2.0);
    bake(&def, 0, (cn_vec3){0.0, 0.0, 0.0}, vertex, normal, &shape);
    bounds = cn_shape_aabb(&shape, &upright, 0.0);
    assert_near(bounds.low.x, 8.5, 0.0);
    assert_near(bounds.high.x, 11.5, 0.0);
    assert_near(bounds.low.y, -0.5, 0.0);

    def = plane(0.0, 1.0, 0.5);
    bake(&def, 0, (cn_vec3){0.0, 0.0, 0.0}, NULL, NULL, &shape);
    cn_pose raised = pose(3.0, 2.0, 0.0, 1.0);
    bounds = cn_shape_aabb(&shape, &raised, 0.25);
    assert_near(bounds.high.y, 2.75, 0.0);
    assert_true(bounds.low.y == -1e30 && bounds.low.x == -1e30 && bounds.high.x == 1e30);
    cn_pose tilted = pose(3.0, 2.0, 0.6, 0.8);
    bounds = cn_shape_aabb(&shape, &tilted, 0.25);
    assert_true(bounds.high.y == 1e30);
    cn_pose quarter = pose(3.0, 2.0, 1.0, 0.0); /* faces -x: solid from x = 2.5 */
    bounds = cn_shape_aabb(&shape, &quarter, 0.25);
    assert_near(bounds.low.x, 2.25, 0.0);
}

static void
assert_refused(
    const struct cn_shape_def *def, enum cn_status status, const char *path, const char *text)
{
    struct cn_defect defect = {0};
    assert_int_equal(cn_shape_check(def, CN_PLANAR, &defect), status);
    assert_int_equal(defect.status, status);
    assert_string_equal(defect.path, path);
    assert_string_equal(defect.text, text);
    assert_int_equal(cn_shape_check(def, CN_PLANAR, NULL), status);
}

static void
assert_accepted(const struct cn_shape_def *def)
{
    struct cn_defect defect = {0};
    if (cn_shape_check(def, CN_PLANAR, &defect) != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
}

static void
test_refused_sizes(void **state)
{
    (void)state;
    struct cn_shape_def def = circle(-1.0);
    assert_refused(&def, CN_RANGE, "circle.radius", "is -1; a radius is from 0.0005 to 1000 m");
    def = circle((double)NAN);
    struct cn_defect defect = {0};
    assert_int_equal(cn_shape_check(&def, CN_PLANAR, &defect), CN_FINITE);
    assert_string_equal(defect.path, "circle.radius");
    def = circle(0.0005);
    assert_accepted(&def);

    def = capsule(1.0, 1999.0);
    assert_refused(&def, CN_RANGE, "capsule.length",
        "is 1999; the length between the centres of the round ends is from 0 to 1998 m");
    def = capsule(0.0, 1.0);
    assert_refused(&def, CN_RANGE, "capsule.radius", "is 0; a radius is from 0.0005 to 1000 m");
    def = capsule(1.0, 0.0);
    assert_accepted(&def);

    def = box(0.0, 1.0);
    assert_refused(&def, CN_RANGE, "box.size.x", "is 0; a size is from 0.001 to 2000 m");
    def = box(1.0, 2001.0);
    assert_refused(&def, CN_RANGE, "box.size.y", "is 2001; a size is from 0.001 to 2000 m");
    def = box(2000.0, 0.001);
    assert_accepted(&def);

    def = plane(0.0, 0.5, 0.0);
    assert_refused(&def, CN_GEOMETRY, "plane.normal",
        "has length 0.5; a normal is a unit vector, e.g. {x: 0, y: 1}");
    def = plane(0.0, 1.0, HUGE_VAL);
    assert_refused(&def, CN_FINITE, "plane.offset", "is inf; an offset is from -8000 to 8000 m");
    def = plane(0.7071, 0.7071, -3.0);
    assert_accepted(&def);

    def = box(1.0, 1.0);
    def.density = -2.0;
    assert_refused(&def, CN_RANGE, "density", "is -2; a density is from 0 to 1000000 kg/m^2");
    def = box(1.0, 1.0);
    def.position.y = 2e4;
    assert_refused(
        &def, CN_RANGE, "position.y", "is 20000; a shape's position is from -2000 to 2000 m");
    def = box(1.0, 1.0);
    def.kind = (enum cn_shape_kind)99;
    assert_refused(&def, CN_UNKNOWN, "shape", "is of kind 99; a kind is from 0 to 9");
}

static void
test_refused_polygons(void **state)
{
    (void)state;
    const cn_vec3 square[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    struct cn_shape_def def = polygon(square, 4);
    assert_accepted(&def);
    def = polygon(square, 2);
    assert_refused(&def, CN_LIMIT, "polygon.vertices", "has 2 entries; a polygon has 3 to 64");

    const cn_vec3 clockwise[] = {{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}};
    def = polygon(clockwise, 4);
    assert_refused(
        &def, CN_GEOMETRY, "polygon.vertices", "are clockwise; list them counter-clockwise");

    const cn_vec3 infinite[] = {{0, 0, 0}, {1, 0, 0}, {HUGE_VAL, 1, 0}};
    def = polygon(infinite, 3);
    assert_refused(&def, CN_FINITE, "polygon.vertices[2].x",
        "is inf; a vertex's coordinate is from -2000 to 2000 m");

    const cn_vec3 dented[] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {1, 0.5, 0}, {0, 2, 0}};
    def = polygon(dented, 5);
    assert_refused(&def, CN_GEOMETRY, "polygon.vertices[3]",
        "turns the outline to the right; a polygon is convex (several shapes make one body)");

    const cn_vec3 straight[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}};
    def = polygon(straight, 5);
    assert_refused(&def, CN_GEOMETRY, "polygon.vertices[1]",
        "lies on a line with its neighbours; every vertex is a corner");

    const cn_vec3 doubled[] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    def = polygon(doubled, 5);
    assert_refused(&def, CN_GEOMETRY, "polygon.vertices[2]",
        "is 0 m from vertices[1]; neighbours are at least 1.41e-06 m apart");

    cn_vec3 star[5]; /* a pentagram turns left everywhere and goes around twice */
    for (int i = 0; i < 5; i++) {
        star[i] = (cn_vec3){cos(i * 0.8 * CN_PI), sin(i * 0.8 * CN_PI), 0.0};
    }
    def = polygon(star, 5);
    assert_refused(&def, CN_GEOMETRY, "polygon.vertices",
        "cross themselves: vertices[3] is not left of the edge from vertices[0]; a polygon is "
        "convex");

    const cn_vec3 sliver[] = {{0, 0, 0}, {100, 0, 0}, {100, 0.05, 0}, {0, 0.05, 0}};
    def = polygon(sliver, 4);
    assert_refused(&def, CN_GEOMETRY, "polygon.vertices",
        "span a sliver 0.05 m thick; a polygon of this diameter is at least 0.1 m thick");

    const cn_vec3 tiny[] = {{0, 0, 0}, {1e-4, 0, 0}, {0, 1e-4, 0}};
    def = polygon(tiny, 3);
    assert_refused(&def, CN_RANGE, "polygon.vertices",
        "are up to 0.000141421356 m apart; a diameter is from 0.001 to 2000 m");
}

/* The largest polygon: 64 corners on a circle of a millimetre pass every check. */
static void
test_round_polygon(void **state)
{
    (void)state;
    cn_vec3 vertices[64];
    for (int i = 0; i < 64; i++) {
        vertices[i] = (cn_vec3){2e-3 * cos(i * CN_PI / 32), 2e-3 * sin(i * CN_PI / 32), 0.0};
    }
    struct cn_shape_def def = polygon(vertices, 64);
    assert_accepted(&def);
    struct cn_mass_properties m = cn_shape_mass(&def, CN_PLANAR, 1.0);
    assert_near(m.mass, 32.0 * 4e-6 * sin(CN_PI / 32.0), 1e-20);
    assert_near(m.center.x, 0.0, 1e-17);
    /* A regular polygon: I = m R^2 (2 + cos(2 pi / n)) / 6. */
    assert_near(m.inertia.cz.z, m.mass * 4e-6 * (2.0 + cos(CN_PI / 32.0)) / 6.0, 1e-24);
}

static void
test_names(void **state)
{
    (void)state;
    assert_string_equal(cn_shape_kind_name(CN_SHAPE_CIRCLE), "circle");
    assert_string_equal(cn_shape_kind_name(CN_SHAPE_PLANE), "plane");
    assert_non_null(strstr(cn_shape_kind_text(CN_SHAPE_POLYGON), "counter-clockwise"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mass_of_simple_shapes),
        cmocka_unit_test(test_mass_of_triangle),
        cmocka_unit_test(test_mass_of_capsule),
        cmocka_unit_test(test_mass_sum),
        cmocka_unit_test(test_bake_box),
        cmocka_unit_test(test_bake_round_shapes),
        cmocka_unit_test(test_bake_polygon_and_plane),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_refused_sizes),
        cmocka_unit_test(test_refused_polygons),
        cmocka_unit_test(test_round_polygon),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
