/*
 * answer.h: how every stepper asks its solver, and how it reports the result.
 *
 * Work.  A solve of n rows is granted SOLVE_WORK_BASE + SOLVE_WORK_GROWTH n^1.5 operations, about
 * 0.02 s at 100 rows and 0.1 s at 1,000.  A solver may also grant itself an amount (work_per_row).
 * Steppers grant less where a tick has less left.  An event reports forces that are not solved by
 * then.
 *
 * Large islands.  Where newton spends more than a part of that on an island of CN_SOLVE_LARGE_ROWS,
 * a residual of CN_ANSWER_ENOUGH of the island's largest b is enough: 1 mm/s where a ball hits at
 * 10 m/s.  Such forces miss the tolerance, so they are UNSOLVED; no other solver is asked.
 *
 * Events.  Forces that miss the tolerance are UNSOLVED, with the worst residual of the tick; an
 * island that another solver answered for is STAND_IN, with its rows.  One event of each a tick.
 */
#ifndef ENGINE_STEP_ANSWER_H
#define ENGINE_STEP_ANSWER_H

#include "engine/model/model.h"
#include "engine/solve/solver.h"

#include <stdint.h>

/* Of the largest b: what is enough in a large island that changes much. */
#define CN_ANSWER_ENOUGH 1e-4

/* The requirements of a solve. */
struct cn_answer_wish {
    bool minimum_norm, has_solution, exact; /* see solver.h */
    bool cheap;                      /* sweeps answers in the solver's place, as far as work_max */
    int64_t work_max;                /* below the work that a solve is granted; 0: that work */
    double tolerance;                /* instead of SOLVE_TOLERANCE; 0: SOLVE_TOLERANCE */
    double enough;                   /* see solver.h; 0: the tolerance alone */
};

/*
 * Solves for f, which holds the warm start, and adds the work to *work.  The scratch is a copy, so
 * that each solve starts at its beginning.  Without rows the solver is not called.  Events go to
 * `told`.  NULL: there are no events, because a view is not part of a tick.
 */
struct cn_solve_note cn_answer_find(struct cn_model *told, const struct cn_solver *solver,
    const struct cn_contact_problem *problem, const struct cn_answer_wish *wish,
    struct cn_arena scratch, double *f, int64_t *work);

/*
 * Forces that were changed since have this residual: brings the note up to it, and tells where they
 * miss the tolerance.
 */
void cn_answer_judge(struct cn_model *told, double residual, struct cn_solve_note *note);

/*
 * Reports an overlap.  If there is no room for it, the first overlap takes the place of an impact:
 * among thousands of impacts it must not be lost.
 */
void cn_answer_tell_overlap(struct cn_model *told, int body_a, int body_b, double depth);

#endif
