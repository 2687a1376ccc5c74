/*
 * test_rolling.c: moments against rolling and spinning in the problem, in the judge and in the
 * solvers that have them, where the answer is known by hand.
 *
 * A disc of 2 kg and radius 0.5 m lies on an incline with sin 0.6 and cos 0.8; g is 10 m/s^2.  It
 * presses with 16 N and is pulled along the incline by 12 N.
 */
#include "engine/problem/islands.h"
#include "engine/solve/table/matrix_adapter.h"
#include "engine/solve/table/solver_table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/solve/random_friction.h"

#define MASS 2.0
#define RADIUS 0.5
#define PRESS 16.0

static _Alignas(64) unsigned char memory[8 << 20];

struct body {
    struct cn_row rows[6];
    struct cn_mass_inverse mass;
    double b[6], f[6], a[6], friction[6], slip[6];
    unsigned char tag[6];
    struct cn_contact_problem problem;
};

static void
add_row(struct body *body, unsigned char tag, cn_vec3 along, cn_vec3 axis, double b, double limit)
{
    int i = body->problem.row_count++;
    cn_vec3 arm = {0.0, -RADIUS, 0.0};
    body->rows[i] = (struct cn_row){.body_a = -1, .body_b = 0, .linear_b = along};
    body->rows[i].angular_b = tag < CN_ROW_ROLLING ? cn_vec3_cross(arm, along) : axis;
    body->tag[i] = tag;
    body->b[i] = b;
    body->friction[i] = limit;
}

static void
begin(struct body *body, double inertia)
{
    *body = (struct body){.mass = {.linear = 1.0 / MASS}};
    body->mass.angular = cn_mat33_diagonal(1.0 / inertia, 1.0 / inertia, 1.0 / inertia);
    body->problem = (struct cn_contact_problem){.body_count = 1, .rows = body->rows,
        .mass = &body->mass, .b = body->b, .tag = body->tag, .friction = body->friction};
}

static const cn_vec3 along_x = {1.0, 0.0, 0.0}, along_y = {0.0, 1.0, 0.0},
                     along_z = {0.0, 0.0, 1.0}, none = {0.0, 0.0, 0.0};

/* The disc of the head comment: normal, tangent and rolling row. */
static void
disc_on_incline(struct body *body, double mu, double roll)
{
    begin(body, 0.5 * MASS * RADIUS * RADIUS);
    add_row(body, CN_ROW_NORMAL, along_y, none, -8.0, mu);
    add_row(body, CN_ROW_TANGENT, along_x, none, 6.0, 0.0);
    add_row(body, CN_ROW_ROLLING, none, along_z, 0.0, roll);
}

static double
measure(struct body *body)
{
    struct cn_twist work;
    return cn_residual_measure(&body->problem, body->f, &work);
}

/* Solves, in as many iterations as a method needs that treats moments like friction. */
static void
solve(const char *name, struct body *body, double tolerance)
{
    struct cn_solve_options options = {.tolerance = tolerance, .iteration_max = 100000};
    struct cn_arena scratch;
    struct cn_twist work;
    const struct cn_solver *solver = cn_solver_find(name);
    assert_true(solver->rolling);
    bool pivots = strcmp(name, "baraff94") == 0 && body->problem.row_count <= 3;
    int iterations_max = pivots ? body->problem.row_count : 13;
    memset(body->f, 0, sizeof(body->f));
    cn_arena_init(&scratch, memory, sizeof(memory));
    struct cn_solve_report report = solver->solve(&body->problem, &options, &scratch, body->f);
    assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
    assert_null(report.stand_in);
    assert_true(report.iteration_count <= iterations_max);
    assert_true(measure(body) <= tolerance);
    cn_problem_rates(&body->problem, body->f, &work, body->a);
}

static const char *const solvers[] = {"baraff94", "newton", "sweeps"};

/*
 * tan = 0.75.  mu_r = 0.4 m holds the disc, because 0.4 / 0.5 > tan: friction 12 N, moment 6 N m of
 * the 6.4 that are possible.  With 0.05 m it rolls: (0.6 - 0.1 0.8) 10 / 1.5 = 3.4667 m/s^2.
 */
