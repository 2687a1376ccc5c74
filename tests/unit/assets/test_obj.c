/* test_obj.c: texts with a known surface or a known error. */
#include "assets/obj.h"
#include "assets/polygon.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void
expect_triangle(const struct as_surface *surface, int i, int a, int b, int c)
{
    assert_true(i < surface->triangle_count);
    assert_int_equal(surface->triangle[i][0], a);
    assert_int_equal(surface->triangle[i][1], b);
    assert_int_equal(surface->triangle[i][2], c);
}

static void
faces_are_read_in_every_form(void **state)
{
    (void)state;
    static const char text[] = "# a square\r\nmtllib x.mtl\no square\n"
                               "v 0 0 0\nv 1 0 0 1.0\nv 1 1 0 0.5 0.5 0.5\n\tv  0 1e0  -0.0  \n"
                               "vt 0 0\nvn 0 0 1\ng all\ns off\nusemtl red\n"
                               "f 1 2/1 3//1\nf -4/1/1 -2 -1";
    struct as_surface surface;
    struct cn_defect defect = {0};
    assert_int_equal(as_obj_read(text, sizeof(text) - 1, &surface, &defect), CN_OK);
    assert_int_equal(surface.vertex_count, 4);
    assert_true(surface.vertex[3].y == 1.0);
    assert_int_equal(surface.triangle_count, 2);
    expect_triangle(&surface, 0, 0, 1, 2);
    expect_triangle(&surface, 1, 0, 2, 3);
    as_surface_finish(&surface);
}

/* A cube of quadrangles makes a mesh of volume 8. */
static void
a_cube_of_quadrangles_is_a_mesh(void **state)
{
    (void)state;
    static const char text[] =
        "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
        "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 1 5 8 4\n";
    struct as_surface surface;
    struct cn_defect defect = {0};
    assert_int_equal(as_obj_read(text, sizeof(text) - 1, &surface, &defect), CN_OK);
    assert_int_equal(surface.triangle_count, 12);
    struct cn_mesh_def def = as_surface_def(&surface);
    struct cn_mesh *mesh = NULL;
    assert_int_equal(cn_mesh_make(&def, &mesh, &defect), CN_OK);
    assert_true(fabs(mesh->volume.volume - 8.0) < 1e-14);
    assert_int_equal(mesh->mending.turned_triangles, 0);
    cn_mesh_drop(mesh);
    as_surface_finish(&surface);
}

/* Twice the area of a triangle of the plane z = 0, seen from above. */
static double
turn(const cn_vec3 *vertex, const int32_t *t)
{
    cn_vec3 a = vertex[t[0]], b = vertex[t[1]], c = vertex[t[2]];
    return cn_vec3_cross(cn_vec3_sub(b, a), cn_vec3_sub(c, a)).z;
}

/* An L and a comb: all triangles turn the polygon's way, and their areas are the polygon's. */
static void
hollow_polygons_are_parted_within(void **state)
{
    (void)state;
    static const cn_vec3 ell[] = {
        {0, 0, 0}, {3, 0, 0}, {3, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
    static const cn_vec3 comb[] = {{0, 0, 0}, {5, 0, 0}, {5, 3, 0}, {4, 3, 0}, {4, 1, 0}, {3, 1, 0},
        {3, 3, 0}, {2, 3, 0}, {2, 1, 0}, {1, 1, 0}, {1, 3, 0}, {0, 3, 0}};
    const struct {
        const cn_vec3 *vertex;
        int count;
        double area;
    } cases[] = {{ell, 6, 4.0}, {comb, 12, 11.0}};
    for (int i = 0; i < 2; i++) {
        int32_t corner[12], triangle[12][3];
        for (int first = 0; first < cases[i].count; first++) {
            double area = 0.0;
            for (int k = 0; k < cases[i].count; k++) {
                corner[k] = (first + k) % cases[i].count;
            }
            as_polygon_part(cases[i].vertex, corner, cases[i].count, triangle);
            for (int k = 0; k < cases[i].count - 2; k++) {
                const int32_t t[3] = {corner[triangle[k][0]], corner[triangle[k][1]],
                    corner[triangle[k][2]]};
                assert_true(turn(cases[i].vertex, t) >= 0.0);
                area += 0.5 * turn(cases[i].vertex, t);
            }
            assert_true(fabs(area - cases[i].area) < 1e-14);
        }
    }
}

static void
what_is_wrong_is_said_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *path, *word;
        enum cn_status status;
    } cases[] = {
        {"v 0 0\n", "line 1", "v x y z", CN_SYNTAX},
        {"\n\nv 0 0 nan\n", "line 3", "nan", CN_SYNTAX},
        {"v 0 0 0x10\n", "line 1", "0x10", CN_SYNTAX},
        {"v 0 0 1e999\n", "line 1", "1e999", CN_SYNTAX},
        {"v 1 2 3 4 5 6 7 8\n", "line 1", "8", CN_SYNTAX},
        {"v 0 0 0\nv 1 0 0\nf 1 2\n", "line 3", "three corners", CN_SYNTAX},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "line 4", "\"4\"", CN_REFERENCE},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", "line 4", "\"-4\"", CN_REFERENCE},
        {"v 0 0 0\nf 0 1 1\n", "line 2", "\"0\"", CN_REFERENCE},
        {"v 0 0 0\nf 1 1 99999999999999999999\n", "line 2", "999", CN_REFERENCE},
        {"v 0 0 0\nl 1 1\n", "line 2", "\"l\"", CN_SYNTAX},
        {"curv 0 1\n", "line 1", "curv", CN_SYNTAX},
        {"v 0 0 0\n", "faces", "none", CN_SYNTAX},
        {"", "faces", "none", CN_SYNTAX},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct as_surface surface;
        struct cn_defect defect = {0};
        enum cn_status status =
            as_obj_read(cases[i].text, strlen(cases[i].text), &surface, &defect);
        assert_int_equal(status, cases[i].status);
        assert_string_equal(defect.path, cases[i].path);
        assert_non_null(strstr(defect.text, cases[i].word));
        as_surface_finish(&surface);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_are_read_in_every_form),
        cmocka_unit_test(a_cube_of_quadrangles_is_a_mesh),
        cmocka_unit_test(hollow_polygons_are_parted_within),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
