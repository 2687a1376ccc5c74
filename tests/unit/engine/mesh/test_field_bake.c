/*
 * test_field_bake.c: baked fields against the distance to every triangle, and their stated error.
 */
#include "engine/mesh/mesh.h"
#include "tests/support/mesh/brute_distance.h"
#include "tests/support/mesh/bumpy.h"
#include "tests/support/mesh/meshes.h"
#include "tests/support/near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define B CN_FIELD_BRICK

static struct raw_mesh raw;
static uint32_t random_state;

static double
random_between(double low, double high)
{
    random_state = random_state * 1664525u + 1013904223u;
    return low + (high - low) * (double)(random_state >> 8) / 16777216.0;
}

/* A star of sharp points, pushed up: edges of 20 degrees, and deep notches. */
static void
raw_star(void)
{
    double outline[14][2];
    for (int i = 0; i < 14; i++) {
        double r = i % 2 == 0 ? 1.0 : 0.35, a = CN_PI * i / 7.0;
        outline[i][0] = r * cos(a);
        outline[i][1] = r * sin(a);
    }
    raw_prism(&raw, (const double(*)[2])outline, 14, 0.5);
    /* The caps are fans from the middle, because the first point does not see all the others. */
    raw.triangle_count = 28;
    for (int top = 0; top < 2; top++) {
        raw.vertex[raw.vertex_count] = cn_vec3_make(0.0, 0.0, top == 0 ? 0.0 : 0.5);
        for (int i = 0; i < 14; i++) {
            int next = (i + 1) % 14;
            const int32_t cap[3] = {raw.vertex_count, 14 * top + (top == 0 ? next : i),
                14 * top + (top == 0 ? i : next)};
            memcpy(raw.triangle[raw.triangle_count++], cap, sizeof(cap));
        }
        raw.vertex_count++;
    }
}

enum shape { BOX, ELL, RING, STAR, BUMPY, WEDGE, SHAPES };

static void
raw_shape(enum shape shape)
{
    static const double wedge[3][2] = {{0.0, 0.0}, {2.0, 0.0}, {2.0, 0.35}};
    raw.vertex_count = raw.triangle_count = 0;
    switch (shape) {
    case BOX: raw_box(&raw, cn_vec3_make(-1.0, -0.5, -0.25), cn_vec3_make(1.0, 0.5, 0.25)); break;
    case ELL: raw_ell(&raw); break;
    case RING: raw_torus(&raw, 1.0, 0.3, 16, 10); break;
    case STAR: raw_star(); break;
    case BUMPY:
        bumpy_make(20, 15, 0.35, raw.vertex, raw.triangle);
        raw.vertex_count = BUMPY_VERTICES(20, 15);
        raw.triangle_count = BUMPY_TRIANGLES(20, 15);
        break;
    default: raw_prism(&raw, wedge, 3, 0.8); break;
    }
}

