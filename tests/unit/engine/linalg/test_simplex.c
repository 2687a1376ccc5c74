/* test_simplex.c: known answers, programs on which careless rules cycle, duality, certificates. */
#include "engine/linalg/simplex.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "engine/base/rng.h"
#include "tests/support/near.h"

#define SIZE_MAX_LP 24

static _Alignas(64) unsigned char memory[1 << 16];

struct program {
    int m, n;
    double A[SIZE_MAX_LP * SIZE_MAX_LP], b[SIZE_MAX_LP], c[SIZE_MAX_LP];
    unsigned char kind[2 * SIZE_MAX_LP];
};

static struct cn_simplex lp;
static double x[SIZE_MAX_LP], slack[SIZE_MAX_LP], y[SIZE_MAX_LP];

static enum cn_simplex_end
solve(const struct program *p)
{
    struct cn_arena arena;
    cn_arena_init(&arena, memory, sizeof(memory));
    memset(memory, 0xff, sizeof(memory));
    cn_simplex_take(&lp, &arena, p->m, p->n);
    cn_simplex_begin(&lp, p->m, p->n);
    for (int i = 0; i < p->m; i++) {
        memcpy(cn_simplex_row(&lp, i), &p->A[i * p->n], (size_t)p->n * sizeof(double));
        cn_simplex_row(&lp, i)[p->n] = -p->b[i];
    }
    memcpy(lp.kind, p->kind, (size_t)(p->m + p->n));
    memcpy(lp.cost, p->c, (size_t)p->n * sizeof(double));
    cn_simplex_start(&lp);
    enum cn_simplex_end end = cn_simplex_run(&lp, 5000);
    cn_simplex_read(&lp, x, slack);
    cn_simplex_multipliers(&lp, y);
    return end;
}

static double
dot(const double *u, const double *v, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += u[i] * v[i];
    }
    return sum;
}

/* Checks that a variable of that kind may have that value. */
static void
check_kind(unsigned char kind, double value, double tolerance)
{
    if (kind == CN_SIMPLEX_ZERO) {
        assert_near(value, 0.0, tolerance);
    } else if (kind == CN_SIMPLEX_NONNEGATIVE) {
        assert_true(value >= -tolerance);
    }
}

/* Checks with the matrix itself that the point is feasible. */
static void
check_primal(const struct program *p)
{
    for (int j = 0; j < p->n; j++) {
        check_kind(p->kind[j], x[j], 1e-9);
    }
    for (int i = 0; i < p->m; i++) {
        double s = dot(&p->A[i * p->n], x, p->n) - p->b[i];
        assert_near(slack[i], s, 1e-9 * (1.0 + fabs(s)));
        check_kind(p->kind[p->n + i], s, 1e-9);
    }
}

/* The signs of the multipliers; c is zero for a certificate of infeasibility. */
static void
check_dual(const struct program *p, const double *c)
{
    for (int j = 0; j < p->n; j++) {
        double d = c[j];
        for (int i = 0; i < p->m; i++) {
            d -= y[i] * p->A[i * p->n + j];
        }
        if (p->kind[j] == CN_SIMPLEX_FREE) {
            assert_near(d, 0.0, 1e-9);
        } else if (p->kind[j] == CN_SIMPLEX_NONNEGATIVE) {
            assert_true(d >= -1e-9);
        }
    }
    for (int i = 0; i < p->m; i++) {
        assert_true(p->kind[p->n + i] != CN_SIMPLEX_NONNEGATIVE || y[i] >= -1e-9);
        assert_true(p->kind[p->n + i] != CN_SIMPLEX_FREE || y[i] == 0.0);
    }
}

/* max 5 x0 + 4 x1 + 3 x2 under three <=: 13 at (2, 0, 1), y = (1, 0, 1) (Chvatal, chapter 2). */
static void
test_known(void **state)
{
    (void)state;
    struct program p = {.m = 3, .n = 3, .b = {-5, -11, -8}, .c = {-5, -4, -3}};
    double A[] = {-2, -3, -1, -4, -1, -2, -3, -4, -2};
    memcpy(p.A, A, sizeof(A));
    assert_int_equal(solve(&p), CN_SIMPLEX_OPTIMAL);
    assert_near(x[0], 2.0, 1e-13);
    assert_near(x[1], 0.0, 1e-13);
    assert_near(x[2], 1.0, 1e-13);
    assert_near(y[0], 1.0, 1e-13);
    assert_near(y[1], 0.0, 1e-13);
    assert_near(y[2], 1.0, 1e-13);
}

