/*
 * test_joint_rows.c: laws of every solver on rows of joints, including redundant rows.
 *
 *   1. redundant joints are solved, with the same accelerations as without the redundancy
 *   2. joints that contradict each other are reported, with a residual, and finite forces
 *   3. chains have the accelerations that are known in closed form
 */
#include "engine/problem/contact_problem.h"
#include "engine/solve/table/solver_table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/solve/joints.h"

#define GRAVITY 10.0
#define TOLERANCE 1e-9

struct outcome {
    struct cn_solve_report report;
    struct cn_twist acceleration[JOINTS_BODY_MAX];
    double f[JOINTS_ROW_MAX];
    int row_count;
};

/* The accelerations of all bodies under gravity and what holds their joints; no gap counts. */
static void
solve(const struct jointed *all, const struct cn_solver *solver, double wrong, struct outcome *out)
{
    static struct cn_joint_row joint_row[JOINTS_ROW_MAX];
    static struct cn_row row[JOINTS_ROW_MAX];
    double b[JOINTS_ROW_MAX];
    unsigned char tag[JOINTS_ROW_MAX];
    struct cn_mass_inverse mass[JOINTS_BODY_MAX];
    struct cn_twist fall[JOINTS_BODY_MAX] = {0};
    int bodies = all->model.body_count;
    for (int i = 0; i < bodies; i++) {
        mass[i].linear = all->body[i].mass_inverse;
        mass[i].angular = all->body[i].inertia_inverse; /* spheres: turns do not matter */
        fall[i].linear = cn_vec3_make(0.0, -GRAVITY, 0.0);
    }
    out->row_count = jointed_rows(all, all->motion, joint_row);
    for (int k = 0; k < out->row_count; k++) {
        row[k] = joint_row[k].row;
        b[k] = cn_row_rate(&row[k], fall) + joint_row[k].bias;
        tag[k] = (unsigned char)joint_row[k].tag;
        out->f[k] = 0.0;
    }
    b[out->row_count - 1] += wrong;
    struct cn_contact_problem problem = {.row_count = out->row_count,
        .body_count = bodies,
        .rows = row,
        .mass = mass,
        .b = b,
        .tag = tag};
    struct cn_arena arena;
    cn_arena_init_measure(&arena);
    solver->layout(&arena, problem.row_count, problem.body_count);
    size_t size = (arena.used + 63) / 64 * 64;
    void *memory = aligned_alloc(64, size);
    assert_non_null(memory);
    cn_arena_init(&arena, memory, size);
    struct cn_solve_options options = {.tolerance = TOLERANCE, .iteration_max = 10000};
    out->report = solver->solve(&problem, &options, &arena, out->f);
    cn_problem_accelerate(&problem, out->f, out->acceleration);
    for (int i = 0; i < bodies; i++) {
        out->acceleration[i].linear =
            cn_vec3_add(out->acceleration[i].linear, fall[i].linear);
    }
    free(memory);
}

static const cn_mat33 about_z = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
static const cn_mat33 about_y = {{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}};

static void
hold(struct jointed *all, enum cn_joint_kind kind, int a, int b, double x, double y,
    const cn_mat33 *frame)
{
    cn_vec3 anchor = {x, y, 0.0};
    jointed_joint(all, kind, a, b, anchor, anchor, frame);
}

/* All bodies turn together about the origin. */
static void
spin(struct jointed *all, cn_vec3 w)
{
    for (int i = 0; i < all->model.body_count; i++) {
        all->motion[i].angular_velocity = w;
        all->motion[i].velocity = cn_vec3_cross(w, all->motion[i].position);
    }
}

static void
assert_same(const struct outcome *a, const struct outcome *b, int bodies)
{
    for (int i = 0; i < bodies; i++) {
        cn_vec3 linear = cn_vec3_sub(a->acceleration[i].linear, b->acceleration[i].linear);
        cn_vec3 angular = cn_vec3_sub(a->acceleration[i].angular, b->acceleration[i].angular);
        assert_near(cn_vec3_length(linear), 0.0, 1e-8);
        assert_near(cn_vec3_length(angular), 0.0, 1e-8);
    }
}

/* A door of two hinges, 10 rows on 6 degrees of freedom, against one of a single hinge. */
static void
check_door(const struct cn_solver *solver)
{
    static struct jointed all;
    struct outcome out;
    for (int hinges = 1; hinges <= 2; hinges++) {
        jointed_init(&all, CN_SPATIAL);
        jointed_body(&all, cn_vec3_make(1.0, 0.0, 0.0), 2.0, 0.5);
        hold(&all, CN_JOINT_HINGE, -1, 0, 0.0, hinges == 2 ? 0.5 : 0.0, &about_y);
        if (hinges == 2) {
            hold(&all, CN_JOINT_HINGE, -1, 0, 0.0, -0.5, &about_y);
        }
        spin(&all, cn_vec3_make(0.0, 3.0, 0.0));
        solve(&all, solver, 0.0, &out);
        assert_int_equal(out.row_count, 5 * hinges);
        assert_int_equal(out.report.outcome, CN_SOLVE_CONVERGED);
        assert_near(out.acceleration[0].linear.x, -9.0, 1e-8); /* w^2 r, and no fall */
        assert_near(out.acceleration[0].linear.y, 0.0, 1e-8);
        assert_near(cn_vec3_length(out.acceleration[0].angular), 0.0, 1e-8);
    }
}

