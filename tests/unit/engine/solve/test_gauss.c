/*
 * test_gauss.c: the principle itself, and special cases of this solver.
 *
 * tests/conform holds the laws of all solvers.
 */
#include "engine/solve/table/matrix_adapter.h"
#include "engine/solve/table/solver_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/solve/brick_wall.h"
#include "tests/support/solve/random_problem.h"

static _Alignas(64) unsigned char scratch_memory[1 << 24];
static const struct cn_solve_options options = {.tolerance = 1e-11, .iteration_max = 1000};

static struct cn_solve_report
solve(const struct cn_contact_problem *problem, double *f)
{
    struct cn_arena scratch;
    cn_arena_init(&scratch, scratch_memory, sizeof(scratch_memory));
    return cn_solver_find("gauss")->solve(problem, &options, &scratch, f);
}

static struct cn_solve_report
solve_matrix(int n, const double *A, const double *b, const unsigned char *tag, double *f)
{
    struct cn_matrix_problem problem = {.n = n, .stride = n, .A = A, .b = b, .tag = tag};
    struct cn_arena scratch;
    cn_arena_init(&scratch, scratch_memory, sizeof(scratch_memory));
    return cn_matrix_solve(cn_matrix_solver_find("gauss"), &problem, &options, &scratch, f);
}

/* y' M y of accelerations y; the masses' inverses are diagonal here. */
static double
restraint(const struct cn_contact_problem *problem, const struct cn_twist *y)
{
    double sum = 0.0;
    for (int k = 0; k < problem->body_count; k++) {
        const struct cn_mass_inverse *mass = &problem->mass[k];
        sum += cn_vec3_dot(y[k].linear, y[k].linear) / mass->linear;
        sum += y[k].angular.x * y[k].angular.x / mass->angular.cx.x;
        sum += y[k].angular.y * y[k].angular.y / mass->angular.cy.y;
        sum += y[k].angular.z * y[k].angular.z / mass->angular.cz.z;
    }
    return sum;
}

static bool
is_allowed(const struct cn_contact_problem *problem, const struct cn_twist *y, double margin)
{
    for (int i = 0; i < problem->row_count; i++) {
        double a = problem->b[i] + cn_row_rate(&problem->rows[i], y);
        if (a < -margin || (problem->tag[i] == CN_ROW_BILATERAL && a > margin)) {
            return false;
        }
    }
    return true;
}

static struct cn_twist
blend(struct cn_twist from, double s, struct cn_twist to)
{
    struct cn_twist sum;
    sum.linear = cn_vec3_scale(from.linear, 1.0 - s);
    sum.angular = cn_vec3_scale(from.angular, 1.0 - s);
    sum.linear = cn_vec3_add_scaled(sum.linear, s, to.linear);
    sum.angular = cn_vec3_add_scaled(sum.angular, s, to.angular);
    return sum;
}

/*
 * The found accelerations are allowed, and no allowed ones are nearer to free motion.  The test
 * compares those of the problem's construction, and those between.
 */
static void
test_least_restraint(void **state)
{
    (void)state;
    static struct random_problem random;
    static struct cn_twist y[RANDOM_BODIES_MAX], other[RANDOM_BODIES_MAX];
    double f[RANDOM_ROWS_MAX];
    int compared = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        random_problem_build(&random, seed, seed % 4 == 0, seed % 2 == 0);
        const struct cn_contact_problem *problem = &random.problem;
        for (int i = 0; i < problem->row_count; i++) {
            f[i] = 0.0;
        }
        assert_int_equal(solve(problem, f).outcome, CN_SOLVE_CONVERGED);
        cn_problem_accelerate(problem, f, y);
        assert_true(is_allowed(problem, y, 1e-8));
        double least = restraint(problem, y);
        struct cn_rng rng = {.state = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15)};
        for (int turn = 0; turn < 200; turn++) {
            for (int k = 0; k < problem->body_count; k++) {
                struct cn_twist away;
                away.linear = random_vec3(&rng, 1.0, false);
                away.angular = random_vec3(&rng, 1.0, false);
                other[k] = blend(y[k], 1e-2, away);
            }
            if (is_allowed(problem, other, 0.0)) {
                compared++;
                assert_true(restraint(problem, other) >= least * (1.0 - 1e-9));
            }
        }
    }
    assert_true(compared > 200);
}