static void
test_disc_on_incline(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof(solvers) / sizeof(solvers[0]); k++) {
        struct body body;
        disc_on_incline(&body, 1.0, 0.4);
        solve(solvers[k], &body, 1e-12);
        assert_near(body.f[0], PRESS, 1e-10);
        assert_near(body.f[1], -12.0, 1e-10);
        assert_near(body.f[2], 6.0, 1e-10);
        assert_near(body.a[2], 0.0, 1e-10);

        disc_on_incline(&body, 1.0, 0.05);
        solve(solvers[k], &body, 1e-12);
        double acceleration = 5.2 / 1.5;
        assert_near(body.f[0], PRESS, 1e-10);
        assert_near(body.f[1], MASS * acceleration - 12.0, 1e-10);
        assert_near(body.f[2], 0.05 * PRESS, 1e-10);
        assert_near(body.a[1], 0.0, 1e-10);
        assert_near(body.a[2], -acceleration / RADIUS, 1e-10);
    }
}

/* Without friction a moment alone turns nothing: the disc slides, and its moment is 0. */
static void
test_no_friction(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof(solvers) / sizeof(solvers[0]); k++) {
        struct body body;
        disc_on_incline(&body, 0.0, 0.05);
        solve(solvers[k], &body, 1e-12);
        assert_near(body.f[1], 0.0, 1e-12);
        assert_near(body.f[2], 0.0, 1e-10);
        assert_near(body.a[1], 6.0, 1e-10);

        /* The same without a tangent row: the rolling row follows the normal row. */
        begin(&body, 0.25);
        add_row(&body, CN_ROW_NORMAL, along_y, none, -8.0, 0.0);
        add_row(&body, CN_ROW_ROLLING, none, along_z, -4.0, 0.05);
        solve(solvers[k], &body, 1e-12);
        assert_near(body.f[1], 0.05 * PRESS, 1e-10);
        assert_near(body.a[1], -4.0 + 0.05 * PRESS / 0.25, 1e-10);
    }
}

/* A disc that rolls already has its whole moment against its turning, also where it slows. */
static void
test_rolls_already(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof(solvers) / sizeof(solvers[0]); k++) {
        struct body body;
        disc_on_incline(&body, 1.0, 0.4);
        body.slip[2] = -1.0; /* clockwise, downhill */
        body.problem.slip = body.slip;
        solve(solvers[k], &body, 1e-12);
        double acceleration = (0.6 - 0.8 * 0.8) * 10.0 / 1.5;
        assert_near(body.f[2], 0.4 * PRESS, 1e-10);
        assert_near(body.a[2], -acceleration / RADIUS, 1e-10);
    }
}

/*
 * In space: a solid ball that the incline pulls along (0.6, 0.8) of its plane by 12 N, which turns
 * about the normal at 5 rad/s^2 by itself.  It rolls along the pull: (0.6 - 0.1 0.8) 10 / 1.4
 * m/s^2.  The moment against spinning is at its limit, 0.02 16 N m.
 */
static void
test_ball_in_space(void **state)
{
    (void)state;
    double inertia = 0.4 * MASS * RADIUS * RADIUS;
    for (size_t k = 0; k < sizeof(solvers) / sizeof(solvers[0]); k++) {
        struct body body;
        begin(&body, inertia);
        add_row(&body, CN_ROW_NORMAL, along_y, none, -8.0, 1.0);
        add_row(&body, CN_ROW_TANGENT, along_x, none, 6.0 * 0.6, 0.0);
        add_row(&body, CN_ROW_TANGENT, along_z, none, 6.0 * 0.8, 0.0);
        add_row(&body, CN_ROW_ROLLING, none, along_x, 0.0, 0.05);
        add_row(&body, CN_ROW_ROLLING, none, along_z, 0.0, 0.0);
        add_row(&body, CN_ROW_SPINNING, none, along_y, 5.0, 0.02);
        solve(solvers[k], &body, 1e-12);
        double acceleration = 5.2 / 1.4, pull = MASS * acceleration - 12.0;
        assert_near(body.f[1], 0.6 * pull, 1e-9);
        assert_near(body.f[2], 0.8 * pull, 1e-9);
        assert_near(body.f[3], -0.8 * 0.05 * PRESS, 1e-9);
        assert_near(body.f[4], 0.6 * 0.05 * PRESS, 1e-9);
        assert_near(body.f[5], -0.02 * PRESS, 1e-9);
        assert_near(body.a[3], 0.8 * acceleration / RADIUS, 1e-9);
        assert_near(body.a[4], -0.6 * acceleration / RADIUS, 1e-9);
        assert_near(body.a[5], 5.0 - 0.02 * PRESS / inertia, 1e-9);
    }
}

