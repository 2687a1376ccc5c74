/* test_shape_space.c: mass, baking, bounds and refusals of shapes in space, known by hand. */
#include "engine/math/scalar.h"
#include "engine/shape/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"

#define ARRAY_SIZE 256

struct baked {
    struct cn_shape shape;
    cn_vec3 vertex[ARRAY_SIZE];
    struct cn_edge edge[ARRAY_SIZE];
    struct cn_face face[ARRAY_SIZE];
    struct cn_corner corner[ARRAY_SIZE];
};

static void
bake(struct baked *baked, const struct cn_shape_def *def, cn_vec3 center)
{
    struct cn_shape_room room = {0};
    struct cn_shape_store store = {
        .core = {baked->vertex, baked->edge, baked->face, baked->corner}};
    cn_shape_measure(def, CN_SPATIAL, &room);
    cn_shape_bake(def, CN_SPATIAL, 3, center, &store, &baked->shape);
    /* The shape takes exactly the measured room. */
    assert_int_equal(room.outline_count, 0);
    assert_int_equal(store.core.vertex - baked->vertex, room.vertex_count);
    assert_int_equal(store.core.edge - baked->edge, room.edge_count);
    assert_int_equal(store.core.face - baked->face, room.face_count);
    assert_int_equal(store.core.corner - baked->corner, room.corner_count);
    assert_int_equal(baked->shape.body, 3);
    assert_int_equal(baked->shape.dimension, CN_SPATIAL);
}

static struct cn_shape_def
box(double x, double y, double z)
{
    struct cn_shape_def def = {.kind = CN_SHAPE_BOX};
    def.box.size = (cn_vec3){x, y, z};
    return def;
}

static cn_quat
quarter_about_z(void)
{
    return (cn_quat){sqrt(0.5), 0.0, 0.0, sqrt(0.5)};
}

static void
assert_tensor(const cn_mat33 *m, double xx, double yy, double zz, double tolerance)
{
    assert_near(m->cx.x, xx, tolerance);
    assert_near(m->cy.y, yy, tolerance);
    assert_near(m->cz.z, zz, tolerance);
    assert_near(m->cx.y, 0.0, tolerance);
    assert_near(m->cx.z, 0.0, tolerance);
    assert_near(m->cy.z, 0.0, tolerance);
}

