/*
 * test_hull.c: hulls with answers known by hand, hulls of points on a grid and on a ball, and
 * refused points.
 *
 * Laws for all hulls: every point is inside all faces.  The corners of a face lie on it.  The
 * surface is closed: Euler's formula holds, and every edge is between two faces.  The volume does
 * not depend on the order of the points.
 */
#include "engine/base/rng.h"
#include "engine/math/scalar.h"
#include "engine/math/trig.h"
#include "engine/shape/hull_build.h"
#include "engine/mesh/mass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/near.h"

struct solid {
    struct cn_hull hull;
    struct cn_polytope core;
    cn_vec3 vertex[CN_HULL_VERTICES_MAX];
    struct cn_edge edge[CN_HULL_EDGES_MAX];
    struct cn_face face[CN_HULL_FACES_MAX];
    struct cn_corner corner[2 * CN_HULL_EDGES_MAX];
};

static double
volume_of(const struct cn_polytope *core)
{
    int triangle[2 * CN_HULL_EDGES_MAX][3], count = 0;
    for (int i = 0; i < core->face_count; i++) {
        const struct cn_corner *corner = &core->corner[core->face[i].corner_first];
        for (int k = 1; k + 1 < core->face[i].corner_count; k++, count++) {
            triangle[count][0] = corner[0].vertex;
            triangle[count][1] = corner[k].vertex;
            triangle[count][2] = corner[k + 1].vertex;
        }
    }
    return cn_mesh_volume(core->vertex, (const int(*)[3])triangle, count).volume;
}

/* Builds, and holds the laws of the file's header. */
static void
build(struct solid *solid, const cn_vec3 *points, int count, double size)
{
    struct cn_defect defect = {0};
    if (cn_hull_build(points, count, "hull", &solid->hull, &defect) != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
    struct cn_polytope_store store = {solid->vertex, solid->edge, solid->face, solid->corner};
    const cn_pose still = {{0.0, 0.0, 0.0}, cn_mat33_diagonal(1.0, 1.0, 1.0)};
    cn_polytope_make(&solid->hull, &still, &store, &solid->core);
    const struct cn_polytope *core = &solid->core;
    assert_int_equal(core->vertex_count - core->edge_count + core->face_count, 2);
    assert_int_equal(core->corner_count, 2 * core->edge_count);
    for (int i = 0; i < core->face_count; i++) {
        const struct cn_face *face = &core->face[i];
        assert_true(face->corner_count >= 3);
        assert_near(cn_vec3_length(face->normal), 1.0, 1e-14);
        for (int k = 0; k < count; k++) {
            assert_true(cn_vec3_dot(face->normal, points[k]) <= face->offset + 1e-6 * size);
        }
        for (int k = 0; k < face->corner_count; k++) {
            const struct cn_corner *corner = &core->corner[face->corner_first + k];
            const struct cn_edge *edge = &core->edge[corner->edge];
            cn_vec3 v = core->vertex[corner->vertex];
            assert_near(cn_vec3_dot(face->normal, v), face->offset, 1e-6 * size);
            assert_near(cn_vec3_dot(face->normal, corner->side), 0.0, 1e-6);
            assert_true(edge->left != edge->right && (edge->left == i || edge->right == i));
            assert_int_equal(corner->vertex, edge->left == i ? edge->tail : edge->head);
            assert_true(cn_polytope_beyond(core, i, v) <= 1e-9 * size);
        }
    }
}

static int
cube(cn_vec3 *points)
{
    for (int i = 0; i < 8; i++) {
        points[i] = cn_vec3_make(i & 1, i >> 1 & 1, i >> 2 & 1);
    }
    return 8;
}

static void
test_cube(void **state)
{
    (void)state;
    static struct solid solid;
    cn_vec3 points[8];
    build(&solid, points, cube(points), 1.7);
    assert_int_equal(solid.core.vertex_count, 8);
    assert_int_equal(solid.core.face_count, 6);
    assert_int_equal(solid.core.edge_count, 12);
    assert_near(volume_of(&solid.core), 1.0, 1e-15);
    assert_near(cn_polytope_thickness(&solid.core), 1.0, 1e-15);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(solid.core.face[i].corner_count, 4);
        cn_vec3 n = solid.core.face[i].normal;
        assert_near(fabs(n.x) + fabs(n.y) + fabs(n.z), 1.0, 0.0);
    }
}

/* Points of a 4 x 4 x 4 grid, each twice and turned by an angle that no grid knows: still a cube.
 */
static void
test_full_grid(void **state)
{
    (void)state;
    static struct solid solid;
    cn_vec3 points[128];
    double s, c;
    cn_sin_cos(0.7, &s, &c);
    for (int i = 0; i < 128; i++) {
        double x = i & 3, y = i >> 2 & 3, z = i >> 4 & 3;
        points[i] = cn_vec3_make(c * x - s * y, s * x + c * y, 0.6 * z + 10.0);
    }
    build(&solid, points, 128, 6.0);
    assert_int_equal(solid.core.vertex_count, 8);
    assert_int_equal(solid.core.face_count, 6);
    assert_near(volume_of(&solid.core), 9.0 * 1.8, 1e-12);
}

/* A truncated cube: an octahedron's corners cut off a cube at a third: 24 corners, 14 faces. */
static void
test_truncated_cube(void **state)
{
    (void)state;
    static struct solid solid;
    cn_vec3 points[24];
    int count = 0;
    for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < 8; i++) {
            double v[3] = {i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0};
            v[axis] /= 3.0;
            points[count++] = cn_vec3_make(v[0], v[1], v[2]);
        }
    }
    build(&solid, points, count, 3.5);
    assert_int_equal(solid.core.vertex_count, 24);
    assert_int_equal(solid.core.face_count, 14);
    assert_int_equal(solid.core.edge_count, 36);
    /* 8 less 8 corner tetrahedra of legs 2/3 */
    assert_near(volume_of(&solid.core), 8.0 - 8.0 * (8.0 / 27.0) / 6.0, 1e-14);
}

