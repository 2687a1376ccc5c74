/*
 * test_newton.c: the equations of a contact, their derivatives, a contact by itself; and what
 * solver newton finds where it is known by hand.
 */
#include "engine/base/rng.h"
#include "engine/problem/contact_problem.h"
#include "engine/solve/matrix/friction_contact.h"
#include "engine/solve/friction/newton.h"
#include "engine/solve/friction/newton_system.h"
#include "engine/solve/table/matrix_adapter.h"
#include "engine/solve/table/solver_table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/solve/random_friction.h"

static _Alignas(64) unsigned char memory[1 << 16], large[4 << 20];

/* A row with limits, or a contact with up to three discs of one or two rows. */
static struct cn_friction_group
random_group(struct cn_rng *rng)
{
    struct cn_friction_group group = {.count = 1, .tag = CN_ROW_NORMAL,
        .disc_count = (int)(cn_rng_next(rng) % 4), .effect = cn_rng_uniform(rng, 0.2, 5.0)};
    for (int k = 0; k < group.disc_count; k++) {
        struct cn_friction_disc *disc = &group.disc[k];
        *disc = (struct cn_friction_disc){.first = group.count,
            .count = k < 2 ? 1 + (int)(cn_rng_next(rng) % 2) : 1,
            .effect = cn_rng_uniform(rng, 0.2, 5.0), .friction = cn_rng_uniform(rng, 0.0, 1.5)};
        group.count += disc->count;
    }
    if (group.count == 1 && cn_rng_next(rng) % 2 == 0) {
        group.tag = CN_ROW_BOUNDED;
        group.lower = -1.0;
        group.upper = 2.0;
    }
    return group;
}

#define ROWS CN_ROWS_PER_CONTACT

/* Derivatives against differences, smoothed and, away from the kinks, not smoothed. */
static void
test_derivatives(void **state)
{
    (void)state;
    static const double widths[] = {0.0, 1e-3, 0.3, 10.0};
    int checked = 0;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        struct cn_rng rng = {.state = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15)};
        struct cn_friction_group group = random_group(&rng);
        double e = widths[seed % 4], at[2 * ROWS], low[ROWS], high[ROWS], nearer[ROWS];
        double by_f[CN_FRICTION_BLOCK_MAX], by_a[CN_FRICTION_BLOCK_MAX];
        for (int k = 0; k < 2 * ROWS; k++) {
            at[k] = cn_rng_uniform(&rng, -2.0, 2.0);
        }
        bool active = cn_friction_derive(&group, e, at, at + ROWS, by_f, by_a);
        for (int k = 0; k < 2 * ROWS; k++) {
            if (k % ROWS >= group.count) {
                continue;
            }
            double h = 1e-6, saved = at[k];
            at[k] = saved - h;
            cn_friction_map(&group, e, at, at + ROWS, low);
            at[k] = saved + h;
            cn_friction_map(&group, e, at, at + ROWS, high);
            at[k] = saved;
            cn_friction_map(&group, e, at, at + ROWS, nearer);
            for (int i = 0; i < group.count; i++) {
                double slope = (high[i] - low[i]) / (2.0 * h);
                bool kink = fabs(high[i] + low[i] - 2.0 * nearer[i]) > 1e-8; /* h^2 / e at most */
                int n = group.count;
                double entry = k < ROWS ? by_f[n * i + k] : by_a[n * i + k - ROWS];
                if (!kink) {
                    assert_near(slope, entry, 2e-5 * (1.0 + fabs(entry)));
                    checked++;
                }
            }
        }
        for (int k = 0; k < group.count * group.count && !active; k++) {
            assert_true(by_a[k] == 0.0);
        }
    }
    assert_true(checked > 15000);
}

