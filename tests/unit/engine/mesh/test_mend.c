/*
 * test_mend.c: defects of a surface that are mended, and defects that are refused, with the words.
 */
#include "engine/mesh/mesh.h"
#include "tests/support/mesh/meshes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/support/near.h"

static struct raw_mesh raw;

static const cn_vec3 zero = {0, 0, 0}, one = {1, 1, 1};

static void
cube(void)
{
    memset(&raw, 0, sizeof(raw));
    raw_box(&raw, zero, one);
}

static struct cn_mesh *
make(void)
{
    struct cn_mesh_def def = raw_def(&raw);
    struct cn_mesh *mesh = NULL;
    struct cn_defect defect = {0};
    if (cn_mesh_make(&def, &mesh, &defect) != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
    return mesh;
}

static void
expect_refusal(const struct cn_mesh_def *def, enum cn_status status, const char *path,
    const char *word)
{
    struct cn_mesh *mesh = NULL;
    struct cn_defect defect = {0};
    assert_int_equal(cn_mesh_make(def, &mesh, &defect), status);
    assert_null(mesh);
    assert_string_equal(defect.path, path);
    if (strstr(defect.text, word) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", defect.text, word);
    }
    /* Without a place for words it is refused all the same. */
    assert_int_equal(cn_mesh_make(def, &mesh, NULL), status);
}

static void
refuse(enum cn_status status, const char *path, const char *word)
{
    struct cn_mesh_def def = raw_def(&raw);
    expect_refusal(&def, status, path, word);
}

static void
equal_vertices_become_one(void **state)
{
    (void)state;
    cube();
    struct raw_mesh whole = raw;
    raw.vertex_count = 0;
    for (int i = 0; i < 12; i++) {
        for (int k = 0; k < 3; k++) {
            raw.vertex[raw.vertex_count] = whole.vertex[whole.triangle[i][k]];
            raw.vertex[raw.vertex_count].x *= raw.vertex_count % 2 == 0 ? 1.0 : -1.0;
            raw.vertex[raw.vertex_count].x = fabs(raw.vertex[raw.vertex_count].x);
            raw.triangle[i][k] = raw.vertex_count++;
        }
    }
    raw.vertex[1].y = raw.vertex[1].y == 0.0 ? -0.0 : raw.vertex[1].y; /* the same place */
    struct cn_mesh *mesh = make();
    assert_int_equal(mesh->vertex_count, 8);
    assert_int_equal(mesh->mending.merged_vertices, 28);
    assert_near(mesh->volume.volume, 1.0, 1e-15);
    cn_mesh_drop(mesh);
}

static void
turned_triangles_are_turned_back(void **state)
{
    (void)state;
    static const int turned[][12] = {{3, -1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
    static const int expect[] = {1, 12};
    for (int i = 0; i < 2; i++) {
        cube();
        for (int k = 0; k < 12 && turned[i][k] >= 0 && (k == 0 || turned[i][k] > 0); k++) {
            int32_t *t = raw.triangle[turned[i][k]], old = t[0];
            t[0] = t[1];
            t[1] = old;
        }
        struct cn_mesh *mesh = make();
        assert_int_equal(mesh->mending.turned_triangles, expect[i]);
        assert_near(mesh->volume.volume, 1.0, 1e-15);
        cn_mesh_drop(mesh);
    }
}

static void
doubled_and_flat_triangles_go(void **state)
{
    (void)state;
    cube();
    const int32_t more[3][3] = {{3, 1, 0}, {2, 2, 5}, {7, 6, 6}};
    memcpy(raw.triangle[12], raw.triangle[4], sizeof(raw.triangle[4])); /* one that is there */
    memcpy(raw.triangle[13], more[1], 2 * sizeof(more[1]));
    raw.triangle_count = 15;
    raw.vertex[raw.vertex_count++] = (cn_vec3){5, 5, 5}; /* of no triangle */
    struct cn_mesh *mesh = make();
    assert_int_equal(mesh->triangle_count, 12);
    assert_int_equal(mesh->mending.dropped_triangles, 3);
    assert_int_equal(mesh->mending.unused_vertices, 1);
    assert_near(mesh->bounds.high.x, 1.0, 0.0);
    cn_mesh_drop(mesh);
}

/* A vertex amid an edge, which one of its faces does not know: a flat triangle fills the gap. */
static void
a_triangle_on_one_line_is_flipped(void **state)
{
    (void)state;
    cube();
    int32_t *t = raw.triangle[0];
    int32_t a = t[0], b = t[1], c = t[2], middle = raw.vertex_count++;
    raw.vertex[middle] = cn_vec3_scale(cn_vec3_add(raw.vertex[a], raw.vertex[b]), 0.5);
    const int32_t parts[3][3] = {{a, middle, c}, {middle, b, c}, {a, b, middle}};
    memcpy(t, parts[0], sizeof(parts[0]));
    memcpy(raw.triangle[12], parts[1], 2 * sizeof(parts[1]));
    raw.triangle_count = 14;
    struct cn_mesh *mesh = make();
    assert_int_equal(mesh->triangle_count, 14);
    assert_int_equal(mesh->edge_count, 21);
    assert_int_equal(mesh->mending.dropped_triangles, 1);
    assert_near(mesh->volume.volume, 1.0, 1e-15);
    for (int i = 0; i < mesh->triangle_count; i++) {
        assert_near(cn_vec3_length(mesh->triangle_normal[i]), 1.0, 1e-15);
    }
    for (int i = 0; i < mesh->edge_count; i++) {
        const struct cn_mesh_edge *edge = &mesh->edge[i];
        int k = 0;
        while (mesh->triangle_edge[edge->left][k] != i) {
            assert_true(++k < 3);
        }
        assert_int_equal(mesh->triangle[edge->left][k], edge->tail);
        assert_int_equal(mesh->triangle[edge->left][(k + 1) % 3], edge->head);
    }
    cn_mesh_drop(mesh);
}

static void
cavities_are_hollow(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        cube();
        raw_box(&raw, (cn_vec3){0.25, 0.25, 0.25}, (cn_vec3){0.75, 0.75, 0.75});
        raw_box(&raw, (cn_vec3){0.4, 0.4, 0.4}, (cn_vec3){0.6, 0.6, 0.6});
        for (int i = 12; i < 24 && turned == 1; i++) {
            int32_t old = raw.triangle[i][0];
            raw.triangle[i][0] = raw.triangle[i][1];
            raw.triangle[i][1] = old;
        }
        struct cn_mesh *mesh = make();
        assert_near(mesh->volume.volume, 1.0 - 0.125 + 0.008, 1e-15);
        assert_int_equal(mesh->mending.turned_triangles, turned == 1 ? 0 : 12);
        assert_near(cn_mesh_distance(mesh, (cn_vec3){0.5, 0.5, 0.5}), -0.1, 1e-15);
        assert_near(cn_mesh_distance(mesh, (cn_vec3){0.5, 0.5, 0.3}), 0.05, 1e-15);
        assert_near(cn_mesh_distance(mesh, (cn_vec3){0.5, 0.5, 0.1}), -0.1, 1e-15);
        cn_mesh_drop(mesh);
    }
}

static void
holes_and_seams_are_refused(void **state)
{
    (void)state;
    cube();
    raw.triangle_count--;
    refuse(CN_GEOMETRY, "triangles[4]", "from vertex 1 to 5 that 1 triangle has; there is a");

    cube(); /* two cubes with one edge in common */
    raw_box(&raw, (cn_vec3){1, 1, 0}, (cn_vec3){2, 2, 1});
    refuse(CN_GEOMETRY, "triangles[7]", "4 triangles have");

    cube(); /* two cubes that overlap */
    raw_box(&raw, (cn_vec3){0.5, 0.3, 0.2}, (cn_vec3){1.5, 1.3, 1.2});
    refuse(CN_GEOMETRY, "triangles[16]", "passes through itself");
}

/* A ring that is closed after turning over: it has one side. */
static void
a_bottle_of_klein_is_refused(void **state)
{
    (void)state;
    raw_torus(&raw, 1.0, 0.3, 8, 8);
    for (int i = 0; i < raw.triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            int32_t v = raw.triangle[i][k];
            if (i >= 7 * 16 && v < 8) { /* the last part of the ring, at its end */
                raw.triangle[i][k] = (8 - v) % 8;
            }
        }
    }
    struct cn_mesh_def def = raw_def(&raw);
    struct cn_mesh *mesh = NULL;
    struct cn_defect defect = {0};
    assert_int_equal(cn_mesh_make(&def, &mesh, &defect), CN_GEOMETRY);
    assert_non_null(strstr(defect.text, "both of its sides"));
}

static void
numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    struct cn_mesh_def def;
    cube();
    raw.vertex[3].y = (double)NAN;
    refuse(CN_FINITE, "vertices[3]", "finite");
    raw.vertex[3].y = 1e9;
    refuse(CN_RANGE, "vertices[3]", "2000");
    cube();
    raw.triangle[5][1] = 8;
    refuse(CN_REFERENCE, "triangles[5]", "vertex 8; there are 8");
    raw.triangle[5][1] = -1;
    refuse(CN_REFERENCE, "triangles[5]", "vertex -1");
    cube();
    def = raw_def(&raw);
    def.scale = 1e-6;
    expect_refusal(&def, CN_RANGE, "vertices", "span");
    def.scale = -1.0;
    expect_refusal(&def, CN_RANGE, "scale", "above 0");
    def.scale = 1.0;
    def.resolution = 7;
    expect_refusal(&def, CN_RANGE, "resolution", "8 to 256");
    def.resolution = 0;
    def.triangle_count = 3;
    expect_refusal(&def, CN_LIMIT, "triangles", "4 to");
    def.triangle_count = 12;
    def.vertex_count = CN_MESH_VERTICES_MAX + 1;
    expect_refusal(&def, CN_LIMIT, "vertices", "65536");
}

static void
what_has_no_inside_is_refused(void **state)
{
    (void)state;
    memset(&raw, 0, sizeof(raw)); /* a box without height */
    raw_box(&raw, zero, (cn_vec3){1, 1, 0});
    refuse(CN_GEOMETRY, "triangles", "at least 4");
    memset(&raw, 0, sizeof(raw));
    raw_box(&raw, zero, (cn_vec3){1, 1, 1e-11});
    refuse(CN_GEOMETRY, "triangles[7]", "on one line");
    memset(&raw, 0, sizeof(raw));
    raw_box(&raw, zero, (cn_vec3){1, 1, 0.01});
    struct cn_mesh_def def = raw_def(&raw);
    def.resolution = 16;
    expect_refusal(&def, CN_GEOMETRY, "triangles", "thin");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_vertices_become_one),
        cmocka_unit_test(turned_triangles_are_turned_back),
        cmocka_unit_test(doubled_and_flat_triangles_go),
        cmocka_unit_test(a_triangle_on_one_line_is_flipped),
        cmocka_unit_test(cavities_are_hollow),
        cmocka_unit_test(holes_and_seams_are_refused),
        cmocka_unit_test(a_bottle_of_klein_is_refused),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(what_has_no_inside_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
