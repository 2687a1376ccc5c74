/*
 * test_baraff94.c: cases whose answer is known by hand or proven elsewhere.
 *
 * tests/conform holds the laws of all solvers.  Here are the paper's own claims and the special
 * cases of this solver, at the level of A and b.
 */
#include "engine/solve/table/matrix_adapter.h"
#include "engine/solve/table/solver_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "tests/support/near.h"

static _Alignas(64) unsigned char scratch_memory[1 << 16];

static struct cn_solve_report
solve_as(int n, const double *A, const double *b, const unsigned char *tag, bool minimum_norm,
    double *f)
{
    struct cn_matrix_problem problem = {.n = n, .stride = n, .A = A, .b = b, .tag = tag};
    struct cn_solve_options options = {.tolerance = 1e-12, .iteration_max = 1000,
        .minimum_norm = minimum_norm};
    struct cn_arena scratch;
    cn_arena_init(&scratch, scratch_memory, sizeof(scratch_memory));
    return cn_matrix_solve(cn_matrix_solver_find("baraff94"), &problem, &options, &scratch, f);
}

static struct cn_solve_report
solve(int n, const double *A, const double *b, double *f)
{
    for (int i = 0; i < n; i++) {
        f[i] = 0.0;
    }
    return solve_as(n, A, b, NULL, false, f);
}

/* One 2 kg block on the floor: the floor carries its weight, f = m g. */
static void
test_block_on_floor(void **state)
{
    (void)state;
    double A[] = {1.0 / 2.0}, b[] = {-9.81}, f[1];
    struct cn_solve_report report = solve(1, A, b, f);
    assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
    assert_int_equal(report.iteration_count, 1);
    assert_near(f[0], 2.0 * 9.81, 1e-12);
}

/* Parting bodies need no force, and no pivot. */
static void
test_parting(void **state)
{
    (void)state;
    double A[] = {1.0, 0.0, 0.0, 1.0}, b[] = {0.0, 3.0}, f[2];
    struct cn_solve_report report = solve(2, A, b, f);
    assert_int_equal(report.iteration_count, 0);
    assert_near(f[0], 0.0, 0.0);
    assert_near(f[1], 0.0, 0.0);
}

/*
 * A stack of two 1 kg blocks. Contact 0: floor and lower block; contact 1: lower and upper block.
 * The floor carries both: f = (2 g, g).  Forces at 0 part 0 and close 1, hence the signs of A.
 */
static void
test_stack_of_two(void **state)
{
    (void)state;
    double A[] = {1.0, -1.0, -1.0, 2.0}, b[] = {-9.81, 0.0}, f[2];
    struct cn_solve_report report = solve(2, A, b, f);
    assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
    assert_near(f[0], 2.0 * 9.81, 1e-12);
    assert_near(f[1], 9.81, 1e-12);
}

/* A contact that was clamped early has to be unclamped: eq. (10) limits the step. */
static void
test_unclamp(void **state)
{
    (void)state;
    double A[] = {1.0, 0.9, 0.9, 0.9}, b[] = {-2.0, -1.9}, f[2];
    struct cn_solve_report report = solve(2, A, b, f);
    assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
    assert_near(f[0], 1.0, 1e-12);
    assert_near(f[1], 1.0 / 0.9, 1e-12);
    double A2[] = {1.0, 0.9, 0.9, 1.0}, b2[] = {-1.0, -2.0};
    f[0] = 1.0; /* a warm start that is wrong */
    f[1] = 0.0;
    report = solve_as(2, A2, b2, NULL, false, f);
    assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
    assert_near(f[0], 0.0, 0.0);
    assert_near(f[1], 2.0, 1e-12);
}

/* A table with a redundant leg: A is singular, b is in its column space, section 4.4 holds. */
static void
test_redundant_contact(void **state)
{
    (void)state;
    double A[] = {1.0, 1.0, 1.0, 1.0}, b[] = {-4.0, -4.0}, f[2];
    struct cn_solve_report report = solve(2, A, b, f);
    assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
    assert_near(f[0] + f[1], 4.0, 1e-12);
}

/* Two walls that close on a block: no solution exists, and we say so without looping. */
static void
test_closing_walls(void **state)
{
    (void)state;
    double A[] = {1.0, -1.0, -1.0, 1.0}, b[] = {-1.0, -1.0}, f[2];
    struct cn_solve_report report = solve(2, A, b, f);
    assert_int_equal(report.outcome, CN_SOLVE_INFEASIBLE);
    assert_true(isfinite(f[0]) && isfinite(f[1]));
    assert_true(f[0] >= 0.0 && f[1] >= 0.0);
    assert_near(report.residual, 2.0, 1e-12); /* one wall holds, the other closes twice as fast */
}

/* Where one block is squeezed, the block beside it still rests on its floor. */
static void
test_closing_walls_and_a_bystander(void **state)
{
    (void)state;
    double A[] = {1.0, -1.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0, 1.0}, b[] = {-1.0, -1.0, -9.81}, f[3];
    struct cn_solve_report report = solve(3, A, b, f);
    assert_int_equal(report.outcome, CN_SOLVE_INFEASIBLE);
    assert_near(f[2], 9.81, 1e-12);
}