/* Without smoothing, F is zero exactly if the judge's map is. */
static void
test_solutions(void **state)
{
    (void)state;
    struct cn_friction_group group = {.count = 3, .tag = CN_ROW_NORMAL, .effect = 2.0,
        .disc_count = 1, .disc = {{.first = 1, .count = 2, .effect = 3.0, .friction = 0.5}}};
    static const double solved[][6] = {
        {0.0, 0.0, 0.0, 1.0, 5.0, -7.0},  /* parts */
        {4.0, 1.0, -1.0, 0.0, 0.0, 0.0},  /* sticks */
        {4.0, 1.2, -1.6, 0.0, -3.0, 4.0}, /* slides against the force */
    };
    static const double wrong[][6] = {
        {1.0, 0.0, 0.0, 1.0, 0.0, 0.0},    /* pushes and parts */
        {4.0, 3.0, 0.0, 0.0, 0.0, 0.0},    /* beyond the rim */
        {4.0, 1.2, -1.6, 0.0, 3.0, -4.0},  /* slides along the force */
        {4.0, 1.0, 0.0, 0.0, -1.0, 0.0},   /* slides within the rim */
        {0.0, 0.0, 0.0, -1.0, 0.0, 0.0},   /* approaches */
    };
    double F[3];
    for (size_t i = 0; i < sizeof(solved) / sizeof(solved[0]); i++) {
        cn_friction_map(&group, 0.0, solved[i], solved[i] + 3, F);
        for (int k = 0; k < 3; k++) {
            assert_near(F[k], 0.0, 1e-14);
        }
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        cn_friction_map(&group, 0.0, wrong[i], wrong[i] + 3, F);
        assert_true(fabs(F[0]) + fabs(F[1]) + fabs(F[2]) > 0.1);
    }
}

/* The judge's residual of one contact by itself, relative to the accelerations in it. */
static double
residual_alone(const struct cn_friction_group *group, const double *a, const double *f)
{
    double none[2] = {0.0, 0.0};
    double worst = group->tag == CN_ROW_BOUNDED
        ? cn_residual_bounded(a[0], group->effect, f[0], group->lower, group->upper)
        : cn_residual_row(CN_ROW_NORMAL, a[0], group->effect, f[0]);
    double size = 1.0 + fabs(f[0]) * group->effect;
    for (int k = 0; k < group->disc_count; k++) {
        const struct cn_friction_disc *disc = &group->disc[k];
        double rim = disc->friction * f[0];
        worst = fmax(worst, cn_residual_tangent(a + disc->first, disc->effect, f + disc->first,
            rim, none, disc->count));
        size += disc->effect * fabs(f[0]);
    }
    return worst / size;
}

/* One contact with a random definite W: the judge accepts the answer. */
static void
test_contact_by_itself(void **state)
{
    (void)state;
    int parts = 0, sticks = 0, slides = 0, rolls = 0;
    for (uint64_t seed = 0; seed < 6000; seed++) {
        struct cn_rng rng = {.state = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15)};
        struct cn_friction_group group = random_group(&rng);
        double G[ROWS * ROWS], W[ROWS * ROWS], q[ROWS], f[ROWS] = {0}, a[ROWS];
        int n = group.count;
        for (int i = 0; i < n * n; i++) {
            G[i] = cn_rng_uniform(&rng, -1.0, 1.0);
        }
        for (int i = 0; i < n; i++) {
            q[i] = cn_rng_uniform(&rng, i == 0 ? -3.0 : -1.0, 1.0);
            for (int j = 0; j < n; j++) {
                W[n * i + j] = i == j ? 0.05 : 0.0;
                for (int k = 0; k < n; k++) {
                    W[n * i + j] += G[n * i + k] * G[n * j + k];
                }
            }
        }
        group.effect = W[0];
        for (int k = 0; k < group.disc_count; k++) {
            struct cn_friction_disc *disc = &group.disc[k];
            int at = disc->first, last = at + disc->count - 1;
            disc->effect = fmax(W[n * at + at], W[n * last + last]);
        }
        cn_friction_solve(&group, W, q, f);
        double speed = 0.0;
        for (int i = 0; i < n; i++) {
            a[i] = q[i];
            for (int j = 0; j < n; j++) {
                a[i] += W[n * i + j] * f[j];
            }
            speed += i > 0 ? fabs(a[i]) : 0.0;
        }
        double off = residual_alone(&group, a, f);
        if (!(off <= 1e-11)) {
            fail_msg("seed %d, %d discs: %g", (int)seed, group.disc_count, off);
        }
        parts += n > 1 && f[0] == 0.0 ? 1 : 0;
        slides += f[0] > 0.0 && speed > 1e-6 && group.disc_count == 1 ? 1 : 0;
        rolls += f[0] > 0.0 && speed > 1e-6 && group.disc_count > 1 ? 1 : 0;
        sticks += n > 1 && f[0] > 0.0 && speed < 1e-9 ? 1 : 0;
    }
    assert_true(parts > 100 && sticks > 100 && slides > 100 && rolls > 100);
}