static struct cn_mesh *
make(int resolution, bool sparse)
{
    struct cn_mesh_def def = raw_def(&raw);
    struct cn_mesh *mesh = NULL;
    struct cn_defect defect = {0};
    def.resolution = resolution;
    def.sparse = sparse;
    enum cn_status status = cn_mesh_make(&def, &mesh, &defect);
    if (status != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
    return mesh;
}

/* Turns and moves the mesh, so that no face lies along the grid. */
static void
turn(void)
{
    for (int i = 0; i < raw.vertex_count; i++) {
        cn_vec3 p = raw.vertex[i];
        double x = 0.8 * p.x - 0.6 * p.y, y = 0.6 * p.x + 0.8 * p.y;
        raw.vertex[i] = cn_vec3_make(
            x + 5.0, (15.0 * y - 8.0 * p.z) / 17.0 - 3.0, (8.0 * y + 15.0 * p.z) / 17.0 + 0.1);
    }
}

static cn_vec3
random_in_box(const struct cn_field *field)
{
    double at[3];
    for (int k = 0; k < 3; k++) {
        at[k] = field->spacing * random_between(0.0, field->count[k] - 1);
    }
    return cn_vec3_add(field->origin, cn_vec3_make(at[0], at[1], at[2]));
}

/*
 * At random points the field's distance is near to the exact one and has its sign, and the field's
 * bound is never above the exact distance.
 */
static void
check_points(const struct cn_mesh *mesh, int count)
{
    const struct cn_field *field = &mesh->field;
    double h = field->spacing;
    for (int i = 0; i < count; i++) {
        cn_vec3 p = random_in_box(field);
        double want = brute_distance(mesh, p), got = cn_field_distance(field, p);
        bool exact = fabs(want) < field->band - 2.0 * h;
        assert_near(got, want, (exact ? 1.0 : 8.0) * 0.867 * h);
        assert_true(cn_field_bound(field, p) <= fabs(want));
        assert_true(fabs(want) < 0.867 * h || (got < 0.0) == (want < 0.0));
        assert_int_equal(cn_field_is_inside(field, p), got < 0.0);
    }
}

static void
check_nodes(const struct cn_mesh *mesh, int count)
{
    const struct cn_field *field = &mesh->field;
    for (int i = 0; i < count; i++) {
        int at[3];
        for (int k = 0; k < 3; k++) {
            at[k] = (int)random_between(0.0, field->count[k] - 0.001);
        }
        cn_vec3 p = cn_vec3_add_scaled(
            field->origin, field->spacing, cn_vec3_make(at[0], at[1], at[2]));
        double want = brute_distance(mesh, p);
        /*
         * The point is a thousandth of a cell inside the corner, because at nodes rounding may
         * choose either side.
         */
        if (fabs(want) < field->band) {
            assert_near(cn_field_distance(field, p), want, 1e-6);
        }
    }
}

static void
test_exact(void **state)
{
    (void)state;
    for (int k = 0; k < 4 * SHAPES; k++) {
        bool sparse = k % 2 == 1;
        random_state = (uint32_t)k;
        raw_shape((enum shape)(k / 4));
        if (k % 4 >= 2) {
            turn();
        }
        struct cn_mesh *mesh = make(sparse ? 60 : 24, sparse);
        assert_int_equal(mesh->field.value == NULL, sparse);
        check_nodes(mesh, 400);
        check_points(mesh, 400);
        double deepest = 0.0;
        for (int i = 0; i < 3000; i++) {
            deepest = fmin(deepest, cn_field_distance(&mesh->field, random_in_box(&mesh->field)));
        }
        assert_true((double)mesh->field.deepest <= deepest);
        assert_true((double)mesh->field.deepest >= -0.5001 * mesh->thickness);
        cn_mesh_drop(mesh);
    }
}

/* The number of 2000 points in the exact band at which phi's slope is 1 within 5 per cent. */
static int
count_slopes(const struct cn_mesh *mesh)
{
    const struct cn_field *field = &mesh->field;
    double step = 0.01 * field->spacing;
    int good = 0, tried = 0;
    while (tried < 2000) {
        cn_vec3 p = random_in_box(field), normal;
        double phi = cn_field_sample(field, p, &normal);
        if (fabs(phi) > field->band - 2.0 * field->spacing) {
            continue;
        }
        double ahead = cn_field_distance(field, cn_vec3_add_scaled(p, step, normal));
        double behind = cn_field_distance(field, cn_vec3_add_scaled(p, -step, normal));
        double slope = (ahead - behind) / (2.0 * step);
        assert_true(slope < 1.74); /* each of its three parts is at most 1 */
        good += fabs(slope - 1.0) < 0.05 ? 1 : 0;
        tried++;
    }
    return good;
}

/*
 * The slope is 1, except in cells with a ridge.  Ridges are surfaces, so with three times as many
 * cells on each axis a third as many of them have a ridge.
 */
static void
test_slope(void **state)
{
    (void)state;
    for (int k = 0; k < SHAPES; k++) {
        random_state = (uint32_t)k;
        raw_shape((enum shape)k);
        struct cn_mesh *coarse = make(30, false), *fine = make(90, false), *sparse = make(90, true);
        int bad_coarse = 2000 - count_slopes(coarse), bad_fine = 2000 - count_slopes(fine);
        assert_true(bad_coarse < 600 && bad_fine < 0.5 * bad_coarse);
        assert_true(count_slopes(sparse) > 1600);
        cn_mesh_drop(coarse);
        cn_mesh_drop(fine);
        cn_mesh_drop(sparse);
    }
}

/* Counts borders between coarse cells with and without a brick. */
static void
count_borders(const struct cn_field *field, int *borders)
{
    const int *count = field->coarse_count;
    int row = count[0] - 1, layer = row * (count[1] - 1);
    *borders = 0;
    for (int i = 0; i < layer * (count[2] - 1); i++) {
        if (i % row + 1 < row && (field->brick_of[i] < 0) != (field->brick_of[i + 1] < 0)) {
            ++*borders;
        }
    }
}

/* Walks across every border between coarse cells: phi does not jump there. */
static void
test_continuous(void **state)
{
    (void)state;
    random_state = 5;
    for (int k = 0; k < 2; k++) {
        raw_shape(k == 0 ? RING : BUMPY);
        struct cn_mesh *mesh = make(100, true);
        const struct cn_field *field = &mesh->field;
        double h = field->spacing, worst = 0.0;
        int borders;
        count_borders(field, &borders);
        assert_true(borders > 20);
        for (int axis = 0; axis < 3; axis++) {
            for (int i = 0; i < 100000; i++) {
                double at[3], jump;
                int plane = B * (1 + i % (field->coarse_count[axis] - 2));
                for (int j = 0; j < 3; j++) {
                    at[j] = random_between(0.0, field->count[j] - 1);
                }
                at[axis] = plane - 1e-5;
                cn_vec3 p = cn_vec3_add_scaled(field->origin, h, cn_vec3_make(at[0], at[1], at[2]));
                at[axis] = plane + 1e-5;
                cn_vec3 q = cn_vec3_add_scaled(field->origin, h, cn_vec3_make(at[0], at[1], at[2]));
                jump = cn_field_distance(field, p) - cn_field_distance(field, q);
                worst = fmax(worst, fabs(jump));
            }
        }
        assert_true(worst < 5e-5 * h + 3e-7); /* otherwise more than a cell */
        cn_mesh_drop(mesh);
    }
}

/* A symmetric body has a symmetric field, bit by bit. */
static void
test_symmetric(void **state)
{
    (void)state;
    raw_shape(BOX);
    struct cn_mesh *mesh = make(20, false);
    const struct cn_field *field = &mesh->field;
    const int *count = field->count;
    for (int i = 0; i < count[0] * count[1] * count[2]; i++) {
        int x = i % count[0], y = i / count[0] % count[1], z = i / count[0] / count[1];
        int mirror = count[0] - 1 - x + count[0] * (count[1] - 1 - y + count[1] * z);
        assert_near((double)field->value[i], (double)field->value[mirror], 1e-7);
    }
    /* Faces lie on nodes, so the box's own faces and corners are exact. */
    assert_near(cn_field_distance(field, cn_vec3_make(1.0, 0.1, 0.1)), 0.0, 1e-7);
    assert_near(cn_field_distance(field, cn_vec3_make(1.0, 0.5, 0.0)), 0.0, 1e-7);
    cn_mesh_drop(mesh);
}

/*
 * Two boxes that pass through each other are refused, because distances to inner faces are wrong.
 */
static void
test_parts_through_each_other(void **state)
{
    (void)state;
    raw.vertex_count = raw.triangle_count = 0;
    raw_box(&raw, cn_vec3_make(-1.0, -0.4, -0.4), cn_vec3_make(1.0, 0.4, 0.4));
    raw_box(&raw, cn_vec3_make(-0.45, -1.0, -0.45), cn_vec3_make(0.45, 1.0, 0.45));
    struct cn_mesh_def def = raw_def(&raw);
    struct cn_mesh *mesh = NULL;
    struct cn_defect defect = {0};
    assert_int_equal(cn_mesh_make(&def, &mesh, &defect), CN_GEOMETRY);
    assert_non_null(strstr(defect.text, "passes through itself"));
    assert_null(mesh);
}

/* A sheet between two nodes is refused; with more cells the field contains it. */
static void
test_thin(void **state)
{
    (void)state;
    raw.vertex_count = raw.triangle_count = 0;
    raw_box(&raw, cn_vec3_make(0.0, 0.0, 0.0), cn_vec3_make(1.0, 1.0, 0.02));
    turn();
    struct cn_mesh_def def = raw_def(&raw);
    struct cn_mesh *mesh = NULL;
    struct cn_defect defect = {0};
    def.resolution = 10;
    assert_int_equal(cn_mesh_make(&def, &mesh, &defect), CN_GEOMETRY);
    assert_string_equal(defect.path, "triangles");
    assert_null(mesh);
    cn_mesh_drop(make(100, false));
    cn_mesh_drop(make(0, false));
}

/* More nodes than may all be exact: checks the exact band and the nodes outside of it. */
static void
test_large(void **state)
{
    (void)state;
    random_state = 11;
    raw_shape(BOX);
    turn();
    struct cn_mesh *mesh = make(200, false);
    assert_true(mesh->field.value != NULL && mesh->field.band < 10.0 * mesh->field.spacing);
    check_nodes(mesh, 2000);
    check_points(mesh, 2000);
    cn_mesh_drop(mesh);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_slope),
        cmocka_unit_test(test_continuous),
        cmocka_unit_test(test_symmetric),
        cmocka_unit_test(test_parts_through_each_other),
        cmocka_unit_test(test_thin),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
