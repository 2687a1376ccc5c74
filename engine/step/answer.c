#include "engine/step/answer.h"

#include "engine/math/scalar.h"

#include <math.h>

/* The judge's scaled residual that a solve must reach. */
#define SOLVE_TOLERANCE 1e-10

/* Of the largest b: the residual that is enough in a large island that changes much. */
#define ANSWER_ENOUGH 1e-4

#define SOLVE_WORK_BASE 2e7
#define SOLVE_WORK_GROWTH 3e3

static int64_t
work_granted(const struct cn_solver *solver, int row_count)
{
    double n = row_count;
    return solver->work_per_row > 0 ? (int64_t)solver->work_per_row * row_count
                                    : (int64_t)(SOLVE_WORK_BASE + SOLVE_WORK_GROWTH * n * sqrt(n));
}

/* Reports at most one event of a kind in a tick, with the largest value. */
static void
tell(struct cn_model *model, enum cn_event_kind kind, double value)
{
    for (int i = 0; i < model->event_count; i++) {
        struct cn_event *event = &model->event[i];
        if (event->kind == kind) {
            event->value = cn_max(event->value, value);
            return;
        }
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
cn_answer_tell(struct cn_model *told, double residual)
{
    if (told != NULL) {
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

struct cn_solve_note
cn_answer_find(struct cn_model *told, const struct cn_solver *solver,
    const struct cn_contact_problem *problem, bool minimum_norm, struct cn_arena scratch, double *f,
    int64_t *work)
{
    struct cn_answer_wish wish = {.minimum_norm = minimum_norm, .enough = ANSWER_ENOUGH};
    return cn_answer_find_as(told, solver, problem, &wish, scratch, f, work);
}

struct cn_solve_note
cn_answer_find_as(struct cn_model *told, const struct cn_solver *solver,
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
        .exact = solver->work_per_row > 0 &&
                 (wish->exact || (told != NULL && told->clock.coarse)),
    };
    if (wish->work_max > 0 && wish->work_max < options.work_max) {
        options.work_max = wish->work_max;
    }
    struct cn_solve_report report = solver->solve(problem, &options, &scratch, f);
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