/* The judge on wrong answers of the disc, in the problem of bodies and as a matrix. */
static void
test_judge(void **state)
{
    (void)state;
    struct body body;
    disc_on_incline(&body, 1.0, 0.05);
    solve("newton", &body, 1e-13);
    double right[3] = {body.f[0], body.f[1], body.f[2]};
    static const double change[][3] = {{0.0, 0.0, 0.1}, {0.0, 0.0, -0.1}, {0.0, 0.0, -1.6},
        {0.0, 0.0, -0.8}};
    for (size_t k = 0; k < sizeof(change) / sizeof(change[0]); k++) {
        for (int i = 0; i < 3; i++) {
            body.f[i] = right[i] + change[k][i];
        }
        double A[9], a[3];
        int row[3] = {0, 1, 2};
        cn_delassus_fill(&body.problem, row, 3, A, 3);
        struct cn_matrix_problem matrix = {.n = 3, .stride = 3, .A = A, .b = body.b,
            .tag = body.tag, .friction = body.friction};
        double residual = measure(&body);
        assert_true(residual > 1e-3);
        assert_near(cn_matrix_residual(&matrix, body.f, a), residual, 1e-14);
    }
    /* 0.1 N m beyond the limit: D 0.1 = 0.4 rad/s^2 of 8 */
    memcpy(body.f, right, sizeof(right));
    body.friction[2] = 0.0;
    body.b[1] = 0.0;
    body.f[1] = 0.0;
    body.f[2] = 0.1;
    assert_near(measure(&body), 0.1 / 0.25 / 8.0, 1e-14);
    body.f[2] = (double)NAN;
    assert_true(measure(&body) == HUGE_VAL);
}

/* Forces beyond what a contact can bear are cut to it, disc by disc. */
static void
test_usable(void **state)
{
    (void)state;
    static const unsigned char tag[7] = {CN_ROW_BILATERAL, CN_ROW_NORMAL, CN_ROW_TANGENT,
        CN_ROW_TANGENT, CN_ROW_ROLLING, CN_ROW_ROLLING, CN_ROW_SPINNING};
    static const double friction[7] = {0.0, 0.5, 0.0, 0.0, 0.1, 0.0, 0.01};
    double A[49] = {0}, b[7] = {0}, f[7] = {-3.0, 10.0, 6.0, 8.0, 0.1, 0.0, -7.0};
    struct cn_matrix_problem problem = {
        .n = 7, .stride = 7, .A = A, .b = b, .tag = tag, .friction = friction};
    cn_matrix_check(&problem);
    cn_matrix_make_usable(&problem, f);
    static const double cut[7] = {-3.0, 10.0, 3.0, 4.0, 0.1, 0.0, -0.1};
    for (int i = 0; i < 7; i++) {
        assert_near(f[i], cut[i], 1e-15);
    }
    f[1] = -1.0;
    cn_matrix_make_usable(&problem, f);
    for (int i = 1; i < 7; i++) {
        assert_near(f[i], 0.0, 0.0);
    }
}

/*
 * Random problems: the forces that they were made from solve them, and islands keep contacts whole.
 */
static void
test_islands(void **state)
{
    (void)state;
    static struct random_friction random;
    int followers = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct random_friction_kind kind = {.friction_max = 1.0, .body_max = RANDOM_BODIES_MAX,
            .contact_max = 10, .slip = seed % 2 == 0, .rolling = true};
        random_friction_build(&random, seed, kind);
        const struct cn_contact_problem *problem = &random.problem;
        struct cn_twist work[RANDOM_BODIES_MAX];
        assert_true(cn_residual_measure(problem, random.f, work) <= 1e-12);
        struct cn_arena arena;
        struct cn_islands islands;
        cn_arena_init(&arena, memory, sizeof(memory));
        cn_islands_take(&islands, &arena, problem->row_count, problem->body_count);
        cn_islands_find(&islands, problem);
        for (int k = 0; k < problem->row_count; k++) {
            if (problem->tag[islands.row[k]] >= CN_ROW_TANGENT) {
                assert_int_equal(islands.row[k - 1], islands.row[k] - 1);
                followers++;
            }
        }
    }
    assert_true(followers > 1000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disc_on_incline),
        cmocka_unit_test(test_no_friction),
        cmocka_unit_test(test_rolls_already),
        cmocka_unit_test(test_ball_in_space),
        cmocka_unit_test(test_judge),
        cmocka_unit_test(test_usable),
        cmocka_unit_test(test_islands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
