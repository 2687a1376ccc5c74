/* test_dantzig.c: the pivoting by itself, since the whole solver would hide its errors. */
#include "engine/base/limits.h"
#include "engine/solve/matrix/dantzig.h"
#include "engine/solve/table/solver_table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/solve/brick_wall.h"

static _Alignas(64) unsigned char memory[1 << 21];

static struct cn_dantzig
start(int n, size_t entry_max, const struct cn_matrix_problem *problem, double *f)
{
    struct cn_arena arena;
    struct cn_dantzig z;
    cn_arena_init(&arena, memory, sizeof(memory));
    cn_dantzig_take(&z, &arena, n, entry_max);
    cn_dantzig_begin(&z, problem, 1e-12, f);
    return z;
}

/* Five blocks side by side; the factor has room for three of them, which is reported. */
static void
test_full_factor(void **state)
{
    (void)state;
    double A[25] = {0.0}, b[5], f[5] = {0.0};
    for (int i = 0; i < 5; i++) {
        A[i * 6] = 1.0;
        b[i] = -9.0;
    }
    struct cn_matrix_problem problem = {.n = 5, .stride = 5, .A = A, .b = b};
    struct cn_dantzig z = start(5, 6, &problem, f); /* a full triangle of three rows */
    assert_int_equal(cn_dantzig_run(&z, 100), CN_DANTZIG_PIVOTS_MAX);
    int pushing = 0;
    for (int i = 0; i < 5; i++) {
        assert_true(f[i] == 0.0 || fabs(f[i] - 9.0) < 1e-12);
        pushing += f[i] > 0.0 ? 1 : 0;
    }
    assert_true(pushing >= 3);
}

/* A right guess costs no pivot; a wrong one is repaired to the same answer. */
static void
test_warm(void **state)
{
    (void)state;
    double A[] = {2.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 2.0}, b[] = {-2.0, -1.0, 5.0};
    /* f = (1, 0, 0): a = (0, 0, 5). */
    struct cn_matrix_problem problem = {.n = 3, .stride = 3, .A = A, .b = b};
    double right[3] = {7.0, 0.0, 0.0}, wrong[3] = {0.0, 1.0, 1.0};
    struct cn_dantzig z = start(3, 6, &problem, right);
    cn_dantzig_warm(&z);
    assert_int_equal(cn_dantzig_run(&z, 100), CN_DANTZIG_DONE);
    assert_int_equal(z.pivot_count, 0);
    assert_near(right[0], 1.0, 1e-15);
    z = start(3, 6, &problem, wrong);
    cn_dantzig_warm(&z);
    assert_int_equal(cn_dantzig_run(&z, 100), CN_DANTZIG_DONE);
    assert_true(z.pivot_count > 0);
    assert_near(wrong[0], 1.0, 1e-15);
    assert_near(wrong[1] + wrong[2], 0.0, 1e-15);
}

/* An indefinite A is noticed: with row 0 clamped, row 1 has S = 1 - (-2)^2 = -3. */
static void
test_indefinite(void **state)
{
    (void)state;
    double A[] = {1.0, -2.0, -2.0, 1.0}, b[] = {-1.0, -1.0}, f[2] = {0.0};
    struct cn_matrix_problem problem = {.n = 2, .stride = 2, .A = A, .b = b};
    struct cn_dantzig z = start(2, 3, &problem, f);
    assert_int_equal(cn_dantzig_run(&z, 100), CN_DANTZIG_INDEFINITE);
    assert_near(f[0], 1.0, 1e-15);
    assert_near(f[1], 0.0, 0.0);
}

/* Closing walls with an infinite b: the search ends without an answer, and nothing aborts. */
static void
test_infinite(void **state)
{
    (void)state;
    double A[] = {1.0, -1.0, -1.0, 1.0}, b[] = {-1.0, -HUGE_VAL}, f[2] = {0.0};
    struct cn_matrix_problem problem = {.n = 2, .stride = 2, .A = A, .b = b};
    struct cn_dantzig z = start(2, 3, &problem, f);
    assert_int_not_equal(cn_dantzig_run(&z, 100), CN_DANTZIG_DONE);
}