/* Two bodies fixed to each other once, twice and three times, swinging about a ball. */
static void
check_fixed_again(const struct cn_solver *solver, enum cn_dimension dimension)
{
    static struct jointed all;
    struct outcome once, more;
    bool planar = dimension == CN_PLANAR;
    for (int times = 1; times <= 3; times++) {
        jointed_init(&all, dimension);
        jointed_body(&all, cn_vec3_make(1.0, -0.5, 0.0), 2.0, 0.5);
        jointed_body(&all, cn_vec3_make(1.5, 1.0, planar ? 0.0 : 0.5), 1.0, 0.25);
        hold(&all, CN_JOINT_BALL, -1, 0, 0.0, 0.0, &about_z);
        for (int k = 0; k < times; k++) {
            hold(&all, CN_JOINT_FIXED, k == 1, k != 1, 0.5 * k, -1.0 * k, &about_y);
        }
        spin(&all, planar ? cn_vec3_make(0.0, 0.0, -2.0) : cn_vec3_make(0.5, 1.0, -2.0));
        solve(&all, solver, 0.0, times == 1 ? &once : &more);
        struct outcome *out = times == 1 ? &once : &more;
        assert_int_equal(out->report.outcome, CN_SOLVE_CONVERGED);
        assert_true(out->report.residual <= TOLERANCE);
        assert_same(out, &once, 2);

        solve(&all, solver, 4.0, &more); /* the last row wants something else */
        for (int k = 0; k < more.row_count; k++) {
            assert_true(isfinite(more.f[k]));
        }
        assert_true(times == 1 || more.report.outcome != CN_SOLVE_CONVERGED);
        assert_true(times == 1 || more.report.residual > 1e-3);
    }
}

/* A parallelogram of hinges that turns: 20 rows in space, of which 17 are independent. */
static void
check_four_bar(const struct cn_solver *solver)
{
    static struct jointed all;
    struct outcome out[2];
    for (int dimension = CN_PLANAR; dimension <= CN_SPATIAL; dimension++) {
        jointed_init(&all, (enum cn_dimension)dimension);
        jointed_body(&all, cn_vec3_make(0.0, 0.5, 0.0), 1.0, 0.1);
        jointed_body(&all, cn_vec3_make(2.0, 0.5, 0.0), 3.0, 0.2);
        jointed_body(&all, cn_vec3_make(1.0, 1.0, 0.0), 2.0, 0.4);
        hold(&all, CN_JOINT_HINGE, -1, 0, 0.0, 0.0, &about_z);
        hold(&all, CN_JOINT_HINGE, -1, 1, 2.0, 0.0, &about_z);
        hold(&all, CN_JOINT_HINGE, 0, 2, 0.0, 1.0, &about_z);
        hold(&all, CN_JOINT_HINGE, 1, 2, 2.0, 1.0, &about_z);
        for (int i = 0; i < 2; i++) {
            all.motion[i].angular_velocity.z = 1.5;
            all.motion[i].velocity.x = -0.75;
        }
        all.motion[2].velocity.x = -1.5;
        solve(&all, solver, 0.0, &out[dimension]);
        assert_int_equal(out[dimension].row_count, dimension == CN_PLANAR ? 8 : 20);
        assert_int_equal(out[dimension].report.outcome, CN_SOLVE_CONVERGED);
        assert_near(out[dimension].acceleration[2].linear.y, -1.5 * 1.5, 1e-8); /* w^2 r */
        assert_near(out[dimension].acceleration[2].angular.z, 0.0, 1e-8);
    }
    assert_same(&out[0], &out[1], 3);
}

/*
 * N uniform rods of 1 m and 1 kg, level and at rest, the first pinned.  Turning accelerations from
 * Lagrange's equations of N angles, by hand.
 */
static void
check_chain(const struct cn_solver *solver, enum cn_dimension dimension)
{
    static const double alpha[3][3] = {
        {-15.0}, {-90.0 / 7.0, 30.0 / 7.0}, {-165.0 / 13.0, 45.0 / 13.0, -15.0 / 13.0}};
    static struct jointed all;
    struct outcome out;
    for (int n = 1; n <= 3; n++) {
        jointed_init(&all, dimension);
        for (int i = 0; i < n; i++) {
            jointed_body(&all, cn_vec3_make(i + 0.5, 0.0, 0.0), 1.0, 1.0 / 12.0);
            hold(&all, i % 2 == 0 ? CN_JOINT_HINGE : CN_JOINT_BALL, i - 1, i, i, 0.0, &about_z);
        }
        solve(&all, solver, 0.0, &out);
        assert_int_equal(out.report.outcome, CN_SOLVE_CONVERGED);
        for (int i = 0; i < n; i++) {
            assert_near(out.acceleration[i].angular.z, alpha[n - 1][i], 1e-8);
        }
    }
}

static void
test_every_solver(void **unused)
{
    (void)unused;
    for (int i = 0; i < cn_problem_solver_count; i++) {
        const struct cn_solver *solver = cn_solvers[i];
        print_message("%s\n", solver->name);
        check_door(solver);
        check_four_bar(solver);
        for (int dimension = CN_PLANAR; dimension <= CN_SPATIAL; dimension++) {
            check_chain(solver, (enum cn_dimension)dimension);
            check_fixed_again(solver, (enum cn_dimension)dimension);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_solver)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
