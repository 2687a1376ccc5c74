/* test_lu.c: the LU factorisation solves dense, banded and singular systems. */
#include "engine/base/rng.h"
#include "engine/linalg/lu.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"

#define N_MAX 130

static _Alignas(64) unsigned char memory[1 << 18];

/* A row is nonzero in columns first .. last - 1; memory that was not written yet is NaN. */
static void
begin(struct cn_lu *lu, int n)
{
    struct cn_arena arena;
    memset(memory, 0xff, sizeof(memory));
    cn_arena_init(&arena, memory, sizeof(memory));
    cn_lu_take(lu, &arena, n, (size_t)n * (size_t)n);
    lu->n = n;
}

/* Rows of a random band around the diagonal, unsymmetric, with small diagonals. */
static void
test_random(void **state)
{
    (void)state;
    static double A[N_MAX][N_MAX];
    double x[N_MAX], y[N_MAX];
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct cn_rng rng = {.state = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15)};
        struct cn_lu lu;
        int n = 1 + (int)(cn_rng_next(&rng) % N_MAX), width = 1 + (int)(cn_rng_next(&rng) % 40);
        width = seed % 4 == 0 ? n : width;
        begin(&lu, n);
        memset(A, 0, sizeof(A));
        for (int i = 0; i < n; i++) {
            int left = (int)(cn_rng_next(&rng) % (uint32_t)width);
            int right = 1 + (int)(cn_rng_next(&rng) % (uint32_t)width);
            lu.first[i] = i - left < 0 ? 0 : i - left;
            lu.last[i] = i + right > n ? n : i + right;
            for (int j = lu.first[i]; j < lu.last[i]; j++) {
                double size = i == j ? 0.01 : 1.0;
                A[i][j] = size * cn_rng_uniform(&rng, -1.0, 1.0);
                A[i][j] += i == j && width > 1 ? 0.0 : i == j ? 1.0 : 0.0;
            }
            x[i] = cn_rng_uniform(&rng, -1.0, 1.0);
        }
        assert_true(cn_lu_open(&lu));
        for (int i = 0; i < n; i++) {
            memcpy(cn_lu_row(&lu, i) + lu.first[i], &A[i][lu.first[i]],
                (size_t)(lu.last[i] - lu.first[i]) * sizeof(double));
        }
        for (int i = 0; i < n; i++) {
            y[i] = 0.0;
            for (int j = 0; j < n; j++) {
                y[i] += A[i][j] * x[j];
            }
        }
        int replaced;
        double solution[N_MAX], size = 0.0;
        memcpy(solution, y, sizeof(solution));
        assert_true(cn_lu_factor(&lu, 1e-300, &replaced) >= 0);
        cn_lu_solve(&lu, solution);
        for (int i = 0; i < n; i++) { /* backward stable: a small residual always */
            size = fmax(size, fabs(solution[i]));
        }
        for (int i = 0; i < n && replaced == 0; i++) {
            double sum = -y[i];
            for (int j = 0; j < n; j++) {
                sum += A[i][j] * solution[j];
            }
            assert_near(sum, 0.0, 1e-11 * (1.0 + size));
        }
    }
}

/* [0 1; 1 0] needs a swap; [1 1; 1 1] has no inverse, but the result is finite. */
static void
test_small(void **state)
{
    (void)state;
    struct cn_lu lu;
    int replaced;
    begin(&lu, 2);
    lu.first[0] = 1;
    lu.last[0] = 2;
    lu.first[1] = 0;
    lu.last[1] = 1;
    assert_true(cn_lu_open(&lu));
    cn_lu_row(&lu, 0)[1] = 1.0;
    cn_lu_row(&lu, 1)[0] = 1.0;
    double x[2] = {3.0, 4.0};
    cn_lu_factor(&lu, 1e-14, &replaced);
    cn_lu_solve(&lu, x);
    assert_near(x[0], 4.0, 0.0);
    assert_near(x[1], 3.0, 0.0);
    assert_int_equal(replaced, 0);

    begin(&lu, 2);
    for (int i = 0; i < 2; i++) {
        lu.first[i] = 0;
        lu.last[i] = 2;
    }
    assert_true(cn_lu_open(&lu));
    for (int i = 0; i < 4; i++) {
        cn_lu_row(&lu, i / 2)[i % 2] = 1.0;
    }
    double y[2] = {1.0, 1.0};
    cn_lu_factor(&lu, 1e-14, &replaced);
    cn_lu_solve(&lu, y);
    assert_int_equal(replaced, 1);
    assert_near(y[0] + y[1], 1.0, 1e-12);
}

