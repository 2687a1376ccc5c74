#include "engine/solve/matrix/baraff89.h"

#include "engine/base/assert.h"
#include "engine/base/limits.h"
#include "engine/linalg/least.h"
#include "engine/math/scalar.h"
#include "engine/solve/matrix/dantzig.h"
#include "engine/solve/matrix/minimum_norm.h"

#include <math.h>
#include <string.h>

/* The sum of violations, as a part of the scaled b, above which it proves that no forces exist. */
#define INFEASIBLE_MIN 1e-7
/* An acceleration below this part of the judge's scale may be rounding of zero. */
#define VANISHING_MIN 1e-9
#define PIVOTS_PER_ROW 10
/*
 * If the dictionary's error exceeds this part of the judge's scale, the dictionary is rebuilt, at
 * most RESTARTS_MAX times.
 */
#define ERROR_MAX 1e-11
#define RESTARTS_MAX 2

void
cn_baraff89_take(struct cn_baraff89 *h, struct cn_arena *scratch, int row_max)
{
    CN_ASSERT(row_max >= 0);
    size_t n = (size_t)row_max;
    *h = (struct cn_baraff89){0};
    h->vanishing = CN_ARENA_TAKE(scratch, bool, n);
    h->f_least = CN_ARENA_TAKE(scratch, double, n);
    h->a = CN_ARENA_TAKE(scratch, double, n);
    h->s = CN_ARENA_TAKE(scratch, double, n);
    h->forgiven = CN_ARENA_TAKE(scratch, double, n);
    h->place = CN_ARENA_TAKE(scratch, int, n);
    cn_simplex_take(&h->lp, scratch, row_max, row_max);
}

static bool
is_bilateral(const struct cn_baraff89 *h, int i)
{
    return cn_matrix_tag(h->problem, i) == CN_ROW_BILATERAL;
}

static void
fill_dictionary(struct cn_baraff89 *h)
{
    int n = h->problem->n;
    cn_matrix_fill(h->problem, h->place, h->lp.D, n + 1);
    for (int i = 0; i < n; i++) {
        cn_simplex_row(&h->lp, i)[n] = h->problem->b[i] - h->forgiven[i];
    }
}

void
cn_baraff89_begin(struct cn_baraff89 *h, const struct cn_matrix_problem *problem,
    double tolerance, int pivot_max)
{
    CN_ASSERT(!cn_matrix_has(problem, CN_ROW_TANGENT) && !cn_matrix_has(problem, CN_ROW_BOUNDED));
    CN_ASSERT(pivot_max > 0);
    int n = problem->n;
    h->problem = problem;
    memset(h->forgiven, 0, (size_t)n * sizeof(h->forgiven[0]));
    h->a_vanishing = cn_max(tolerance, VANISHING_MIN) * cn_residual_scale(problem->b, n);
    h->pivot_max = pivot_max;
    h->error_max = ERROR_MAX * cn_residual_scale(problem->b, n);
    cn_simplex_begin(&h->lp, n, n);
    fill_dictionary(h);
    cn_simplex_start(&h->lp);
}

/* The disagreement of x and s of the dictionary, as a part of the judge's scale. */
static double
error_of(struct cn_baraff89 *h, const double *f)
{
    double error = 0.0;
    cn_simplex_read(&h->lp, NULL, h->s);
    cn_matrix_rates(h->problem, f, h->a);
    for (int i = 0; i < h->problem->n; i++) {
        error = cn_max(error, fabs(h->a[i] - h->forgiven[i] - h->s[i]));
    }
    return error;
}

/* Runs the present program and reads f; rebuilds the dictionary where its error is too large. */
static enum cn_simplex_end
run_program(struct cn_baraff89 *h, double *f)
{
    enum cn_simplex_end end = cn_simplex_run(&h->lp, h->pivot_max);
    cn_simplex_read(&h->lp, f, NULL);
    for (int turn = 0; turn < RESTARTS_MAX && error_of(h, f) > h->error_max; turn++) {
        fill_dictionary(h);
        cn_simplex_restart(&h->lp);
        end = cn_simplex_run(&h->lp, h->pivot_max);
        cn_simplex_read(&h->lp, f, NULL);
    }
    return end;
}

