/*
 * restraint.h: the least restraint of one island by a dual active-set method; the core of gauss.
 *
 *     minimise  1/2 y'M y     subject to     J y + b >= 0  (= 0 in BILATERAL rows)
 *
 * y begins as the least restraint under an active set A (empty, or the warm start's), whose rows
 * hold with a_A = 0 and push, f_A >= 0.  Of the rows that accelerate inward the worst, p, is
 * chosen.  y moves along z, which does not change the active rows, until a_p = 0, and p joins A.  A
 * force that reaches zero before that ends the step, and its row leaves A.  Every full step raises
 * the restraint, so no A repeats.
 *
 * BILATERAL rows are the first in A and never leave.  Where row p depends on A (J A redundant: four
 * legs of a table), z = 0: only forces change, until one reaches zero.  If none does, no
 * acceleration satisfies the combination of rows given by r (closing walls): the outcome is
 * INFEASIBLE, row p does not push, and the others hold.
 *
 * The active rows are factored on the primal side (linalg/active_set.h): the unknowns are the
 * bodies' degrees of freedom, the matrix is J in the metric of the masses, and J inv(M) J' is never
 * formed.  So gauss and baraff94 share no factor and no rank decision: their agreement is a real
 * check.
 *
 * Source: Goldfarb and Idnani, "A numerically stable dual method for solving strictly convex
 * quadratic programs", Mathematical Programming 27, 1983, section 3.
 *
 * Departure: p is the row with the most negative a_p / sqrt(A_pp), lowest index on ties, so that
 * the choice does not depend on units and replays agree.
 *
 * Invariants: 1. active[p] = i exactly where place[i] = p, for all p below the set's count; place
 * is -1 for the other rows.  2. A BILATERAL row never leaves A.  3. A row that was given up is not
 * in A.
 */
#ifndef ENGINE_SOLVE_MATRIX_RESTRAINT_H
#define ENGINE_SOLVE_MATRIX_RESTRAINT_H

#include "engine/linalg/active_set.h"
#include "engine/problem/matrix_problem.h"

enum cn_restraint_end {
    CN_RESTRAINT_DONE,       /* no row accelerates inward */
    CN_RESTRAINT_INFEASIBLE, /* some rows can not be satisfied and do not push; the others hold */
    CN_RESTRAINT_SPOILED,    /* rounding left some row beyond the tolerance */
    CN_RESTRAINT_STEPS_MAX,  /* stopped early, with every f usable */
};

struct cn_restraint {
    const struct cn_matrix_problem *problem;
    struct cn_active_set set;
    double *f;        /* the caller's */
    double *a;        /* J y + b, y = inv(M) J'f */
    double *diagonal; /* |n_i|^2 in the metric: A_ii */
    double *root;     /* its square root */
    double *r;        /* in the order of active[] */
    int *active;      /* the active rows, in the order of the factor */
    int *place;       /* index in active[], or -1 */
    bool *given_up;
    double accel_tolerance; /* [m/s^2] */
    double accel_scale;     /* [m/s^2] the judge's s */
    int step_count;
    int commit_count; /* rows added since the factor was built */
    int64_t work;     /* without the factor's own */

    int *index;    /* of a row of J */
    double *value;
    double *J;     /* of a problem without bodies: row i has `rank` entries, at i n */
    int rank;
};

/* Takes the memory for a problem with these numbers of rows and degrees of freedom. */
void cn_restraint_take(struct cn_restraint *g, struct cn_arena *scratch, int row_count,
    int unknown_count);

/* Starts a problem; f has n entries and holds the warm start. */
void cn_restraint_begin(struct cn_restraint *g, const struct cn_matrix_problem *problem,
    double accel_tolerance, double *f);

/* Starts from the least restraint under the rows that pushed last time and still do. */
void cn_restraint_warm(struct cn_restraint *g);

/* Steps until no row accelerates inward. */
enum cn_restraint_end cn_restraint_run(struct cn_restraint *g, int step_max);

#endif
