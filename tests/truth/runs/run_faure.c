/*
 * run_faure.c: the iterations of Faure 1996, one by one, without friction.
 */
#include "engine/base/rng.h"
#include "engine/linalg/pseudo_inverse.h"
#include "engine/solve/matrix/faure96.h"
#include "tests/truth/check.h"
#include "tests/truth/problem.h"
#include "tests/truth/table.h"

#include <fnmatch.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define CONTACTS_MAX 16
#define ROUNDS_MAX 64
#define TOLERANCE 1e-11

static struct truth_problem problem;

/* A matrix problem and the rounds that faure96 made of it. */
struct trace {
    int n, round_count;
    double A[CONTACTS_MAX * CONTACTS_MAX], b[CONTACTS_MAX];
    double force[CONTACTS_MAX]; /* the answer */
    double f[ROUNDS_MAX][CONTACTS_MAX], a[ROUNDS_MAX][CONTACTS_MAX];
    double v_f[ROUNDS_MAX][CONTACTS_MAX], v_a[ROUNDS_MAX][CONTACTS_MAX];
    unsigned char fault[ROUNDS_MAX][CONTACTS_MAX];
};

static struct trace trace;

static void
keep_round(void *context, const struct cn_faure96_round *round)
{
    struct trace *kept = context;
    int k = kept->round_count++;
    assert_true(k < ROUNDS_MAX);
    assert_int_equal(round->count, kept->round_count);
    assert_int_equal(round->n, kept->n);
    size_t size = (size_t)round->n * sizeof(double);
    memcpy(kept->f[k], round->f, size);
    memcpy(kept->a[k], round->a, size);
    memcpy(kept->v_f[k], round->v_f, size);
    memcpy(kept->v_a[k], round->v_a, size);
    memcpy(kept->fault[k], round->fault, (size_t)round->n);
}

static struct cn_solve_report
trace_run(bool literal, int round_max)
{
    static _Alignas(64) unsigned char memory[1 << 17];
    struct cn_arena scratch;
    cn_arena_init(&scratch, memory, sizeof(memory));
    struct cn_matrix_problem matrix = {
        .n = trace.n, .stride = trace.n, .A = trace.A, .b = trace.b};
    struct cn_solve_options options = {.tolerance = TOLERANCE, .iteration_max = round_max};
    struct cn_faure96_options how = {.literal = literal, .visit = keep_round, .context = &trace};
    trace.round_count = 0;
    memset(trace.force, 0, sizeof(trace.force));
    return cn_faure96_solve(&matrix, &options, &how, &scratch, trace.force);
}

/* Checks that exactly the listed contacts have the fault. */
static void
check_faults(const json_t *expected, int round, enum cn_faure96_fault fault, const char *what)
{
    double listed[CONTACTS_MAX];
    int count = truth_numbers(expected, listed, CONTACTS_MAX);
    for (int i = 0; i < trace.n; i++) {
        bool wanted = false;
        for (int k = 0; k < count; k++) {
            wanted = wanted || (int)listed[k] == i;
        }
        if (wanted != (trace.fault[round][i] == fault)) {
            fail_msg("round %d: contact %d is %s%s", round, i, wanted ? "not " : "", what);
        }
    }
}

static void
check_rounds(const json_t *data, const json_t *rounds)
{
    size_t index;
    json_t *round;
    assert_true(trace.round_count >= (int)json_array_size(rounds));
    json_array_foreach(rounds, index, round)
    {
        double f[CONTACTS_MAX], a[CONTACTS_MAX];
        int k = (int)index;
        assert_int_equal(truth_member_numbers(round, "f", f, CONTACTS_MAX), trace.n);
        assert_int_equal(truth_member_numbers(round, "a", a, CONTACTS_MAX), trace.n);
        for (int i = 0; i < trace.n; i++) {
            truth_near(trace.f[k][i], f[i], truth_tolerance(data, f[i]), "f[%d] of round %d", i, k);
            truth_near(trace.a[k][i], a[i], truth_tolerance(data, a[i]), "a[%d] of round %d", i, k);
        }
        check_faults(truth_member(round, "negative_forces"), k, CN_FAURE96_PULLS, "pulling");
        check_faults(truth_member(round, "penetrating"), k, CN_FAURE96_SINKS, "sinking");
    }
}

