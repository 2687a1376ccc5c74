#include "engine/step/answer.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/solve/table/solver_table.h"

#include <math.h>

/* The judge's scaled residual that a solve must reach. */
#define SOLVE_TOLERANCE 1e-10

#define SOLVE_WORK_BASE 2e7
#define SOLVE_WORK_GROWTH 3e3

static int64_t
work_granted(const struct cn_solver *solver, int row_count)
{
    double n = row_count;
    return solver->work_per_row > 0 ? (int64_t)solver->work_per_row * row_count
                                    : (int64_t)(SOLVE_WORK_BASE + SOLVE_WORK_GROWTH * n * sqrt(n));
}

/* The first event of a kind; NULL if no event is of it. */
static struct cn_event *
find_event(struct cn_model *model, enum cn_event_kind kind)
{
    for (int i = 0; i < model->event_count; i++) {
        if (model->event[i].kind == kind) {
            return &model->event[i];
        }
    }
    return NULL;
}

/* Reports at most one event of a kind in a tick, with the largest value. */
static void
tell(struct cn_model *model, enum cn_event_kind kind, double value)
{
    struct cn_event *event = find_event(model, kind);
    if (event != NULL) {
        event->value = cn_max(event->value, value);
        return;
    }
    cn_model_event(model, kind, -1, -1, value);
}

static void
tell_residual(struct cn_model *model, double residual, double tolerance)
{
    if (!(residual <= tolerance)) {
        tell(model, CN_EVENT_UNSOLVED, residual);
    }
}

void
cn_answer_judge(struct cn_model *told, double residual, struct cn_solve_note *note)
{
    note->residual = residual;
    if (note->outcome == CN_SOLVE_CONVERGED && !(residual <= SOLVE_TOLERANCE)) {
        note->outcome = CN_SOLVE_INEXACT;
    }
    if (told != NULL && note->outcome != CN_SOLVE_INFEASIBLE) {
        tell_residual(told, residual, SOLVE_TOLERANCE);
    }
}

static void
tell_report(struct cn_model *model, const struct cn_solve_report *report, double tolerance)
{
    if (report->outcome != CN_SOLVE_CONVERGED && report->outcome != CN_SOLVE_INFEASIBLE) {
        tell_residual(model, report->residual, tolerance);
    }
    if (report->stand_in != NULL) {
        tell(model, CN_EVENT_STAND_IN, report->stand_in_rows);
    }
}

void
cn_answer_tell_overlap(struct cn_model *told, int body_a, int body_b, double depth)
{
    int dropped = told->event_dropped;
    cn_model_event(told, CN_EVENT_OVERLAP, body_a, body_b, depth);
    struct cn_event *impact = find_event(told, CN_EVENT_IMPACT);
    bool lost = told->event_dropped > dropped && find_event(told, CN_EVENT_OVERLAP) == NULL;
    if (lost && impact != NULL) {
        impact->kind = CN_EVENT_OVERLAP;
        impact->body_a = body_a;
        impact->body_b = body_b;
        impact->value = depth;
    }
}

struct cn_solve_note
cn_answer_find(struct cn_model *told, const struct cn_solver *solver,
    const struct cn_contact_problem *problem, const struct cn_answer_wish *wish,
    struct cn_arena scratch, double *f, int64_t *work)
{
    struct cn_solve_note note = {
        .outcome = CN_SOLVE_CONVERGED, .row_count = problem->row_count};
    if (problem->row_count == 0) {
        return note;
    }
    struct cn_solve_options options = {
        .tolerance = wish->tolerance > 0.0 ? wish->tolerance : SOLVE_TOLERANCE,
        .iteration_max = 100 + 10 * problem->row_count,
        .work_max = work_granted(solver, problem->row_count),
        .enough = wish->minimum_norm ? 0.0 : wish->enough,
        .minimum_norm = wish->minimum_norm,
        .has_solution = wish->has_solution,
        .exact = solver->work_per_row > 0 && !wish->cheap &&
                 (wish->exact || (told != NULL && told->clock.coarse)),
    };
    if (wish->work_max > 0 && wish->work_max < options.work_max) {
        options.work_max = wish->work_max;
    }
    CN_ASSERT(solver->kind == CN_SOLVER_PROBLEM && solver->solve != NULL);
    const struct cn_solver *asked = wish->cheap ? &cn_solver_sweeps : solver;
    struct cn_solve_report report = asked->solve(problem, &options, &scratch, f);
    if (asked != solver) {
        report.stand_in = asked->name;
        report.stand_in_rows = problem->row_count;
    }
    note.outcome = (int32_t)report.outcome;
    note.residual = report.residual;
    note.iteration_count = report.iteration_count;
    note.guess_count = report.heuristic.guess_count;
    note.prediction_count = report.heuristic.prediction_count;
    note.fallback_count = report.heuristic.fallback_count;
    note.fallback_power = report.heuristic.power;
    *work += report.work;
    if (told != NULL) {
        tell_report(told, &report, options.tolerance);
    }
    return note;
}
