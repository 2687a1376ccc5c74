/*
 * test_baraff94_friction.c: Coulomb's law by hand, its paradoxes, and random problems.
 */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "engine/base/limits.h"
#include "engine/solve/table/matrix_adapter.h"
#include "engine/solve/table/solver_table.h"
#include "tests/support/near.h"
#include "tests/support/solve/random_friction.h"

#define N CN_ROW_NORMAL
#define T CN_ROW_TANGENT
#define B CN_ROW_BILATERAL

static _Alignas(64) unsigned char memory[1 << 18];

struct stated {
    int n;
    const double *A, *b, *friction, *slip;
    const unsigned char *tag;
};

static struct cn_solve_report
solve(struct stated stated, double *f)
{
    struct cn_matrix_problem problem = {.n = stated.n, .stride = stated.n, .A = stated.A,
        .b = stated.b, .tag = stated.tag, .friction = stated.friction, .slip = stated.slip};
    struct cn_solve_options options = {.tolerance = 1e-11, .iteration_max = 10000};
    struct cn_arena scratch;
    cn_arena_init(&scratch, memory, sizeof(memory));
    memset(memory, 0xff, sizeof(memory));
    return cn_matrix_solve(cn_matrix_solver_find("baraff94"), &problem, &options, &scratch, f);
}

/* A 1 kg particle on a floor with mu = 0.3 under 10 N, pulled by 2 N (holds) and 6 N (slides). */
static void
test_holds_and_slides(void **state)
{
    (void)state;
    double A[] = {1.0, 0.0, 0.0, 1.0}, b[] = {-10.0, 2.0}, mu[] = {0.3, 0.0}, f[2] = {0.0};
    unsigned char tag[] = {N, T};
    struct stated stated = {.n = 2, .A = A, .b = b, .friction = mu, .tag = tag};
    assert_int_equal(solve(stated, f).outcome, CN_SOLVE_CONVERGED);
    assert_near(f[0], 10.0, 1e-13);
    assert_near(f[1], -2.0, 1e-13);
    b[1] = 6.0;
    assert_int_equal(solve(stated, f).outcome, CN_SOLVE_CONVERGED); /* warm from the other answer */
    assert_near(f[1], -3.0, 1e-13);
    b[0] = 10.0; /* lifted off */
    assert_int_equal(solve(stated, f).outcome, CN_SOLVE_CONVERGED);
    assert_near(f[0], 0.0, 0.0);
    assert_near(f[1], 0.0, 0.0);
}

/* The same in space: friction points against the pull, on the disc and not on a square. */
static void
test_disc(void **state)
{
    (void)state;
    double A[] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, b[] = {-10.0, 3.0, 4.0};
    double mu[] = {0.3, 0.0, 0.0}, f[3] = {0.0};
    unsigned char tag[] = {N, T, T};
    struct stated stated = {.n = 3, .A = A, .b = b, .friction = mu, .tag = tag};
    assert_int_equal(solve(stated, f).outcome, CN_SOLVE_CONVERGED);
    assert_near(f[1], -1.8, 1e-12);
    assert_near(f[2], -2.4, 1e-12);
    b[1] = 1.7; /* within the square of mu f_N = 3 on either axis, and within the disc */
    b[2] = 2.3;
    assert_int_equal(solve(stated, f).outcome, CN_SOLVE_CONVERGED);
    assert_near(f[1], -1.7, 1e-12);
    b[1] = 2.9; /* within the square, not the disc */
    b[2] = 2.9;
    assert_int_equal(solve(stated, f).outcome, CN_SOLVE_CONVERGED);
    assert_near(f[1], -3.0 * sqrt(0.5), 1e-12);
    assert_near(f[2], -3.0 * sqrt(0.5), 1e-12);
}