/* A bar on collinear contacts, pushed down by F at abscissa p. */
static void
build_bar(const json_t *given)
{
    double x[CONTACTS_MAX];
    int index[CONTACTS_MAX], count = truth_member_numbers(given, "contacts_x", x, CONTACTS_MAX);
    truth_problem_init(&problem);
    int bar = truth_problem_body(&problem, truth_member_number(given, "m"),
        truth_member_number(given, "I"), cn_vec3_make(0.0, 0.0, 0.0));
    truth_problem_load(&problem, bar, cn_vec3_make(0.0, -truth_member_number(given, "F"), 0.0),
        cn_vec3_make(truth_member_number(given, "p"), 0.0, 0.0));
    for (int i = 0; i < count; i++) {
        index[i] = i;
        truth_problem_contact(&problem, -1, bar, cn_vec3_make(x[i], 0.0, 0.0),
            cn_vec3_make(0.0, 1.0, 0.0), CN_ROW_NORMAL);
    }
    trace.n = count;
    cn_delassus_fill(&problem.contact, index, count, trace.A, count);
    memcpy(trace.b, problem.b, sizeof(trace.b));
}

void
truth_run_bar(const json_t *data)
{
    const json_t *expect = truth_member(data, "expect");
    double expected[CONTACTS_MAX];
    build_bar(truth_member(data, "given"));
    truth_problem_solve_all(&problem, true);
    truth_member_numbers(expect, "acc_at_contacts", expected, CONTACTS_MAX);
    for (int i = 0; i < trace.n; i++) {
        truth_near(problem.a[i], expected[i], truth_tolerance(data, expected[i]), "a[%d]", i);
    }
    truth_member_numbers(expect, "f_final", expected, CONTACTS_MAX);
    for (int i = 0; i < trace.n; i++) {
        truth_near(problem.f[i], expected[i], truth_tolerance(data, expected[i]), "f[%d]", i);
    }
    assert_int_equal(trace_run(false, 100).outcome, CN_SOLVE_CONVERGED);
    assert_int_equal(trace.round_count, (int)truth_member_number(expect, "n_solves"));
    assert_int_equal(trace.round_count, (int)json_array_size(truth_member(expect, "iterations")));
    check_rounds(data, truth_member(expect, "iterations"));
}

static void
read_matrix(const json_t *given)
{
    double minus_b[CONTACTS_MAX];
    const json_t *A = truth_member(given, "A");
    trace.n = truth_member_numbers(given, "b", minus_b, CONTACTS_MAX);
    truth_minus(trace.n, minus_b, trace.b);
    for (int i = 0; i < trace.n; i++) {
        truth_numbers(json_array_get(A, (size_t)i), &trace.A[i * trace.n], trace.n);
    }
}

/* Three legs on which figure 3 as printed cycles for ever; the safeguard ends the cycle. */
void
truth_run_cycle(const json_t *data)
{
    const json_t *expect = truth_member(data, "expect");
    truth_run_single_body(data);
    read_matrix(truth_member(data, "given"));
    int start = (int)truth_member_number(expect, "cycle_start");
    int period = (int)truth_member_number(expect, "cycle_period");
    assert_int_equal(trace_run(true, ROUNDS_MAX).outcome, CN_SOLVE_ITERATIONS_MAX);
    check_rounds(data, truth_member(expect, "trace"));
    for (int k = start; k + period < ROUNDS_MAX; k++) {
        assert_memory_equal(trace.fault[k], trace.fault[k + period], (size_t)trace.n);
    }
    double expected[CONTACTS_MAX], force[CONTACTS_MAX];
    assert_int_equal(trace_run(false, 100).outcome, CN_SOLVE_CONVERGED);
    truth_member_numbers(expect, "acc_at_contacts", expected, CONTACTS_MAX);
    truth_member_numbers(expect, "f_correct", force, CONTACTS_MAX);
    for (int i = 0; i < trace.n; i++) {
        double a = trace.a[trace.round_count - 1][i];
        truth_near(a, expected[i], truth_tolerance(data, expected[i]), "a[%d]", i);
        truth_near(trace.force[i], force[i], truth_tolerance(data, force[i]), "f[%d]", i);
    }
}

