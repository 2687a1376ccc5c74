#include "engine/solve/table/matrix_adapter.h"

#include "engine/base/assert.h"
#include "engine/base/fiber.h"
#include "engine/problem/islands.h"
#include "engine/solve/friction/newton.h"
#include "engine/solve/friction/sweeps.h"
#include "engine/solve/matrix/bounded.h"
#include "engine/solve/table/chain.h"

#include <string.h>

/* Work done once for each row of a problem, or of an island. */
#define WORK_PER_ROW 150

/*
 * A solver may take one in so many parts of an island's work, and others stand in for it with the
 * rest (chain.h): what pivots or relaxes for long is mostly solved by newton in less.  Newton may
 * take its part twice, since it pivots where its own method fails.
 */
#define OWN_PART 2

/*
 * The judge decides on convergence.  It can not see whether forces are the least ones: so a solver
 * that was asked for least forces and is INEXACT stays INEXACT.
 */
static void
judge_report(
    struct cn_solve_report *report, double residual, const struct cn_solve_options *options)
{
    report->residual = residual;
    if (residual <= options->tolerance) {
        bool least_missed = options->minimum_norm && report->outcome == CN_SOLVE_INEXACT;
        report->outcome = least_missed ? CN_SOLVE_INEXACT : CN_SOLVE_CONVERGED;
    } else if (report->outcome == CN_SOLVE_CONVERGED) {
        report->outcome = CN_SOLVE_INEXACT;
    }
}

/* Parts of a problem that is a matrix, as copies. */
struct dense_part {
    const struct cn_matrix_problem *whole;
    double *A;
    int *place;
};

static void
take_dense_part(void *context, const int *row, int row_count, struct cn_matrix_problem *out)
{
    const struct dense_part *part = context;
    CN_ASSERT(row_count <= part->whole->n);
    for (int i = 0; i < part->whole->n; i++) {
        part->place[i] = -1;
    }
    for (int k = 0; k < row_count; k++) {
        CN_ASSERT(0 <= row[k] && row[k] < part->whole->n && part->place[row[k]] < 0);
        part->place[row[k]] = k;
    }
    for (int k = 0; k < row_count; k++) {
        double *A = part->A + (size_t)k * (size_t)row_count;
        memset(A, 0, (size_t)row_count * sizeof(A[0]));
        cn_work_spend(row_count / 4);
        (void)cn_matrix_column(part->whole, row[k], part->place, row_count, A);
    }
    out->A = part->A;
    out->stride = row_count;
}

static void
restore_nothing(void *context)
{
    (void)context;
}

static void
dense_part_take(struct dense_part *part, struct cn_arena *scratch, int n)
{
    part->A = CN_ARENA_TAKE(scratch, double, (size_t)n * (size_t)n);
    part->place = CN_ARENA_TAKE(scratch, int, (size_t)n);
}

void
cn_matrix_solve_layout(const struct cn_matrix_solver *solver, struct cn_arena *scratch, int n)
{
    struct dense_part unused;
    CN_ASSERT(n >= 0);
    (void)CN_ARENA_TAKE(scratch, double, (size_t)n);
    if (solver->bounded) { /* it needs no part without the bounded rows */
        solver->layout(scratch, n);
        return;
    }
    dense_part_take(&unused, scratch, n);
    cn_bounded_layout(solver, scratch, n);
}

struct cn_solve_report
cn_matrix_solve(const struct cn_matrix_solver *solver, const struct cn_matrix_problem *problem,
    const struct cn_solve_options *options, struct cn_arena *scratch, double *f)
{
    CN_ASSERT(options->tolerance > 0.0 && options->iteration_max > 0);
    CN_ASSERT(problem->sparse == NULL || solver->sparse);
    cn_matrix_check(problem);
    CN_ASSERT(solver->rolling || !cn_matrix_rolls(problem));
    double *a = CN_ARENA_TAKE(scratch, double, (size_t)problem->n);
    cn_matrix_make_usable(problem, f);
    struct cn_solve_report report;
    if (!solver->bounded && cn_bounded_any(problem)) {
        struct dense_part dense = {.whole = problem};
        dense_part_take(&dense, scratch, problem->n);
        struct cn_bounded_part part = {&dense, take_dense_part, restore_nothing};
        report = cn_bounded_solve(solver, problem, &part, options, scratch, f);
    } else {
        report = solver->solve(problem, options, scratch, f);
    }
    cn_matrix_make_usable(problem, f);
    judge_report(&report, cn_matrix_residual(problem, f, a), options);
    return report;
}

