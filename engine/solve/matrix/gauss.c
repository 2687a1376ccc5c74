#include "engine/solve/matrix/gauss.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/base/limits.h"
#include "engine/linalg/dot.h"
#include "engine/math/scalar.h"
#include "engine/solve/matrix/dantzig.h"
#include "engine/solve/matrix/minimum_norm.h"
#include "engine/solve/matrix/restraint.h"

#include <math.h>
#include <string.h>

/* The used part of the tolerance; the rest is for rounding until the judge measures. */
#define TOLERANCE_SHARE 0.25
/*
 * A dense A that differs from J J' by this fraction of its diagonal is not semidefinite.  A
 * computed or printed A differs by less: its program is solved, and the errors of the forces are
 * corrected on A itself (solve_by_pivots).
 */
#define INDEFINITE_FRACTION 1e-5
#define NOISE 1e-9 /* m/s^2: b of this size is rounding */
#define STEPS_PER_ROW 10
/* Entries of the sparse factor. */
#define ENTRIES_PER_ROW 256
/* Columns of the dense factor. */
#define UNKNOWNS_MAX CN_CONTACT_ROWS_MAX
/* A pivot of the dense factor below this fraction of A_ii means that the row depends on others. */
#define PIVOT_FRACTION_MIN 1e-14

/*
 * The lower factor of a dense A with complete pivoting: A_ij = J_i . J_j, exact to rounding where A
 * is positive semidefinite.  False where it is not.
 */
static bool
factor_dense(struct cn_restraint *g)
{
    const struct cn_matrix_problem *problem = g->problem;
    int n = problem->n;
    double *rest = g->a; /* the diagonal minus the columns so far */
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        rest[i] = g->diagonal[i];
        largest = cn_max(largest, fabs(rest[i]));
        g->place[i] = i;
        g->index[i] = i;
        memset(g->J + (size_t)i * (size_t)n, 0, (size_t)n * sizeof(double));
    }
    for (g->rank = 0; g->rank < n; g->rank++) {
        int p = 0;
        for (int i = 1; i < n; i++) {
            bool above = rest[i] * g->root[p] * g->root[p] > rest[p] * g->root[i] * g->root[i];
            p = above ? i : p;
        }
        cn_work_spend(8 * (int64_t)n);
        if (!(rest[p] > PIVOT_FRACTION_MIN * g->diagonal[p])) {
            break;
        }
        double pivot = sqrt(rest[p]);
        double *row_p = g->J + (size_t)p * (size_t)n;
        (void)cn_matrix_column(problem, p, g->place, n, g->r);
        for (int i = 0; i < n; i++) {
            double *row = g->J + (size_t)i * (size_t)n;
            bool taken = i != p && rest[i] == 0.0;
            double J = taken ? 0.0 : (g->r[i] - cn_dot(row, row_p, g->rank)) / pivot;
            g->work += g->rank;
            g->value[i] = i == p ? pivot : J;
            cn_work_spend(g->rank + 4);
        }
        for (int i = 0; i < n; i++) {
            g->J[(size_t)i * (size_t)n + (size_t)g->rank] = g->value[i];
            rest[i] = i == p ? 0.0 : rest[i] - g->value[i] * g->value[i];
        }
    }
    CN_ASSERT(g->rank <= n);
    for (int i = 0; i < n; i++) {
        (void)cn_matrix_column(problem, i, g->place, n, g->r);
        for (int j = 0; j < n; j++) {
            double J = cn_dot(g->J + (size_t)i * (size_t)n, g->J + (size_t)j * (size_t)n, g->rank);
            double size = fabs(g->diagonal[i]) + fabs(g->diagonal[j]);
            cn_work_spend(g->rank + 4);
            if (!(fabs(g->r[j] - J) <= INDEFINITE_FRACTION * size)) {
                return false;
            }
        }
    }
    g->work += (int64_t)n * n * g->rank;
    return true;
}

/*
 * The largest number of unknowns of an island with row_count rows: a tree has one body more than
 * rows.
 */
static int
unknowns_max(int row_count)
{
    return row_count < UNKNOWNS_MAX / 6 ? 6 * row_count + 6 : UNKNOWNS_MAX;
}

