/*
 * run_field.c: compares the signed distance on a grid with closed forms.
 *
 * The ring is a surface of 49,152 triangles; it differs from the smooth surface by less than a
 * hundredth of a cell.
 */
#include "engine/math/scalar.h"
#include "engine/mesh/mesh.h"
#include "engine/mesh/torus.h"
#include "tests/truth/check.h"
#include "tests/truth/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define CELLS 64 /* along the longest extent */
#define POINTS_MAX 256
#define LOOKS 4000
#define MAJOR_COUNT 256
#define MINOR_COUNT 96

static const cn_vec3 half = {1.0, 0.5, 0.25};
static const struct cn_torus ring = {1.0, 0.3, MAJOR_COUNT, MINOR_COUNT};

/*
 * Distance and its gradient; *edge is about the distance from p to the next jump of the gradient.
 */
typedef double closed_form(cn_vec3 p, cn_vec3 *gradient, double *edge);

static double
box_distance(cn_vec3 p, cn_vec3 *gradient, double *edge)
{
    const double at[3] = {p.x, p.y, p.z}, h[3] = {half.x, half.y, half.z};
    double out[3], beyond = 0.0, g[3] = {0.0, 0.0, 0.0};
    int face = 0;
    for (int k = 0; k < 3; k++) {
        out[k] = fabs(at[k]) - h[k];
        beyond += out[k] > 0.0 ? out[k] * out[k] : 0.0;
        face = out[k] > out[face] ? k : face;
    }
    g[face] = at[face] < 0.0 ? -1.0 : 1.0;
    *gradient = cn_vec3_make(g[0], g[1], g[2]);
    *edge = HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        *edge = k == face ? *edge : fmin(*edge, fmin(-out[k], out[face] - out[k]));
    }
    return beyond > 0.0 ? sqrt(beyond) : out[face];
}

static double
ring_distance(cn_vec3 p, cn_vec3 *gradient, double *edge)
{
    double around = sqrt(p.x * p.x + p.y * p.y);
    cn_vec3 middle = cn_vec3_make(ring.major * p.x / around, ring.major * p.y / around, 0.0);
    cn_vec3 from = cn_vec3_sub(p, middle);
    double length = cn_vec3_length(from);
    *gradient = cn_vec3_scale(from, 1.0 / length);
    *edge = fmin(length, around);
    return around > 0.0 ? length - ring.minor : ring.major - ring.minor;
}

static struct cn_mesh *
make(struct cn_mesh_def *def, bool sparse)
{
    struct cn_mesh *mesh = NULL;
    struct cn_defect defect = {0};
    def->resolution = CELLS;
    def->sparse = sparse;
    if (cn_mesh_make(def, &mesh, &defect) != CN_OK) {
        fail_msg("%s %s", defect.path, defect.text);
    }
    return mesh;
}

