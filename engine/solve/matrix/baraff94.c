/*
 * baraff94.c: exact contact forces.
 *
 * Problems with friction go to baraff94_friction.h.  For the others there are three algorithms,
 * tried in this order:
 *
 *   1. Dantzig's pivoting from the warm start (dantzig.h).  The first guess, the rows that pushed
 *      last time, is almost always right; then one factorisation in the island's narrow order is
 *      enough.
 *   2. Lexicographic Lemke (linalg/lemke.h) when pivoting cycled (10 n pivots), when rounding
 *      spoiled its result, or when A is not symmetric positive semidefinite.  Only complementarity
 *      problems from outside mechanics have such an A.
 *   3. On request the minimum-norm forces among all solutions (minimum_norm.h).
 *
 * Size.  An island may have any number of rows.  Up to CN_CONTACT_ROWS_MAX rows the factor has room
 * for every set C.  Larger islands have room for 256 entries a row, which is the envelope of a wall
 * some 100 bricks wide.  When the factor does not fit, the remaining rows are not treated and the
 * outcome is ITERATIONS_MAX.  Lemke and minimum norm serve islands of at most CN_CONTACT_ROWS_MAX
 * rows.  Where minimum norm was asked for, but the island is larger or Lemke had to decide, the
 * forces are not of minimum norm, and the outcome is INEXACT.
 */
#include "engine/solve/matrix/baraff94.h"

#include "engine/base/assert.h"
#include "engine/base/limits.h"
#include "engine/linalg/lemke.h"
#include "engine/solve/matrix/baraff94_friction.h"
#include "engine/solve/matrix/dantzig.h"
#include "engine/solve/matrix/minimum_norm.h"

#include <math.h>
#include <string.h>

/* The used part of the tolerance; the rest is for rounding until the judge measures. */
#define TOLERANCE_SHARE 0.25
#define PIVOTS_PER_ROW 10
#define LEMKE_PIVOTS_PER_ROW 50
/* Entries of the factor, in islands too large for a full triangle. */
#define ENTRIES_PER_ROW 256

struct baraff94 {
    struct cn_dantzig dantzig;
    struct cn_lemke lemke;       /* laid out when needed, */
    struct cn_minimum_norm norm; /* never both at once */
    double *f_other;
    double *a;
    struct cn_arena *scratch;
};

static int
dense_capacity(int n)
{
    return n < CN_CONTACT_ROWS_MAX ? n : CN_CONTACT_ROWS_MAX;
}

static void
baraff94_take(struct baraff94 *solver, struct cn_arena *scratch, int n)
{
    size_t dense = (size_t)dense_capacity(n);
    size_t triangle = dense * (dense + 1) / 2, sparse = ENTRIES_PER_ROW * (size_t)n;
    bool fits = n <= CN_CONTACT_ROWS_MAX || triangle > sparse;
    cn_dantzig_take(&solver->dantzig, scratch, n, fits ? triangle : sparse);
    solver->scratch = scratch;
}

static void
arbiter_take(struct baraff94 *solver, struct cn_arena *scratch, int n)
{
    solver->f_other = CN_ARENA_TAKE(scratch, double, (size_t)n);
    solver->a = CN_ARENA_TAKE(scratch, double, (size_t)n);
    cn_lemke_take(&solver->lemke, scratch, n);
}

/* The arbiter and the minimum norm use the same memory: one is done before the other begins. */
static void
baraff94_matrix_layout(struct cn_arena *scratch, int n)
{
    struct baraff94 unused;
    struct cn_arena friction = *scratch;
    cn_baraff94_friction_layout(&friction, n);
    baraff94_take(&unused, scratch, n);
    struct cn_arena other = *scratch;
    arbiter_take(&unused, &other, dense_capacity(n));
    cn_minimum_norm_take(&unused.norm, scratch, dense_capacity(n));
    size_t used = other.used > friction.used ? other.used : friction.used;
    if (used > scratch->used) {
        (void)cn_arena_take(scratch, used - scratch->used);
    }
}

/* Runs Lemke, and keeps its forces where their residual is below that of f. */
static void
arbitrate_by_lemke(struct baraff94 *solver, const struct cn_matrix_problem *problem,
    double tolerance, int pivot_max, double *f, struct cn_solve_report *report)
{
    int n = problem->n;
    CN_ASSERT(n == dense_capacity(n)); /* the layout has no room for more */
    struct cn_lemke *lemke = &solver->lemke;
    arbiter_take(solver, solver->scratch, n);
    cn_lemke_begin(lemke, n);
    cn_matrix_fill(problem, solver->dantzig.place, lemke->D, n + 2);
    for (int i = 0; i < n; i++) {
        lemke->D[(size_t)i * (size_t)(n + 2) + (size_t)n + 1] = problem->b[i];
        lemke->free_row[i] = cn_matrix_tag(problem, i) == CN_ROW_BILATERAL;
    }
    enum cn_lemke_end end = cn_lemke_solve(lemke, pivot_max, solver->f_other);
    report->iteration_count += lemke->pivot_count;
    report->work += lemke->work;

    double residual = cn_matrix_residual(problem, f, solver->a);
    double residual_other = cn_matrix_residual(problem, solver->f_other, solver->a);
    if (residual_other < residual) {
        memcpy(f, solver->f_other, (size_t)n * sizeof(f[0]));
        residual = residual_other;
    }
    if (residual <= tolerance) {
        report->outcome = CN_SOLVE_CONVERGED;
    } else if (end == CN_LEMKE_RAY) {
        report->outcome = CN_SOLVE_INFEASIBLE;
    } else {
        report->outcome = end == CN_LEMKE_PIVOTS_MAX ? CN_SOLVE_ITERATIONS_MAX : CN_SOLVE_INEXACT;
    }
}

