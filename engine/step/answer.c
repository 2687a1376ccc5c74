#include "engine/step/answer.h"

/* The judge's scaled residual that a solve must reach. */
#define SOLVE_TOLERANCE 1e-10

struct cn_solve_note
cn_answer_find(const struct cn_solver *solver, const struct cn_contact_problem *problem,
    bool minimum_norm, struct cn_arena scratch, double *f, int64_t *work)
{
    struct cn_solve_note note = {
        .outcome = CN_SOLVE_CONVERGED, .row_count = problem->row_count};
    if (problem->row_count == 0) {
        return note;
    }
    struct cn_solve_options options = {
        .tolerance = SOLVE_TOLERANCE,
        .iteration_max = 100 + 10 * problem->row_count,
        .minimum_norm = minimum_norm,
    };
    struct cn_solve_report report = solver->solve(problem, &options, &scratch, f);
    note.outcome = (int32_t)report.outcome;
    note.residual = report.residual;
    note.iteration_count = report.iteration_count;
    note.guess_count = report.heuristic.guess_count;
    note.prediction_count = report.heuristic.prediction_count;
    note.fallback_count = report.heuristic.fallback_count;
    note.fallback_power = report.heuristic.power;
    *work += report.work;
    return note;
}