/* Two legs to the left of the centre of mass and one to the right, two of them in one place. */
static void
test_redundant_legs(void **state)
{
    (void)state;
    struct cn_mass_inverse mass = {0.5, cn_mat33_diagonal(1.0, 1.0, 1.0)};
    static const double x[3] = {-1.0, -1.0, 2.0};
    struct cn_row rows[3];
    double b[3], f[3] = {0.0, 0.0, 0.0};
    unsigned char tag[3] = {CN_ROW_NORMAL, CN_ROW_NORMAL, CN_ROW_NORMAL};
    for (int i = 0; i < 3; i++) {
        rows[i] = (struct cn_row){.body_a = -1, .linear_b = {0.0, 1.0, 0.0},
            .angular_b = {0.0, 0.0, x[i]}};
        b[i] = -9.0;
    }
    struct cn_contact_problem problem = {.row_count = 3, .body_count = 1, .rows = rows,
        .mass = &mass, .b = b, .tag = tag};
    assert_int_equal(solve(&problem, f).outcome, CN_SOLVE_CONVERGED);
    assert_near(f[0] + f[1], 12.0, 1e-10); /* 18 N by the lever: two thirds and a third */
    assert_near(f[2], 6.0, 1e-10);
    assert_int_equal(solve(&problem, f).iteration_count, 0); /* warm: no iterations */
}

/* A block between walls that both close in: no acceleration satisfies both. */
static void
test_closing_walls(void **state)
{
    (void)state;
    struct cn_mass_inverse mass = {1.0, cn_mat33_diagonal(1.0, 1.0, 1.0)};
    struct cn_row rows[3] = {
        {.body_a = -1, .linear_b = {1.0, 0.0, 0.0}},
        {.body_a = -1, .linear_b = {-1.0, 0.0, 0.0}},
        {.body_a = -1, .linear_b = {0.0, 1.0, 0.0}},
    };
    double b[3] = {-1.0, -2.0, -10.0}, f[3] = {0.0, 0.0, 0.0};
    unsigned char tag[3] = {CN_ROW_NORMAL, CN_ROW_NORMAL, CN_ROW_NORMAL};
    struct cn_contact_problem problem = {.row_count = 3, .body_count = 1, .rows = rows,
        .mass = &mass, .b = b, .tag = tag};
    assert_int_equal(solve(&problem, f).outcome, CN_SOLVE_INFEASIBLE);
    assert_near(f[2], 10.0, 1e-10); /* the floor's force is right */
    assert_true(f[0] >= 0.0 && f[1] >= 0.0 && f[0] + f[1] < 10.0);
    b[1] = 1.0; /* one wall recedes as fast as the other comes */
    assert_int_equal(solve(&problem, f).outcome, CN_SOLVE_CONVERGED);
}

/* Joints that repeat each other are solved as one; contradicting joints are infeasible. */
static void
test_bilateral(void **state)
{
    (void)state;
    double A[] = {2.0, 2.0, 2.0, 2.0}, b[] = {-6.0, -6.0}, f[2] = {0.0, 0.0};
    unsigned char tag[] = {CN_ROW_BILATERAL, CN_ROW_BILATERAL};
    assert_int_equal(solve_matrix(2, A, b, tag, f).outcome, CN_SOLVE_CONVERGED);
    assert_near(f[0] + f[1], 3.0, 1e-11);
    b[1] = -5.0;
    assert_int_equal(solve_matrix(2, A, b, tag, f).outcome, CN_SOLVE_INFEASIBLE);
}