/*
 * A point mass of 2 kg on a plane, pushed by 3 and 4 N along it, weight 20 N: 5 N of push.  At
 * mu = 0.3 friction holds it; at 0.2 it slides with (5 - 4) / 2 m/s^2 along the push.
 */
static void
test_point_mass(void **state)
{
    (void)state;
    struct cn_row rows[3] = {{.body_a = -1, .body_b = 0}, {.body_a = -1, .body_b = 0},
        {.body_a = -1, .body_b = 0}};
    rows[0].linear_b.y = 1.0;
    rows[1].linear_b.x = 1.0;
    rows[2].linear_b.z = 1.0;
    struct cn_mass_inverse mass = {.linear = 0.5};
    double b[3] = {-10.0, 1.5, 2.0}, friction[3] = {0.3, 0.0, 0.0}, f[3] = {0.0, 0.0, 0.0}, a[3];
    unsigned char tag[3] = {CN_ROW_NORMAL, CN_ROW_TANGENT, CN_ROW_TANGENT};
    struct cn_contact_problem problem = {.row_count = 3, .body_count = 1, .rows = rows,
        .mass = &mass, .b = b, .tag = tag, .friction = friction};
    struct cn_solve_options options = {.tolerance = 1e-12, .iteration_max = 1000};
    struct cn_twist work;
    struct cn_arena scratch;
    const struct cn_solver *newton = cn_solver_find("newton");
    cn_arena_init(&scratch, memory, sizeof(memory));
    assert_int_equal(newton->solve(&problem, &options, &scratch, f).outcome, CN_SOLVE_CONVERGED);
    assert_near(f[0], 20.0, 1e-10);
    assert_near(f[1], -3.0, 1e-10);
    assert_near(f[2], -4.0, 1e-10);

    friction[0] = 0.2;
    cn_arena_init(&scratch, memory, sizeof(memory));
    assert_int_equal(newton->solve(&problem, &options, &scratch, f).outcome, CN_SOLVE_CONVERGED);
    cn_problem_rates(&problem, f, &work, a);
    assert_near(a[0], 0.0, 1e-10);
    assert_near(a[1], 0.3, 1e-10);
    assert_near(a[2], 0.4, 1e-10);

    double slip[3] = {0.0, 1.0, 0.0}; /* slides along x, whatever the push */
    problem.slip = slip;
    cn_arena_init(&scratch, memory, sizeof(memory));
    assert_int_equal(newton->solve(&problem, &options, &scratch, f).outcome, CN_SOLVE_CONVERGED);
    assert_near(f[1], -4.0, 1e-10);
    assert_near(f[2], 0.0, 1e-10);
}

/*
 * The Newton step of an island by its bodies equals the step by the rows of its dense matrix.  The
 * two differ only by rounding, which 1 / r enlarges.
 */