static int
ball(cn_vec3 *points, struct cn_rng *rng, int count)
{
    for (int i = 0; i < count;) {
        double x = cn_rng_uniform(rng, -1.0, 1.0), y = cn_rng_uniform(rng, -1.0, 1.0);
        cn_vec3 v = cn_vec3_make(x, y, cn_rng_uniform(rng, -1.0, 1.0));
        double length = cn_vec3_length(v);
        if (length > 0.1 && length < 1.0) {
            points[i++] = cn_vec3_scale(v, 1.0 / length);
        }
    }
    return count;
}

/* Points on a ball are all corners, whatever their order, and all faces are triangles. */
static void
test_ball(void **state)
{
    (void)state;
    static struct solid solid;
    struct cn_rng rng = {.state = 5};
    for (int n = 4; n <= 64; n += 4) {
        cn_vec3 points[64];
        ball(points, &rng, n);
        build(&solid, points, n, 2.0);
        assert_int_equal(solid.core.vertex_count, n);
        assert_int_equal(solid.core.face_count, 2 * n - 4);
        double volume = volume_of(&solid.core);
        for (int i = n - 1; i > 0; i--) {
            int k = (int)cn_rng_uniform(&rng, 0.0, (double)i);
            cn_vec3 swap = points[i];
            points[i] = points[k];
            points[k] = swap;
        }
        build(&solid, points, n, 2.0);
        assert_near(volume_of(&solid.core), volume, 1e-14);
    }
}

/* A prism on a regular polygon, with its side faces exactly upright: 32 corners above and below. */
static void
test_prism(void **state)
{
    (void)state;
    static struct solid solid;
    cn_vec3 points[64];
    for (int i = 0; i < 64; i++) {
        double s, c;
        cn_sin_cos(2.0 * CN_PI / 32.0 * (i / 2), &s, &c);
        points[i] = cn_vec3_make(c, i % 2, s);
    }
    build(&solid, points, 64, 2.0);
    assert_int_equal(solid.core.vertex_count, 64);
    assert_int_equal(solid.core.face_count, 34);
    double s, c;
    cn_sin_cos(2.0 * CN_PI / 32.0, &s, &c);
    assert_near(volume_of(&solid.core), 16.0 * s, 1e-13);
}

/* Coarse random grids: coplanar, collinear and double points are the rule. */
static void
test_coarse_points(void **state)
{
    (void)state;
    static struct solid solid;
    struct cn_rng rng = {.state = 77};
    int built = 0;
    for (int trial = 0; trial < 2000; trial++) {
        cn_vec3 points[40];
        int n = 4 + (int)cn_rng_uniform(&rng, 0.0, 36.0);
        double noise = trial % 3 == 0 ? 0.0 : trial % 3 == 1 ? 1e-12 : 3e-7;
        for (int i = 0; i < n; i++) {
            double v[3];
            for (int k = 0; k < 3; k++) {
                v[k] = floor(cn_rng_uniform(&rng, 0.0, 4.0)) + noise * cn_rng_uniform(&rng, -1, 1);
            }
            points[i] = cn_vec3_make(v[0], v[1], v[2]);
        }
        struct cn_defect defect;
        if (cn_hull_build(points, n, "", &solid.hull, &defect) == CN_OK) {
            build(&solid, points, n, 5.0);
            built++;
        }
    }
    assert_true(built > 1900); /* the rest is flat: four points in one plane */
}

static void
assert_refused(const cn_vec3 *points, int count, enum cn_status status, const char *text)
{
    struct cn_hull hull;
    struct cn_defect defect = {0};
    assert_int_equal(cn_hull_build(points, count, "hull.vertices", &hull, &defect), status);
    assert_string_equal(defect.path, "hull.vertices");
    assert_string_equal(defect.text, text);
    assert_int_equal(cn_hull_build(points, count, "hull.vertices", &hull, NULL), status);
}

static void
test_refused(void **state)
{
    (void)state;
    cn_vec3 points[128] = {{0.0, 0.0, 0.0}};
    assert_refused(points, 3, CN_LIMIT, "has 3 entries; a hull is of 4 to 256 points");
    assert_refused(points, 5, CN_GEOMETRY, "lie in one place, up to 0 m; a hull has a volume");
    for (int i = 0; i < 5; i++) {
        points[i] = cn_vec3_make(i, 2.0 * i, 2.0 * i);
    }
    assert_refused(points, 5, CN_GEOMETRY, "lie on one line, up to 1.2e-06 m; a hull has a volume");
    points[4] = cn_vec3_make(12.0, 0.0, 0.0);
    points[3] = cn_vec3_make(4.0, 0.0, 0.0);
    assert_refused(
        points, 5, CN_GEOMETRY, "lie in one plane, up to 1.33e-06 m; a hull has a volume");
    struct cn_rng rng = {.state = 9};
    assert_refused(points, ball(points, &rng, 65), CN_LIMIT, "have a hull of more than 64 corners");
    assert_refused(
        points, ball(points, &rng, 128), CN_LIMIT, "have a hull of more than 64 corners");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cube),
        cmocka_unit_test(test_full_grid),
        cmocka_unit_test(test_truncated_cube),
        cmocka_unit_test(test_ball),
        cmocka_unit_test(test_prism),
        cmocka_unit_test(test_coarse_points),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
