/*
 * test_friction.c: what every solver with friction in the table promises on frictional problems.
 *
 * Problems of tests/support/solve/random_friction.h have a solution by construction.  With
 * friction a method need not find it.  So:
 *   1. if a solver reports convergence, the conditions hold; they are checked here with a dense A
 *   2. forces are finite, no contact pulls, and friction stays within mu f_N, for any outcome
 *   3. the same input gives the same bits
 *   4. it takes at most as much scratch as layout() said, and does not use the heap
 *   5. any warm start, even random numbers, is harmless
 *   6. newton, the reference for friction, accepts its own answers as warm starts and solves all
 *      problems up to mu = 0.8; the others solve at least a third
 * Solvers with moments against rolling promise the same with these.
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

#include "tests/support/solve/random_friction.h"

#define PROBLEM_COUNT 300
#define TOLERANCE 1e-9
#define BUDGET 1000000
#define BUDGET_OF_SWEEPS 2000 /* it does not end before, where it does not converge */

static int heap_calls;
static unsigned char *scratch_memory;
static size_t scratch_size;

/* Linked with -Wl,--wrap: every heap call of the program passes here. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *
__wrap_malloc(size_t size)
{
    heap_calls++;
    return __real_malloc(size);
}

void *
__wrap_calloc(size_t count, size_t size)
{
    heap_calls++;
    return __real_calloc(count, size);
}

/*
 * How far `count` rows of a contact, from row i on, are from their friction law, as an
 * acceleration.  The formulas are independent of the judge's.
 */
static double
disc_off(const struct cn_contact_problem *problem, const double *f, const double *a, double D,
    double rim, int i, int count)
{
    double force = 0.0, speed = 0.0, along = 0.0, slips = 0.0, off = 0.0;
    for (int k = i; k < i + count; k++) {
        double d = problem->slip == NULL ? 0.0 : problem->slip[k];
        force += f[k] * f[k];
        speed += a[k] * a[k];
        along += f[k] * a[k];
        slips += d * d;
        off += (f[k] + rim * d) * (f[k] + rim * d);
    }
    force = sqrt(force);
    speed = sqrt(speed);
    if (slips > 0.0) {
        return D * sqrt(off); /* f_T = -mu f_N d */
    }
    /*
     * The contact sticks, or its friction is at the limit mu f_N and straight against the motion.
     */
    double along_unit = force > 0.0 ? along / force : 0.0;
    double turn = count == 2 ? f[i] * a[i + 1] - f[i + 1] * a[i] : 0.0;
    double across = force > 0.0 ? fabs(turn) / force : 0.0;
    double share = speed > 0.0 ? D * rim / (D * rim + speed) : 1.0;
    double slides = fmax(D * fabs(force - rim), share * fmax(along_unit, across));
    return fmin(fmax(speed, D * fmax(force - rim, 0.0)), slides);
}

/*
 * The residual by dense sums. *rounding is the difference that another order of summing may make.
 */
static double
off_dense(const struct cn_contact_problem *problem, const double *f, double *rounding)
{
    double A[RANDOM_ROWS_MAX][RANDOM_ROWS_MAX], a[RANDOM_ROWS_MAX], worst = 0.0, scale = 1.0;
    double terms = 0.0;
    int n = problem->row_count;
    for (int i = 0; i < n; i++) {
        a[i] = problem->b[i];
        scale = fmax(scale, fabs(problem->b[i]));
        for (int j = 0; j < n; j++) {
            A[i][j] = cn_delassus_entry(problem, i, j);
            a[i] += A[i][j] * f[j];
            terms = fmax(terms, fabs(A[i][j] * f[j]));
        }
    }
    for (int i = 0; i < n; i++) {
        bool bilateral = problem->tag[i] == CN_ROW_BILATERAL;
        worst = fmax(worst, bilateral ? fabs(a[i]) : fabs(fmin(a[i], A[i][i] * f[i])));
        double press = f[i], mu = problem->friction[i];
        while (i + 1 < n && problem->tag[i + 1] >= CN_ROW_TANGENT) {
            int first = i + 1, tag = problem->tag[first];
            double D = 0.0;
            while (i + 1 < n && problem->tag[i + 1] == tag) {
                i++;
                D = fmax(D, A[i][i]);
            }
            double rim = (tag == CN_ROW_TANGENT ? mu : problem->friction[first]) * press;
            worst = fmax(worst, disc_off(problem, f, a, D, rim, first, i + 1 - first));
        }
    }
    *rounding = 1e-14 * n * terms / scale;
    return worst / scale;
}

