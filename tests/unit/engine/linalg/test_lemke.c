/* test_lemke.c: known answers, degenerate ones, rays, and free rows. */
#include "engine/base/rng.h"
#include "engine/linalg/lemke.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/near.h"

static _Alignas(64) unsigned char memory[1 << 14];

/* Solves w = M z + q; the rows up to free_count are free. */
static enum cn_lemke_end
solve(int n, const double *M, const double *q, int free_count, double *z)
{
    struct cn_arena arena;
    struct cn_lemke lemke;
    cn_arena_init(&arena, memory, sizeof(memory));
    cn_lemke_take(&lemke, &arena, n);
    cn_lemke_begin(&lemke, n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            lemke.D[i * (n + 2) + j] = M[i * n + j];
        }
        lemke.D[i * (n + 2) + n + 1] = q[i];
        lemke.free_row[i] = i < free_count;
    }
    return cn_lemke_solve(&lemke, 1000, z);
}

/* M = [[2, 1], [1, 2]], q = (-5, -6): z = (4/3, 7/3), w = 0 (Murty, 1988, example 2.8). */
static void
test_definite(void **state)
{
    (void)state;
    double M[] = {2.0, 1.0, 1.0, 2.0}, q[] = {-5.0, -6.0}, z[2];
    assert_int_equal(solve(2, M, q, 0, z), CN_LEMKE_SOLVED);
    assert_near(z[0], 4.0 / 3.0, 1e-14);
    assert_near(z[1], 7.0 / 3.0, 1e-14);
}

/* q >= 0 needs no pivot. */
static void
test_nothing_to_do(void **state)
{
    (void)state;
    double M[] = {1.0, -9.0, -9.0, 1.0}, q[] = {0.0, 2.0}, z[2];
    assert_int_equal(solve(2, M, q, 0, z), CN_LEMKE_SOLVED);
    assert_near(z[0], 0.0, 0.0);
    assert_near(z[1], 0.0, 0.0);
}

/* All ratios tie: four equal rows of a semidefinite matrix of rank 1. */
static void
test_degenerate(void **state)
{
    (void)state;
    double M[16], q[4], z[4];
    for (int i = 0; i < 16; i++) {
        M[i] = 1.0;
    }
    for (int i = 0; i < 4; i++) {
        q[i] = -1.0;
    }
    assert_int_equal(solve(4, M, q, 0, z), CN_LEMKE_SOLVED);
    assert_near(z[0] + z[1] + z[2] + z[3], 1.0, 1e-14);
}

/* Opposite walls that both close. */
static void
test_ray(void **state)
{
    (void)state;
    double M[] = {1.0, -1.0, -1.0, 1.0}, q[] = {-1.0, -1.0}, z[2];
    assert_int_equal(solve(2, M, q, 0, z), CN_LEMKE_RAY);
    assert_true(isfinite(z[0]) && isfinite(z[1]) && z[0] >= 0.0 && z[1] >= 0.0);
}

/* Row 0 free: w_0 = 2 z_0 - z_1 + 3 = 0, w_1 = -z_0 + z_1 - 2: z = (-1, 1). */
static void
test_free_row(void **state)
{
    (void)state;
    double M[] = {2.0, -1.0, -1.0, 1.0}, q[] = {3.0, -2.0}, z[2];
    assert_int_equal(solve(2, M, q, 1, z), CN_LEMKE_SOLVED);
    assert_near(z[0], -1.0, 1e-14);
    assert_near(z[1], 1.0, 1e-14);
}

/* Not symmetric, exponentially long for some rules: Murty's matrix of order 5. */
static void
test_murty(void **state)
{
    (void)state;
    double M[25], q[5], z[5];
    for (int i = 0; i < 5; i++) {
        q[i] = -1.0;
        for (int j = 0; j < 5; j++) {
            M[i * 5 + j] = j < i ? 0.0 : j == i ? 1.0 : 2.0;
        }
    }
    assert_int_equal(solve(5, M, q, 0, z), CN_LEMKE_SOLVED);
    for (int i = 0; i < 5; i++) {
        assert_near(z[i], i == 4 ? 1.0 : 0.0, 1e-14);
    }
}

/*
 * Symmetric positive definite problems with any rows free, scaled by up to a million.  Each has one
 * solution, which its residual proves: w = 0 in the free rows, and w = 0 or z = 0 in the others.
 */