/*
 * min x0 + 2 x1 with x0 + x1 = 3, x0 - x1 >= -4, x1 free: without bounds on x1 the equation alone
 * is x1 = 3 - x0, cost 6 - x0, so the second row and x0 <= 10 end it: x = (10, -7), cost -4.
 */
static void
test_free_and_equation(void **state)
{
    (void)state;
    struct program p = {.m = 3, .n = 2, .b = {3, -4, -10}, .c = {1, 2},
        .kind = {CN_SIMPLEX_NONNEGATIVE, CN_SIMPLEX_FREE, CN_SIMPLEX_ZERO}};
    double A[] = {1, 1, 1, -1, -1, 0};
    memcpy(p.A, A, sizeof(A));
    assert_int_equal(solve(&p), CN_SIMPLEX_OPTIMAL);
    assert_near(x[0], 10.0, 1e-12);
    assert_near(x[1], -7.0, 1e-12);
    check_primal(&p);
    check_dual(&p, p.c);
    assert_near(dot(y, p.b, 3), -4.0, 1e-12);
}

/* Beale's example: with the steepest column and the first row it returns to its start for ever. */
static void
test_beale(void **state)
{
    (void)state;
    struct program p = {.m = 3, .n = 4, .b = {0, 0, -1}, .c = {-0.75, 150, -0.02, 6}};
    double A[] = {-0.25, 60, 0.04, -9, -0.5, 90, 0.02, -3, 0, 0, -1, 0};
    memcpy(p.A, A, sizeof(A));
    assert_int_equal(solve(&p), CN_SIMPLEX_OPTIMAL);
    assert_near(dot(p.c, x, 4), -0.05, 1e-12);
    assert_near(x[0], 0.04, 1e-12);
    assert_near(x[2], 1.0, 1e-12);
}

/* Klee and Minty's cube in n dimensions: the optimum is 5^n in the last variable. */
static void
test_klee_minty(void **state)
{
    (void)state;
    for (int n = 1; n <= 8; n++) {
        struct program p = {.m = n, .n = n};
        double five = 1.0, two = 1.0;
        for (int i = 0; i < n; i++) {
            five *= 5.0;
            p.b[i] = -five;
            p.A[i * n + i] = -1.0;
            two = 4.0;
            for (int j = i - 1; j >= 0; j--, two *= 2.0) {
                p.A[i * n + j] = -two;
            }
        }
        two = 1.0;
        for (int j = n - 1; j >= 0; j--, two *= 2.0) {
            p.c[j] = -two;
        }
        assert_int_equal(solve(&p), CN_SIMPLEX_OPTIMAL);
        assert_near(dot(p.c, x, n), -five, 1e-9 * five);
        assert_near(x[n - 1], five, 1e-9 * five);
    }
}

/* Many equal rows through one point, and an equation twice over. */
static void
test_degenerate(void **state)
{
    (void)state;
    struct program p = {.m = 12, .n = 3, .c = {1, 1, 1}};
    for (int i = 0; i < 12; i++) {
        double row[] = {1.0 + i % 3, 1.0 + i % 2, 1.0};
        memcpy(&p.A[3 * i], row, sizeof(row));
        p.b[i] = 3.0 + i % 3 + i % 2; /* tight at (1, 1, 1) */
        p.kind[3 + i] = i < 2 ? CN_SIMPLEX_NONNEGATIVE : CN_SIMPLEX_ZERO;
    }
    assert_int_equal(solve(&p), CN_SIMPLEX_OPTIMAL);
    assert_near(x[0], 1.0, 1e-12);
    assert_near(x[1], 1.0, 1e-12);
    assert_near(x[2], 1.0, 1e-12);
    check_dual(&p, p.c);
}

/*
 * x0 + x1 >= 2 and x0 + x1 <= 1 are infeasible.  Without the upper bound, and with a reward for
 * growth, the program is unbounded.
 */