/* Sums the forces of the rows that stand on `lower`. */
static double
carried(const struct brick_wall *wall, const double *f, int lower)
{
    double sum = 0.0;
    for (int i = 0; i < wall->problem.row_count; i++) {
        sum += wall->rows[i].body_a == lower ? f[i] : 0.0;
    }
    return sum;
}

static struct cn_solve_report
solve_wall(const struct brick_wall *wall, double *f)
{
    struct cn_arena scratch;
    cn_arena_init(&scratch, memory, sizeof(memory));
    struct cn_solve_options options = {.tolerance = 1e-10, .iteration_max = 100000};
    return cn_solver_find("baraff94")->solve(&wall->problem, &options, &scratch, f);
}

/*
 * A tower of 60 bricks, solved from zero forces: brick k carries the 59 - k bricks above it, and
 * the floor carries all.
 */
static void
test_tower(void **state)
{
    (void)state;
    static double f[256];
    struct brick_wall wall;
    brick_wall_init(&wall, 256, 64);
    brick_wall_build(&wall, 1, 60, 0.0);
    memset(f, 0, sizeof(f));
    assert_int_equal(solve_wall(&wall, f).outcome, CN_SOLVE_CONVERGED);
    for (int k = -1; k < 59; k++) {
        assert_near(carried(&wall, f, k), (59 - k) * BRICK_GRAVITY, 1e-7);
    }
    struct cn_solve_report again = solve_wall(&wall, f);
    assert_int_equal(again.iteration_count, 0);
    brick_wall_finish(&wall);
}

/* A gram under a thousand tonnes, the widest ratio that a scene may have. */
static void
test_mass_ratio(void **state)
{
    (void)state;
    static double f[256];
    struct brick_wall wall;
    brick_wall_init(&wall, 16, 4);
    brick_wall_build(&wall, 1, 3, 0.0);
    static const double mass[3] = {1.0, 1e-3, 1e6};
    for (int k = 0; k < 3; k++) {
        wall.mass[k].linear /= mass[k];
        wall.mass[k].angular.cz.z /= mass[k];
    }
    brick_wall_load(&wall, NULL, NULL);
    memset(f, 0, sizeof(f));
    solve_wall(&wall, f);
    double carried_by_floor = (1e6 + 1.0 + 1e-3) * BRICK_GRAVITY;
    assert_near(carried(&wall, f, -1), carried_by_floor, 1e-6 * carried_by_floor);
    assert_near(carried(&wall, f, 1), 1e6 * BRICK_GRAVITY, 1e-6 * carried_by_floor);
    brick_wall_finish(&wall);
}

/* A wall of more contacts than CN_CONTACT_ROWS_MAX: the floor carries every brick. */
static void
test_large_island(void **state)
{
    (void)state;
    struct brick_wall wall;
    brick_wall_init(&wall, 2048, 512);
    brick_wall_build(&wall, 2, 270, 0.5);
    int rows = wall.problem.row_count, bodies = wall.problem.body_count;
    assert_true(rows > CN_CONTACT_ROWS_MAX);
    const struct cn_solver *solver = cn_solver_find("baraff94");
    struct cn_arena scratch;
    cn_arena_init_measure(&scratch);
    solver->layout(&scratch, rows, bodies);
    void *large = aligned_alloc(64, scratch.used);
    double *f = calloc((size_t)rows, sizeof(f[0]));
    cn_arena_init(&scratch, large, scratch.used);
    struct cn_solve_options options = {.tolerance = 1e-10, .iteration_max = 100000};
    struct cn_solve_report report = solver->solve(&wall.problem, &options, &scratch, f);
    assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
    assert_near(carried(&wall, f, -1), bodies * BRICK_GRAVITY, 1e-6);
    free(f);
    free(large);
    brick_wall_finish(&wall);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_factor),
        cmocka_unit_test(test_warm),
        cmocka_unit_test(test_indefinite),
        cmocka_unit_test(test_infinite),
        cmocka_unit_test(test_tower),
        cmocka_unit_test(test_mass_ratio),
        cmocka_unit_test(test_large_island),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