static void
test_any_mixture(void **state)
{
    (void)state;
    enum { N = 9 };
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct cn_rng rng = {.state = seed * UINT64_C(0x9E3779B97F4A7C15)};
        double G[N][N], M[N * N], q[N], z[N], scale[N];
        int n = 1 + (int)(seed % N);
        int free_count = (int)(cn_rng_next(&rng) % (uint32_t)(n + 1));
        for (int i = 0; i < n; i++) {
            scale[i] = seed % 3 == 0 ? exp2(cn_rng_uniform(&rng, -10.0, 10.0)) : 1.0;
            for (int j = 0; j < n; j++) {
                G[i][j] = cn_rng_uniform(&rng, -1.0, 1.0) + (i == j ? 1.5 : 0.0);
            }
        }
        for (int i = 0; i < n; i++) {
            q[i] = scale[i] * cn_rng_uniform(&rng, -8.0, 5.0);
            for (int j = 0; j < n; j++) {
                M[i * n + j] = 0.0;
                for (int k = 0; k < n; k++) {
                    M[i * n + j] += scale[i] * G[i][k] * G[j][k] * scale[j];
                }
            }
        }
        assert_int_equal(solve(n, M, q, free_count, z), CN_LEMKE_SOLVED);
        for (int i = 0; i < n; i++) {
            double w = q[i], size = fabs(q[i]);
            for (int j = 0; j < n; j++) {
                w += M[i * n + j] * z[j];
                size += fabs(M[i * n + j] * z[j]);
            }
            if (i < free_count) {
                assert_near(w, 0.0, 1e-9 * size);
            } else {
                assert_true(z[i] >= 0.0 && w >= -1e-9 * size);
                assert_true(z[i] == 0.0 || w <= 1e-9 * size);
            }
        }
    }
}

/* A limit of pivots ends the search, and the result says so. */
static void
test_limit(void **state)
{
    (void)state;
    struct cn_arena arena;
    struct cn_lemke lemke;
    double z[6];
    for (int limit = 1; limit <= 8; limit++) {
        cn_arena_init(&arena, memory, sizeof(memory));
        cn_lemke_take(&lemke, &arena, 6);
        cn_lemke_begin(&lemke, 6);
        for (int i = 0; i < 6; i++) { /* each z_i is 1: seven pivots */
            for (int j = 0; j < 6; j++) {
                lemke.D[i * 8 + j] = i == j ? 1.0 : 0.0;
            }
            lemke.D[i * 8 + 7] = -1.0 - i;
            lemke.free_row[i] = false;
        }
        enum cn_lemke_end end = cn_lemke_solve(&lemke, limit, z);
        assert_int_equal(end, limit < 7 ? CN_LEMKE_PIVOTS_MAX : CN_LEMKE_SOLVED);
        assert_true(lemke.pivot_count <= limit);
    }
}

/* Whether z solves w = M z + q with w >= 0, z >= 0 and w z = 0. */
static bool
is_solution(int n, const double *M, const double *q, const double *z)
{
    bool solves = true;
    for (int i = 0; i < n; i++) {
        double w = q[i], size = 1.0 + fabs(q[i]);
        for (int j = 0; j < n; j++) {
            w += M[i * n + j] * z[j];
            size += fabs(M[i * n + j] * z[j]);
        }
        solves = solves && w >= -1e-10 * size && z[i] >= 0.0 &&
                 (z[i] == 0.0 || fabs(w) <= 1e-10 * size);
    }
    return solves;
}

/*
 * Small whole numbers, so that ratios tie.  A result SOLVED is a solution, and a result RAY is not
 * one.  For that z_0 must leave as soon as it is 0, before all variables that tie with it.
 */
static void
test_whole_numbers(void **state)
{
    (void)state;
    struct cn_rng rng = {23 * 0x9e3779b97f4a7c15ULL};
    int solved_count = 0, ray_count = 0;
    for (int trial = 0; trial < 40000; trial++) {
        double M[25], q[5], z[5];
        int n = 2 + trial % 4;
        for (int i = 0; i < n * n; i++) {
            M[i] = floor(cn_rng_uniform(&rng, -1.0, 2.0));
        }
        for (int i = 0; i < n; i++) {
            M[i * n + i] = 1.0; /* no change of variables */
            q[i] = floor(cn_rng_uniform(&rng, -2.0, 2.0));
        }
        enum cn_lemke_end end = solve(n, M, q, 0, z);
        assert_int_not_equal(end, CN_LEMKE_PIVOTS_MAX);
        assert_int_equal(end == CN_LEMKE_SOLVED, is_solution(n, M, q, z));
        solved_count += end == CN_LEMKE_SOLVED;
        ray_count += end == CN_LEMKE_RAY;
    }
    assert_in_range(solved_count, 10000, 40000);
    assert_in_range(ray_count, 1000, 40000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definite),
        cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_ray),
        cmocka_unit_test(test_free_row),
        cmocka_unit_test(test_murty),
        cmocka_unit_test(test_any_mixture),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_whole_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
