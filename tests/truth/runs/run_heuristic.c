/*
 * run_heuristic.c: the linear programs of 1989, step by step, and bilateral systems without a
 * solution.
 */
#include "engine/linalg/least.h"
#include "engine/solve/matrix/baraff89.h"
#include "engine/solve/table/matrix_adapter.h"
#include "engine/solve/table/solver_table.h"
#include "tests/truth/check.h"
#include "tests/truth/table.h"
#include "tests/truth/tower.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ORDER_MAX 16
#define TOLERANCE 1e-11

static _Alignas(64) unsigned char memory[1 << 16];
static double A[ORDER_MAX * ORDER_MAX], b[ORDER_MAX], f[ORDER_MAX];

/* Reads A f - b; returns the number of rows. */
static int
read_system(const json_t *given, int *column_count)
{
    const json_t *rows = truth_member(given, "A");
    int m = truth_member_numbers(given, "b", b, ORDER_MAX);
    assert_int_equal(json_array_size(rows), m);
    *column_count = (int)json_array_size(json_array_get(rows, 0));
    for (int i = 0; i < m; i++) {
        const json_t *row = json_array_get(rows, (size_t)i);
        assert_int_equal(truth_numbers(row, &A[i * *column_count], *column_count), *column_count);
    }
    return m;
}

static void
check_numbers(const json_t *data, const char *key, const double *actual)
{
    double expected[ORDER_MAX];
    int count = truth_member_numbers(truth_member(data, "expect"), key, expected, ORDER_MAX);
    for (int i = 0; i < count; i++) {
        truth_near(actual[i], expected[i], truth_tolerance(data, expected[i]), "%s[%d]", key, i);
    }
}

/* The whole solver on the matrix. */
static struct cn_solve_report
solve(const struct cn_matrix_problem *problem)
{
    struct cn_arena scratch;
    cn_arena_init(&scratch, memory, sizeof(memory));
    struct cn_solve_options options = {.tolerance = TOLERANCE, .iteration_max = 1000};
    memset(f, 0, sizeof(f));
    return cn_matrix_solve(&cn_matrix_solver_baraff89, problem, &options, &scratch, f);
}

/* Checks which branch the whole solver takes and how much power the fallback adds. */
static void
check_branch(const json_t *data, const struct cn_matrix_problem *problem)
{
    const json_t *expect = truth_member(data, "expect");
    bool is_empty = json_is_true(truth_member(expect, "V_empty_feasible"));
    bool succeeds = json_is_true(truth_member(expect, "heuristic_succeeds"));
    struct cn_solve_report report = solve(problem);
    assert_int_equal(report.heuristic.guess_count, is_empty);
    assert_int_equal(report.heuristic.prediction_count, !is_empty && succeeds);
    assert_int_equal(report.heuristic.fallback_count, !succeeds);
    assert_int_equal(report.outcome, succeeds ? CN_SOLVE_CONVERGED : CN_SOLVE_INEXACT);
    truth_expect(data, "fallback_energy_sum", report.heuristic.power);
    if (!succeeds) { /* the fallback is the forces of least sum */
        check_numbers(data, "minsum_f", f);
    } else if (json_is_array(truth_member(expect, "f_correct"))) {
        check_numbers(data, "f_correct", f);
    }
}

/* The motion as every solver must find it, then the heuristic's own steps. */
void
truth_run_heuristic(const json_t *data)
{
    truth_run_single_body(data);
    const json_t *expect = truth_member(data, "expect");
    int n, m = read_system(truth_member(data, "given"), &n);
    assert_int_equal(m, n);
    double minus_b[ORDER_MAX], predicted[ORDER_MAX];
    for (int i = 0; i < n; i++) {
        minus_b[i] = -b[i];
    }
    struct cn_matrix_problem problem = {.n = n, .stride = n, .A = A, .b = minus_b};
    struct cn_arena scratch;
    cn_arena_init(&scratch, memory, sizeof(memory));
    struct cn_baraff89 h;
    cn_baraff89_take(&h, &scratch, n);
    cn_baraff89_begin(&h, &problem, TOLERANCE, 1000);

    bool is_empty = json_is_true(truth_member(expect, "V_empty_feasible"));
    assert_int_equal(cn_baraff89_given(&h, NULL, f),
        is_empty ? CN_SIMPLEX_OPTIMAL : CN_SIMPLEX_INFEASIBLE);
    assert_int_equal(cn_baraff89_minimum_sum(&h), CN_SIMPLEX_OPTIMAL);
    assert_true(json_is_true(truth_member(expect, "minsum_unique")));
    check_numbers(data, "minsum_f", h.f_least);
    check_numbers(data, "residual", h.a);
    int count = truth_member_numbers(expect, "V_predicted", predicted, ORDER_MAX);
    for (int i = 0; i < n; i++) {
        count -= h.vanishing[i];
    }
    assert_int_equal(count, 0);
    for (size_t k = 0; k < json_array_size(truth_member(expect, "V_predicted")); k++) {
        assert_true(h.vanishing[(int)predicted[k]]);
    }
    bool succeeds = json_is_true(truth_member(expect, "heuristic_succeeds"));
    assert_int_equal(cn_baraff89_given(&h, h.vanishing, f),
        succeeds ? CN_SIMPLEX_OPTIMAL : CN_SIMPLEX_INFEASIBLE);
    check_branch(data, &problem);
}

