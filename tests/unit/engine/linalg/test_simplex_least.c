/*
 * test_simplex_least.c: where a program has no solution, no x of its kind violates less.
 *
 * Small systems are compared with all vertices of the arrangement of the planes s_i = 0 and
 * x_j = 0: the sum of violations is linear in each of its cells, and these are pointed, so its
 * least value is taken at a vertex.  The vertices are exact: integers below 2^127, scaled by powers
 * of two.  Large systems prove themselves: multipliers with |y_i| <= 1 and y'b equal to the sum.
 */
#include "engine/base/rng.h"
#include "engine/solve/matrix/baraff89.h"
#include "tests/support/near.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define ROWS_MAX 24
#define SMALL_COLUMNS_MAX 4
#define PLANES_MAX 12
#define SMALL_COUNT 20000
#define LARGE_COUNT 4000

typedef __int128 wide;

static _Alignas(64) unsigned char memory[1 << 18];

/* In the caller's units A_ij = row_i a_ij column_j and b_i = row_i b_i, exactly. */
struct system {
    int m, n;
    int a[ROWS_MAX][ROWS_MAX], b[ROWS_MAX];
    double row[ROWS_MAX], column[ROWS_MAX];
    unsigned char kind[2 * ROWS_MAX];
    bool kept[ROWS_MAX];
};

static struct cn_simplex lp;
static double x[ROWS_MAX], slack[ROWS_MAX], y[ROWS_MAX];

static double
violation(unsigned char kind, double s)
{
    return kind == CN_SIMPLEX_ZERO ? fabs(s) : kind == CN_SIMPLEX_NONNEGATIVE ? fmax(-s, 0.0) : 0.0;
}

/* Solves the n planes of `chosen` exactly: x = p / q, q > 0. False: they have no single point. */
static bool
meet(const struct system *sys, const int *chosen, wide *p, wide *q)
{
    wide t[SMALL_COLUMNS_MAX][SMALL_COLUMNS_MAX + 1], before = 1;
    int n = sys->n;
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < n; j++) {
            t[k][j] = chosen[k] < n ? chosen[k] == j : sys->a[chosen[k] - n][j];
        }
        t[k][n] = chosen[k] < n ? 0 : sys->b[chosen[k] - n];
    }
    for (int k = 0; k < n; k++) { /* Bareiss: every division is exact */
        int at = k;
        while (at < n && t[at][k] == 0) {
            at++;
        }
        if (at == n) {
            return false;
        }
        for (int j = 0; j <= n && at != k; j++) {
            wide swap = t[k][j];
            t[k][j] = t[at][j];
            t[at][j] = swap;
        }
        for (int i = 0; i < n; i++) {
            for (int j = n; i != k && j >= 0; j--) {
                t[i][j] = j == k ? t[i][j] : (t[k][k] * t[i][j] - t[i][k] * t[k][j]) / before;
            }
            t[i][k] = i == k ? t[i][k] : 0;
            if (i != k && i < k) {
                t[i][i] = t[k][k];
            }
        }
        before = t[k][k];
    }
    *q = before > 0 ? before : -before;
    for (int k = 0; k < n; k++) {
        p[k] = before > 0 ? t[k][n] : -t[k][n];
    }
    return true;
}

/* The sum of violations at p / q; HUGE_VAL when x is not of its kind, or a kept row is violated. */
static double
sum_at(const struct system *sys, const wide *p, wide q)
{
    double sum = 0.0;
    for (int j = 0; j < sys->n; j++) {
        if (violation(sys->kind[j], (double)p[j]) > 0.0) {
            return HUGE_VAL;
        }
    }
    for (int i = 0; i < sys->m; i++) {
        wide s = -q * sys->b[i];
        for (int j = 0; j < sys->n; j++) {
            s += sys->a[i][j] * p[j];
        }
        double v = violation(sys->kind[sys->n + i], (double)s / (double)q * sys->row[i]);
        if (sys->kept[i] && v > 0.0) {
            return HUGE_VAL;
        }
        sum += v;
    }
    return sum;
}

