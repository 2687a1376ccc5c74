/*
 * solver.h: the interface of every contact solver.
 *
 * A solver is a const struct of functions.  It owns nothing and stores nothing between calls: its
 * memory is the arena it is given, and its input is the problem.  That makes solvers comparable
 * (same problem, same judge), testable alone, and safe to run on any worker thread.
 *
 * No solver knows which others exist.  The table of solvers (table/solver_table.h) stands above all
 * of them.
 */
#ifndef ENGINE_SOLVE_SOLVER_H
#define ENGINE_SOLVE_SOLVER_H

#include "engine/base/arena.h"
#include "engine/problem/contact_problem.h"

#include <stdbool.h>

/* Why a solver stopped.  This is an outcome, not an error: the stepper decides how to react. */
#define CN_SOLVE_OUTCOME_TABLE(X)                                                                  \
    X(CONVERGED, "converged")           /* scaled residual within options.tolerance */             \
    X(INEXACT, "inexact")               /* f is usable; rounding spoiled the residual */           \
    X(ITERATIONS_MAX, "iterations_max") /* f is usable, and as good as the budget allowed */       \
    X(INFEASIBLE, "infeasible")         /* no f satisfies the conditions (closing walls) */

#define X(name, text) CN_SOLVE_##name,
enum cn_solve_outcome { CN_SOLVE_OUTCOME_TABLE(X) };
#undef X

const char *cn_solve_outcome_name(enum cn_solve_outcome outcome);

/*
 * An island of this many rows or more costs more than the time of a tick if everything in it moves.
 */
#define CN_SOLVE_LARGE_ROWS 600
/* An island is costly once it has taken this part of work_max. */
#define CN_SOLVE_ENOUGH_PART 16

struct cn_solve_options {
    double tolerance;   /* acceptable scaled residual (cn_residual_measure), > 0 */
    int iteration_max;  /* sweeps (iterative) or pivots (direct), > 0 */
    int64_t work_max;   /* ends after about this much work, an island after its share; 0: no
                           limit */
    double enough;      /* of the largest b: newton stops here in a large costly island; 0: never */
    bool minimum_norm;  /* of all solutions f, the one of least |f|^2 (Faure 1996, section 2.5) */
    bool has_solution;  /* a solution exists, as for impulses: INFEASIBLE is not accepted, other
                           solvers are tried (table/chain.h) */
    bool exact;         /* other solvers are tried if a heuristic one misses the tolerance */
};

/* The counts of a solver that guesses, summed over the islands; see baraff89.h. */
struct cn_heuristic_counts {
    int guess_count;      /* the guess that no contact parts was right */
    int prediction_count; /* the predicted set of parting contacts was right */
    int fallback_count;   /* neither was right: nothing penetrates, but the forces add energy */
    double power;         /* sum of f_i a_i over the fallbacks [N m/s^2]; 0 for a right answer */
};

struct cn_solve_report {
    enum cn_solve_outcome outcome;
    int iteration_count;
    double residual; /* scaled, measured by the judge */
    int64_t work;    /* deterministic count of inner-loop operations, about 1 ns each */
    const char *stand_in; /* the solver that solved an island instead; NULL: this one */
    int stand_in_rows;    /* of the largest such island */
    struct cn_heuristic_counts heuristic; /* zero for a solver that does not guess */
};

/*
 * PROBLEM solvers solve the problem of contact_problem.h.  A BODIES solver works on bodies, substep
 * by substep (solve/impulse/impulse.h).  A PAIRS solver works on the contacts of pairs of bodies,
 * one after the other.  For both of these layout and solve are NULL, and the stepper calls them in
 * its own way.  In the table the PROBLEM solvers come first.
 */
enum cn_solver_kind { CN_SOLVER_PROBLEM, CN_SOLVER_BODIES, CN_SOLVER_PAIRS };

struct cn_solver {
    enum cn_solver_kind kind;
    const char *name; /* stable: appears in scenes, on the wire and in golden file names */
    const char *cite;
    const char *text; /* one line of description */
    bool friction;    /* it solves TANGENT rows; others never get any */
    bool rolling;     /* it has moments against rolling and spinning: ROLLING and SPINNING rows */
    bool meshes;      /* it supports shapes that are meshes; others never get any */
    bool heuristic;   /* it may miss the tolerance on a problem that has a solution */
    /*
     * The work that steppers grant it for each row of a problem (work_max), for a solver that is as
     * good as its budget; 0: the work of solvers that run until the tolerance is met.
     */
    int work_per_row;

    /*
     * Lays out scratch for a problem of this size; a measuring arena gives the size of the scratch.
     */
    void (*layout)(struct cn_arena *scratch, int row_count, int body_count);

    /*
     * Finds f.  On entry f holds the warm start (the last forces of the same rows), or zeros.  On
     * return it holds forces that are finite, and not negative in NORMAL rows, whatever the
     * outcome.  The result may depend on the warm start only where forces are not unique.  Does not
     * allocate, lock, print or fail.
     */
    struct cn_solve_report (*solve)(const struct cn_contact_problem *problem,
        const struct cn_solve_options *options, struct cn_arena *scratch, double *f);
};

/*
 * The number of iterations: iteration_max, or fewer if the remaining work allows fewer of this cost
 * [operations]; at least one.
 */
int cn_solve_iterations(const struct cn_solve_options *options, int64_t work_done, int64_t cost);

/* Adds the counts of a part to those of the whole; outcome and residual stay. */
void cn_solve_report_add(struct cn_solve_report *sum, const struct cn_solve_report *part);

#endif
