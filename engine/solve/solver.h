/*
 * solver.h: what every contact solver looks like from outside.
 *
 * A solver is a const struct of functions.  It owns nothing and remembers nothing between calls:
 * its memory is the arena it is given, its state of the world is the problem.  That makes solvers
 * comparable (same problem, same judge), testable alone, and safe to run on any worker thread.
 *
 * To add one: write engine/solve/<name>.c, name it in solver_table.h and in its local.mk.  The
 * conformance suite, the fuzzer, the benchmark, `cairn list solvers` and the web page iterate over
 * the table and need no change.
 */
#ifndef ENGINE_SOLVE_SOLVER_H
#define ENGINE_SOLVE_SOLVER_H

#include "engine/base/arena.h"
#include "engine/problem/contact_problem.h"

#include <stdbool.h>

/* Why a solver stopped. An outcome, not an error: the stepper decides what to do about it. */
#define CN_SOLVE_OUTCOME_TABLE(X)                                                                  \
    X(CONVERGED, "converged")           /* scaled residual within options.tolerance */             \
    X(INEXACT, "inexact")               /* f is usable; rounding spoiled the residual */           \
    X(ITERATIONS_MAX, "iterations_max") /* f is usable, and as good as the budget allowed */       \
    X(INFEASIBLE, "infeasible")         /* no f satisfies the conditions (closing walls) */

#define X(name, text) CN_SOLVE_##name,
enum cn_solve_outcome { CN_SOLVE_OUTCOME_TABLE(X) };
#undef X

const char *cn_solve_outcome_name(enum cn_solve_outcome outcome);

struct cn_solve_options {
    double tolerance;   /* acceptable scaled residual (cn_residual_measure), > 0 */
    int iteration_max;  /* sweeps (iterative) or pivots (direct), > 0 */
    bool minimum_norm;  /* of all f that solve, the one of least |f|^2 (Faure 1996, section 2.5) */
};

/* What a solver that guesses has done, summed over the islands; see baraff89.h. */
struct cn_heuristic_counts {
    int guess_count;      /* nothing was guessed to part, and so it was */
    int prediction_count; /* what was predicted to part did */
    int fallback_count;   /* neither was so: forces that let nothing penetrate, but add energy */
    double power;         /* sum of f_i a_i over the fallbacks [N m/s^2], 0 of a right answer */
};

struct cn_solve_report {
    enum cn_solve_outcome outcome;
    int iteration_count;
    double residual; /* scaled, by the one judge */
    int64_t work;    /* deterministic count of inner-loop operations, about 1 ns each */
    struct cn_heuristic_counts heuristic; /* zero of a solver that does not guess */
};

/*
 * PROBLEM solvers take the problem of contact_problem.h, one after the other.  A BODIES solver
 * works on bodies, substep by substep (solve/impulse.h), a PAIRS solver on one contact of a pair of
 * bodies after the other; of both layout and solve are NULL, and a stepper knows what to do.  In
 * the table the PROBLEM solvers stand first.
 */
enum cn_solver_kind { CN_SOLVER_PROBLEM, CN_SOLVER_BODIES, CN_SOLVER_PAIRS };

struct cn_solver {
    enum cn_solver_kind kind;
    const char *name; /* stable: appears in scenes, on the wire and in golden file names */
    const char *cite;
    const char *text; /* one line for people */
    bool friction;    /* it solves TANGENT rows; others are never given any */
    bool meshes;      /* it knows shapes that are meshes; others are never given any */
    bool heuristic;   /* it may end INEXACT on a problem that has a solution */

    /* Lays out scratch for a problem of that size; on a measuring arena to learn the size. */
    void (*layout)(struct cn_arena *scratch, int row_count, int body_count);

    /*
     * Finds f.  On entry f holds the warm start (the last forces of the same rows), or zeros; on
     * return it holds forces that are finite, and not negative in NORMAL rows, whatever the
     * outcome.  The result may depend on the warm start only where forces are not unique.  Does not
     * allocate, lock, print or fail.
     */
    struct cn_solve_report (*solve)(const struct cn_contact_problem *problem,
        const struct cn_solve_options *options, struct cn_arena *scratch, double *f);
};

/* NULL when no solver has that name. */
const struct cn_solver *cn_solver_find(const char *name);

/* The table, in order; solver_count entries. */
extern const struct cn_solver *const cn_solvers[];
extern const int cn_solver_count;
extern const int cn_problem_solver_count; /* the first so many are of the kind PROBLEM */

#endif
