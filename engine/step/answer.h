/* answer.h: how every stepper asks its solver, and how it notes what came of it. */
#ifndef ENGINE_STEP_ANSWER_H
#define ENGINE_STEP_ANSWER_H

#include "engine/model/model.h"
#include "engine/solve/solver.h"

#include <stdint.h>

/*
 * Solves for f, which holds the warm start, and adds what that took to *work.  The scratch is a
 * copy, so that each solve starts at its beginning; without rows the solver is not asked.
 */
struct cn_solve_note cn_answer_find(const struct cn_solver *solver,
    const struct cn_contact_problem *problem, bool minimum_norm, struct cn_arena scratch, double *f,
    int64_t *work);

#endif