/* The least sum over all vertices: HUGE_VAL when kept rows can not be satisfied. */
static double
least_by_vertices(const struct system *sys)
{
    int chosen[SMALL_COLUMNS_MAX], planes = sys->n + sys->m;
    double least = HUGE_VAL;
    for (int k = 0; k < sys->n; k++) {
        chosen[k] = k;
    }
    for (;;) {
        wide p[SMALL_COLUMNS_MAX], q;
        if (meet(sys, chosen, p, &q)) {
            least = fmin(least, sum_at(sys, p, q));
        }
        int k = sys->n - 1;
        while (k >= 0 && chosen[k] == planes - sys->n + k) {
            k--;
        }
        if (k < 0) {
            return least;
        }
        chosen[k]++;
        for (int i = k + 1; i < sys->n; i++) {
            chosen[i] = chosen[i - 1] + 1;
        }
    }
}

static enum cn_simplex_end
solve(const struct system *sys)
{
    struct cn_arena arena;
    cn_arena_init(&arena, memory, sizeof(memory));
    cn_simplex_take(&lp, &arena, sys->m, sys->n);
    cn_simplex_begin(&lp, sys->m, sys->n);
    for (int i = 0; i < sys->m; i++) {
        double *row = cn_simplex_row(&lp, i);
        for (int j = 0; j < sys->n; j++) {
            row[j] = sys->row[i] * sys->a[i][j] * sys->column[j];
        }
        row[sys->n] = -sys->row[i] * sys->b[i];
    }
    memcpy(lp.kind, sys->kind, (size_t)(sys->m + sys->n));
    cn_simplex_start(&lp);
    enum cn_simplex_end end = cn_simplex_run(&lp, 5000);
    cn_simplex_read(&lp, x, slack);
    cn_simplex_multipliers(&lp, y);
    return end;
}

/* The sum of violations of x, computed from the system. *size: its largest term, for rounding. */
static double
sum_of_x(const struct system *sys, double *size)
{
    double sum = 0.0;
    *size = 0.0;
    for (int i = 0; i < sys->m; i++) {
        double s = -(double)sys->b[i], most = fabs(s);
        for (int j = 0; j < sys->n; j++) {
            double term = sys->a[i][j] * sys->column[j] * x[j];
            s += term;
            most = fmax(most, fabs(term));
        }
        sum += violation(sys->kind[sys->n + i], s * sys->row[i]);
        *size = fmax(*size, most * sys->row[i]);
    }
    return sum;
}

static int
pick(struct cn_rng *rng, int low, int high)
{
    return low + (int)(cn_rng_next(rng) % (uint64_t)(high - low + 1));
}

/* shape 0: all kinds; 1: inequalities; 2: equations of free unknowns; odd seeds: badly scaled. */
static void
make(struct system *sys, uint64_t seed, int m, int n)
{
    struct cn_rng rng = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) + 7};
    cn_rng_next(&rng);
    static const unsigned char kinds[] = {CN_SIMPLEX_NONNEGATIVE, CN_SIMPLEX_NONNEGATIVE,
        CN_SIMPLEX_ZERO, CN_SIMPLEX_NONNEGATIVE, CN_SIMPLEX_FREE};
    int shape = (int)(seed / 2 % 3), reach = seed % 7 == 0 ? 1 : 4;
    *sys = (struct system){.m = m, .n = n};
    for (int k = 0; k < m + n; k++) {
        sys->kind[k] = shape == 0 ? kinds[pick(&rng, 0, 4)]
                       : shape == 1 ? CN_SIMPLEX_NONNEGATIVE
                       : k < n      ? CN_SIMPLEX_FREE
                                    : CN_SIMPLEX_ZERO;
    }
    for (int i = 0; i < m; i++) {
        sys->b[i] = pick(&rng, -3, 4);
        sys->row[i] = seed % 2 == 1 ? ldexp(1.0, pick(&rng, -20, 20)) : 1.0;
        for (int j = 0; j < n; j++) {
            sys->a[i][j] = pick(&rng, 0, 3) == 0 ? 0 : pick(&rng, -reach, reach);
        }
        if (i > 0 && pick(&rng, 0, 5) == 0) { /* the row before once more, with another b */
            memcpy(sys->a[i], sys->a[i - 1], sizeof(sys->a[i]));
        }
    }
    for (int j = 0; j < n; j++) {
        sys->column[j] = seed % 2 == 1 ? ldexp(1.0, pick(&rng, -20, 20)) : 1.0;
    }
}

