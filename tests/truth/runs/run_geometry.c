/*
 * run_geometry.c: shapes and contacts of space: mass properties, and regions of contact.
 */
#include "engine/mesh/mass.h"
#include "engine/solve/table/solver_table.h"
#include "tests/support/collide/solids.h"
#include "tests/truth/check.h"
#include "tests/truth/problem.h"
#include "tests/truth/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define GRAVITY 10.0

/* ---- mass properties ---- */

#define RING_MAX 64

/* A closed ring of quadrangles, each two triangles, counter-clockwise from outside. */
void
truth_run_torus(const json_t *data)
{
    static cn_vec3 vertex[RING_MAX * RING_MAX];
    static int triangle[2 * RING_MAX * RING_MAX][3];
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double R = truth_member_number(given, "R"), r = truth_member_number(given, "r");
    int n = (int)truth_member_number(given, "n_major");
    int m = (int)truth_member_number(given, "n_minor");
    assert_true(n <= RING_MAX && m <= RING_MAX);
    int count = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            double a = 2.0 * CN_PI * i / n, b = 2.0 * CN_PI * j / m;
            double out = R + r * cos(b);
            vertex[i * m + j] = cn_vec3_make(out * cos(a), out * sin(a), r * sin(b));
            int next_i = (i + 1) % n, next_j = (j + 1) % m;
            const int quad[4] = {i * m + j, next_i * m + j, next_i * m + next_j, i * m + next_j};
            for (int half = 0; half < 2; half++, count++) {
                triangle[count][0] = quad[0];
                triangle[count][1] = quad[half + 1];
                triangle[count][2] = quad[half + 2];
            }
        }
    }
    assert_int_equal(count, (int)truth_member_number(given, "triangles"));
    struct cn_volume v = cn_mesh_volume(vertex, (const int(*)[3])triangle, count);
    double density = truth_member_number(given, "density");
    truth_expect(data, "volume", v.volume);
    truth_expect(data, "I_zz", density * v.inertia.cz.z);
    truth_expect(data, "I_xx", density * v.inertia.cx.x);
    truth_near(density * v.inertia.cy.y, density * v.inertia.cx.x,
        truth_tolerance(data, density * v.inertia.cx.x), "I_yy");
    truth_near(cn_vec3_length(v.center), 0.0, truth_tolerance(data, R), "centre");

    /* The smooth ring is the limit, of which polygons lack their part. */
    const json_t *smooth = truth_member(expect, "smooth");
    double V = truth_member_number(smooth, "V");
    truth_near(2.0 * CN_PI * CN_PI * R * r * r, V, 1e-12 * V, "smooth volume");
    double polygons = sin(2.0 * CN_PI / n) * sin(2.0 * CN_PI / m) * n * m / (4.0 * CN_PI * CN_PI);
    truth_near(v.volume, V * polygons, truth_tolerance(data, V), "volume, by the smooth one");
    truth_near(R * R + 0.75 * r * r, truth_member_number(smooth, "I_zz_over_M"), 1e-12, "I_zz/M");
    truth_near(
        0.5 * R * R + 0.625 * r * r, truth_member_number(smooth, "I_xx_over_M"), 1e-12, "I_xx/M");
}

static void
expect_tensor(const json_t *data, const cn_mat33 *unit, double density, const char *how)
{
    const cn_mat33 dense = {cn_vec3_scale(unit->cx, density), cn_vec3_scale(unit->cy, density),
        cn_vec3_scale(unit->cz, density)};
    const cn_mat33 *I = &dense;
    const json_t *rows = truth_member(truth_member(data, "expect"), "I_com");
    const cn_vec3 column[3] = {I->cx, I->cy, I->cz};
    double trace = I->cx.x + I->cy.y + I->cz.z;
    for (int i = 0; i < 3; i++) {
        double want[3];
        truth_numbers(json_array_get(rows, (size_t)i), want, 3);
        const double got[3] = {column[i].x, column[i].y, column[i].z};
        for (int k = 0; k < 3; k++) {
            truth_near(got[k], want[k], truth_tolerance(data, trace), "I[%d][%d] %s", i, k, how);
        }
    }
}