static struct cn_mesh *
make_box(bool sparse)
{
    static const int32_t triangle[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5},
        {0, 5, 4}, {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    cn_vec3 vertex[8];
    for (int i = 0; i < 8; i++) {
        vertex[i] = cn_vec3_make((i & 1) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y,
            (i & 4) != 0 ? half.z : -half.z);
    }
    struct cn_mesh_def def = {
        .vertex_count = 8, .triangle_count = 12, .vertex = vertex, .triangle = triangle};
    return make(&def, sparse);
}

static struct cn_mesh *
make_ring(bool sparse)
{
    static cn_vec3 vertex[MAJOR_COUNT * MINOR_COUNT];
    static int32_t triangle[2 * MAJOR_COUNT * MINOR_COUNT][3];
    cn_torus_make(&ring, vertex, triangle);
    struct cn_mesh_def def = {.vertex_count = MAJOR_COUNT * MINOR_COUNT,
        .triangle_count = 2 * MAJOR_COUNT * MINOR_COUNT,
        .vertex = vertex,
        .triangle = (const int32_t(*)[3])triangle};
    return make(&def, sparse);
}

/*
 * Cells per side of the cell at p: 1, or those of a coarse cell.  Outside the box it is the cell at
 * the nearest face.
 */
static double
local_size(const struct cn_field *field, cn_vec3 p)
{
    if (field->brick_of == NULL) {
        return 1.0;
    }
    const double at[3] = {p.x - field->origin.x, p.y - field->origin.y, p.z - field->origin.z};
    int index = 0;
    for (int k = 2; k >= 0; k--) {
        int cells = field->coarse_count[k] - 1;
        int cell = (int)cn_clamp(at[k] / (CN_FIELD_BRICK * field->spacing), 0.0, cells - 0.5);
        index = index * cells + cell;
    }
    return field->brick_of[index] < 0 ? CN_FIELD_BRICK : 1.0;
}

/* The error that the case allows at p [m]. */
static double
allowed(const json_t *data, const struct cn_field *field, cn_vec3 p)
{
    const json_t *tol = truth_member(data, "tol");
    double uniform, finest, local;
    assert_int_equal(
        sscanf(json_string_value(truth_member(tol, "uniform_grid_abs")), "%lf*h", &uniform), 1);
    assert_int_equal(sscanf(json_string_value(truth_member(tol, "octree_abs")),
                         "%lf*h_finest near the surface, %lf*h_local elsewhere", &finest, &local),
        2);
    if (field->brick_of == NULL) {
        return uniform * field->spacing;
    }
    double size = local_size(field, p);
    return (size > 1.0 ? local * size : finest) * field->spacing;
}

/*
 * Checks side and slope everywhere, and the normal within a cell of the surface, except near edges.
 */
static void
check_properties(const json_t *data, const struct cn_field *field, closed_form *form)
{
    const json_t *tol = truth_member(data, "tol");
    double degrees = truth_member_number(tol, "normal_angle_near_surface_deg");
    double h = field->spacing, step = 0.01 * h;
    uint32_t random = 1;
    int slopes = 0, normals = 0;
    for (int i = 0; i < LOOKS; i++) {
        double at[3], edge;
        for (int k = 0; k < 3; k++) {
            random = random * 1664525u + 1013904223u;
            at[k] = h * (field->count[k] - 1) * (double)(random >> 8) / 16777216.0;
        }
        cn_vec3 p = cn_vec3_add(field->origin, cn_vec3_make(at[0], at[1], at[2])), normal, want;
        double exact = form(p, &want, &edge), phi = cn_field_sample(field, p, &normal);
        truth_near(phi, exact, allowed(data, field, p), "at %g %g %g", p.x, p.y, p.z);
        assert_true(fabs(exact) < h || (phi < 0.0) == (exact < 0.0));
        double slope = cn_field_distance(field, cn_vec3_add_scaled(p, step, normal)) -
                       cn_field_distance(field, cn_vec3_add_scaled(p, -step, normal));
        slopes += fabs(slope / (2.0 * step) - 1.0) < 0.05 ? 1 : 0;
        if (fabs(exact) < h && edge > 2.0 * h) {
            assert_true(cn_vec3_dot(normal, want) > cos(degrees * CN_PI / 180.0));
            normals++;
        }
    }
    assert_true(normals > LOOKS / 40);
    /* Cells at ridges are many, and coarse cells bend phi, so not all slopes are 1. */
    assert_true(field->brick_of != NULL || slopes > LOOKS - LOOKS / 8);
}

static void
check(const json_t *data, const char *name, struct cn_mesh *mesh, closed_form *form)
{
    const json_t *rows = truth_member(truth_member(data, "given"), "points");
    double want[POINTS_MAX];
    int count = truth_member_numbers(truth_member(data, "expect"), name, want, POINTS_MAX);
    assert_int_equal(json_array_size(rows), count);
    for (size_t i = 0; i < (size_t)count; i++) {
        double at[3], edge;
        cn_vec3 gradient;
        truth_numbers(json_array_get(rows, i), at, 3);
        cn_vec3 p = cn_vec3_make(at[0], at[1], at[2]);
        truth_near(form(p, &gradient, &edge), want[i], 1e-12, "%s in closed form", name);
        truth_near(cn_field_distance(&mesh->field, p), want[i], allowed(data, &mesh->field, p),
            "%s at point %zu%s", name, i, mesh->sparse ? ", sparse" : "");
    }
    check_properties(data, &mesh->field, form);
    cn_mesh_drop(mesh);
}

void
truth_run_sdf(const json_t *data)
{
    for (int sparse = 0; sparse < 2; sparse++) {
        check(data, "box", make_box(sparse != 0), box_distance);
        check(data, "torus", make_ring(sparse != 0), ring_distance);
    }
}