static int
dense_capacity(int n)
{
    return n < CN_CONTACT_ROWS_MAX ? n : CN_CONTACT_ROWS_MAX;
}

/* Entries of the sparse factor; 0 where the orthogonal factor always fits. */
static size_t
sparse_entries(int n)
{
    return unknowns_max(n) < UNKNOWNS_MAX ? 0 : ENTRIES_PER_ROW * (size_t)n;
}

/* The rows of a problem without bodies, and the search for least norm, share this memory. */
static void
gauss_matrix_layout(struct cn_arena *scratch, int n)
{
    struct cn_restraint unused;
    struct cn_dantzig sparse;
    cn_restraint_take(&unused, scratch, n, unknowns_max(n));
    cn_dantzig_take(&sparse, scratch, n, sparse_entries(n));
    struct cn_arena other = *scratch;
    (void)CN_ARENA_TAKE(&other, double, (size_t)dense_capacity(n) * (size_t)dense_capacity(n));
    cn_minimum_norm_layout(scratch, dense_capacity(n));
    if (other.used > scratch->used) {
        (void)cn_arena_take(scratch, other.used - scratch->used);
    }
}

/* The steps of restraint.h on the sparse factor R'R. */
static struct cn_solve_report
solve_sparse(const struct cn_matrix_problem *problem, const struct cn_solve_options *options,
    double accel_tolerance, struct cn_arena *scratch, double *f)
{
    CN_ASSERT(problem->delassus != NULL);
    struct cn_dantzig z;
    cn_dantzig_take(&z, scratch, problem->n, sparse_entries(problem->n));
    cn_dantzig_begin(&z, problem, accel_tolerance, f);
    z.work_max = options->work_max;
    cn_dantzig_warm(&z);
    int steps_own = STEPS_PER_ROW * problem->n + STEPS_PER_ROW;
    enum cn_dantzig_end end = cn_dantzig_run(
        &z, options->iteration_max < steps_own ? options->iteration_max : steps_own);
    struct cn_solve_report report = {.iteration_count = z.pivot_count,
        .work = z.work + z.factor.work};
    report.outcome = end == CN_DANTZIG_DONE ? CN_SOLVE_CONVERGED
        : end == CN_DANTZIG_RAY             ? CN_SOLVE_INFEASIBLE
        : end == CN_DANTZIG_PIVOTS_MAX      ? CN_SOLVE_ITERATIONS_MAX
                                            : CN_SOLVE_INEXACT;
    if (options->minimum_norm && report.outcome == CN_SOLVE_CONVERGED) {
        bool found = problem->n <= dense_capacity(problem->n) &&
            cn_minimum_norm_from(problem, accel_tolerance, scratch, f, &report);
        report.outcome = found ? CN_SOLVE_CONVERGED : CN_SOLVE_INEXACT;
    }
    return report;
}

/*
 * The reference of the tolerance: the largest b, so that a problem in other units has the same
 * answer.
 */
static double
size_of(const double *b, int n)
{
    double size = NOISE;
    for (int i = 0; i < n; i++) {
        size = cn_max(size, fabs(b[i]));
    }
    return size;
}

/*
 * For a dense A that is not quite J J': Dantzig's pivoting on A, from f and from zero.  The forces
 * of least residual are kept, f itself included.
 */
