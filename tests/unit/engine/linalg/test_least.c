/* test_least.c: least squares of least norm, by hand and by the normal equations. */
#include "engine/linalg/least.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "engine/base/rng.h"
#include "tests/support/near.h"

#define ORDER_MAX 12

static _Alignas(64) unsigned char memory[1 << 14];
static double A[ORDER_MAX * ORDER_MAX], b[ORDER_MAX], x[ORDER_MAX];

static int
solve(int m, int n)
{
    struct cn_arena arena;
    struct cn_least least;
    cn_arena_init(&arena, memory, sizeof(memory));
    cn_least_take(&least, &arena, m, n);
    memcpy(least.A, A, (size_t)(m * n) * sizeof(A[0]));
    memcpy(least.b, b, (size_t)m * sizeof(b[0]));
    cn_least_squares(&least, m, n, x);
    return least.rank;
}

/* x = 0, x = 0, x = 3: the mean. */
static void
test_mean(void **state)
{
    (void)state;
    A[0] = A[1] = A[2] = 1.0;
    b[0] = b[1] = 0.0;
    b[2] = 3.0;
    assert_int_equal(solve(3, 1), 1);
    assert_near(x[0], 1.0, 1e-15);
}

/* x0 + x1 = 4 alone: halves. Nothing at all: zeros. */
static void
test_least_norm(void **state)
{
    (void)state;
    A[0] = A[1] = 1.0;
    b[0] = 4.0;
    assert_int_equal(solve(1, 2), 1);
    assert_near(x[0], 2.0, 1e-15);
    assert_near(x[1], 2.0, 1e-15);
    A[0] = A[1] = 0.0;
    assert_int_equal(solve(1, 2), 0);
    assert_near(x[0], 0.0, 0.0);
    assert_int_equal(solve(0, 2), 0);
    assert_near(x[1], 0.0, 0.0);
}

/*
 * Random matrices of a rank that is known, m x r times r x n: the residual is orthogonal to the
 * columns, and x to the null space, that is, x is A' u for some u.
 */
static void
test_random(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct cn_rng rng = {.state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1};
        cn_rng_next(&rng);
        int m = 1 + (int)(cn_rng_next(&rng) % ORDER_MAX);
        int n = 1 + (int)(cn_rng_next(&rng) % ORDER_MAX);
        int least = m < n ? m : n, rank = 1 + (int)(cn_rng_next(&rng) % (uint32_t)least);
        double left[ORDER_MAX * ORDER_MAX], right[ORDER_MAX * ORDER_MAX];
        for (int k = 0; k < m * rank; k++) {
            left[k] = cn_rng_uniform(&rng, -1.0, 1.0);
        }
        for (int k = 0; k < rank * n; k++) {
            right[k] = cn_rng_uniform(&rng, -1.0, 1.0);
        }
        for (int i = 0; i < m; i++) {
            b[i] = cn_rng_uniform(&rng, -1.0, 1.0);
            for (int j = 0; j < n; j++) {
                A[i * n + j] = 0.0;
                for (int k = 0; k < rank; k++) {
                    A[i * n + j] += left[i * rank + k] * right[k * n + j];
                }
            }
        }
        assert_int_equal(solve(m, n), rank);
        double normal[ORDER_MAX] = {0.0}, size = 1.0;
        for (int i = 0; i < m; i++) {
            double rest = -b[i];
            for (int j = 0; j < n; j++) {
                rest += A[i * n + j] * x[j];
                size += x[j] * x[j];
            }
            for (int j = 0; j < n; j++) {
                normal[j] += A[i * n + j] * rest;
            }
        }
        for (int j = 0; j < n; j++) {
            assert_near(normal[j], 0.0, 1e-11 * size);
        }
        /* x is in the span of the rows: the least squares of A' u = x have no residual. */
        double saved[ORDER_MAX], transposed[ORDER_MAX * ORDER_MAX];
        memcpy(saved, x, sizeof(saved));
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                transposed[j * m + i] = A[i * n + j];
            }
        }
        memcpy(A, transposed, sizeof(A));
        memcpy(b, saved, sizeof(b));
        assert_int_equal(solve(n, m), rank);
        for (int j = 0; j < n; j++) {
            double rest = -saved[j];
            for (int i = 0; i < m; i++) {
                rest += A[j * m + i] * x[i];
            }
            assert_near(rest, 0.0, 1e-10 * size);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mean),
        cmocka_unit_test(test_least_norm),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