/* Sets the kinds of row i's force and acceleration, and the force's cost in the sum. */
static void
ask_row(struct cn_baraff89 *h, int i, enum cn_simplex_kind force, enum cn_simplex_kind acceleration,
    double cost)
{
    CN_ASSERT(0 <= i && i < h->lp.n);
    bool bilateral = is_bilateral(h, i);
    h->lp.kind[i] = bilateral ? CN_SIMPLEX_FREE : (unsigned char)force;
    h->lp.kind[h->lp.n + i] = bilateral ? CN_SIMPLEX_ZERO : (unsigned char)acceleration;
    h->lp.cost[i] = bilateral ? 0.0 : cost;
}

enum cn_simplex_end
cn_baraff89_given(struct cn_baraff89 *h, const bool *vanishing, double *f)
{
    for (int i = 0; i < h->problem->n; i++) {
        if (vanishing != NULL && vanishing[i]) {
            ask_row(h, i, CN_SIMPLEX_ZERO, CN_SIMPLEX_NONNEGATIVE, 0.0);
        } else {
            ask_row(h, i, CN_SIMPLEX_NONNEGATIVE, CN_SIMPLEX_ZERO, 0.0);
        }
    }
    return run_program(h, f);
}

enum cn_simplex_end
cn_baraff89_minimum_sum(struct cn_baraff89 *h)
{
    int n = h->problem->n;
    for (int i = 0; i < n; i++) {
        ask_row(h, i, CN_SIMPLEX_NONNEGATIVE, CN_SIMPLEX_NONNEGATIVE, 1.0);
    }
    enum cn_simplex_end end = run_program(h, h->f_least);
    cn_matrix_rates(h->problem, h->f_least, h->a);
    h->power = 0.0;
    for (int i = 0; i < n; i++) {
        bool normal = !is_bilateral(h, i);
        h->vanishing[i] = normal && h->a[i] > h->a_vanishing;
        h->power += normal ? h->f_least[i] * h->a[i] : 0.0;
    }
    return end;
}

/* Whether the run's verdict INFEASIBLE exceeds rounding. */
static bool
is_infeasible(const struct cn_baraff89 *h, enum cn_simplex_end end)
{
    return end == CN_SIMPLEX_INFEASIBLE && h->lp.excess > INFEASIBLE_MIN;
}

/*
 * Section 6: the two guesses, then the fallback.  After INFEASIBLE f holds the forces of least
 * violation.
 */
static enum cn_solve_outcome
guess_vanishing(struct cn_baraff89 *h, double *f, struct cn_heuristic_counts *counts)
{
    enum cn_simplex_end end = cn_baraff89_given(h, NULL, f);
    if (end == CN_SIMPLEX_OPTIMAL) {
        counts->guess_count++;
        return CN_SOLVE_CONVERGED;
    }
    if (end == CN_SIMPLEX_PIVOTS_MAX) {
        return CN_SOLVE_ITERATIONS_MAX;
    }
    end = cn_baraff89_minimum_sum(h);
    memcpy(f, h->f_least, (size_t)h->problem->n * sizeof(f[0]));
    if (end == CN_SIMPLEX_PIVOTS_MAX || is_infeasible(h, end)) {
        return end == CN_SIMPLEX_PIVOTS_MAX ? CN_SOLVE_ITERATIONS_MAX : CN_SOLVE_INFEASIBLE;
    }
    end = cn_baraff89_given(h, h->vanishing, f);
    if (end == CN_SIMPLEX_OPTIMAL) {
        counts->prediction_count++;
        return CN_SOLVE_CONVERGED;
    }
    memcpy(f, h->f_least, (size_t)h->problem->n * sizeof(f[0]));
    counts->fallback_count++;
    counts->power += h->power;
    return end == CN_SIMPLEX_PIVOTS_MAX ? CN_SOLVE_ITERATIONS_MAX : CN_SOLVE_INEXACT;
}

