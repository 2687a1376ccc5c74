#include "engine/solve/solver.h"

#include "engine/base/assert.h"

int
cn_solve_iterations(const struct cn_solve_options *options, int64_t work_done, int64_t cost)
{
    CN_ASSERT(options->iteration_max > 0);
    if (options->work_max <= 0) {
        return options->iteration_max;
    }
    int64_t count = (options->work_max - work_done) / (cost > 0 ? cost : 1);
    count = count > 1 ? count : 1;
    return count < options->iteration_max ? (int)count : options->iteration_max;
}

void
cn_solve_report_add(struct cn_solve_report *sum, const struct cn_solve_report *part)
{
    CN_ASSERT(part->iteration_count >= 0 && part->work >= 0);
    CN_ASSERT((part->stand_in == NULL) == (part->stand_in_rows == 0)); /* named with its rows */
    sum->iteration_count += part->iteration_count;
    sum->work += part->work;
    if (part->stand_in_rows > sum->stand_in_rows) {
        sum->stand_in = part->stand_in;
        sum->stand_in_rows = part->stand_in_rows;
    }
    sum->heuristic.guess_count += part->heuristic.guess_count;
    sum->heuristic.prediction_count += part->heuristic.prediction_count;
    sum->heuristic.fallback_count += part->heuristic.fallback_count;
    sum->heuristic.power += part->heuristic.power;
}

const char *
cn_solve_outcome_name(enum cn_solve_outcome outcome)
{
    switch (outcome) {
#define X(name, text)                                                                              \
    case CN_SOLVE_##name:                                                                          \
        return text;
        CN_SOLVE_OUTCOME_TABLE(X)
#undef X
    }
    return "unknown outcome";
}
