/*
 * test_baraff89.c: the corners of the heuristic that neither the truth set nor the conformance
 * suite reaches.  Its branches, step by step, are in tests/truth/runs/run_heuristic.c.
 */
#include "engine/solve/matrix/baraff89.h"

#include "engine/base/limits.h"
#include "engine/solve/table/matrix_adapter.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"

static _Alignas(64) unsigned char memory[1 << 16];

static struct cn_solve_report
solve(int n, const double *A, const double *b, const unsigned char *tag, int pivot_max, double *f)
{
    struct cn_matrix_problem problem = {.n = n, .stride = n, .A = A, .b = b, .tag = tag};
    struct cn_solve_options options = {.tolerance = 1e-12, .iteration_max = pivot_max};
    struct cn_arena scratch;
    cn_arena_init(&scratch, memory, sizeof(memory));
    return cn_matrix_solve(&cn_matrix_solver_baraff89, &problem, &options, &scratch, f);
}

/*
 * Figure 7: a point mass on an incline. The force is -b / A. Twice that would also prevent
 * penetration, but lifts the body off.
 */
static void
test_incline(void **state)
{
    (void)state;
    double A[] = {0.5}, b[] = {-8.660254037844387}, f[] = {0.0};
    struct cn_solve_report report = solve(1, A, b, NULL, 100, f);
    assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
    assert_int_equal(report.heuristic.guess_count, 1);
    assert_near(f[0], 17.320508075688775, 1e-13);
}

/* A body between two closing walls: the linear program proves that no forces can hold them. */
static void
test_closing_walls(void **state)
{
    (void)state;
    double A[] = {1.0, -1.0, -1.0, 1.0}, b[] = {-3.0, -4.0}, f[] = {0.0, 0.0};
    struct cn_solve_report report = solve(2, A, b, NULL, 100, f);
    assert_int_equal(report.outcome, CN_SOLVE_INFEASIBLE);
    assert_true(isfinite(f[0]) && isfinite(f[1]) && report.residual > 0.1);
    assert_int_equal(report.heuristic.fallback_count, 0);
}

/*
 * The same walls beside a pair of bilateral rows that contradict each other: not even without the
 * latter is there an answer.
 */
static void
test_walls_and_joints(void **state)
{
    (void)state;
    double A[] = {1.0, -1.0, 0.0, 0.0, -1.0, 1.0, 0.0, 0.0, /* the walls */
        0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0};
    double b[] = {-3.0, -4.0, 1.0, 2.0}, f[4] = {0.0};
    unsigned char tag[] = {CN_ROW_NORMAL, CN_ROW_NORMAL, CN_ROW_BILATERAL, CN_ROW_BILATERAL};
    assert_int_equal(solve(4, A, b, tag, 100, f).outcome, CN_SOLVE_INFEASIBLE);
    b[1] = 3.0; /* the walls stop closing: now the joints alone are to blame */
    assert_int_equal(solve(4, A, b, tag, 100, f).outcome, CN_SOLVE_INFEASIBLE);
    assert_near(f[0] - f[1], 3.0, 1e-12);
    double pull = -(f[2] + f[3]); /* anywhere between 1 and 2 is least in the 1-norm */
    assert_true(1.0 - 1e-12 <= pull && pull <= 2.0 + 1e-12);
}

/* Redundant bilateral rows that agree are no trouble. */
static void
test_redundant_joints(void **state)
{
    (void)state;
    double A[] = {1.0, 1.0, 1.0, 1.0}, b[] = {5.0, 5.0}, f[] = {0.0, 0.0};
    unsigned char tag[] = {CN_ROW_BILATERAL, CN_ROW_BILATERAL};
    assert_int_equal(solve(2, A, b, tag, 100, f).outcome, CN_SOLVE_CONVERGED);
    assert_near(f[0] + f[1], -5.0, 1e-12);
}

/* No pivots: the forces are usable all the same. */
static void
test_starved(void **state)
{
    (void)state;
    double A[] = {2.0, 1.0, 1.0, 2.0}, b[] = {-3.0, -3.0}, f[] = {0.0, 0.0};
    assert_int_equal(solve(2, A, b, NULL, 1, f).outcome, CN_SOLVE_ITERATIONS_MAX);
    assert_true(f[0] >= 0.0 && f[1] >= 0.0 && isfinite(f[0] + f[1]));
}

/* An island too large for dense programs keeps its forces, and the report says so. */
static void
test_too_large(void **state)
{
    (void)state;
    int n = CN_CONTACT_ROWS_MAX + 1;
    size_t size = (size_t)n;
    double *A = calloc(size * size, sizeof(A[0])), *b = calloc(size, sizeof(b[0]));
    double *f = calloc(size, sizeof(f[0]));
    assert_true(A != NULL && b != NULL && f != NULL);
    for (int i = 0; i < n; i++) {
        A[i * n + i] = 1.0;
        b[i] = -1.0;
        f[i] = 0.5;
    }
    struct cn_matrix_problem problem = {.n = n, .stride = n, .A = A, .b = b};
    struct cn_solve_options options = {.tolerance = 1e-9, .iteration_max = 100};
    struct cn_arena scratch;
    cn_arena_init(&scratch, memory, sizeof(memory));
    struct cn_solve_report report =
        cn_matrix_solve(&cn_matrix_solver_baraff89, &problem, &options, &scratch, f);
    assert_int_equal(report.outcome, CN_SOLVE_ITERATIONS_MAX);
    assert_near(report.residual, 0.5, 1e-12);
    free(A);
    free(b);
    free(f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_incline),
        cmocka_unit_test(test_closing_walls),
        cmocka_unit_test(test_walls_and_joints),
        cmocka_unit_test(test_redundant_joints),
        cmocka_unit_test(test_starved),
        cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
