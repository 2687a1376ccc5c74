/*
 * run_matrix.c: complementarity problems given as matrix and right-hand side.
 */
#include "engine/solve/matrix_solver.h"
#include "tests/truth/check.h"
#include "tests/truth/problem.h"
#include "tests/truth/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ORDER_MAX 128

/* As the truth set asks of complementarity problems: relative to the largest |b|. */
#define TOLERANCE 1e-9

static double A[ORDER_MAX * ORDER_MAX], b[ORDER_MAX], f[ORDER_MAX];
static unsigned char tag[ORDER_MAX];

/* Reads A f >= b, i.e. w = A f - b. Returns the order. */
static int
matrix_read(const json_t *rows, const json_t *right_hand_side)
{
    double minus_b[ORDER_MAX];
    int n = truth_numbers(right_hand_side, minus_b, ORDER_MAX);
    assert_int_equal(json_array_size(rows), n);
    truth_minus(n, minus_b, b);
    for (int i = 0; i < n; i++) {
        assert_int_equal(truth_numbers(json_array_get(rows, (size_t)i), &A[i * n], n), n);
        tag[i] = CN_ROW_NORMAL;
    }
    return n;
}

static struct cn_solve_report
matrix_solve(int n)
{
    const struct cn_matrix_solver *solver = cn_matrix_solver_find("baraff94");
    struct cn_arena scratch;
    cn_arena_init_measure(&scratch);
    cn_matrix_solve_layout(solver, &scratch, n);
    size_t size = scratch.used + 64;
    void *memory = aligned_alloc(64, size / 64 * 64 + 64);
    assert_non_null(memory);
    cn_arena_init(&scratch, memory, size);
    struct cn_matrix_problem problem = {.n = n, .stride = n, .A = A, .b = b, .tag = tag};
    struct cn_solve_options options = {.tolerance = TOLERANCE, .iteration_max = 20000};
    memset(f, 0, sizeof(f));
    struct cn_solve_report report = cn_matrix_solve(solver, &problem, &options, &scratch, f);
    free(memory);
    for (int i = 0; i < n; i++) {
        assert_true(isfinite(f[i]) && f[i] >= 0.0);
    }
    return report;
}

/* a = A f + b of one row. */
static double
matrix_row(int n, int i)
{
    double a = b[i];
    for (int k = 0; k < n; k++) {
        a += A[i * n + k] * f[k];
    }
    return a;
}

static double
scale_of_b(int n)
{
    double scale = 1.0;
    for (int i = 0; i < n; i++) {
        scale = fmax(scale, fabs(b[i]));
    }
    return scale;
}

/* Whether the solution found satisfies its conditions: of a problem with several, any will do. */
static void
check_conditions(int n, double tolerance)
{
    for (int i = 0; i < n; i++) {
        double a = matrix_row(n, i);
        if (f[i] > 0.0) {
            truth_near(a, 0.0, tolerance, "w[%d] where f is positive", i);
        } else {
            truth_near(fmin(a, 0.0), 0.0, tolerance, "w[%d] where f is 0", i);
        }
    }
}

void
truth_run_lcp(const json_t *data)
{
    int n = matrix_read(truth_member(data, "A"), truth_member(data, "b"));
    struct cn_solve_report report = matrix_solve(n);
    if (!json_is_true(truth_member(data, "solvable"))) {
        assert_int_equal(report.outcome, CN_SOLVE_INFEASIBLE);
        return;
    }
    assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
    double scale = scale_of_b(n), expected[ORDER_MAX];
    check_conditions(n, TOLERANCE * scale);
    /* Where A is symmetric and PSD, w is unique though f may not be. */
    bool is_f_unique = json_is_true(truth_member(data, "f_unique"));
    if (is_f_unique || strncmp(truth_string(data, "cls"), "PSD", 3) == 0) {
        truth_member_numbers(data, "w", expected, ORDER_MAX);
        for (int i = 0; i < n; i++) {
            truth_near(matrix_row(n, i), expected[i], TOLERANCE * scale, "w[%d]", i);
        }
    }
    if (is_f_unique) {
        truth_member_numbers(data, "f", expected, ORDER_MAX);
        for (int i = 0; i < n; i++) {
            truth_near(f[i], expected[i], TOLERANCE * fmax(1.0, fabs(expected[i])), "f[%d]", i);
        }
    }
}

/* Impulses of a block on two corners, exactly and at once. */
void
truth_run_overimpulse(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    const json_t *expect = truth_member(truth_member(data, "expect"), "simultaneous");
    double expected[ORDER_MAX];
    int n = matrix_read(truth_member(given, "A"), truth_member(given, "v"));
    truth_minus(n, b, b); /* v before the impact is what b is: v+ = A J + v */
    assert_int_equal(matrix_solve(n).outcome, CN_SOLVE_CONVERGED);
    truth_member_numbers(expect, "J", expected, ORDER_MAX);
    for (int i = 0; i < n; i++) {
        truth_near(f[i], expected[i], truth_tolerance(data, expected[i]), "J[%d]", i);
    }
    truth_member_numbers(expect, "v", expected, ORDER_MAX);
    for (int i = 0; i < n; i++) {
        truth_near(matrix_row(n, i), expected[i], truth_tolerance(data, expected[i]), "v[%d]", i);
    }
    truth_push_one_by_one(data);
}

/*
 * A rod of half length l slides on its tip with friction mu, eliminated: a = p f + b with p of
 * either sign, hence no, one or two solutions.
 */
void
truth_run_painleve_states(const json_t *data)
{
    const json_t *given = truth_member(data, "given");
    double l = truth_member_number(given, "l"), m = truth_member_number(given, "m");
    size_t index;
    json_t *result;
    json_array_foreach(truth_member(truth_member(data, "expect"), "results"), index, result)
    {
        double state[3], solutions[2];
        truth_numbers(json_array_get(truth_member(given, "mu_thetadeg_omega"), index), state, 3);
        double theta = state[1] * acos(-1.0) / 180.0, s = sin(theta), c = cos(theta);
        A[0] = (1.0 + 3.0 * c * c - 3.0 * state[0] * s * c) / m;
        b[0] = l * state[2] * state[2] * s - truth_member_number(given, "g");
        tag[0] = CN_ROW_NORMAL;
        truth_near(A[0], truth_member_number(result, "p"), 1e-9, "p");
        truth_near(b[0], truth_member_number(result, "b"), 1e-9, "b");
        struct cn_solve_report report = matrix_solve(1);
        int count = truth_member_numbers(result, "f", solutions, 2);
        if (count == 0) {
            assert_int_equal(report.outcome, CN_SOLVE_INFEASIBLE);
            continue;
        }
        assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
        double nearest = solutions[0];
        for (int i = 1; i < count; i++) {
            nearest = fabs(f[0] - solutions[i]) < fabs(f[0] - nearest) ? solutions[i] : nearest;
        }
        truth_near(f[0], nearest, truth_tolerance(data, nearest), "f");
    }
}