static void
solve_by_pivots(const struct cn_matrix_problem *problem, const struct cn_solve_options *options,
    double accel_tolerance, struct cn_arena scratch, double *f, struct cn_solve_report *report)
{
    CN_ASSERT(problem->A != NULL && problem->n <= dense_capacity(problem->n));
    size_t n = (size_t)problem->n, size = n * sizeof(f[0]);
    double *tried = CN_ARENA_TAKE(&scratch, double, n), *a = CN_ARENA_TAKE(&scratch, double, n);
    double least = cn_matrix_residual(problem, f, a);
    for (int start = 0; start < 2 && !(least <= options->tolerance); start++) {
        struct cn_arena rest = scratch;
        struct cn_dantzig z;
        cn_dantzig_take(&z, &rest, problem->n, n * (n + 1) / 2);
        memset(tried, 0, size);
        if (start == 0) {
            memcpy(tried, f, size);
        }
        cn_dantzig_begin(&z, problem, accel_tolerance, tried);
        cn_dantzig_warm(&z);
        (void)cn_dantzig_run(&z, STEPS_PER_ROW * problem->n + STEPS_PER_ROW);
        report->iteration_count += z.pivot_count;
        report->work += z.work + z.factor.work;
        for (size_t i = 0; i < n; i++) {
            bool pulls = cn_matrix_tag(problem, (int)i) == CN_ROW_NORMAL && tried[i] < 0.0;
            tried[i] = pulls ? 0.0 : tried[i];
        }
        double residual = cn_matrix_residual(problem, tried, a);
        if (residual < least) {
            least = residual;
            memcpy(f, tried, size);
        }
    }
    report->outcome = least <= options->tolerance ? CN_SOLVE_CONVERGED : CN_SOLVE_INEXACT;
}

static struct cn_solve_report
gauss_matrix_solve(const struct cn_matrix_problem *problem, const struct cn_solve_options *options,
    struct cn_arena *scratch, double *f)
{
    CN_ASSERT(!cn_matrix_has(problem, CN_ROW_TANGENT) && !cn_matrix_has(problem, CN_ROW_BOUNDED));
    int n = problem->n;
    struct cn_restraint g;
    struct cn_solve_report report = {.outcome = CN_SOLVE_ITERATIONS_MAX};
    double accel_tolerance = TOLERANCE_SHARE * options->tolerance * size_of(problem->b, n);
    bool bodies = problem->A == NULL;
    bool fits = bodies ? problem->delassus->body_count * problem->delassus->dof <= unknowns_max(n)
                       : n <= dense_capacity(n);
    if (!fits) {
        return bodies ? solve_sparse(problem, options, accel_tolerance, scratch, f) : report;
    }
    cn_restraint_take(&g, scratch, n, unknowns_max(n));
    cn_restraint_begin(&g, problem, accel_tolerance, f);
    struct cn_arena rest = *scratch;
    if (!bodies) {
        g.J = CN_ARENA_TAKE(&rest, double, (size_t)n * (size_t)n);
        if (!factor_dense(&g)) {
            report.work = g.work;
            solve_by_pivots(problem, options, accel_tolerance, *scratch, f, &report);
            return report;
        }
    }
    cn_restraint_warm(&g);
    int steps_own = STEPS_PER_ROW * n + STEPS_PER_ROW;
    int64_t unknowns = unknowns_max(n);
    int granted = cn_solve_iterations(options, 0, 2 * unknowns * unknowns);
    int step_max = granted < steps_own ? granted : steps_own;
    switch (cn_restraint_run(&g, step_max)) {
    case CN_RESTRAINT_DONE:
        report.outcome = CN_SOLVE_CONVERGED;
        break;
    case CN_RESTRAINT_INFEASIBLE:
        report.outcome = CN_SOLVE_INFEASIBLE;
        break;
    case CN_RESTRAINT_SPOILED:
        report.outcome = CN_SOLVE_INEXACT;
        break;
    case CN_RESTRAINT_STEPS_MAX:
        report.outcome = CN_SOLVE_ITERATIONS_MAX;
        break;
    }
    report.iteration_count = g.step_count;
    report.work = g.work + g.set.work;
    if (!bodies && report.outcome != CN_SOLVE_INFEASIBLE) {
        solve_by_pivots(problem, options, accel_tolerance, *scratch, f, &report);
    }
    if (options->minimum_norm && report.outcome == CN_SOLVE_CONVERGED) {
        bool found = n <= dense_capacity(n) &&
            cn_minimum_norm_from(problem, accel_tolerance, scratch, f, &report);
        report.outcome = found ? CN_SOLVE_CONVERGED : CN_SOLVE_INEXACT;
    }
    return report;
}

const struct cn_matrix_solver cn_matrix_solver_gauss = {
    .name = "gauss",
    .layout = gauss_matrix_layout,
    .solve = gauss_matrix_solve,
};