/*
 * Every bar of the set is stopped after every round: the forces are consistent.  At the end no
 * violation remains.
 */
void
truth_run_anytime(const json_t *data)
{
    size_t index;
    json_t *other;
    int stops = 0;
    double zero = truth_member_number(truth_member(data, "expect"), "kin_and_static_violation");
    double tolerance = truth_tolerance(data, 1.0);
    json_array_foreach(truth_section("cases", "F-bar-*"), index, other)
    {
        if (fnmatch("F-bar-*", truth_string(other, "id"), 0) != 0) {
            continue;
        }
        build_bar(truth_member(other, "given"));
        assert_int_equal(trace_run(false, 100).outcome, CN_SOLVE_CONVERGED);
        for (int k = 1, all = trace.round_count; k <= all; k++, stops++) {
            struct cn_solve_report report = trace_run(false, k);
            assert_int_equal(report.iteration_count, k);
            assert_int_equal(
                report.outcome, k < all ? CN_SOLVE_ITERATIONS_MAX : CN_SOLVE_CONVERGED);
            double unbalanced = 0.0;
            for (int i = 0; i < trace.n; i++) {
                double f = trace.force[i], a = trace.a[k - 1][i] + trace.v_a[k - 1][i];
                double balance = trace.b[i] - a;
                for (int j = 0; j < trace.n; j++) {
                    balance += trace.A[i * trace.n + j] * trace.force[j];
                }
                unbalanced = fmax(unbalanced, fabs(balance));
                truth_near(fmin(f, 0.0), zero, tolerance, "f[%d] after %d rounds", i, k);
                truth_near(fmin(a, 0.0), zero, tolerance, "a[%d] after %d rounds", i, k);
                truth_near(f * a, zero, tolerance, "f a of %d after %d rounds", i, k);
            }
            if (k == all) {
                truth_near(unbalanced, 0.0, 1e-10, "balance of energy");
            } else {
                assert_true(unbalanced > 1e-3);
            }
        }
    }
    assert_true(stops >= 4);
}

/* x'B x / 2 */
static double
half_square(const double *B, const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            sum += 0.5 * x[i] * B[i * n + j] * x[j];
        }
    }
    return sum;
}

/* A^+ by its columns. */
static void
invert(const double *A, int n, double *inverse)
{
    static _Alignas(64) unsigned char memory[1 << 14];
    struct cn_arena arena;
    struct cn_pseudo_inverse factor;
    double unit[CONTACTS_MAX] = {0.0};
    cn_arena_init(&arena, memory, sizeof(memory));
    cn_pseudo_inverse_take(&factor, &arena, CONTACTS_MAX);
    cn_pseudo_inverse_begin(&factor, n, n);
    for (int i = 0; i < n; i++) {
        factor.row_scale[i] = factor.column_scale[i] = factor.weight[i] = 1.0;
        memcpy(&factor.B[i * n], &A[i * n], (size_t)n * sizeof(double)); /* symmetric */
    }
    cn_pseudo_inverse_factor(&factor);
    for (int i = 0; i < n; i++) {
        unit[i] = 1.0;
        cn_pseudo_inverse_solve(&factor, unit, &inverse[i * n]);
        unit[i] = 0.0;
    }
}

/*
 * The virtual work of the inconsistent forces and accelerations, in each round:
 * W = v_f'A v_f / 2 + v_a'A^+ v_a / 2.
 */
void
truth_run_work(const json_t *data)
{
    double expected[ROUNDS_MAX], inverse[CONTACTS_MAX * CONTACTS_MAX];
    int count =
        truth_member_numbers(truth_member(data, "expect"), "W", expected, ROUNDS_MAX);
    const char *id =
        json_string_value(json_array_get(truth_member(truth_member(data, "given"), "cases"), 0));
    build_bar(truth_member(truth_find(id), "given"));
    assert_int_equal(trace_run(true, 100).outcome, CN_SOLVE_CONVERGED);
    assert_int_equal(trace.round_count, count);
    invert(trace.A, trace.n, inverse);
    for (int k = 0; k < count; k++) {
        double W = half_square(trace.A, trace.v_f[k], trace.n) +
            half_square(inverse, trace.v_a[k], trace.n);
        truth_near(W, expected[k], truth_tolerance(data, expected[k]), "W of round %d", k);
    }
}