/* Matrices that no masses have: the forces are solutions, or the outcome does not say so. */
static void
test_not_a_program(void **state)
{
    (void)state;
    double unsymmetric[] = {2.0, 1.0, 0.0, 2.0}, b[] = {-1.0, -1.0}, f[2] = {0.0, 0.0};
    if (solve_matrix(2, unsymmetric, b, NULL, f).outcome == CN_SOLVE_CONVERGED) {
        assert_near(f[0], 0.25, 1e-8);
        assert_near(f[1], 0.5, 1e-8);
    }
    double indefinite[] = {0.0, 1.0, 1.0, 0.0};
    if (solve_matrix(2, indefinite, b, NULL, f).outcome == CN_SOLVE_CONVERGED) {
        assert_near(f[0], 1.0, 1e-8);
        assert_near(f[1], 1.0, 1e-8);
    }
    /* Indefinite by rounding: two contacts share 3 N, and A is off by 1e-9. */
    double rounded[] = {1.0, 1.0 + 1e-9, 1.0 + 1e-9, 1.0}, pull[] = {-3.0, -3.0};
    memset(f, 0, sizeof(f));
    assert_int_equal(solve_matrix(2, rounded, pull, NULL, f).outcome, CN_SOLVE_CONVERGED);
    assert_near(f[0] + f[1], 3.0, 1e-8);
    double definite[] = {2.0, 1.0, 1.0, 2.0};
    assert_int_equal(solve_matrix(2, definite, b, NULL, f).outcome, CN_SOLVE_CONVERGED);
    assert_near(f[0], 1.0 / 3.0, 1e-12);
}

#define WALL_ROWS 4096
#define WALL_BODIES 1024

/*
 * A wall of 780 bricks with 3004 contacts, under loads that pull it apart, takes the sparse factor.
 * One of 90 bricks takes the orthogonal factor.  Both move as by other methods.
 */
static void
test_walls(void **state)
{
    (void)state;
    static double f[WALL_ROWS], a[WALL_ROWS], a_other[WALL_ROWS], load[WALL_BODIES];
    static double offset[WALL_BODIES];
    static struct cn_twist work[WALL_BODIES];
    static const int size[2][2] = {{9, 10}, {20, 40}};
    static const char *const name[] = {"gauss", "baraff94", "faure96"};
    struct brick_wall wall;
    brick_wall_init(&wall, WALL_ROWS, WALL_BODIES);
    for (int turn = 0; turn < 2; turn++) {
        struct cn_rng rng = {.state = 5};
        brick_wall_build(&wall, size[turn][0], size[turn][1], 0.5);
        for (int k = 0; k < wall.problem.body_count; k++) {
            load[k] = cn_rng_uniform(&rng, -3.0, 9.0);
            offset[k] = cn_rng_uniform(&rng, -0.4, 0.4);
        }
        brick_wall_load(&wall, load, offset);
        for (int k = 0; k < 3; k++) {
            const struct cn_solver *solver = cn_solver_find(name[k]);
            struct cn_arena scratch;
            cn_arena_init_measure(&scratch);
            solver->layout(&scratch, wall.problem.row_count, wall.problem.body_count);
            void *memory = aligned_alloc(64, scratch.used);
            assert_non_null(memory);
            cn_arena_init(&scratch, memory, scratch.used);
            memset(f, 0, sizeof(f));
            struct cn_solve_options loose = {.tolerance = 1e-10, .iteration_max = 100000};
            struct cn_solve_report report = solver->solve(&wall.problem, &loose, &scratch, f);
            free(memory);
            assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
            cn_problem_rates(&wall.problem, f, work, k == 0 ? a : a_other);
            for (int i = 0; k > 0 && i < wall.problem.row_count; i++) {
                assert_near(a_other[i], a[i], 1e-7);
            }
        }
    }
    brick_wall_finish(&wall);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_restraint),
        cmocka_unit_test(test_redundant_legs),
        cmocka_unit_test(test_closing_walls),
        cmocka_unit_test(test_bilateral),
        cmocka_unit_test(test_not_a_program),
        cmocka_unit_test(test_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