static void
check_forces(const struct cn_contact_problem *problem, const double *f)
{
    double press = 0.0;
    for (int i = 0; i < problem->row_count; i++) {
        assert_true(isfinite(f[i]));
        assert_true(problem->tag[i] != CN_ROW_NORMAL || f[i] >= 0.0);
        press = problem->tag[i] < CN_ROW_TANGENT ? f[i] : press;
        if (problem->tag[i] >= CN_ROW_TANGENT && problem->tag[i - 1] != problem->tag[i]) {
            bool two = i + 1 < problem->row_count && problem->tag[i + 1] == problem->tag[i];
            int at = problem->tag[i] == CN_ROW_TANGENT ? i - 1 : i;
            double second = two ? f[i + 1] : 0.0, rim = problem->friction[at] * press;
            assert_true(sqrt(f[i] * f[i] + second * second) <= rim * (1.0 + 1e-14));
        }
    }
}

static struct cn_solve_report
run(const struct cn_solver *solver, const struct cn_contact_problem *problem, int budget,
    double *f)
{
    struct cn_arena measure, scratch;
    cn_arena_init_measure(&measure);
    solver->layout(&measure, problem->row_count, problem->body_count);
    assert_true(measure.used <= scratch_size);
    cn_arena_init(&scratch, scratch_memory, measure.used);
    memset(scratch_memory, 0xff, measure.used);
    struct cn_solve_options options = {.tolerance = TOLERANCE, .iteration_max = budget};
    int heap_calls_before = heap_calls;
    struct cn_solve_report report = solver->solve(problem, &options, &scratch, f);
    assert_int_equal(heap_calls, heap_calls_before);
    assert_true(scratch.used_max <= measure.used);
    assert_true(report.work > 0);
    check_forces(problem, f);
    if (report.outcome == CN_SOLVE_CONVERGED) {
        double rounding, off = off_dense(problem, f, &rounding);
        if (!(report.residual <= TOLERANCE && off <= 10.0 * TOLERANCE + rounding)) {
            fail_msg("%s: residual %g, off by %g, rounding %g", solver->name, report.residual,
                off, rounding);
        }
    } else {
        assert_true(report.residual > TOLERANCE);
    }
    return report;
}

static bool
is_arbiter(const struct cn_solver *solver)
{
    return strcmp(solver->name, "newton") == 0;
}

/* Checks laws 1 to 5 for one problem. True: it was solved from zero forces. */
static bool
check_problem(const struct cn_solver *solver, const struct cn_contact_problem *problem,
    uint64_t seed)
{
    double f[RANDOM_ROWS_MAX] = {0}, other[RANDOM_ROWS_MAX] = {0};
    int budget = solver->work_per_row > 0 ? BUDGET_OF_SWEEPS : BUDGET;
    struct cn_solve_report report = run(solver, problem, budget, f);
    run(solver, problem, budget, other);
    assert_memory_equal(f, other, sizeof(f));
    bool solved = report.outcome == CN_SOLVE_CONVERGED;
    if (solved) {
        report = run(solver, problem, budget, other);
        if (is_arbiter(solver) && report.outcome != CN_SOLVE_CONVERGED) {
            fail_msg("%s, problem %d: its own answer is none", solver->name, (int)seed);
        }
    }
    struct cn_rng rng = {.state = seed + 77};
    for (int i = 0; i < problem->row_count; i++) {
        static const double rubbish[] = {0.0, 1.0, 1e300, -5.0, 1e-300, HUGE_VAL, (double)NAN, 3.0};
        other[i] = rubbish[cn_rng_next(&rng) % 8];
    }
    run(solver, problem, budget, other);
    memset(f, 0, sizeof(f));
    run(solver, problem, 1 + (int)(seed % 5), f); /* starved */
    return solved;
}

