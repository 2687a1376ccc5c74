/*
 * test_bounded.c: rows whose force stays between two limits (motors), by every solver in the table.
 *
 *   1. a problem with motors that has a solution is solved; each condition is checked here for each
 *      force and acceleration
 *   2. forces stay within their limits, for any outcome and budget
 *   3. every solver gives the same accelerations from every warm start, because they are unique
 */
#include "engine/solve/table/solver_table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/support/solve/random_problem.h"

#define PROBLEM_COUNT 200
#define TOLERANCE 1e-9

static unsigned char *scratch_memory;
static size_t scratch_size;

struct motors {
    struct random_problem random;
    double lower[RANDOM_ROWS_MAX], upper[RANDOM_ROWS_MAX];
    int finite_count; /* rows with two finite limits: always solvable */
};

/*
 * Turns about a third of the rows into motors.  Only a motor with two different finite limits gets
 * another b: with an infinite limit the problem might have no solution then.
 */
static void
motors_build(struct motors *motors, uint64_t seed)
{
    random_problem_build(&motors->random, seed, seed % 2 == 0, seed % 3 != 0);
    struct cn_contact_problem *problem = &motors->random.problem;
    struct cn_rng rng = {.state = seed + 1000};
    motors->finite_count = 0;
    for (int i = 0; i < problem->row_count; i++) {
        motors->lower[i] = -HUGE_VAL;
        motors->upper[i] = HUGE_VAL;
        if (random_below(&rng, 3) != 0) {
            continue;
        }
        motors->random.tag[i] = CN_ROW_BOUNDED;
        double limit = cn_rng_uniform(&rng, 0.0, 20.0), shift = cn_rng_uniform(&rng, -5.0, 5.0);
        switch (random_below(&rng, 6)) {
        case 0:
            motors->lower[i] = -limit;
            break;
        case 1:
            motors->upper[i] = limit;
            break;
        case 2:
            break;
        case 3: /* a given force */
            motors->lower[i] = motors->upper[i] = shift;
            motors->finite_count++;
            break;
        default:
            motors->lower[i] = shift - limit;
            motors->upper[i] = shift + limit;
            motors->random.b[i] += cn_rng_uniform(&rng, -20.0, 20.0);
            motors->finite_count++;
            break;
        }
    }
    problem->lower = motors->lower;
    problem->upper = motors->upper;
}

static struct cn_solve_report
run(const struct cn_solver *solver, const struct motors *motors, int budget, double *f)
{
    const struct cn_contact_problem *problem = &motors->random.problem;
    struct cn_arena measure, scratch;
    cn_arena_init_measure(&measure);
    solver->layout(&measure, problem->row_count, problem->body_count);
    assert_true(measure.used <= scratch_size);
    cn_arena_init(&scratch, scratch_memory, measure.used);
    memset(scratch_memory, 0xff, measure.used);
    struct cn_solve_options options = {.tolerance = TOLERANCE, .iteration_max = budget};
    struct cn_solve_report report = solver->solve(problem, &options, &scratch, f);
    for (int i = 0; i < problem->row_count; i++) {
        assert_true(isfinite(f[i]));
        assert_true(problem->tag[i] != CN_ROW_NORMAL || f[i] >= 0.0);
        if (problem->tag[i] == CN_ROW_BOUNDED) {
            assert_true(motors->lower[i] <= f[i] && f[i] <= motors->upper[i]);
        }
    }
    return report;
}

