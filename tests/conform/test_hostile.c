/*
 * test_hostile.c: problems with numbers that are infinite, not numbers, or far out of range.
 *
 * A world whose numbers overflow may state such a problem.  The test iterates over cn_solvers[]:
 *
 *   1. no solver aborts or hangs, by islands and as a dense matrix, with motors and without
 *   2. the forces are finite, normal rows do not pull, and motors are within their limits
 *   3. no solver reports CONVERGED without a residual within the tolerance
 */
#include "engine/solve/table/matrix_adapter.h"
#include "engine/solve/table/solver_table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/solve/random_friction.h"

#define PROBLEM_COUNT 2500

static _Alignas(64) unsigned char memory[1 << 23];

struct hostile {
    struct random_friction random;
    double lower[RANDOM_ROWS_MAX], upper[RANDOM_ROWS_MAX], f[RANDOM_ROWS_MAX];
};

static double
draw_number(struct cn_rng *rng)
{
    static const double number[] = {1e300, -1e300, HUGE_VAL, -HUGE_VAL, (double)NAN, 1e-310, 0.0,
        -1e160, 1e160, 1e200};
    return number[random_below(rng, (int)(sizeof(number) / sizeof(number[0])))];
}

/* Replaces some numbers of one kind. */
static void
poison(struct hostile *h, struct cn_rng *rng)
{
    struct random_problem *base = &h->random.base;
    int kind = random_below(rng, 6);
    for (int k = random_below(rng, 4); k >= 0; k--) {
        int i = random_below(rng, h->random.problem.row_count);
        int body = random_below(rng, h->random.problem.body_count);
        cn_vec3 *part[] = {&base->rows[i].linear_a, &base->rows[i].angular_b};
        if (kind == 0 || kind > 3) {
            base->b[i] = draw_number(rng);
        }
        if (kind == 1) {
            base->mass[body].linear = fabs(draw_number(rng));
        } else if (kind == 2) {
            h->random.friction[i] = fabs(draw_number(rng));
        } else if (kind == 3) {
            h->f[i] = draw_number(rng);
        } else if (kind == 4) {
            part[random_below(rng, 2)]->y = draw_number(rng);
        } else if (kind == 5) {
            base->mass[body].angular.cy.y = fabs(draw_number(rng));
        }
    }
}

/* Leaves out the tangent rows, for solvers without friction. */
static void
smooth(struct random_friction *random)
{
    struct random_problem *base = &random->base;
    int count = 0;
    for (int i = 0; i < random->problem.row_count; i++) {
        if (base->tag[i] != CN_ROW_TANGENT) {
            base->rows[count] = base->rows[i];
            base->b[count] = base->b[i];
            base->tag[count] = base->tag[i];
            count++;
        }
    }
    random->problem.row_count = count;
}

static void
build(struct hostile *h, uint64_t seed, bool friction)
{
    struct cn_rng rng = {.state = seed * 77 + 1};
    struct random_friction_kind kind = {.friction_max = 1.2, .body_max = 1 + (int)(seed % 6),
        .contact_max = 1 + (int)(seed % 8), .slip = seed % 3 == 0};
    random_friction_build(&h->random, seed, kind);
    if (!friction) {
        smooth(&h->random);
    }
    for (int i = 0; i < h->random.problem.row_count; i++) {
        bool motor = h->random.base.tag[i] == CN_ROW_BILATERAL && random_below(&rng, 2) == 0;
        h->random.base.tag[i] = motor ? CN_ROW_BOUNDED : h->random.base.tag[i];
        h->lower[i] = random_below(&rng, 3) == 0 ? -HUGE_VAL : -3.0;
        h->upper[i] = random_below(&rng, 3) == 0 ? HUGE_VAL : -2.0 + random_below(&rng, 3);
        h->f[i] = random_below(&rng, 2);
    }
    h->random.problem.lower = h->lower;
    h->random.problem.upper = h->upper;
    poison(h, &rng);
}

static struct cn_solve_report
run(const struct cn_solver *solver, struct hostile *h, uint64_t seed,
    const struct cn_solve_options *options)
{
    static double A[RANDOM_ROWS_MAX * RANDOM_ROWS_MAX];
    const struct cn_contact_problem *problem = &h->random.problem;
    int n = problem->row_count, index[RANDOM_ROWS_MAX];
    struct cn_arena scratch;
    cn_arena_init(&scratch, memory, sizeof(memory));
    if (seed % 2 == 0) {
        return solver->solve(problem, options, &scratch, h->f);
    }
    for (int i = 0; i < n; i++) {
        index[i] = i;
    }
    cn_delassus_fill(problem, index, n, A, n);
    struct cn_matrix_problem matrix = {.n = n, .stride = n, .A = A, .b = problem->b,
        .tag = problem->tag, .lower = h->lower, .upper = h->upper,
        .friction = problem->friction, .slip = problem->slip};
    return cn_matrix_solve(
        cn_matrix_solver_find(solver->name), &matrix, options, &scratch, h->f);
}

static void
check(const struct cn_solver *solver, struct hostile *h, uint64_t seed)
{
    struct cn_solve_options options = {.tolerance = 1e-10,
        .iteration_max = seed % 3 == 0 ? 1 : 500,
        .minimum_norm = seed % 5 == 0,
        .exact = seed % 7 == 0,
        .work_max = 2000000};
    build(h, seed, solver->friction);
    struct cn_solve_report report = run(solver, h, seed, &options);
    for (int i = 0; i < h->random.problem.row_count; i++) {
        unsigned char tag = h->random.base.tag[i];
        if (!isfinite(h->f[i]) || (tag == CN_ROW_NORMAL && h->f[i] < 0.0) ||
            (tag == CN_ROW_BOUNDED && (h->f[i] < h->lower[i] || h->f[i] > h->upper[i]))) {
            fail_msg("%s, problem %d: f[%d] is %g", solver->name, (int)seed, i, h->f[i]);
        }
    }
    assert_true(report.outcome != CN_SOLVE_CONVERGED || report.residual <= options.tolerance);
}

static void
test_every_solver(void **state)
{
    (void)state;
    static struct hostile hostile;
    for (int k = 0; k < cn_solver_count; k++) {
        for (uint64_t seed = 1; cn_solvers[k]->solve != NULL && seed <= PROBLEM_COUNT; seed++) {
            check(cn_solvers[k], &hostile, seed);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_solver)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