static void
check_kind(struct random_friction_kind kind, int newton_min)
{
    static struct random_friction random;
    for (int k = 0; k < cn_solver_count; k++) {
        bool promises = k < cn_problem_solver_count; /* sweeps does only as its budget allows */
        bool fits = kind.rolling ? cn_solvers[k]->rolling && cn_solvers[k]->solve != NULL
                                 : promises && cn_solvers[k]->friction;
        if (!fits) {
            continue;
        }
        int solved = 0;
        for (uint64_t seed = 0; seed < PROBLEM_COUNT; seed++) {
            random_friction_build(&random, seed, kind);
            solved += check_problem(cn_solvers[k], &random.problem, seed) ? 1 : 0;
        }
        printf("  %-10s mu <= %.1f%s: %d of %d solved\n", cn_solvers[k]->name, kind.friction_max,
            kind.rolling ? ", rolling" : "", solved, PROBLEM_COUNT);
        assert_true(solved >= (is_arbiter(cn_solvers[k]) ? newton_min : PROBLEM_COUNT / 3));
    }
}

static void
test_little_friction(void **state)
{
    (void)state;
    check_kind((struct random_friction_kind){.friction_max = 0.3, .body_max = 16,
        .contact_max = 8}, PROBLEM_COUNT);
}

static void
test_friction(void **state)
{
    (void)state;
    check_kind((struct random_friction_kind){.friction_max = 0.8, .body_max = 8,
        .contact_max = 16}, PROBLEM_COUNT);
}

/* Piles of many contacts on few bodies: newton fails on at most ten of the 300 problems. */
static void
test_much_friction(void **state)
{
    (void)state;
    check_kind((struct random_friction_kind){.friction_max = 2.0, .body_max = 4,
        .contact_max = 20}, PROBLEM_COUNT - 10);
}

static void
test_slip(void **state)
{
    (void)state;
    check_kind((struct random_friction_kind){.friction_max = 0.5, .body_max = 8,
        .contact_max = 12, .slip = true}, PROBLEM_COUNT);
}

/* Moments against rolling and spinning, of the solvers that have them. */
static void
test_rolling(void **state)
{
    (void)state;
    check_kind((struct random_friction_kind){.friction_max = 0.8, .body_max = 8,
        .contact_max = 10, .rolling = true}, PROBLEM_COUNT);
    check_kind((struct random_friction_kind){.friction_max = 0.5, .body_max = 8,
        .contact_max = 8, .slip = true, .rolling = true}, PROBLEM_COUNT);
}

static int
make_scratch(void **state)
{
    (void)state;
    for (int k = 0; k < cn_solver_count; k++) {
        struct cn_arena need;
        cn_arena_init_measure(&need);
        if (cn_solvers[k]->layout == NULL) {
            continue;
        }
        cn_solvers[k]->layout(&need, RANDOM_ROWS_MAX, RANDOM_BODIES_MAX);
        scratch_size = need.used > scratch_size ? need.used : scratch_size;
    }
    scratch_memory = aligned_alloc(64, (scratch_size + 63) / 64 * 64);
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
        cmocka_unit_test(test_little_friction),
        cmocka_unit_test(test_friction),
        cmocka_unit_test(test_much_friction),
        cmocka_unit_test(test_slip),
        cmocka_unit_test(test_rolling),
    };
    return cmocka_run_group_tests(tests, make_scratch, free_scratch);
}