/* Dynamic friction is against the motion, whatever the direction of other forces. */
static void
test_dynamic(void **state)
{
    (void)state;
    double A[] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, b[] = {-10.0, 1.0, 0.0};
    double mu[] = {0.5, 0.0, 0.0}, slip[] = {0.0, 0.6, -0.8}, f[3] = {0.0};
    unsigned char tag[] = {N, T, T};
    struct stated stated = {.n = 3, .A = A, .b = b, .friction = mu, .slip = slip, .tag = tag};
    assert_int_equal(solve(stated, f).outcome, CN_SOLVE_CONVERGED);
    assert_near(f[0], 10.0, 1e-12);
    assert_near(f[1], -3.0, 1e-12);
    assert_near(f[2], 4.0, 1e-12);
}

/*
 * A 1 kg particle that slides or holds, and behind it another on a string: a_B = f_T + 2 f_B, as
 * the string moves both.  Slides: f_T = -3, f_B = 1.5, a_T = 4.5.  With 1 N: f_T = -2, f_B = 1.
 */
static void
test_bilateral(void **state)
{
    (void)state;
    double A[] = {1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 2.0}, b[] = {-10.0, 6.0, 0.0};
    double mu[] = {0.3, 0.0, 0.0}, f[3] = {0.0};
    unsigned char tag[] = {N, T, B};
    struct stated stated = {.n = 3, .A = A, .b = b, .friction = mu, .tag = tag};
    assert_int_equal(solve(stated, f).outcome, CN_SOLVE_CONVERGED);
    assert_near(f[1], -3.0, 1e-12);
    assert_near(f[2], 1.5, 1e-12);
    b[1] = 1.0;
    assert_int_equal(solve(stated, f).outcome, CN_SOLVE_CONVERGED);
    assert_near(f[1], -2.0, 1e-12);
    assert_near(f[2], 1.0, 1e-12);
}

/*
 * Painleve's rod, sliding on its tip at 60 degrees with mu = 1.5: A_NN - mu A_NT < 0.  Where it
 * falls there is no solution, where it is thrown up there are two, of which f = 0 is taken.
 */
static void
test_painleve(void **state)
{
    (void)state;
    double s = sqrt(0.75), c = 0.5;
    double A[] = {1.0 + 3.0 * c * c, 3.0 * s * c, 3.0 * s * c, 1.0 + 3.0 * s * s};
    double b[] = {-9.81, 0.0}, mu[] = {1.5, 0.0}, slip[] = {0.0, 1.0}, f[2] = {0.0};
    unsigned char tag[] = {N, T};
    struct stated stated = {.n = 2, .A = A, .b = b, .friction = mu, .slip = slip, .tag = tag};
    struct cn_solve_report report = solve(stated, f);
    assert_int_equal(report.outcome, CN_SOLVE_INFEASIBLE);
    assert_true(f[0] >= 0.0 && isfinite(f[0]) && report.residual > 0.1);
    b[0] = 4.0;
    f[0] = 0.0;
    f[1] = 0.0;
    assert_int_equal(solve(stated, f).outcome, CN_SOLVE_CONVERGED);
    assert_near(f[0], 0.0, 0.0);
    /* At rest the rod is no riddle: it holds, or slips the other way. */
    stated.slip = NULL;
    b[0] = -9.81;
    assert_int_equal(solve(stated, f).outcome, CN_SOLVE_CONVERGED);
    assert_near(A[0] * f[0] + A[1] * f[1], 9.81, 1e-11);
    assert_near(A[2] * f[0] + A[3] * f[1], 0.0, 1e-11);
}

/* Contact after contact, all the same: redundant in normals and tangents. */
static void
test_redundant(void **state)
{
    (void)state;
    double A[64] = {0.0}, b[8], mu[8], f[8] = {0.0}, sum_n = 0.0, sum_t = 0.0;
    unsigned char tag[8];
    for (int i = 0; i < 8; i++) {
        tag[i] = i % 2 == 0 ? N : T;
        b[i] = i % 2 == 0 ? -10.0 : 7.0;
        mu[i] = 0.5;
        for (int j = i % 2; j < 8; j += 2) {
            A[i * 8 + j] = 1.0;
        }
    }
    struct stated stated = {.n = 8, .A = A, .b = b, .friction = mu, .tag = tag};
    assert_int_equal(solve(stated, f).outcome, CN_SOLVE_CONVERGED);
    for (int i = 0; i < 8; i += 2) {
        sum_n += f[i];
        sum_t += f[i + 1];
    }
    assert_near(sum_n, 10.0, 1e-11);
    assert_near(sum_t, -5.0, 1e-11);
}

