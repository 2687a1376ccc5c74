/* test_pseudo_inverse.c: answers known by hand, and Penrose's conditions over random ranks. */
#include "engine/base/rng.h"
#include "engine/linalg/pseudo_inverse.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/near.h"

#define N 8

static _Alignas(64) unsigned char memory[1 << 13];

/* B row major. */
static int
solve(int m, int n, const double *B, const double *weight, const double *r, double *x)
{
    struct cn_arena arena;
    struct cn_pseudo_inverse inverse;
    cn_arena_init(&arena, memory, sizeof(memory));
    cn_pseudo_inverse_take(&inverse, &arena, N);
    cn_pseudo_inverse_begin(&inverse, m, n);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) {
            inverse.B[j * m + i] = B[i * n + j];
            inverse.row_scale[i] = 1.0;
        }
        inverse.column_scale[j] = 1.0;
        inverse.weight[j] = weight == NULL ? 1.0 : weight[j];
    }
    cn_pseudo_inverse_factor(&inverse);
    cn_pseudo_inverse_solve(&inverse, r, x);
    return inverse.rank;
}

static void
test_by_hand(void **state)
{
    (void)state;
    double regular[] = {2.0, 1.0, 1.0, 3.0}, r[] = {4.0, 7.0, 3.0}, x[3];
    assert_int_equal(solve(2, 2, regular, NULL, r, x), 2);
    assert_near(x[0], 1.0, 1e-14);
    assert_near(x[1], 2.0, 1e-14);
    double twice[] = {1.0, 1.0}; /* x + y = 4, least norm: (2, 2); least x^2 + 4 y^2: (3.2, .8) */
    assert_int_equal(solve(1, 2, twice, NULL, r, x), 1);
    assert_near(x[0], 2.0, 1e-14);
    assert_near(x[1], 2.0, 1e-14);
    double weight[] = {1.0, 2.0};
    assert_int_equal(solve(1, 2, twice, weight, r, x), 1);
    assert_near(x[0], 3.2, 1e-14);
    assert_near(x[1], 0.8, 1e-14);
    double column[] = {1.0, 1.0, 1.0}; /* least squares: the mean */
    assert_int_equal(solve(3, 1, column, NULL, r, x), 1);
    assert_near(x[0], 14.0 / 3.0, 1e-14);
    double zero[] = {0.0, 0.0, 0.0, 0.0};
    assert_int_equal(solve(2, 2, zero, NULL, r, x), 0);
    assert_near(x[0], 0.0, 0.0);
}

/* B = F G of known rank; x = B^+ r has B'(B x - r) = 0 and is orthogonal to the null space. */
static void
test_any_rank(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct cn_rng rng = {.state = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15)};
        int m = 1 + (int)(cn_rng_next(&rng) % N), n = 1 + (int)(cn_rng_next(&rng) % N);
        int rank = 1 + (int)(cn_rng_next(&rng) % (uint32_t)(m < n ? m : n));
        double F[N][N], G[N][N], B[N * N], r[N], x[N], lack[N];
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                F[i][j] = cn_rng_uniform(&rng, -1.0, 1.0) + (i == j ? 2.0 : 0.0);
                G[i][j] = cn_rng_uniform(&rng, -1.0, 1.0) + (i == j ? 2.0 : 0.0);
            }
            r[i] = cn_rng_uniform(&rng, -1.0, 1.0);
        }
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                B[i * n + j] = 0.0;
                for (int k = 0; k < rank; k++) {
                    B[i * n + j] += F[i][k] * G[k][j];
                }
            }
        }
        assert_int_equal(solve(m, n, B, NULL, r, x), rank);
        for (int i = 0; i < m; i++) {
            lack[i] = -r[i];
            for (int j = 0; j < n; j++) {
                lack[i] += B[i * n + j] * x[j];
            }
        }
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int i = 0; i < m; i++) {
                sum += B[i * n + j] * lack[i];
            }
            assert_near(sum, 0.0, 1e-10);
        }
        /* x lies in the range of B': G' y = x has an exact solution. */
        double y[N], GT[N * N];
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < rank; k++) {
                GT[j * rank + k] = G[k][j];
            }
        }
        solve(n, rank, GT, NULL, x, y);
        for (int j = 0; j < n; j++) {
            double sum = -x[j];
            for (int k = 0; k < rank; k++) {
                sum += GT[j * rank + k] * y[k];
            }
            assert_near(sum, 0.0, 1e-10);
        }
    }
}

/* Scales of rows and columns change no answer of a system that has one, but which rows count. */
static void
test_scales(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct cn_rng rng = {.state = seed * UINT64_C(0x9E3779B97F4A7C15)};
        struct cn_arena arena;
        struct cn_pseudo_inverse inverse;
        int n = 1 + (int)(cn_rng_next(&rng) % N), m = n + (int)(seed % (uint64_t)(N + 1 - n));
        double x[N], wanted[N], r[N] = {0.0};
        cn_arena_init(&arena, memory, sizeof(memory));
        cn_pseudo_inverse_take(&inverse, &arena, N);
        cn_pseudo_inverse_begin(&inverse, m, n);
        for (int i = 0; i < m; i++) {
            inverse.row_scale[i] = exp2(cn_rng_uniform(&rng, -4.0, 4.0));
        }
        for (int j = 0; j < n; j++) {
            inverse.column_scale[j] = exp2(cn_rng_uniform(&rng, -4.0, 4.0));
            inverse.weight[j] = exp2(cn_rng_uniform(&rng, -4.0, 4.0));
            wanted[j] = cn_rng_uniform(&rng, -1.0, 1.0);
            for (int i = 0; i < m; i++) {
                double entry = cn_rng_uniform(&rng, -1.0, 1.0) + (i == j ? 3.0 : 0.0);
                inverse.B[j * m + i] = entry;
                r[i] += entry * wanted[j];
            }
        }
        cn_pseudo_inverse_factor(&inverse);
        cn_pseudo_inverse_solve(&inverse, r, x);
        assert_int_equal(inverse.rank, n);
        for (int j = 0; j < n; j++) {
            assert_near(x[j], wanted[j], 1e-9);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_any_rank),
        cmocka_unit_test(test_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