/* Runs Dantzig from the warm start; true when its result is accepted. */
static bool
pivot_from_warm(struct baraff94 *solver, const struct cn_matrix_problem *problem,
    const struct cn_solve_options *options, double accel_tolerance, double *f,
    struct cn_solve_report *report)
{
    int pivot_max = options->iteration_max;
    struct cn_dantzig *z = &solver->dantzig;
    cn_dantzig_begin(z, problem, accel_tolerance, f);
    z->work_max = options->work_max;
    cn_dantzig_warm(z);
    int pivots_own = PIVOTS_PER_ROW * problem->n + PIVOTS_PER_ROW;
    bool short_budget = pivot_max < pivots_own;
    enum cn_dantzig_end end = cn_dantzig_run(z, short_budget ? pivot_max : pivots_own);
    report->iteration_count = z->pivot_count;
    switch (end) {
    case CN_DANTZIG_DONE:
        report->outcome = CN_SOLVE_CONVERGED;
        return true;
    case CN_DANTZIG_RAY:
        report->outcome = CN_SOLVE_INFEASIBLE;
        return true;
    case CN_DANTZIG_PIVOTS_MAX:
        report->outcome = CN_SOLVE_ITERATIONS_MAX;
        return short_budget || (z->work_max > 0 && z->work + z->factor.work >= z->work_max);
    case CN_DANTZIG_SPOILED:
    case CN_DANTZIG_INDEFINITE:
        report->outcome = CN_SOLVE_INEXACT;
        return false;
    }
    return false;
}

static struct cn_solve_report
baraff94_matrix_solve(const struct cn_matrix_problem *problem,
    const struct cn_solve_options *options, struct cn_arena *scratch, double *f)
{
    if (cn_baraff94_has_friction(problem)) {
        return cn_baraff94_friction_solve(problem, options, scratch, f);
    }
    CN_ASSERT(!cn_matrix_has(problem, CN_ROW_BOUNDED)); /* bounded.h has taken them out */
    int n = problem->n;
    struct baraff94 solver;
    baraff94_take(&solver, scratch, n);
    struct cn_solve_report report = {.outcome = CN_SOLVE_INEXACT};
    double scale = cn_residual_scale(problem->b, n);
    double accel_tolerance = TOLERANCE_SHARE * options->tolerance * scale;
    bool dense_fits = n <= dense_capacity(n);
    int lemke_max = LEMKE_PIVOTS_PER_ROW * n + LEMKE_PIVOTS_PER_ROW;
    lemke_max = options->iteration_max < lemke_max ? options->iteration_max : lemke_max;

    bool done = false;
    if (cn_matrix_is_symmetric(problem)) {
        done = pivot_from_warm(&solver, problem, options, accel_tolerance, f, &report);
        report.work = solver.dantzig.work + solver.dantzig.factor.work;
    }
    int granted = cn_solve_iterations(options, report.work, 2 * (int64_t)n * n);
    lemke_max = granted < lemke_max ? granted : lemke_max;
    if (!done && dense_fits) {
        arbitrate_by_lemke(&solver, problem, options->tolerance, lemke_max, f, &report);
    }
    if (options->minimum_norm && report.outcome == CN_SOLVE_CONVERGED) {
        bool found = false;
        if (done && dense_fits) {
            int pivot_max = solver.dantzig.pivot_count + PIVOTS_PER_ROW * n + PIVOTS_PER_ROW;
            cn_minimum_norm_take(&solver.norm, scratch, n);
            found = cn_minimum_norm_find(&solver.norm, &solver.dantzig, pivot_max, f);
            report.iteration_count = solver.dantzig.pivot_count;
            report.work = solver.dantzig.work + solver.dantzig.factor.work;
        }
        report.outcome = found ? CN_SOLVE_CONVERGED : CN_SOLVE_INEXACT;
    }
    return report;
}

const struct cn_matrix_solver cn_matrix_solver_baraff94 = {
    .name = "baraff94",
    .rolling = true,
    .layout = baraff94_matrix_layout,
    .solve = baraff94_matrix_solve,
};