/* A bilateral pair that contradicts itself beside friction is infeasible, and no crash. */
static void
test_contradiction(void **state)
{
    (void)state;
    double A[16] = {1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0};
    double b[] = {-10.0, 1.0, 1.0, 2.0}, mu[] = {0.5, 0.0, 0.0, 0.0}, f[4] = {0.0};
    unsigned char tag[] = {N, T, B, B};
    struct stated stated = {.n = 4, .A = A, .b = b, .friction = mu, .tag = tag};
    assert_int_equal(solve(stated, f).outcome, CN_SOLVE_INFEASIBLE);
    assert_near(f[0], 10.0, 1e-11);
    assert_near(f[1], -1.0, 1e-11);
}

/* Too many rows for dense algebra: nothing is claimed. */
static void
test_too_large(void **state)
{
    (void)state;
    int n = 2 * (CN_CONTACT_ROWS_MAX / 2 + 1);
    size_t size = (size_t)n;
    double *A = calloc(size * size, sizeof(A[0])), *b = calloc(size, sizeof(b[0]));
    double *f = calloc(size, sizeof(f[0])), *mu = calloc(size, sizeof(mu[0]));
    unsigned char *tag = calloc(size, 1);
    assert_true(A != NULL && b != NULL && f != NULL && mu != NULL && tag != NULL);
    for (int i = 0; i < n; i++) {
        A[i * n + i] = 1.0;
        b[i] = -1.0;
        tag[i] = i % 2 == 0 ? N : T;
    }
    struct stated stated = {.n = n, .A = A, .b = b, .friction = mu, .tag = tag};
    assert_int_equal(solve(stated, f).outcome, CN_SOLVE_ITERATIONS_MAX);
    free(A);
    free(b);
    free(f);
    free(mu);
    free(tag);
}

/*
 * Problems that have a solution by construction.  In space the answer must meet the disc; nothing
 * proves that pivoting finds one, so a few may be left, with their residual.
 */
static void
check_random(struct random_friction_kind kind, int missed_max)
{
    static struct random_friction random;
    static unsigned char scratch_memory[1 << 21];
    const struct cn_solver *solver = cn_solver_find("baraff94");
    int missed = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        random_friction_build(&random, seed, kind);
        double f[RANDOM_ROWS_MAX] = {0.0}, again[RANDOM_ROWS_MAX] = {0.0};
        struct cn_twist work[RANDOM_BODIES_MAX];
        struct cn_solve_options options = {.tolerance = 1e-9, .iteration_max = 100000};
        struct cn_arena scratch;
        cn_arena_init(&scratch, scratch_memory, sizeof(scratch_memory));
        struct cn_solve_report report = solver->solve(&random.problem, &options, &scratch, f);
        double residual = cn_residual_measure(&random.problem, f, work);
        assert_near(residual, report.residual, 1e-12);
        assert_true((report.outcome == CN_SOLVE_CONVERGED) == (residual <= 1e-9));
        missed += report.outcome != CN_SOLVE_CONVERGED;
        cn_arena_init(&scratch, scratch_memory, sizeof(scratch_memory));
        memset(scratch_memory, 0xff, sizeof(scratch_memory));
        (void)solver->solve(&random.problem, &options, &scratch, again);
        assert_memory_equal(f, again, sizeof(f));
        if (report.outcome == CN_SOLVE_CONVERGED) { /* its own answer is a good start */
            cn_arena_init(&scratch, scratch_memory, sizeof(scratch_memory));
            report = solver->solve(&random.problem, &options, &scratch, again);
            assert_int_equal(report.outcome, CN_SOLVE_CONVERGED);
        }
    }
    printf("  mu <= %g, %d contacts%s: %d of 400 missed\n", kind.friction_max, kind.contact_max,
        kind.slip ? ", some sliding" : "", missed);
    assert_true(missed <= missed_max);
}