static void
test_step_by_bodies(void **state)
{
    (void)state;
    static struct random_friction random;
    static double A[RANDOM_ROWS_MAX * RANDOM_ROWS_MAX];
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct random_friction_kind kind = {
            .friction_max = 0.8, .body_max = 8, .contact_max = seed % 3 == 2 ? 8 : 12,
            .rolling = seed % 3 == 2};
        random_friction_build(&random, seed, kind);
        const struct cn_contact_problem *problem = &random.problem;
        int n = problem->row_count, place[RANDOM_ROWS_MAX], row[RANDOM_ROWS_MAX];
        double f[RANDOM_ROWS_MAX], a[RANDOM_ROWS_MAX], F[RANDOM_ROWS_MAX];
        double d[2][RANDOM_ROWS_MAX], r = 1e-4, e = seed % 2 == 0 ? 0.0 : 0.3;
        struct cn_arena arena;
        struct cn_delassus delassus;
        memset(large, 0xff, sizeof(large)); /* NaN, which shows reads before the first write */
        cn_arena_init(&arena, large, sizeof(large));
        cn_delassus_take(&delassus, &arena, n, problem->body_count);
        cn_delassus_reset(&delassus, problem->body_count);
        for (int i = 0; i < n; i++) {
            row[i] = i;
            f[i] = random.f[i] * (1.0 + 0.1 * (i % 3)) + 0.01 * (i % 4);
        }
        cn_delassus_pack(&delassus, problem, row, n);
        struct cn_matrix_problem matrix = {.n = n, .stride = n, .delassus = &delassus,
            .b = problem->b, .tag = problem->tag, .friction = problem->friction,
            .slip = problem->slip};
        cn_matrix_fill(&matrix, place, A, n);
        for (int dense = 0; dense < 2; dense++) {
            struct cn_newton_system system;
            struct cn_arena rest = arena;
            double x[RANDOM_ROWS_MAX];
            matrix.A = dense ? A : NULL;
            cn_newton_system_take(&system, &rest, n, dense ? -1 : delassus.body_count);
            assert_true(cn_newton_system_load(&system, &matrix));
            for (int i = 0; i < n; i++) {
                x[i] = f[system.order[i]];
            }
            cn_newton_system_rates(&system, x, a);
            cn_newton_system_map(&system, e, x, a, F);
            assert_true(cn_newton_system_step(&system, e, x, a, F, r, x));
            for (int i = 0; i < n; i++) {
                d[dense][system.order[i]] = x[i];
            }
        }
        double size = 0.0;
        for (int i = 0; i < n; i++) {
            size = fmax(size, fabs(d[1][i]));
        }
        for (int i = 0; i < n; i++) {
            assert_near(d[0][i], d[1][i], 1e-7 * size + 1e-9);
        }
    }
}

/*
 * The same unsymmetric A, dense and sparse with the entries of a row in reverse order: the same
 * diagonal, products and columns, and forces that differ by rounding.
 */
static void
test_sparse(void **state)
{
    (void)state;
    enum { N = 6 };
    static const double A[N][N] = {{3, 0.1, 0, -1, 0, 0}, {0.2, 2, 0, 0, 0.3, 0},
        {0, 0, 2, 0, 0, 0}, {-1, 0, 0, 4, 0, 0.5}, {0, 0.3, 0, 0, 3, 0}, {0, 0, 0, 0.5, 0, 3}};
    static const double b[N] = {-5, 4, -1, -3, 0.5, 0}, friction[N] = {0.5, 0, 0, 0.3, 0, 0};
    static const unsigned char tag[N] = {CN_ROW_NORMAL, CN_ROW_TANGENT, CN_ROW_TANGENT,
        CN_ROW_NORMAL, CN_ROW_TANGENT, CN_ROW_TANGENT};
    double entry[N * N], f[2][N] = {{0}}, a[2][N], row[N];
    int column[N * N], start[N + 1] = {0}, place[N], used = 0;
    for (int i = 0; i < N; i++) {
        place[i] = i;
        for (int j = N - 1; j >= 0; j--) {
            if (A[i][j] != 0.0) {
                column[used] = j;
                entry[used++] = A[i][j];
            }
        }
        start[i + 1] = used;
    }
    struct cn_sparse_matrix sparse = {start, column, entry};
    struct cn_matrix_problem problem[2] = {
        {.n = N, .stride = N, .A = A[0], .b = b, .tag = tag, .friction = friction},
        {.n = N, .sparse = &sparse, .b = b, .tag = tag, .friction = friction}};
    const struct cn_matrix_solver *newton = cn_matrix_solver_find("newton");
    struct cn_solve_options options = {.tolerance = 1e-10, .iteration_max = 1000};
    for (int k = 0; k < 2; k++) {
        struct cn_arena scratch;
        cn_arena_init(&scratch, large, sizeof(large));
        struct cn_solve_report report =
            cn_matrix_solve(newton, &problem[k], &options, &scratch, f[k]);
        assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
        cn_matrix_rates(&problem[k], f[0], a[k]);
        assert_false(cn_matrix_is_symmetric(&problem[k]));
    }
    for (int i = 0; i < N; i++) {
        assert_near(f[1][i], f[0][i], 1e-9);
        assert_near(a[1][i], a[0][i], 1e-12);
        assert_true(cn_matrix_diagonal(&problem[1], i) == A[i][i]);
        assert_int_equal(cn_matrix_column(&problem[1], i, place, N, row), 0);
        assert_memory_equal(row, A[i], sizeof(row));
    }
    assert_true(f[0][0] > 1.0 && f[0][3] > 0.5);
}