/* Murty's P-matrices of order 4 and 8 are not symmetric: f = (0, ..., 0, 1). */
static void
test_murty(void **state)
{
    (void)state;
    for (int n = 4; n <= 8; n += 4) {
        double A[64], b[8], f[8];
        for (int i = 0; i < n; i++) {
            b[i] = -1.0;
            for (int j = 0; j < n; j++) {
                A[i * n + j] = j < i ? 0.0 : j == i ? 1.0 : 2.0;
            }
        }
        struct cn_solve_report report = solve(n, A, b, f);
        assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
        for (int i = 0; i < n; i++) {
            assert_near(f[i], i == n - 1 ? 1.0 : 0.0, 1e-12);
        }
    }
}

/* Fathi's symmetric example: f = (1, 0, 0, 0), a = (0, 1, 1, 1). */
static void
test_fathi(void **state)
{
    (void)state;
    double A[] = {1, 2, 2, 2, 2, 5, 6, 6, 2, 6, 9, 10, 2, 6, 10, 13}, b[] = {-1, -1, -1, -1}, f[4];
    struct cn_solve_report report = solve(4, A, b, f);
    assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
    assert_near(f[0], 1.0, 1e-12);
    assert_near(f[1] + f[2] + f[3], 0.0, 0.0);
}

/* Painleve's rod, a = p f + b: with p < 0 there is no solution for b < 0 and two for b > 0. */
static void
test_painleve(void **state)
{
    (void)state;
    double A[] = {-0.2}, none[] = {-1.0}, two[] = {1.0}, f[1];
    struct cn_solve_report report = solve(1, A, none, f);
    assert_int_equal(report.outcome, CN_SOLVE_INFEASIBLE);
    report = solve(1, A, two, f);
    assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
    assert_near(f[0], 0.0, 0.0);
}

/* A hinge may pull: a bilateral row takes any sign and its acceleration stays zero. */
static void
test_bilateral(void **state)
{
    (void)state;
    double A[] = {2.0, -1.0, -1.0, 1.0}, b[] = {3.0, -1.0}, f[2] = {0.0, 0.0};
    unsigned char tag[] = {CN_ROW_BILATERAL, CN_ROW_NORMAL};
    struct cn_solve_report report = solve_as(2, A, b, tag, false, f);
    assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
    assert_near(f[0], -1.5, 1e-12); /* alone: a_1 = 1.5 - 1 > 0, so contact 1 is parting */
    assert_near(f[1], 0.0, 0.0);
}

/* A square table, 40 N at (x, y), unit mass and inertias: rows (1, +-1, +-1). */
static void
table_of_four(double x, double y, double *A, double *b)
{
    static const double leg[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    for (int i = 0; i < 4; i++) {
        b[i] = -40.0 * (1.0 + leg[i][0] * x + leg[i][1] * y);
        for (int j = 0; j < 4; j++) {
            A[i * 4 + j] = 1.0 + leg[i][0] * leg[j][0] + leg[i][1] * leg[j][1];
        }
    }
}

/* Minimum norm: load off centre gives (14, 8, 6, 12); far off, where a leg would pull, 0 there. */
static void
test_minimum_norm(void **state)
{
    (void)state;
    double A[16], b[4], f[4] = {0.0};
    static const double expected[4] = {14.0, 8.0, 6.0, 12.0};
    table_of_four(0.3, 0.1, A, b);
    struct cn_solve_report report = solve_as(4, A, b, NULL, true, f);
    assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
    for (int i = 0; i < 4; i++) {
        assert_near(f[i], expected[i], 1e-12);
    }
    /* At (0.6, 0.6) unbounded least squares gives leg 2 a pull of 2 N; without it (24, 8, 0, 8). */
    static const double bounded[4] = {24.0, 8.0, 0.0, 8.0};
    table_of_four(0.6, 0.6, A, b);
    report = solve_as(4, A, b, NULL, true, f);
    assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
    for (int i = 0; i < 4; i++) {
        assert_near(f[i], bounded[i], 1e-12);
    }
}

/* A warm start of rubbish changes nothing. */
static void
test_rubbish_warm_start(void **state)
{
    (void)state;
    double A[] = {1.0, -1.0, -1.0, 2.0}, b[] = {-9.81, 0.0}, f[2] = {(double)NAN, -HUGE_VAL};
    struct cn_solve_report report = solve_as(2, A, b, NULL, false, f);
    assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
    assert_near(f[0], 2.0 * 9.81, 1e-12);
    assert_near(f[1], 9.81, 1e-12);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_on_floor),
        cmocka_unit_test(test_parting),
        cmocka_unit_test(test_stack_of_two),
        cmocka_unit_test(test_unclamp),
        cmocka_unit_test(test_redundant_contact),
        cmocka_unit_test(test_closing_walls),
        cmocka_unit_test(test_closing_walls_and_a_bystander),
        cmocka_unit_test(test_murty),
        cmocka_unit_test(test_fathi),
        cmocka_unit_test(test_painleve),
        cmocka_unit_test(test_bilateral),
        cmocka_unit_test(test_minimum_norm),
        cmocka_unit_test(test_rubbish_warm_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