/*
 * A band of width w needs room for its fill only: about 2 w entries on either side in n rows, not
 * n x n.  With room for one entry less the factor is refused before anything is computed.
 */
static void
test_room(void **state)
{
    (void)state;
    enum { N = 120, W = 5 };
    struct cn_lu lu;
    size_t entry_max = N * N;
    for (int turn = 0; turn < 2; turn++) {
        struct cn_arena arena;
        cn_arena_init(&arena, memory, sizeof(memory));
        cn_lu_take(&lu, &arena, N, entry_max);
        lu.n = N;
        for (int i = 0; i < N; i++) {
            lu.first[i] = i - W < 0 ? 0 : i - W;
            lu.last[i] = i + W + 1 > N ? N : i + W + 1;
        }
        assert_true(cn_lu_open(&lu));
        entry_max = 0;
        for (int i = 0; i < N; i++) {
            entry_max += (size_t)(lu.high[i] - lu.low[i]);
        }
        assert_true(entry_max < N * N / 2);
    }
    struct cn_arena arena;
    cn_arena_init(&arena, memory, sizeof(memory));
    cn_lu_take(&lu, &arena, N, entry_max - 1);
    lu.n = N;
    for (int i = 0; i < N; i++) {
        lu.first[i] = i - W < 0 ? 0 : i - W;
        lu.last[i] = i + W + 1 > N ? N : i + W + 1;
    }
    assert_false(cn_lu_open(&lu));
}

/* A pivot that is too small is replaced and keeps its sign; a zero pivot becomes positive. */
static void
test_replaced_sign(void **state)
{
    (void)state;
    const double entry[] = {-1e-30, 1e-30, 0.0}, expected[] = {-1e10, 1e10, 1e10};
    for (int k = 0; k < 3; k++) {
        struct cn_lu lu;
        int replaced;
        double x = 1.0;
        begin(&lu, 1);
        lu.first[0] = 0;
        lu.last[0] = 1;
        assert_true(cn_lu_open(&lu));
        cn_lu_row(&lu, 0)[0] = entry[k];
        cn_lu_factor(&lu, 1e-10, &replaced);
        cn_lu_solve(&lu, &x);
        assert_int_equal(replaced, 1);
        assert_near(x, expected[k], 1e-3);
    }
}

/* The signs of determinants known by hand: a swap, a negative pivot, both, neither. */
static void
test_sign(void **state)
{
    (void)state;
    static const double A[4][4] = {
        {0.0, 1.0, 1.0, 0.0}, {-3.0, 1.0, 1.0, 2.0}, {1.0, 2.0, -4.0, 1.0}, {2.0, 1.0, 1.0, 2.0}};
    const int expected[4] = {-1, -1, 1, 1};
    for (int k = 0; k < 4; k++) {
        struct cn_lu lu;
        int replaced;
        begin(&lu, 2);
        for (int i = 0; i < 2; i++) {
            lu.first[i] = 0;
            lu.last[i] = 2;
        }
        assert_true(cn_lu_open(&lu));
        for (int i = 0; i < 4; i++) {
            cn_lu_row(&lu, i / 2)[i % 2] = A[k][i];
        }
        cn_lu_factor(&lu, 1e-14, &replaced);
        assert_int_equal(cn_lu_sign(&lu), expected[k]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_replaced_sign),
        cmocka_unit_test(test_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