struct adapter {
    struct cn_islands islands;
    struct cn_delassus delassus;
    struct cn_twist *work;
    double *b, *f; /* of one island, as are the arrays below */
    double *lower, *upper, *friction, *slip;
    unsigned char *tag;
    int *part_row; /* of the island's part without BOUNDED rows at a limit */

    /* The island, from which parts are taken. */
    const struct cn_contact_problem *problem;
    const int *row;
    int row_count;
};

static void
adapter_take(struct adapter *adapter, struct cn_arena *scratch, int row_count, int body_count)
{
    size_t rows = (size_t)row_count;
    cn_islands_take(&adapter->islands, scratch, row_count, body_count);
    cn_delassus_take(&adapter->delassus, scratch, row_count, body_count);
    adapter->work = CN_ARENA_TAKE(scratch, struct cn_twist, (size_t)body_count);
    adapter->b = CN_ARENA_TAKE(scratch, double, rows);
    adapter->f = CN_ARENA_TAKE(scratch, double, rows);
    adapter->lower = CN_ARENA_TAKE(scratch, double, rows);
    adapter->upper = CN_ARENA_TAKE(scratch, double, rows);
    adapter->friction = CN_ARENA_TAKE(scratch, double, rows);
    adapter->slip = CN_ARENA_TAKE(scratch, double, rows);
    adapter->tag = CN_ARENA_TAKE(scratch, unsigned char, rows);
    adapter->part_row = CN_ARENA_TAKE(scratch, int, rows);
}

void
cn_matrix_adapter_layout(const struct cn_matrix_solver *solver, struct cn_arena *scratch,
    int row_count, int body_count)
{
    struct adapter unused;
    CN_ASSERT(row_count >= 0 && body_count >= 0);
    adapter_take(&unused, scratch, row_count, body_count);
    struct cn_arena other = *scratch;
    cn_chain_layout(&other, row_count, body_count);
    if (solver->layout_island == NULL) {
        cn_bounded_layout(solver, scratch, row_count);
    } else {
        CN_ASSERT(solver->bounded); /* no scratch is laid out for cn_bounded_solve */
        solver->layout_island(scratch, row_count, body_count);
    }
    if (other.used > scratch->used) {
        (void)cn_arena_take(scratch, other.used - scratch->used);
    }
}

/* Copies an island's entries of a column that the problem may lack; NULL where it does. */
static const double *
gather_column(const double *column, const int *row, int row_count, double *out)
{
    if (column == NULL) {
        return NULL;
    }
    for (int i = 0; i < row_count; i++) {
        out[i] = column[row[i]];
    }
    return out;
}

/* The island's problem, without A, and its warm start. */
static struct cn_matrix_problem
gather_island(struct adapter *adapter, const struct cn_contact_problem *problem, const int *row,
    int row_count, const double *f)
{
    for (int i = 0; i < row_count; i++) {
        CN_ASSERT(0 <= row[i] && row[i] < problem->row_count);
        adapter->tag[i] = problem->tag[row[i]];
    }
    gather_column(f, row, row_count, adapter->f);
    return (struct cn_matrix_problem){.n = row_count, .delassus = &adapter->delassus,
        .b = gather_column(problem->b, row, row_count, adapter->b), .tag = adapter->tag,
        .lower = gather_column(problem->lower, row, row_count, adapter->lower),
        .upper = gather_column(problem->upper, row, row_count, adapter->upper),
        .friction = gather_column(problem->friction, row, row_count, adapter->friction),
        .slip = gather_column(problem->slip, row, row_count, adapter->slip)};
}

/* Takes a part of an island: its rows are packed again. */
static void
take_island_part(void *context, const int *row, int row_count, struct cn_matrix_problem *out)
{
    struct adapter *adapter = context;
    CN_ASSERT(row_count <= adapter->row_count);
    for (int k = 0; k < row_count; k++) {
        CN_ASSERT((k == 0 ? -1 : row[k - 1]) < row[k] && row[k] < adapter->row_count);
        adapter->part_row[k] = adapter->row[row[k]];
    }
    cn_delassus_pack(&adapter->delassus, adapter->problem, adapter->part_row, row_count);
    out->delassus = &adapter->delassus;
}

static void
restore_island(void *context)
{
    struct adapter *adapter = context;
    CN_ASSERT(adapter->row != NULL && adapter->row_count > 0);
    cn_delassus_pack(&adapter->delassus, adapter->problem, adapter->row, adapter->row_count);
}