/* Checks each row's conditions, in formulas that are independent of the judge's. Fills a. */
static void
check_conditions(const struct motors *motors, const double *f, double *a)
{
    const struct cn_contact_problem *problem = &motors->random.problem;
    struct cn_twist work[RANDOM_BODIES_MAX];
    cn_problem_rates(problem, f, work, a);
    double tolerance = 4.0 * TOLERANCE * cn_residual_scale(problem->b, problem->row_count);
    for (int i = 0; i < problem->row_count; i++) {
        double A_ii = cn_delassus_entry(problem, i, i);
        bool can_rise = true, can_fall = true; /* of the force */
        if (problem->tag[i] == CN_ROW_NORMAL) {
            can_fall = A_ii * f[i] > tolerance;
        } else if (problem->tag[i] == CN_ROW_BOUNDED) {
            can_fall = A_ii * (f[i] - motors->lower[i]) > tolerance;
            can_rise = A_ii * (motors->upper[i] - f[i]) > tolerance;
        }
        assert_true(!can_rise || a[i] >= -tolerance);
        assert_true(!can_fall || a[i] <= tolerance);
    }
}

static void
test_motors(void **state)
{
    (void)state;
    static struct motors motors;
    double f[RANDOM_ROWS_MAX], a[RANDOM_ROWS_MAX], first[RANDOM_ROWS_MAX];
    for (uint64_t seed = 0; seed < PROBLEM_COUNT; seed++) {
        motors_build(&motors, seed);
        int n = motors.random.problem.row_count;
        bool known = false;
        for (int k = 0; k < cn_problem_solver_count; k++) {
            struct cn_rng rng = {.state = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15)};
            for (int start = 0; start < 3; start++) {
                for (int i = 0; i < n; i++) {
                    f[i] = start == 0 ? 0.0 : start == 1 ? f[i] : cn_rng_uniform(&rng, -30.0, 30.0);
                }
                struct cn_solve_report report = run(cn_solvers[k], &motors, 1000000, f);
                if (report.outcome != CN_SOLVE_CONVERGED) {
                    /* A heuristic that guesses the active limits wrongly may cycle. */
                    bool may = cn_solvers[k]->heuristic && report.outcome != CN_SOLVE_INFEASIBLE;
                    if (!may) {
                        fail_msg("%s, problem %d, start %d: %s, residual %g", cn_solvers[k]->name,
                            (int)seed, start, cn_solve_outcome_name(report.outcome),
                            report.residual);
                    }
                    continue;
                }
                check_conditions(&motors, f, a);
                double size = cn_residual_scale(motors.random.problem.b, n);
                for (int i = 0; i < n && known; i++) {
                    assert_true(fabs(a[i] - first[i]) <= 1e-6 * size);
                }
                memcpy(first, a, sizeof(first));
                known = true;
            }
        }
        assert_true(known);
    }
}

/* Budgets too small: forces are within their limits all the same (run checks them). */
static void
test_starved(void **state)
{
    (void)state;
    static struct motors motors;
    double f[RANDOM_ROWS_MAX];
    for (int k = 0; k < cn_problem_solver_count; k++) {
        int starved = 0;
        for (uint64_t seed = 0; seed < PROBLEM_COUNT; seed++) {
            motors_build(&motors, seed);
            memset(f, 0, sizeof(f));
            struct cn_solve_report report = run(cn_solvers[k], &motors, 1 + (int)(seed % 4), f);
            starved += report.outcome != CN_SOLVE_CONVERGED ? 1 : 0;
        }
        printf("  %-10s %d of %d starved\n", cn_solvers[k]->name, starved, PROBLEM_COUNT);
        assert_true(starved > PROBLEM_COUNT / 8);
    }
}

static int
make_scratch(void **state)
{
    (void)state;
    for (int k = 0; k < cn_problem_solver_count; k++) {
        struct cn_arena need;
        cn_arena_init_measure(&need);
        cn_solvers[k]->layout(&need, RANDOM_ROWS_MAX, RANDOM_BODIES_MAX);
        scratch_size = need.used > scratch_size ? need.used : scratch_size;
    }
    scratch_memory = aligned_alloc(64, scratch_size);
    return scratch_memory == NULL ? -1 : 0;
}

static int
free_scratch(void **state)
{
    (void)state;
    free(scratch_memory);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motors),
        cmocka_unit_test(test_starved),
    };
    return cmocka_run_group_tests(tests, make_scratch, free_scratch);
}
