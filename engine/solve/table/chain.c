#include "engine/solve/table/chain.h"

#include "engine/base/assert.h"
#include "engine/solve/friction/newton.h"
#include "engine/solve/friction/sweeps.h"

#include <math.h>
#include <string.h>

static const struct cn_matrix_solver *const stand_ins[] = {
    &cn_matrix_solver_newton,
    &cn_matrix_solver_sweeps,
};

/* A stand-in may take one in so many parts of an island's work, whatever is left of it. */
#define CHAIN_PART 4

#define STAND_IN_COUNT (sizeof(stand_ins) / sizeof(stand_ins[0]))

void
cn_chain_layout(struct cn_arena *scratch, int row_count, int body_count)
{
    CN_ASSERT(row_count >= 0 && body_count >= 0);
    int bodies = body_count < CN_CHAIN_BODIES_MAX ? body_count : CN_CHAIN_BODIES_MAX;
    (void)CN_ARENA_TAKE(scratch, double, (size_t)row_count);
    (void)CN_ARENA_TAKE(scratch, double, (size_t)row_count);
    struct cn_arena newton = *scratch;
    cn_matrix_solver_newton.layout_island(&newton, row_count, bodies);
    cn_matrix_solver_sweeps.layout(scratch, row_count);
    if (newton.used > scratch->used) {
        (void)cn_arena_take(scratch, newton.used - scratch->used);
    }
}

/* Whether there is memory to solve this island with the solver. */
static bool
fits(const struct cn_matrix_solver *solver, const struct cn_matrix_problem *problem)
{
    CN_ASSERT(solver->bounded); /* no scratch is laid out for cn_bounded_solve */
    CN_ASSERT(solver->rolling); /* any contact can come here */
    return solver != &cn_matrix_solver_newton ||
           (problem->A == NULL && problem->delassus->body_count <= CN_CHAIN_BODIES_MAX);
}

static bool
is_nothing(const double *f, int n)
{
    for (int i = 0; i < n; i++) {
        if (f[i] != 0.0) {
            return false;
        }
    }
    return true;
}

/* Whether the chosen solver's answer is kept and no other solver is tried. */
static bool
is_answered(const struct cn_matrix_solver *solver, const struct cn_matrix_problem *problem,
    const struct cn_solve_options *options, double residual, double *f_other, double *a,
    const struct cn_solve_report *report)
{
    bool is_enough = report->outcome <= CN_SOLVE_INEXACT && residual <= options->enough;
    bool infeasible = report->outcome == CN_SOLVE_INFEASIBLE && !options->has_solution;
    if (residual <= options->tolerance || is_enough || infeasible) {
        return true;
    }
    bool gave_up =
        solver != &cn_matrix_solver_sweeps && report->outcome == CN_SOLVE_ITERATIONS_MAX;
    if (!solver->heuristic || options->exact || gave_up) {
        return false;
    }
    memset(f_other, 0, (size_t)problem->n * sizeof(f_other[0]));
    return residual < cn_matrix_residual(problem, f_other, a);
}

/* Whether one factor of newton's dense matrix takes more than twice the work that it is granted. */
static bool
is_too_dear(const struct cn_matrix_solver *other, int n, int64_t work_max)
{
    int64_t factor = (int64_t)n * n * n / 3;
    bool dense = other == &cn_matrix_solver_newton && n < CN_SOLVE_LARGE_ROWS;
    return dense && work_max > 0 && factor / 2 > work_max;
}

/* A stand-in may take one in so many parts of the work that is left: see chain.h. */
static int
part_of(const struct cn_matrix_solver *other, int n)
{
    if (other != &cn_matrix_solver_newton) {
        return CHAIN_PART;
    }
    return n < CN_SOLVE_LARGE_ROWS ? 2 : 1;
}

void
cn_chain_solve(const struct cn_matrix_solver *solver, const struct cn_matrix_problem *problem,
    const struct cn_solve_options *options, struct cn_arena *scratch, double *f,
    struct cn_solve_report *report)
{
    CN_ASSERT(problem->n > 0 && problem->sparse == NULL); /* newton alone takes a sparse A */
    CN_ASSERT(report->stand_in == NULL && report->stand_in_rows == 0);
    struct cn_arena rest = *scratch;
    size_t size = (size_t)problem->n * sizeof(f[0]);
    double *f_other = CN_ARENA_TAKE(&rest, double, (size_t)problem->n);
    double *a = CN_ARENA_TAKE(&rest, double, (size_t)problem->n);
    double residual = cn_matrix_residual(problem, f, a);
    if (residual > options->tolerance && is_nothing(f, problem->n)) {
        residual = HUGE_VAL; /* zero forces are not an answer */
    }
    if (is_answered(solver, problem, options, residual, f_other, a, report)) {
        return;
    }
    bool swept = solver == &cn_matrix_solver_sweeps;
    int64_t left = options->work_max - (swept ? 0 : report->work);
    for (size_t k = 0; k < STAND_IN_COUNT && residual > options->tolerance; k++) {
        const struct cn_matrix_solver *other = stand_ins[k];
        if (other == solver || !fits(other, problem)) {
            continue;
        }
        struct cn_solve_options share = *options;
        if (options->work_max > CHAIN_PART) {
            int64_t part = left / part_of(other, problem->n);
            int64_t least = options->work_max / CHAIN_PART;
            share.work_max = part > least ? part : least;
        }
        if (is_too_dear(other, problem->n, share.work_max)) {
            continue;
        }
        struct cn_arena mark = rest;
        memcpy(f_other, f, size);
        struct cn_solve_report found = other->solve(problem, &share, &mark, f_other);
        scratch->used_max = mark.used_max > scratch->used_max ? mark.used_max : scratch->used_max;
        CN_ASSERT(found.iteration_count >= 0 && found.work >= 0);
        CN_ASSERT(problem->delassus == NULL || problem->delassus->row_count == problem->n);
        cn_matrix_make_usable(problem, f_other);
        report->iteration_count += found.iteration_count;
        report->work += found.work;
        double reached = cn_matrix_residual(problem, f_other, a);
        if (reached <= options->tolerance ||
            (reached < residual && !is_nothing(f_other, problem->n))) {
            residual = reached;
            memcpy(f, f_other, size);
            report->outcome = found.outcome;
            report->stand_in = other->name;
            report->stand_in_rows = problem->n;
            if (found.outcome <= CN_SOLVE_INEXACT && residual <= options->enough) {
                return;
            }
        }
    }
}