/* The sum of |A f - b|, at its least: free x, and equations that may be violated. */
static double
least_absolute(int m, int n)
{
    struct cn_arena scratch;
    struct cn_simplex lp;
    cn_arena_init(&scratch, memory, sizeof(memory));
    cn_simplex_take(&lp, &scratch, m, n);
    cn_simplex_begin(&lp, m, n);
    for (int k = 0; k < n + m; k++) {
        lp.kind[k] = k < n ? CN_SIMPLEX_FREE : CN_SIMPLEX_ZERO;
    }
    for (int i = 0; i < m; i++) {
        memcpy(cn_simplex_row(&lp, i), &A[i * n], (size_t)n * sizeof(A[0]));
        cn_simplex_row(&lp, i)[n] = -b[i];
    }
    cn_simplex_start(&lp);
    enum cn_simplex_end outcome = cn_simplex_run(&lp, 1000);
    double s[ORDER_MAX], sum = 0.0;
    cn_simplex_read(&lp, NULL, s);
    for (int i = 0; i < m; i++) {
        sum += fabs(s[i]);
    }
    assert_int_equal(outcome, sum > 1e-9 ? CN_SIMPLEX_INFEASIBLE : CN_SIMPLEX_OPTIMAL);
    return sum;
}

/* A f - b of one row. */
static double
rest(int n, int i)
{
    double sum = -b[i];
    for (int j = 0; j < n; j++) {
        sum += A[i * n + j] * f[j];
    }
    return sum;
}

/*
 * A symmetric system as the solver meets it: bilateral rows alone, where it takes least squares,
 * then beside a contact, where it takes the least sum of violations.
 */
static void
check_bilateral_solver(const json_t *data, int n)
{
    unsigned char tag[ORDER_MAX + 1];
    double minus_b[ORDER_MAX + 1], beside[(ORDER_MAX + 1) * (ORDER_MAX + 1)] = {0.0}, sum = 0.0;
    memset(tag, CN_ROW_BILATERAL, sizeof(tag));
    for (int i = 0; i < n; i++) {
        minus_b[i] = -b[i];
        memcpy(&beside[i * (n + 1)], &A[i * n], (size_t)n * sizeof(A[0]));
    }
    struct cn_matrix_problem problem = {.n = n, .stride = n, .A = A, .b = minus_b, .tag = tag};
    enum cn_solve_outcome outcome =
        truth_member_number(truth_member(data, "expect"), "resid1_min") == 0.0
            ? CN_SOLVE_CONVERGED
            : CN_SOLVE_INFEASIBLE;
    assert_int_equal(solve(&problem).outcome, outcome);
    check_numbers(data, "f_ls_minnorm", f);

    tag[n] = CN_ROW_NORMAL;
    minus_b[n] = -7.0;
    beside[n * (n + 1) + n] = 2.0;
    problem = (struct cn_matrix_problem){
        .n = n + 1, .stride = n + 1, .A = beside, .b = minus_b, .tag = tag};
    assert_int_equal(solve(&problem).outcome, outcome);
    for (int i = 0; i < n; i++) {
        sum += fabs(rest(n, i));
    }
    truth_expect(data, "resid1_min", sum);
    truth_near(f[n], 3.5, 1e-9, "the contact beside");
}

void
truth_run_infeasible(const json_t *data)
{
    int n, m = read_system(truth_member(data, "given"), &n);
    bool symmetric = m == n;
    for (int i = 0; symmetric && i < n; i++) {
        for (int j = 0; j < n; j++) {
            symmetric = symmetric && A[i * n + j] == A[j * n + i];
        }
    }
    truth_expect(data, "resid1_min", least_absolute(m, n));
    struct cn_arena scratch;
    struct cn_least least;
    cn_arena_init(&scratch, memory, sizeof(memory));
    cn_least_take(&least, &scratch, m, n);
    memcpy(least.A, A, (size_t)(m * n) * sizeof(A[0]));
    memcpy(least.b, b, (size_t)m * sizeof(b[0]));
    cn_least_squares(&least, m, n, f);
    check_numbers(data, "f_ls_minnorm", f);
    double sum = 0.0;
    for (int i = 0; i < m; i++) {
        sum += rest(n, i) * rest(n, i);
    }
    truth_expect(data, "resid2", sqrt(sum));
    if (symmetric) {
        check_bilateral_solver(data, n);
    }
}

/* The overbalanced stack: its motion, and the heuristic's verdict on it. */
void
truth_run_overbalanced(const json_t *data)
{
    static struct tower tower;
    truth_run_overbalanced_motion(&tower, data);
    const json_t *expect = truth_member(data, "expect");
    bool is_empty = json_is_true(truth_member(expect, "heuristic_V0_feasible"));
    bool succeeds = json_is_true(truth_member(expect, "heuristic_succeeds"));
    struct cn_solve_report report = tower_try_solver(&tower, cn_solver_find("baraff89"));
    assert_int_equal(report.heuristic.guess_count, is_empty);
    assert_int_equal(report.heuristic.prediction_count, !is_empty && succeeds);
    assert_int_equal(report.heuristic.fallback_count, !succeeds);
    /* Where the guess fails another solver stands in, and the report says so. */
    assert_true((report.outcome == CN_SOLVE_CONVERGED && report.stand_in_rows == 0) == succeeds);
    assert_true(succeeds || report.heuristic.power > 0.0);
}