static void
test_random(void **state)
{
    (void)state;
    check_random((struct random_friction_kind){0.3, 1, 4, false, false}, 0);
    check_random((struct random_friction_kind){0.3, 4, 8, false, false}, 0);
    check_random((struct random_friction_kind){1.0, 4, 8, false, false}, 2);
    check_random((struct random_friction_kind){1.0, 16, 20, false, false}, 1);
    check_random((struct random_friction_kind){0.3, 4, 8, true, false}, 0);
    check_random((struct random_friction_kind){1.0, 16, 20, true, false}, 2);
}

/*
 * Right-hand sides, masses, budgets and warm starts of any kind, most without a solution: forces
 * are usable, claims are true, and the work is bounded.
 */
static void
test_rubbish(void **state)
{
    (void)state;
    static struct random_friction random;
    static _Alignas(64) unsigned char scratch_memory[1 << 21];
    static const double warm[] = {0.0, 1.0, -1.0, 1e300, HUGE_VAL, (double)NAN, 3.0};
    const struct cn_solver *solver = cn_solver_find("baraff94");
    int count[4] = {0};
    for (uint64_t seed = 0; seed < 1200; seed++) {
        struct random_friction_kind kind = {seed % 3 == 0 ? 10.0 : 1.0, 1 + (int)(seed % 16),
            1 + (int)(seed % 20), seed % 2 == 1, false};
        random_friction_build(&random, seed, kind);
        const struct cn_contact_problem *problem = &random.problem;
        struct cn_rng rng = {.state = seed * 977 + 3};
        double f[RANDOM_ROWS_MAX];
        struct cn_twist work[RANDOM_BODIES_MAX];
        if (seed % 11 == 0) {
            random.base.mass[0] = (struct cn_mass_inverse){0};
        }
        for (int i = 0; i < problem->row_count; i++) {
            random.base.b[i] = seed % 5 == 0 ? 0.0 : cn_rng_uniform(&rng, -10.0, 10.0);
            f[i] = warm[cn_rng_next(&rng) % 7];
        }
        struct cn_solve_options options = {.tolerance = 1e-9,
            .iteration_max = seed % 4 == 0 ? 3 : 100000, .minimum_norm = seed % 6 == 0};
        struct cn_arena scratch;
        cn_arena_init(&scratch, scratch_memory, sizeof(scratch_memory));
        struct cn_solve_report report = solver->solve(problem, &options, &scratch, f);
        double residual = cn_residual_measure(problem, f, work);
        assert_true(isfinite(residual) && report.work < 100000000);
        assert_true(report.outcome != CN_SOLVE_CONVERGED || residual <= 1e-9);
        for (int i = 0; i < problem->row_count; i++) {
            bool tangent = random.base.tag[i] == CN_ROW_TANGENT;
            assert_true(isfinite(f[i]) && fabs(f[i]) < 1e9);
            assert_true(f[i] >= 0.0 || random.base.tag[i] != CN_ROW_NORMAL);
            if (tangent && random.base.tag[i - 1] == CN_ROW_NORMAL) {
                double rim = random.friction[i - 1] * f[i - 1];
                assert_true(fabs(f[i]) <= rim * (1.0 + 1e-12));
            }
        }
        count[report.outcome]++;
    }
    for (int k = 0; k < 4; k++) {
        assert_true(count[k] > 20); /* every outcome is met */
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holds_and_slides),
        cmocka_unit_test(test_disc),
        cmocka_unit_test(test_dynamic),
        cmocka_unit_test(test_bilateral),
        cmocka_unit_test(test_painleve),
        cmocka_unit_test(test_redundant),
        cmocka_unit_test(test_contradiction),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_rubbish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