/* A matrix that couples rows one way only: the order still has every row once. */
static void
test_order_one_way(void **state)
{
    (void)state;
    const double A[] = {2.0, 1.0, 0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 2.0}, b[] = {-2.0, -2.0, -2.0};
    struct cn_matrix_problem problem = {.n = 3, .stride = 3, .A = A, .b = b};
    struct cn_newton_system system;
    struct cn_arena arena;
    int seen = 0;
    cn_arena_init(&arena, large, sizeof(large));
    cn_newton_system_take(&system, &arena, 3, -1);
    assert_true(cn_newton_system_load(&system, &problem));
    for (int i = 0; i < 3; i++) {
        seen |= 1 << system.order[i];
    }
    assert_int_equal(seen, 7);
}

/* Any forces have the residual that the judge gives them, but here relative to the largest b. */
static void
test_judges_alike(void **state)
{
    (void)state;
    static struct random_friction random;
    static double A[RANDOM_ROWS_MAX * RANDOM_ROWS_MAX];
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct random_friction_kind kind = {.friction_max = 0.8, .body_max = 8, .contact_max = 8,
            .slip = seed % 3 == 1, .rolling = seed % 2 == 0};
        random_friction_build(&random, seed, kind);
        const struct cn_contact_problem *problem = &random.problem;
        int n = problem->row_count, row[RANDOM_ROWS_MAX];
        double f[RANDOM_ROWS_MAX], x[RANDOM_ROWS_MAX], a[RANDOM_ROWS_MAX], most = 0.0;
        int spoiled = (int)(seed % (uint64_t)n); /* one row misses most */
        for (int i = 0; i < n; i++) {
            row[i] = i;
            f[i] = random.f[i] * (i == spoiled ? 1.3 : 1.0) + (i == spoiled ? 0.2 : 0.0);
            most = fmax(most, fabs(problem->b[i]));
        }
        cn_delassus_fill(problem, row, n, A, n);
        struct cn_matrix_problem matrix = {.n = n, .stride = n, .A = A, .b = problem->b,
            .tag = problem->tag, .friction = problem->friction, .slip = problem->slip};
        struct cn_newton_system system;
        struct cn_arena arena;
        cn_arena_init(&arena, large, sizeof(large));
        cn_newton_system_take(&system, &arena, n, -1);
        assert_true(cn_newton_system_load(&system, &matrix));
        for (int i = 0; i < n; i++) {
            x[i] = f[system.order[i]] / system.unit;
        }
        cn_newton_system_rates(&system, x, a);
        double judged = cn_newton_system_judge(&system, x, a) * most;
        double residual = cn_matrix_residual(&matrix, f, a) * fmax(most, 1.0);
        assert_near(judged, residual, 1e-11 * (1.0 + residual));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_solutions),
        cmocka_unit_test(test_contact_by_itself),
        cmocka_unit_test(test_point_mass),
        cmocka_unit_test(test_step_by_bodies),
        cmocka_unit_test(test_judges_alike),
        cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_order_one_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