/*
 * Appendix B, where there are bilateral rows besides contacts.  Finds the least sum of |a_i| over
 * the bilateral rows, among forces that the contacts allow.  Then these rows may keep these a_i
 * (`forgiven`).  False: not even the contacts can be satisfied.
 */
static bool
forgive_bilateral(struct cn_baraff89 *h)
{
    int n = h->problem->n;
    for (int i = 0; i < n; i++) {
        ask_row(h, i, CN_SIMPLEX_NONNEGATIVE, CN_SIMPLEX_NONNEGATIVE, 0.0);
        if (is_bilateral(h, i)) {
            h->lp.kind[n + i] = CN_SIMPLEX_FREE;
        }
    }
    if (run_program(h, h->f_least) != CN_SIMPLEX_OPTIMAL) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (is_bilateral(h, i)) {
            h->lp.kind[n + i] = CN_SIMPLEX_ZERO;
        }
    }
    /*
     * The contacts are satisfied and kept so; the violations are then those of the bilateral rows.
     */
    for (int i = 0; i < n; i++) {
        h->lp.kept[i] = !is_bilateral(h, i);
    }
    (void)run_program(h, h->f_least);
    cn_simplex_read(&h->lp, NULL, h->s);
    for (int i = 0; i < n; i++) {
        h->lp.kept[i] = false;
        h->forgiven[i] = is_bilateral(h, i) ? h->s[i] : 0.0;
    }
    fill_dictionary(h);
    cn_simplex_restart(&h->lp);
    return true;
}

/* The forces of least squares and least norm of an island without contacts. */
static void
take_least_squares(struct cn_baraff89 *h, struct cn_arena scratch, double *f,
    struct cn_solve_report *report)
{
    int n = h->problem->n;
    struct cn_least least;
    cn_least_take(&least, &scratch, n, n);
    cn_matrix_fill(h->problem, h->place, least.A, n);
    for (int i = 0; i < n; i++) {
        least.b[i] = -h->problem->b[i];
    }
    cn_least_squares(&least, n, n, f);
    report->work += 4 * (int64_t)n * n * n;
}

struct baraff89 {
    struct cn_baraff89 heuristic;
    struct cn_dantzig dantzig;   /* uses the dictionary's memory, once that is no longer needed */
    struct cn_minimum_norm norm; /* its memory follows */
    double *f_other;
    struct cn_arena rest;
};

static int
capacity_of(int n)
{
    return n < CN_CONTACT_ROWS_MAX ? n : CN_CONTACT_ROWS_MAX;
}

static void
refinement_take(struct baraff89 *solver, struct cn_arena *scratch, int n)
{
    size_t rows = (size_t)n;
    solver->f_other = CN_ARENA_TAKE(scratch, double, rows);
    cn_dantzig_take(&solver->dantzig, scratch, n, rows * (rows + 1) / 2);
    cn_minimum_norm_take(&solver->norm, scratch, n);
}

static void
cover_layout(struct cn_arena *scratch, const struct cn_arena *other)
{
    if (other->used > scratch->used) {
        (void)cn_arena_take(scratch, other->used - scratch->used);
    }
}

static void
baraff89_matrix_layout(struct cn_arena *scratch, int n)
{
    struct baraff89 unused;
    struct cn_least least;
    int rows = capacity_of(n);
    struct cn_arena refinement = *scratch, squares;
    cn_baraff89_take(&unused.heuristic, scratch, rows);
    squares = *scratch;
    refinement_take(&unused, &refinement, rows);
    cn_least_take(&least, &squares, rows, rows);
    cover_layout(scratch, &refinement);
    cover_layout(scratch, &squares);
}

