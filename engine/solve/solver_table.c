#include "engine/solve/solver_table.h"

#include <string.h>

#define X(name) &cn_solver_##name,
const struct cn_solver *const cn_solvers[] = {CN_SOLVER_TABLE(X)};
#undef X

const int cn_solver_count = (int)(sizeof(cn_solvers) / sizeof(cn_solvers[0]));

/* The last solvers do not promise the tolerance: sweeps, and those of another kind. */
#define OTHERS 3
const int cn_problem_solver_count = (int)(sizeof(cn_solvers) / sizeof(cn_solvers[0])) - OTHERS;

const struct cn_solver *
cn_solver_find(const char *name)
{
    for (int i = 0; i < cn_solver_count; i++) {
        if (strcmp(cn_solvers[i]->name, name) == 0) {
            return cn_solvers[i];
        }
    }
    return NULL;
}

int
cn_solve_iterations(const struct cn_solve_options *options, int64_t work_done, int64_t cost)
{
    if (options->work_max <= 0) {
        return options->iteration_max;
    }
    int64_t count = (options->work_max - work_done) / (cost > 0 ? cost : 1);
    count = count > 1 ? count : 1;
    return count < options->iteration_max ? (int)count : options->iteration_max;
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