/* The part of an island's work that a solver may take itself: one in so many. */
static int
own_part(const struct cn_matrix_solver *solver, int row_count)
{
    if (solver == &cn_matrix_solver_newton) {
        return row_count < CN_SOLVE_LARGE_ROWS ? OWN_PART : 1;
    }
    return solver == &cn_matrix_solver_sweeps ? 1 : OWN_PART;
}

static struct cn_solve_report
solve_island(struct adapter *adapter, const struct cn_matrix_solver *solver,
    const struct cn_contact_problem *problem, const struct cn_solve_options *options,
    struct cn_arena *scratch, const int *row, int row_count, double *f)
{
    struct cn_matrix_problem island = gather_island(adapter, problem, row, row_count, f);
    cn_work_spend(WORK_PER_ROW * (int64_t)row_count);
    cn_matrix_make_usable(&island, adapter->f);
    cn_delassus_pack(&adapter->delassus, problem, row, row_count);
    cn_matrix_check(&island);
    CN_ASSERT(solver->rolling || !cn_matrix_rolls(&island)); /* cn_solver.rolling says so */
    struct cn_solve_options own = *options;
    if (own.work_max > OWN_PART) {
        own.work_max /= own_part(solver, row_count);
    }
    struct cn_arena rest = *scratch; /* every island begins at the same mark */
    struct cn_solve_report report;
    if (!solver->bounded && cn_bounded_any(&island)) {
        adapter->problem = problem;
        adapter->row = row;
        adapter->row_count = row_count;
        struct cn_bounded_part part = {adapter, take_island_part, restore_island};
        report = cn_bounded_solve(solver, &island, &part, &own, &rest, adapter->f);
    } else {
        report = solver->solve(&island, &own, &rest, adapter->f);
    }
    CN_ASSERT(adapter->delassus.row_count == row_count); /* all of the island again */
    CN_ASSERT(report.stand_in == NULL); /* only the chain names one */
    scratch->used_max = rest.used_max > scratch->used_max ? rest.used_max : scratch->used_max;
    cn_matrix_make_usable(&island, adapter->f);
    cn_chain_solve(solver, &island, options, scratch, adapter->f, &report);
    for (int i = 0; i < row_count; i++) {
        f[row[i]] = adapter->f[i];
    }
    return report;
}

struct cn_solve_report
cn_matrix_adapter_solve(const struct cn_matrix_solver *solver,
    const struct cn_contact_problem *problem, const struct cn_solve_options *options,
    struct cn_arena *scratch, double *f)
{
    CN_ASSERT(0 <= problem->row_count && 0 <= problem->body_count);
    CN_ASSERT(options->tolerance > 0.0 && options->iteration_max > 0);
    struct adapter adapter;
    adapter_take(&adapter, scratch, problem->row_count, problem->body_count);
    cn_work_spend(WORK_PER_ROW * (int64_t)problem->row_count);
    cn_islands_find(&adapter.islands, problem);
    cn_delassus_reset(&adapter.delassus, problem->body_count);

    CN_ASSERT(adapter.islands.count <= problem->row_count && adapter.islands.start[0] == 0);
    CN_ASSERT(adapter.islands.start[adapter.islands.count] == problem->row_count);
    struct cn_solve_report report = {.outcome = CN_SOLVE_CONVERGED};
    for (int k = 0; k < adapter.islands.count; k++) {
        int start = adapter.islands.start[k], end = adapter.islands.start[k + 1];
        CN_ASSERT(start < end);
        struct cn_solve_options share = *options; /* the work is shared out by rows */
        share.work_max = options->work_max * (end - start) / problem->row_count;
        share.work_max += options->work_max > 0 && share.work_max == 0;
        share.enough = end - start < CN_SOLVE_LARGE_ROWS ? 0.0 : options->enough;
        struct cn_solve_report island = solve_island(&adapter, solver, problem, &share, scratch,
            adapter.islands.row + start, end - start, f);
        /* The outcomes are ordered by severity. */
        report.outcome = island.outcome > report.outcome ? island.outcome : report.outcome;
        cn_solve_report_add(&report, &island);
    }
    CN_ASSERT(report.stand_in_rows <= problem->row_count);
    cn_work_spend(WORK_PER_ROW * (int64_t)problem->row_count);
    double residual = cn_residual_measure(problem, f, adapter.work);
    cn_work_spend(WORK_PER_ROW * (int64_t)problem->row_count);
    report.work += 100 * (int64_t)problem->row_count + 10 * (int64_t)problem->body_count;
    judge_report(&report, residual, options);
    return report;
}
