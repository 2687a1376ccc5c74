/*
 * test_bounded.c: motors whose answer is known by hand, by every matrix solver.
 *
 * The laws over random ones are in tests/conform/test_bounded.c.
 */
#include "engine/solve/table/matrix_adapter.h"
#include "engine/solve/table/solver_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/near.h"

#define N_MAX 4

static _Alignas(64) unsigned char scratch_memory[1 << 18];

static const struct cn_matrix_solver *solver; /* of the turn */

struct motors {
    int n;
    double A[N_MAX * N_MAX], b[N_MAX], lower[N_MAX], upper[N_MAX], friction[N_MAX], f[N_MAX];
    unsigned char tag[N_MAX];
};

static struct cn_solve_report
solve(struct motors *m)
{
    struct cn_matrix_problem problem = {.n = m->n, .stride = m->n, .A = m->A, .b = m->b,
        .tag = m->tag, .lower = m->lower, .upper = m->upper, .friction = m->friction};
    struct cn_solve_options options = {.tolerance = 1e-12, .iteration_max = 1000};
    struct cn_arena scratch;
    cn_arena_init(&scratch, scratch_memory, sizeof(scratch_memory));
    return cn_matrix_solve(solver, &problem, &options, &scratch, m->f);
}

/* A wheel of 2 kg m^2 needs 6 N m to gain 3 rad/s^2; a motor of 5 N m is at its limit. */
static void
check_saturation(void)
{
    struct motors m = {.n = 1, .A = {0.5}, .b = {-3.0}, .lower = {-10.0}, .upper = {10.0},
        .tag = {CN_ROW_BOUNDED}};
    assert_int_equal(solve(&m).outcome, CN_SOLVE_CONVERGED);
    assert_near(m.f[0], 6.0, 1e-12);
    m.upper[0] = 5.0;
    assert_int_equal(solve(&m).outcome, CN_SOLVE_CONVERGED);
    assert_near(m.f[0], 5.0, 0.0);
    m.b[0] = 30.0; /* from the upper limit to the lower one */
    assert_int_equal(solve(&m).outcome, CN_SOLVE_CONVERGED);
    assert_near(m.f[0], -10.0, 0.0);
    m.b[0] = 0.0;
    m.lower[0] = m.upper[0] = 0.75; /* a given force */
    assert_int_equal(solve(&m).outcome, CN_SOLVE_CONVERGED);
    assert_near(m.f[0], 0.75, 0.0);
}

/*
 * A lift of 4 kg stands on the floor, g = 10; its motor is to raise it at 2 m/s^2.  With 48 N it
 * does.  With 30 N it stays, and the floor carries the other 10 N.
 */
static void
check_lift(void)
{
    struct motors m = {.n = 2, .A = {0.25, 0.25, 0.25, 0.25}, .b = {-10.0, -12.0},
        .lower = {0.0, -100.0}, .upper = {0.0, 100.0}, .tag = {CN_ROW_NORMAL, CN_ROW_BOUNDED}};
    assert_int_equal(solve(&m).outcome, CN_SOLVE_CONVERGED);
    assert_near(m.f[0], 0.0, 1e-10);
    assert_near(m.f[1], 48.0, 1e-10);
    m.upper[1] = 30.0;
    assert_int_equal(solve(&m).outcome, CN_SOLVE_CONVERGED);
    assert_near(m.f[0], 10.0, 1e-10);
    assert_near(m.f[1], 30.0, 0.0);
}

/*
 * Two motors on one wheel that contradict each other, 3 and -1 rad/s^2.  The stronger one reaches
 * its acceleration, the weaker one is at its limit.
 */
static void
check_contradiction(void)
{
    struct motors m = {.n = 2, .A = {0.5, 0.5, 0.5, 0.5}, .b = {-3.0, 1.0},
        .lower = {-20.0, -8.0}, .upper = {20.0, 8.0}, .tag = {CN_ROW_BOUNDED, CN_ROW_BOUNDED}};
    assert_int_equal(solve(&m).outcome, CN_SOLVE_CONVERGED);
    assert_near(m.f[1], -8.0, 0.0);
    assert_near(m.f[0], 14.0, 1e-10);
}

/* A brake without limits is a joint; two that contradict each other have no solution. */
static void
check_unlimited(void)
{
    struct motors m = {.n = 2, .A = {0.5, 0.0, 0.0, 1.0}, .b = {-3.0, -1.0},
        .lower = {-HUGE_VAL, -HUGE_VAL}, .upper = {HUGE_VAL, 0.5},
        .tag = {CN_ROW_BOUNDED, CN_ROW_BOUNDED}};
    assert_int_equal(solve(&m).outcome, CN_SOLVE_CONVERGED);
    assert_near(m.f[0], 6.0, 1e-12);
    assert_near(m.f[1], 0.5, 0.0);
    struct motors n = {.n = 2, .A = {0.5, 0.5, 0.5, 0.5}, .b = {-3.0, 1.0},
        .lower = {-HUGE_VAL, -HUGE_VAL}, .upper = {HUGE_VAL, HUGE_VAL},
        .tag = {CN_ROW_BOUNDED, CN_ROW_BOUNDED}};
    enum cn_solve_outcome outcome = solve(&n).outcome;
    /* A solver that has bounded rows itself may end without a proof of infeasibility. */
    if (solver->bounded ? outcome == CN_SOLVE_CONVERGED : outcome != CN_SOLVE_INFEASIBLE) {
        fail_msg("%s: %s", solver->name, cn_solve_outcome_name(outcome));
    }
}

static void
test_by_hand(void **state)
{
    (void)state;
    for (int k = 0; k < cn_problem_solver_count; k++) {
        solver = cn_matrix_solver_find(cn_solvers[k]->name);
        if (solver == NULL) {
            continue;
        }
        check_saturation();
        check_lift();
        check_contradiction();
        check_unlimited();
    }
}

/*
 * A sledge of 1 kg on a motor, mu 0.5, N = 10: 7 N exceed the friction of 5 N by 2, but 4 N do not
 * move it.
 */
static void
test_with_friction(void **state)
{
    (void)state;
    for (int k = 0; k < cn_problem_solver_count; k++) {
        solver = cn_matrix_solver_find(cn_solvers[k]->name);
        if (solver == NULL || !cn_solvers[k]->friction) {
            continue;
        }
        struct motors m = {.n = 3, .A = {1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0},
            .b = {-10.0, 0.0, -50.0}, .lower = {0.0, 0.0, -7.0}, .upper = {0.0, 0.0, 7.0},
            .friction = {0.5}, .tag = {CN_ROW_NORMAL, CN_ROW_TANGENT, CN_ROW_BOUNDED}};
        assert_int_equal(solve(&m).outcome, CN_SOLVE_CONVERGED);
        assert_near(m.f[2], 7.0, 0.0);
        assert_near(m.f[1], -5.0, 1e-10);
        m.lower[2] = -4.0;
        m.upper[2] = 4.0;
        assert_int_equal(solve(&m).outcome, CN_SOLVE_CONVERGED);
        assert_near(m.f[2], 4.0, 0.0);
        assert_near(m.f[1], -4.0, 1e-10);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_with_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