/* The principal moments are the roots of det(I - x 1), and add up to the trace. */
static void
expect_principal(const json_t *data, const cn_mat33 *I)
{
    double moment[3], sum = 0.0;
    truth_member_numbers(truth_member(data, "expect"), "principal", moment, 3);
    for (int i = 0; i < 3; i++) {
        cn_mat33 less = *I;
        less.cx.x -= moment[i];
        less.cy.y -= moment[i];
        less.cz.z -= moment[i];
        double trace = I->cx.x + I->cy.y + I->cz.z; /* the other two make a product */
        double tolerance = truth_tolerance(data, 1.0) * trace * trace * trace;
        truth_near(cn_mat33_determinant(&less), 0.0, tolerance, "principal[%d]", i);
        sum += moment[i];
    }
    truth_near(I->cx.x + I->cy.y + I->cz.z, sum, truth_tolerance(data, sum), "trace");
}

static void
expect_center(const json_t *data, cn_vec3 center)
{
    double want[3];
    truth_member_numbers(truth_member(data, "expect"), "com", want, 3);
    truth_near(center.x, want[0], truth_tolerance(data, want[0]), "com.x");
    truth_near(center.y, want[1], truth_tolerance(data, want[1]), "com.y");
    truth_near(center.z, want[2], truth_tolerance(data, want[2]), "com.z");
}

/* The L as a body of two boxes, and as one non-convex surface. */
void
truth_run_lshape(const json_t *data)
{
    double density = truth_member_number(truth_member(data, "given"), "density");
    struct cn_shape_def lower = {.kind = CN_SHAPE_BOX, .position = {1.5, 0.5, 0.5}};
    struct cn_shape_def upper = {.kind = CN_SHAPE_BOX, .position = {0.5, 1.5, 0.5}};
    lower.box.size = cn_vec3_make(3.0, 1.0, 1.0);
    upper.box.size = cn_vec3_make(1.0, 1.0, 1.0);
    const struct cn_mass_properties parts[2] = {
        cn_shape_mass(&lower, CN_SPATIAL, density), cn_shape_mass(&upper, CN_SPATIAL, density)};
    struct cn_mass_properties sum = cn_mass_properties_sum(parts, 2);
    truth_expect(data, "mass", sum.mass);
    expect_center(data, sum.center);
    expect_tensor(data, &sum.inertia, 1.0, "of two boxes");
    expect_principal(data, &sum.inertia);

    /* Its outline counter-clockwise, at z = 0 and z = 1. */
    static const double outline[6][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}};
    static const int cap[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
    cn_vec3 vertex[12];
    int triangle[20][3], count = 0;
    for (int i = 0; i < 12; i++) {
        vertex[i] = cn_vec3_make(outline[i % 6][0], outline[i % 6][1], i / 6);
    }
    for (int i = 0; i < 4; i++, count += 2) {
        for (int k = 0; k < 3; k++) {
            triangle[count][k] = cap[i][2 - k];
            triangle[count + 1][k] = cap[i][k] + 6;
        }
    }
    for (int i = 0; i < 6; i++, count += 2) {
        int next = (i + 1) % 6;
        memcpy(triangle[count], (const int[3]){i, next, next + 6}, sizeof(triangle[0]));
        memcpy(triangle[count + 1], (const int[3]){i, next + 6, i + 6}, sizeof(triangle[0]));
    }
    struct cn_volume v = cn_mesh_volume(vertex, (const int(*)[3])triangle, count);
    truth_expect(data, "mass", density * v.volume);
    expect_center(data, v.center);
    expect_tensor(data, &v.inertia, density, "of the surface");
}

/* ---- regions of contact ---- */

static struct test_solid box;
static struct truth_problem problem;

struct outcome {
    cn_vec3 force, torque;   /* on the upper box, about its centre */
    cn_vec3 linear, angular; /* its accelerations */
};

/*
 * The upper box, of mass 1, on the fixed lower one, under gravity and a push at a place.  Points
 * of contact: those of the manifold, and `finer` between each two of them and inside.
 */