#define RATE_PROBLEMS 20000

static double
whole_number(struct cn_rng *rng, int size)
{
    return (double)((int)(cn_rng_next(rng) % (uint32_t)(2 * size + 1)) - size);
}

/*
 * One body of unit mass and inertia on n contacts (1, u, v), pressed down off its centre.  With
 * `bar` all v are 0.  Returns false if figure 3 as printed cycles.
 */
static bool
solve_random(struct cn_rng *rng, int n, bool bar)
{
    double rows[CONTACTS_MAX][3], wrench[3] = {-1.0, whole_number(rng, 7), whole_number(rng, 7)};
    wrench[2] = bar ? 0.0 : wrench[2];
    trace.n = n;
    for (int i = 0; i < n; i++) {
        rows[i][0] = 1.0;
        rows[i][1] = whole_number(rng, 5);
        rows[i][2] = whole_number(rng, 5);
        rows[i][2] = bar ? 0.0 : rows[i][2];
    }
    for (int i = 0; i < n; i++) {
        trace.b[i] = 0.0;
        for (int k = 0; k < 3; k++) {
            trace.b[i] += rows[i][k] * wrench[k];
        }
        for (int j = 0; j < n; j++) {
            trace.A[i * n + j] = 0.0;
            for (int k = 0; k < 3; k++) {
                trace.A[i * n + j] += rows[i][k] * rows[j][k];
            }
        }
    }
    return trace_run(true, ROUNDS_MAX).outcome == CN_SOLVE_CONVERGED;
}

/* How often figure 3 as printed cycles, and the number of solves if it does not. */
void
truth_run_cycle_rate(const json_t *data)
{
    const json_t *expect = truth_member(data, "expect");
    double n[8], cycles[8], mean[8], most[8], rel;
    int count = truth_member_numbers(truth_member(data, "given"), "n", n, 8);
    truth_member_numbers(expect, "cycles_per_20000", cycles, 8);
    truth_member_numbers(expect, "mean_solves", mean, 8);
    truth_member_numbers(expect, "max_solves", most, 8);
    rel = truth_member_number(truth_member(data, "tol"), "rel");
    struct cn_rng rng = {.state = 1996};
    for (int k = 0; k < count; k++) {
        int round_sum = 0, round_most = 0, cycle_count = 0;
        for (int turn = 0; turn < RATE_PROBLEMS; turn++) {
            bool ended = solve_random(&rng, (int)n[k], false);
            cycle_count += ended ? 0 : 1;
            round_sum += ended ? trace.round_count : 0;
            round_most = ended && trace.round_count > round_most ? trace.round_count : round_most;
            if (!ended) { /* the safeguarded one does not cycle */
                assert_int_equal(trace_run(false, ROUNDS_MAX).outcome, CN_SOLVE_CONVERGED);
            }
        }
        double mean_found = (double)round_sum / (RATE_PROBLEMS - cycle_count);
        print_message("F-cycle-rate: %d contacts: %d of %d go round, %.2f solves, at most %d\n",
            (int)n[k], cycle_count, RATE_PROBLEMS, mean_found, round_most);
        truth_near(cycle_count, cycles[k], rel * cycles[k], "cycles with %d contacts", (int)n[k]);
        truth_near(mean_found, mean[k], rel * mean[k], "mean of solves");
        truth_near(round_most, most[k], rel * most[k], "most solves");
    }
    int bars = 0;
    for (int turn = 0; turn < RATE_PROBLEMS; turn++) {
        bars += solve_random(&rng, 4, true) ? 0 : 1;
    }
    truth_near(bars, truth_member_number(expect, "bar_2D_cycles"), 0.0, "bars that go round");
}
