#include "engine/solve/solver_table.h"

#include <string.h>

#define X(name) &cn_solver_##name,
const struct cn_solver *const cn_solvers[] = {CN_SOLVER_TABLE(X)};
#undef X

const int cn_solver_count = (int)(sizeof(cn_solvers) / sizeof(cn_solvers[0]));

/* Of another kind are the last. */
#define OTHERS 2
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