static void
test_ends(void **state)
{
    (void)state;
    struct program p = {.m = 2, .n = 2, .A = {1, 1, -1, -1}, .b = {2, -1}};
    double none[2] = {0.0, 0.0};
    assert_int_equal(solve(&p), CN_SIMPLEX_INFEASIBLE);
    check_dual(&p, none);
    assert_true(dot(y, p.b, 2) > 1e-3);
    p.kind[3] = CN_SIMPLEX_FREE;
    p.c[0] = -1.0;
    assert_int_equal(solve(&p), CN_SIMPLEX_UNBOUNDED);
    check_primal(&p);
    lp.pivot_count = 0;
    assert_int_equal(cn_simplex_run(&lp, 0), CN_SIMPLEX_UNBOUNDED); /* nothing left to pivot */
    struct program empty = {0};
    assert_int_equal(solve(&empty), CN_SIMPLEX_OPTIMAL);
}

/* Kinds change between runs, and the second run continues where the first one stopped. */
static void
test_goes_on(void **state)
{
    (void)state;
    struct program p = {.m = 2, .n = 2, .A = {2, 1, 1, 2}, .b = {4, -1}, .c = {1, 1},
        .kind = {0, 0, CN_SIMPLEX_NONNEGATIVE, CN_SIMPLEX_FREE}};
    assert_int_equal(solve(&p), CN_SIMPLEX_OPTIMAL);
    assert_near(x[0], 2.0, 1e-13);
    lp.kind[0] = CN_SIMPLEX_ZERO; /* forbids x0 */
    assert_int_equal(cn_simplex_run(&lp, 100), CN_SIMPLEX_OPTIMAL);
    cn_simplex_read(&lp, x, slack);
    assert_near(x[0], 0.0, 1e-13);
    assert_near(x[1], 4.0, 1e-13);
    lp.kind[1] = CN_SIMPLEX_ZERO;
    assert_int_equal(cn_simplex_run(&lp, 100), CN_SIMPLEX_INFEASIBLE);
    cn_simplex_read(&lp, x, slack);
    assert_near(lp.reduced[2] * lp.q_size, 4.0, 1e-12); /* 2 x0 + x1 lacks 4 */
}

/* Random programs, many of them without a solution; each answer is proved by its own numbers. */
static void
test_random(void **state)
{
    (void)state;
    int ends[4] = {0};
    for (uint64_t seed = 0; seed < 4000; seed++) {
        struct cn_rng rng = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1};
        cn_rng_next(&rng);
        struct program p = {.m = 1 + (int)(cn_rng_next(&rng) % SIZE_MAX_LP),
            .n = 1 + (int)(cn_rng_next(&rng) % (seed % 3 == 0 ? 6 : SIZE_MAX_LP))};
        bool grid = seed % 2 == 0; /* small integers: degenerate vertices everywhere */
        for (int k = 0; k < p.m * p.n; k++) {
            p.A[k] = cn_rng_uniform(&rng, -3.0, 3.0);
            p.A[k] = grid ? floor(p.A[k] + 0.5) : p.A[k];
        }
        for (int k = 0; k < p.m + p.n; k++) {
            static const unsigned char kinds[] = {0, 0, 0, 0, 0, CN_SIMPLEX_FREE, CN_SIMPLEX_ZERO};
            p.kind[k] = kinds[cn_rng_next(&rng) % (seed % 5 < 3 ? 5 : 7)];
        }
        for (int i = 0; i < p.m; i++) {
            p.b[i] = floor(cn_rng_uniform(&rng, -4.0, 2.0));
        }
        for (int j = 0; j < p.n; j++) {
            p.c[j] = floor(cn_rng_uniform(&rng, -1.0, 3.0));
        }
        for (int j = 0; j < p.n && seed % 4 < 2; j++) { /* a box around them all */
            p.A[j] = -1.0;
            p.b[0] = -9.0;
        }
        enum cn_simplex_end end = solve(&p);
        ends[end]++;
        double none[SIZE_MAX_LP] = {0};
        if (end == CN_SIMPLEX_OPTIMAL) {
            check_primal(&p);
            check_dual(&p, p.c);
            assert_near(dot(p.c, x, p.n), dot(y, p.b, p.m), 1e-8);
        } else if (end == CN_SIMPLEX_INFEASIBLE) {
            check_dual(&p, none);
            assert_true(dot(y, p.b, p.m) > 1e-9);
        } else {
            assert_int_equal(end, CN_SIMPLEX_UNBOUNDED);
            check_primal(&p);
        }
    }
    assert_true(ends[CN_SIMPLEX_OPTIMAL] > 400 && ends[CN_SIMPLEX_INFEASIBLE] > 400 &&
        ends[CN_SIMPLEX_UNBOUNDED] > 400);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_free_and_equation),
        cmocka_unit_test(test_beale),
        cmocka_unit_test(test_klee_minty),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