static void
test_mass_of_box_and_hull(void **state)
{
    (void)state;
    struct cn_shape_def def = box(1.0, 2.0, 3.0);
    def.position = (cn_vec3){5.0, -1.0, 9.0};
    struct cn_mass_properties m = cn_shape_mass(&def, CN_SPATIAL, 2.0);
    assert_near(m.mass, 12.0, 0.0);
    assert_near(m.center.z, 9.0, 0.0);
    assert_tensor(&m.inertia, 13.0, 10.0, 5.0, 1e-14); /* m (y^2 + z^2) / 12 and so on */
    def.orientation = quarter_about_z();               /* x and y change places */
    m = cn_shape_mass(&def, CN_SPATIAL, 2.0);
    assert_tensor(&m.inertia, 10.0, 13.0, 5.0, 1e-14);

    /* A tetrahedron on the axes with legs of 2: V = 8 / 6, centroid at 1/2, xx = V (b^2 + c^2) 3/80
     */
    const cn_vec3 corner[] = {{0.0, 0.0, 0.0}, {2.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, {0.0, 0.0, 2.0}};
    struct cn_shape_def hull = {.kind = CN_SHAPE_HULL};
    hull.hull.vertices = corner;
    hull.hull.vertex_count = 4;
    m = cn_shape_mass(&hull, CN_SPATIAL, 3.0);
    assert_near(m.mass, 4.0, 1e-15);
    assert_near(m.center.x, 0.5, 1e-15);
    assert_near(m.center.y, 0.5, 1e-15);
    assert_near(m.center.z, 0.5, 1e-15);
    assert_near(m.inertia.cx.x, 4.0 * 8.0 * 3.0 / 80.0, 1e-14);
    assert_near(m.inertia.cx.y, 4.0 * 4.0 / 80.0, 1e-14); /* -int x y: m a b (1/16 - 1/20) */
}

static void
test_mass_of_round_shapes(void **state)
{
    (void)state;
    struct cn_shape_def ball = {.kind = CN_SHAPE_SPHERE};
    ball.sphere.radius = 2.0;
    struct cn_mass_properties m = cn_shape_mass(&ball, CN_SPATIAL, 3.0);
    assert_near(m.mass, 32.0 * CN_PI, 1e-13);
    assert_tensor(&m.inertia, 1.6 * m.mass, 1.6 * m.mass, 1.6 * m.mass, 1e-12);
    m = cn_shape_mass(&ball, CN_PLANAR, 3.0); /* a disc */
    assert_near(m.mass, 12.0 * CN_PI, 1e-13);

    /* By Simpson's rule over discs of radius s(y): m = pi s^2, about y m s^2 / 2, about x half of
     * that and m y^2. */
    const double r = 0.5, L = 1.5;
    const int slices = 100000;
    double top = 0.5 * L + r, h = 2.0 * top / slices, volume = 0.0, along = 0.0, across = 0.0;
    for (int i = 0; i <= slices; i++) {
        double y = -top + h * i, over = fmax(fabs(y) - 0.5 * L, 0.0);
        double ss = fmax(r * r - over * over, 0.0);
        double part = (i == 0 || i == slices ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) * h / 3.0;
        part *= CN_PI * ss;
        volume += part;
        along += part * ss / 2.0;
        across += part * (ss / 4.0 + y * y);
    }
    struct cn_shape_def capsule = {.kind = CN_SHAPE_CAPSULE};
    capsule.capsule.radius = r;
    capsule.capsule.length = L;
    m = cn_shape_mass(&capsule, CN_SPATIAL, 1.0);
    assert_near(m.mass, volume, 1e-9);
    assert_tensor(&m.inertia, across, along, across, 1e-9);
    capsule.capsule.length = 0.0;
    ball.sphere.radius = r;
    m = cn_shape_mass(&capsule, CN_SPATIAL, 1.0);
    struct cn_mass_properties same = cn_shape_mass(&ball, CN_SPATIAL, 1.0);
    assert_near(m.mass, same.mass, 1e-16);
    assert_tensor(&m.inertia, same.inertia.cx.x, same.inertia.cx.x, same.inertia.cx.x, 1e-16);
}

/* Two balls as points, at (+-3, +-4, 0): the sum has I = m d^2 across and the product m x y. */
static void
test_mass_sum(void **state)
{
    (void)state;
    struct cn_mass_properties part[2] = {
        {.mass = 2.0, .center = {3.0, 4.0, 1.0}}, {.mass = 2.0, .center = {-3.0, -4.0, 1.0}}};
    struct cn_mass_properties sum = cn_mass_properties_sum(part, 2);
    assert_near(sum.mass, 4.0, 0.0);
    assert_near(sum.center.z, 1.0, 0.0);
    assert_near(sum.inertia.cx.x, 64.0, 0.0);
    assert_near(sum.inertia.cy.y, 36.0, 0.0);
    assert_near(sum.inertia.cz.z, 100.0, 0.0);
    assert_near(sum.inertia.cx.y, -48.0, 0.0);
    assert_near(sum.inertia.cy.x, -48.0, 0.0);
    assert_near(sum.inertia.cz.x, 0.0, 0.0);
}

static void
test_bake(void **state)
{
    (void)state;
    static struct baked b;
    struct cn_shape_def def = box(4.0, 2.0, 6.0);
    def.position = (cn_vec3){3.0, 1.0, 2.0};
    bake(&b, &def, (cn_vec3){3.0, 1.0, 1.0});
    const struct cn_polytope *core = &b.shape.core;
    assert_int_equal(core->vertex_count, 8);
    assert_int_equal(core->face_count, 6);
    assert_int_equal(core->edge_count, 12);
    assert_near(b.shape.width, 2.0, 0.0);
    assert_near(b.shape.reach, sqrt(4.0 + 1.0 + 16.0), 1e-15);
    double offset_sum = 0.0;
    for (int i = 0; i < 6; i++) {
        cn_vec3 n = core->face[i].normal;
        assert_near(fabs(n.x) + fabs(n.y) + fabs(n.z), 1.0, 0.0);
        assert_near(core->face[i].offset, n.z != 0.0 ? n.z + 3.0 : n.x != 0.0 ? 2.0 : 1.0, 1e-15);
        offset_sum += core->face[i].offset;
    }
    assert_near(offset_sum, 12.0, 1e-15);
    const cn_pose turned = {{10.0, 0.0, 0.0}, cn_mat33_about_z(1.0, 0.0)};
    cn_aabb bounds = cn_shape_aabb(&b.shape, &turned, 0.5);
    assert_near(bounds.low.x, 8.5, 0.0);
    assert_near(bounds.high.y, 2.5, 0.0);
    assert_near(bounds.low.z, -2.5, 0.0);
    assert_near(bounds.high.z, 4.5, 0.0);

    struct cn_shape_def plane = {.kind = CN_SHAPE_PLANE};
    plane.plane.normal = (cn_vec3){0.0, 0.0, 1.0};
    plane.plane.offset = 0.5;
    plane.position.z = 2.0;
    bake(&b, &plane, (cn_vec3){0.0, 0.0, 0.0});
    assert_int_equal(b.shape.vertex_count, 0);
    assert_near(b.shape.core.face[0].offset, 2.5, 0.0);
    bounds = cn_shape_aabb(&b.shape, &turned, 0.25);
    assert_near(bounds.high.z, 2.75, 0.0);
    assert_true(bounds.low.z == -1e30 && bounds.high.x == 1e30 && bounds.low.y == -1e30);

    struct cn_shape_def capsule = {.kind = CN_SHAPE_CAPSULE};
    capsule.capsule.radius = 0.5;
    capsule.capsule.length = 2.0;
    capsule.orientation = quarter_about_z(); /* along y becomes along -x */
    bake(&b, &capsule, (cn_vec3){0.0, 0.0, 0.0});
    assert_int_equal(b.shape.core.edge_count, 1);
    assert_near(b.shape.core.vertex[0].x, 1.0, 1e-15);
    assert_near(b.shape.radius, 0.5, 0.0);
    assert_near(b.shape.reach, 1.5, 1e-15);
}

static void
assert_refused(const struct cn_shape_def *def, enum cn_dimension dimension, enum cn_status status,
    const char *path, const char *text)
{
    struct cn_defect defect = {0};
    assert_int_equal(cn_shape_check(def, dimension, &defect), status);
    assert_string_equal(defect.path, path);
    assert_string_equal(defect.text, text);
}

static void
test_refused(void **state)
{
    (void)state;
    struct cn_shape_def def = {.kind = CN_SHAPE_CIRCLE};
    assert_refused(
        &def, CN_SPATIAL, CN_DIMENSION, "circle", "is of PLANAR worlds; a SPATIAL one has sphere");
    def.kind = CN_SHAPE_POLYGON;
    assert_refused(
        &def, CN_SPATIAL, CN_DIMENSION, "polygon", "is of PLANAR worlds; a SPATIAL one has hull");
    def.kind = CN_SHAPE_HULL;
    assert_refused(
        &def, CN_PLANAR, CN_DIMENSION, "hull", "is of SPATIAL worlds; a PLANAR one has polygon");
    assert_refused(
        &def, CN_SPATIAL, CN_LIMIT, "hull.vertices", "has 0 entries; a hull is of 4 to 256 points");

    def = box(1.0, 1.0, 0.0);
    assert_refused(
        &def, CN_SPATIAL, CN_RANGE, "box.size.z", "is 0; a size is from 0.001 to 2000 m");
    assert_int_equal(cn_shape_check(&def, CN_PLANAR, NULL), CN_OK);
    def = box(1.0, 1.0, 1.0);
    def.angle = 1.0;
    assert_refused(&def, CN_SPATIAL, CN_DIMENSION, "angle",
        "is of PLANAR worlds; in a SPATIAL one a shape has an orientation");
    def.angle = 0.0;
    def.orientation.w = 2.0;
    assert_refused(&def, CN_SPATIAL, CN_GEOMETRY, "orientation",
        "has norm 2; an orientation is a unit quaternion, e.g. {w: 1}");
    assert_refused(&def, CN_PLANAR, CN_DIMENSION, "orientation",
        "is of SPATIAL worlds; in a PLANAR one a shape has an angle");
    def = box(1.0, 1.0, 1.0);
    def.density = -1.0;
    assert_refused(
        &def, CN_SPATIAL, CN_RANGE, "density", "is -1; a density is from 0 to 1000000 kg/m^3");

    const cn_vec3 sliver[] = {
        {0.0, 0.0, 0.0}, {2.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, {0.0, 0.0, 1.5e-3}};
    struct cn_shape_def hull = {.kind = CN_SHAPE_HULL};
    hull.hull.vertices = sliver;
    hull.hull.vertex_count = 4;
    assert_refused(&hull, CN_SPATIAL, CN_GEOMETRY, "hull.vertices",
        "span a sliver 0.0015 m thick; a hull of this diameter is at least 0.00283 m thick");
    const cn_vec3 wild[] = {
        {0.0, 0.0, 0.0}, {2.0, 0.0, 0.0}, {0.0, (double)NAN, 0.0}, {0.0, 0.0, 1.0}};
    hull.hull.vertices = wild;
    struct cn_defect defect = {0};
    assert_int_equal(cn_shape_check(&hull, CN_SPATIAL, &defect), CN_FINITE);
    assert_string_equal(defect.path, "hull.vertices[2].y");

    struct cn_shape_def plane = {.kind = CN_SHAPE_PLANE};
    plane.plane.normal = (cn_vec3){0.0, 0.6, 0.7};
    assert_int_equal(cn_shape_check(&plane, CN_SPATIAL, &defect), CN_GEOMETRY);
    plane.plane.normal.z = 0.8;
    assert_int_equal(cn_shape_check(&plane, CN_SPATIAL, &defect), CN_OK);
    assert_int_equal(cn_shape_check(&plane, CN_PLANAR, &defect), CN_GEOMETRY);
}

/* One of every kind that has numbers of its own. */
static int
some_of_all(struct cn_shape_def *def, const cn_vec3 *points)
{
    for (int kind = 0; kind < CN_SHAPE_KIND_COUNT; kind++) {
        def[kind] = (struct cn_shape_def){.kind = (enum cn_shape_kind)kind, .density = 1.0};
    }
    def[CN_SHAPE_CIRCLE].circle.radius = def[CN_SHAPE_SPHERE].sphere.radius = 0.5;
    def[CN_SHAPE_CAPSULE].capsule.radius = def[CN_SHAPE_CAPSULE].capsule.length = 0.5;
    def[CN_SHAPE_BOX].box.size = (cn_vec3){1.0, 2.0, 3.0};
    def[CN_SHAPE_PLANE].plane.normal = (cn_vec3){0.0, 1.0, 0.0};
    def[CN_SHAPE_POLYGON].polygon.vertices = def[CN_SHAPE_HULL].hull.vertices = points;
    def[CN_SHAPE_POLYGON].polygon.vertex_count = def[CN_SHAPE_HULL].hull.vertex_count = 4;
    def[CN_SHAPE_OUTLINE].boundary.points = def[CN_SHAPE_CHAIN].boundary.points = points;
    def[CN_SHAPE_OUTLINE].boundary.point_count = def[CN_SHAPE_CHAIN].boundary.point_count = 4;
    return CN_SHAPE_KIND_COUNT;
}

/* Shapes are equal if their numbers are equal, wherever their points are stored. */
static void
test_alike(void **state)
{
    (void)state;
    const cn_vec3 points[4] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    cn_vec3 again[4], other[4];
    memcpy(again, points, sizeof(points));
    memcpy(other, points, sizeof(points));
    other[3].z = 2.0;
    struct cn_shape_def a[CN_SHAPE_KIND_COUNT], b[CN_SHAPE_KIND_COUNT], c[CN_SHAPE_KIND_COUNT];
    int count = some_of_all(a, points);
    some_of_all(b, again);
    some_of_all(c, other);
    c[CN_SHAPE_CIRCLE].circle.radius = c[CN_SHAPE_SPHERE].sphere.radius = 0.25;
    c[CN_SHAPE_CAPSULE].capsule.length = 0.25;
    c[CN_SHAPE_BOX].box.size.z = 1.0;
    c[CN_SHAPE_PLANE].plane.offset = 1.0;
    c[CN_SHAPE_MESH].mesh.index = 1;
    for (int i = 0; i < count; i++) {
        b[i].material = 3;
        b[i].hit_events = true;
        for (int k = 0; k < count; k++) {
            assert_int_equal(cn_shape_def_is_alike(&a[i], &b[k]), i == k);
            assert_false(cn_shape_def_is_alike(&a[i], &c[k]));
        }
        struct cn_shape_def moved = a[i];
        moved.position.x = 1.0;
        assert_false(cn_shape_def_is_alike(&a[i], &moved));
        moved = a[i];
        moved.angle = 1.0;
        assert_false(cn_shape_def_is_alike(&a[i], &moved));
        moved = a[i];
        moved.orientation = quarter_about_z();
        assert_false(cn_shape_def_is_alike(&a[i], &moved));
        moved = a[i];
        moved.density = 2.0; /* moves a body's centre of mass */
        assert_false(cn_shape_def_is_alike(&a[i], &moved));
        moved = a[i];
        moved.sensor = true; /* has no mass */
        assert_false(cn_shape_def_is_alike(&a[i], &moved));
    }
}

static void
test_alike_lends(void **state)
{
    (void)state;
    struct cn_shape_def def = box(1.0, 2.0, 3.0);
    struct baked baked;
    bake(&baked, &def, (cn_vec3){0.5, 0.0, 0.0});
    def.material = 7;
    def.contact_events = true;
    struct cn_shape shape;
    cn_shape_bake_alike(&def, 9, &baked.shape, &shape);
    assert_int_equal(shape.body, 9);
    assert_int_equal(shape.material, 7);
    assert_true(shape.contact_events);
    assert_ptr_equal(shape.core.vertex, baked.vertex);
    assert_near(shape.reach, baked.shape.reach, 0.0);
    assert_int_equal(baked.shape.body, 3);
    assert_int_equal(baked.shape.material, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mass_of_box_and_hull),
        cmocka_unit_test(test_mass_of_round_shapes),
        cmocka_unit_test(test_mass_sum),
        cmocka_unit_test(test_bake),
        cmocka_unit_test(test_alike),
        cmocka_unit_test(test_alike_lends),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