static struct outcome
solve(const struct cn_manifold *m, const cn_pose *pose, double size, cn_vec3 push, cn_vec3 at,
    int finer)
{
    truth_problem_init(&problem);
    double moment = size * size / 6.0; /* of a cube, whatever its turn */
    int body = truth_problem_body(&problem, 1.0, moment, pose->position);
    truth_problem_load(&problem, body, cn_vec3_make(0.0, -GRAVITY, 0.0), pose->position);
    truth_problem_load(&problem, body, push, at);
    for (int i = 0; i < m->contact_count; i++) {
        for (int k = 0; k <= i; k++) {
            for (int j = 0; j <= (k < i ? finer : 0); j++) {
                double part = (double)j / (finer + 1);
                cn_vec3 p = m->contact[i].point, q = m->contact[k].point;
                cn_vec3 point = cn_vec3_add_scaled(p, part, cn_vec3_sub(q, p));
                if (k == i || j > 0) {
                    truth_problem_contact(
                        &problem, -1, body, point, m->contact[i].normal, CN_ROW_NORMAL);
                }
            }
        }
    }
    truth_problem_solve(&problem, &cn_solver_baraff94, false);
    struct outcome outcome = {0};
    truth_problem_motion(&problem, body, &outcome.linear, &outcome.angular);
    for (int i = 0; i < problem.contact.row_count; i++) {
        const struct cn_row *row = &problem.rows[i];
        outcome.force = cn_vec3_add_scaled(outcome.force, problem.f[i], row->linear_b);
        outcome.torque = cn_vec3_add_scaled(outcome.torque, problem.f[i], row->angular_b);
    }
    return outcome;
}

static void
expect_same(const json_t *data, cn_vec3 a, cn_vec3 b, const char *what)
{
    truth_near(cn_vec3_length(cn_vec3_sub(a, b)), 0.0, truth_tolerance(data, 1.0), "%s", what);
}

/* At rest, pushed to and fro within the region, and pushed so far out that it tips. */
static void
compare_samplings(
    const json_t *data, const struct cn_manifold *m, const cn_pose *pose, double size)
{
    for (int k = 0; k <= 6; k++) {
        double s = sin(k), c = cos(k), out = 0.2 * k * size;
        cn_vec3 push = cn_vec3_make(0.3 * s, -4.0, 0.2 * c);
        cn_vec3 at = cn_vec3_add(pose->position, cn_vec3_make(out * c, 0.5 * size, out * s));
        struct outcome coarse = solve(m, pose, size, push, at, 0);
        struct outcome fine = solve(m, pose, size, push, at, 3);
        assert_true(problem.contact.row_count > m->contact_count);
        expect_same(data, coarse.force, fine.force, "resultant force");
        expect_same(data, coarse.torque, fine.torque, "resultant torque");
        expect_same(data, coarse.linear, fine.linear, "acceleration");
        expect_same(data, coarse.angular, fine.angular, "angular acceleration");
        if (k == 0) {
            truth_near(coarse.force.y, GRAVITY + 4.0, 1e-9, "what it stands on");
        }
    }
}

void
truth_run_region(const json_t *data)
{
    const json_t *given = truth_member(data, "given"), *expect = truth_member(data, "expect");
    double size = truth_member_number(given, "box");
    double turn = truth_member_number(given, "rot_deg") * CN_PI / 180.0;
    test_solid_box(&box, size, size, size);
    const cn_pose lower = test_solid_pose((cn_vec3){0.0, 0.0, 0.0}, (cn_vec3){0, 1, 0}, 0.0);

    struct cn_manifold m;
    cn_pose upper = test_solid_pose((cn_vec3){0.0, size, 0.0}, (cn_vec3){0, 1, 0}, turn);
    cn_collide(&box.shape, &lower, &box.shape, &upper, 1e-6, &m);
    assert_int_equal(m.contact_count, (int)truth_member_number(expect, "n_points_face_face"));
    for (int i = 0; i < m.contact_count; i++) {
        cn_vec3 p = m.contact[i].point;
        truth_expect(data, "octagon_circumradius", hypot(p.x, p.z));
    }
    compare_samplings(data, &m, &upper, size);

    upper = test_solid_pose(
        (cn_vec3){0.0, size * (0.5 + sqrt(0.5)), 0.0}, (cn_vec3){1, 0, 0}, CN_PI / 4.0);
    cn_collide(&box.shape, &lower, &box.shape, &upper, 1e-6, &m);
    assert_int_equal(m.contact_count, (int)truth_member_number(expect, "n_points_edge_face"));
    compare_samplings(data, &m, &upper, size);
}