static void
sum_is_least(const struct system *sys, double least, uint64_t seed)
{
    double size, sum = sum_of_x(sys, &size);
    for (int j = 0; j < sys->n; j++) {
        bool is_kind = violation(sys->kind[j], x[j]) <= 1e-9 * (1.0 + fabs(x[j]));
        if (!is_kind) {
            fail_msg("seed %llu: x[%d] is %g", (unsigned long long)seed, j, x[j]);
        }
    }
    if (!(fabs(sum - least) <= 1e-9 * fmax(least, size))) {
        fail_msg("seed %llu: the sum is %.17g, and could be %.17g", (unsigned long long)seed, sum,
            least);
    }
}

static void
test_small(void **state)
{
    (void)state;
    int infeasible = 0, scaled = 0, equations = 0;
    for (uint64_t seed = 0; infeasible < SMALL_COUNT; seed++) {
        struct system sys;
        int n = 1 + (int)(seed % SMALL_COLUMNS_MAX);
        int m = 2 + (int)(seed / 5 % (uint64_t)(PLANES_MAX - n - 1));
        make(&sys, seed, m, n);
        enum cn_simplex_end end = solve(&sys);
        double least = least_by_vertices(&sys);
        if (end != (least > 0.0 ? CN_SIMPLEX_INFEASIBLE : CN_SIMPLEX_OPTIMAL)) {
            fail_msg("seed %llu: ends with %d, and the least sum is %g", (unsigned long long)seed,
                (int)end, least);
        }
        if (end == CN_SIMPLEX_INFEASIBLE) {
            sum_is_least(&sys, least, seed);
            infeasible++;
            scaled += seed % 2 == 1;
            equations += seed / 2 % 3 == 2;
        }
    }
    assert_true(scaled > SMALL_COUNT / 4 && equations > SMALL_COUNT / 10);
}

/* Weak duality: y'b is at most the sum of violations of any x if |y_i| <= 1 and the signs fit. */
static void
test_large(void **state)
{
    (void)state;
    int infeasible = 0;
    for (uint64_t seed = 0; infeasible < LARGE_COUNT; seed++) {
        struct system sys;
        int n = 2 + (int)(seed % (ROWS_MAX - 6));
        int m = n + (int)(seed / 3 % (uint64_t)(ROWS_MAX - n));
        make(&sys, seed, m, n);
        if (solve(&sys) != CN_SIMPLEX_INFEASIBLE) {
            continue;
        }
        infeasible++;
        double below = 0.0, heaviest = 0.0;
        for (int i = 0; i < m; i++) {
            heaviest = fmax(heaviest, sys.row[i]);
        }
        for (int i = 0; i < m; i++) {
            double share = y[i] * sys.row[i], rounding = 1e-9 * heaviest;
            bool is_sign = sys.kind[n + i] == CN_SIMPLEX_ZERO   ? true
                           : sys.kind[n + i] == CN_SIMPLEX_FREE ? y[i] == 0.0
                                                                : share >= -rounding;
            assert_true(is_sign && fabs(share) <= sys.row[i] + rounding);
            below += y[i] * sys.row[i] * sys.b[i];
        }
        for (int j = 0; j < n; j++) {
            double d = 0.0, most = 0.0;
            for (int i = 0; i < m; i++) {
                d -= y[i] * sys.row[i] * sys.a[i][j];
                most = fmax(most, fabs(sys.row[i] * sys.a[i][j]));
            }
            assert_true(sys.kind[j] == CN_SIMPLEX_ZERO || d >= -1e-9 * most);
            assert_true(sys.kind[j] != CN_SIMPLEX_FREE || d <= 1e-9 * most);
        }
        sum_is_least(&sys, below, seed);
    }
}

/* x <= 0 against x >= 1, 2 and 3: giving up the first row alone costs 3, keeping it 6. */
static void
test_gives_up(void **state)
{
    (void)state;
    struct system sys = {.m = 4, .n = 1, .a = {{-1}, {1}, {1}, {1}}, .b = {0, 1, 2, 3},
        .row = {1, 1, 1, 1}, .column = {1}};
    assert_int_equal(solve(&sys), CN_SIMPLEX_INFEASIBLE);
    assert_true(x[0] >= 2.0 - 1e-12 && x[0] <= 3.0 + 1e-12);
    sum_is_least(&sys, 3.0, 0);
    cn_simplex_begin(&lp, 4, 1);
    for (int i = 0; i < 4; i++) {
        cn_simplex_row(&lp, i)[0] = sys.a[i][0];
        cn_simplex_row(&lp, i)[1] = -sys.b[i];
    }
    lp.kept[0] = true;
    cn_simplex_start(&lp);
    assert_int_equal(cn_simplex_run(&lp, 100), CN_SIMPLEX_INFEASIBLE);
    cn_simplex_read(&lp, x, slack);
    assert_near(x[0], 0.0, 1e-12);
}

