/* test_lemke.c: known answers, degenerate ones, rays, and free rows. */
#include "engine/linalg/lemke.h"

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