/*
 * Removes the rounding of some hundred pivots from f, and on request finds the least forces.
 * False: they were requested, but not found.
 */
static bool
refine_forces(struct baraff89 *solver, const struct cn_matrix_problem *problem,
    const struct cn_solve_options *options, struct cn_arena scratch, double *f,
    struct cn_solve_report *report)
{
    int n = problem->n;
    if (!cn_matrix_is_symmetric(problem)) {
        return false;
    }
    refinement_take(solver, &scratch, n);
    struct cn_dantzig *z = &solver->dantzig;
    memcpy(solver->f_other, f, (size_t)n * sizeof(f[0]));
    double tolerance = 0.25 * options->tolerance * cn_residual_scale(problem->b, n);
    cn_matrix_rates(problem, f, solver->norm.f);
    z->work = 0;
    z->factor.work = 0;
    z->pivot_count = 0;
    double before = cn_matrix_residual(problem, f, solver->norm.f);
    cn_dantzig_polish(z, problem, tolerance, f);
    double after = cn_matrix_residual(problem, f, solver->norm.f);
    bool kept = after <= cn_max(before, options->tolerance);
    if (!kept) {
        memcpy(f, solver->f_other, (size_t)n * sizeof(f[0]));
    }
    bool least = false;
    if (options->minimum_norm && kept && after <= options->tolerance) {
        int pivot_max = PIVOTS_PER_ROW * n + PIVOTS_PER_ROW;
        least = cn_minimum_norm_find(&solver->norm, z, pivot_max, f);
    }
    report->work += z->work + z->factor.work;
    return least;
}

static struct cn_solve_report
baraff89_matrix_solve(const struct cn_matrix_problem *problem,
    const struct cn_solve_options *options, struct cn_arena *scratch, double *f)
{
    int n = problem->n;
    struct cn_solve_report report = {.outcome = CN_SOLVE_ITERATIONS_MAX};
    if (n > CN_CONTACT_ROWS_MAX) {
        return report;
    }
    struct baraff89 solver;
    struct cn_arena all = *scratch;
    struct cn_baraff89 *h = &solver.heuristic;
    cn_baraff89_take(h, scratch, n);
    int64_t cost = 3 * (int64_t)n * n; /* of a pivot */
    cn_baraff89_begin(h, problem, options->tolerance, cn_solve_iterations(options, 0, cost));
    int bilateral_count = 0;
    for (int i = 0; i < n; i++) {
        bilateral_count += is_bilateral(h, i);
    }
    report.outcome = guess_vanishing(h, f, &report.heuristic);
    if (report.outcome == CN_SOLVE_INFEASIBLE && bilateral_count == n) {
        take_least_squares(h, *scratch, f, &report);
    } else if (report.outcome == CN_SOLVE_INFEASIBLE && bilateral_count > 0 &&
               forgive_bilateral(h)) {
        enum cn_solve_outcome forgiven = guess_vanishing(h, f, &report.heuristic);
        report.outcome =
            forgiven == CN_SOLVE_ITERATIONS_MAX ? forgiven : CN_SOLVE_INFEASIBLE;
    }
    const struct cn_heuristic_counts *counts = &report.heuristic;
    CN_ASSERT(bilateral_count <= n);
    CN_ASSERT(counts->guess_count + counts->prediction_count + counts->fallback_count <= 2);
    report.iteration_count = h->lp.pivot_count;
    report.work += h->lp.work;
    if (report.outcome == CN_SOLVE_CONVERGED) {
        bool least = refine_forces(&solver, problem, options, all, f, &report);
        bool missed = options->minimum_norm && !least;
        report.outcome = missed ? CN_SOLVE_INEXACT : CN_SOLVE_CONVERGED;
    }
    return report;
}

const struct cn_matrix_solver cn_matrix_solver_baraff89 = {
    .name = "baraff89",
    .heuristic = true,
    .layout = baraff89_matrix_layout,
    .solve = baraff89_matrix_solve,
};