/* A run that ends infeasible leaves a basis from which other kinds are solved. */
static void
test_goes_on(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        struct system sys;
        int n = 1 + (int)(seed % SMALL_COLUMNS_MAX), m = 2 + (int)(seed / 5 % 6);
        make(&sys, seed, m, n);
        (void)solve(&sys);
        struct cn_rng rng = {.state = seed + 99};
        for (int k = 0; k < m + n; k++) {
            sys.kind[k] = (unsigned char)pick(&rng, 0, 2);
        }
        memcpy(lp.kind, sys.kind, (size_t)(m + n));
        enum cn_simplex_end end = cn_simplex_run(&lp, 5000);
        double least = least_by_vertices(&sys);
        assert_int_equal(end, least > 0.0 ? CN_SIMPLEX_INFEASIBLE : CN_SIMPLEX_OPTIMAL);
        cn_simplex_read(&lp, x, slack);
        sum_is_least(&sys, least, seed);
    }
}

/*
 * Appendix B by the solver itself: contacts beside bilateral rows that contradict each other.  The
 * least sum of |a| over these, of all forces that the contacts allow, is what the solver leaves.
 */
static void
test_bilateral(void **state)
{
    (void)state;
    int infeasible = 0;
    for (uint64_t seed = 0; infeasible < 1500 && seed < 30000; seed++) {
        struct cn_rng rng = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) + 3};
        int n = 3 + (int)(seed % 2), rank = 1 + (int)(seed % 2), J[4][2];
        double A[16], b[4], f[4], sum = 0.0;
        unsigned char tag[4];
        struct system sys = {.m = n, .n = n};
        for (int i = 0; i < n; i++) {
            J[i][0] = pick(&rng, -3, 3);
            J[i][1] = rank == 2 ? pick(&rng, -3, 3) : 0;
            tag[i] = i > 0 ? CN_ROW_BILATERAL : CN_ROW_NORMAL;
            sys.b[i] = pick(&rng, -4, 4);
            b[i] = -sys.b[i];
            sys.row[i] = sys.column[i] = 1.0;
            sys.kind[i] = i > 0 ? CN_SIMPLEX_FREE : CN_SIMPLEX_NONNEGATIVE;
            sys.kind[n + i] = i > 0 ? CN_SIMPLEX_ZERO : CN_SIMPLEX_NONNEGATIVE;
            sys.kept[i] = i == 0;
        }
        for (int k = 0; k < n * n; k++) {
            sys.a[k / n][k % n] = J[k / n][0] * J[k % n][0] + J[k / n][1] * J[k % n][1];
            A[k] = sys.a[k / n][k % n];
        }
        double least = least_by_vertices(&sys);
        struct cn_matrix_problem problem = {.n = n, .stride = n, .A = A, .b = b, .tag = tag};
        struct cn_solve_options options = {.tolerance = 1e-10, .iteration_max = 1000};
        struct cn_arena scratch;
        cn_arena_init(&scratch, memory, sizeof(memory));
        memset(f, 0, sizeof(f));
        struct cn_solve_report report =
            cn_matrix_solver_baraff89.solve(&problem, &options, &scratch, f);
        if (least == 0.0 || least == HUGE_VAL) {
            continue;
        }
        infeasible++;
        assert_int_equal(report.outcome, CN_SOLVE_INFEASIBLE);
        for (int i = 1; i < n; i++) {
            double a = b[i];
            for (int j = 0; j < n; j++) {
                a += A[i * n + j] * f[j];
            }
            sum += fabs(a);
        }
        if (!(fabs(sum - least) <= 1e-7 * (1.0 + least))) {
            fail_msg("seed %llu: leaves %.17g, could leave %.17g", (unsigned long long)seed, sum,
                least);
        }
    }
    assert_true(infeasible >= 1500);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gives_up),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_bilateral),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
